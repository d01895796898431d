-- Stress-strain curves with an unloading branch: what the threads remember, and that no path gains energy.

local weft = require "weft"
local sheets = require "spec.model.sheets"
local message_of = require "spec.support".message_of

local END, TOP = 0.1, 60
local UP = { { 0.02, 3 }, { 0.05, 12 }, { 0.08, 30 }, { END, TOP } }
local DOWN = { { 0.03, 0 }, { 0.05, 4 }, { 0.08, 14 }, { END, TOP } }

local function fabric_of(curves, hysteresis)
  return weft.fabric { stretch = { weft = 500, warp = 400, coupling = 0 }, shear = 30, curves = curves,
    hysteresis = hysteresis }
end

local names = {} -- of the models that remember
for _, entry in ipairs(weft.model.list()) do
  if entry.kind == "membrane" and entry.hysteresis and entry.curves then
    names[#names + 1] = entry.name
  end
end

--- One triangle of half a square metre that is led from strain to strain: stress and energy density.
local function specimen(fabric, name)
  local model = weft.model.create { name = name or "weave particles", faces = { { 1, 2, 3 } },
    rest = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, fabric = fabric }
  local self = { model = model }
  function self.x(weft_strain, warp_strain, angle)
    local v = 1 + (warp_strain or 0)
    return { { 0, 0, 0 }, { 1 + weft_strain, 0, 0 }, { v * math.sin(angle or 0), v * math.cos(angle or 0), 0 } }
  end
  function self.at(strain)
    local x = self.x(strain)
    return 2 * model:forces({ x = x }):get(1), 2 * model:energy { x = x }
  end
  function self.to(...)
    model:remember { x = self.x(...) }
  end
  return self
end

local branched = fabric_of { weft = { loading = UP, unloading = DOWN } }

describe("A curve with an unloading branch", function()
  it("is followed up along one and down along the other", function()
    for _, name in ipairs(names) do
      local piece = specimen(branched, name)
      local function follow(branch, first, last, step)
        local met = 0
        for k = first, last, step do
          local strain = END * k / 1000
          for _, point in ipairs(branch) do
            if math.abs(strain - point[1]) < 1e-9 then
              assert.near(point[2], (piece.at(strain)), 1e-6)
              met = met + 1
            end
          end
          piece.to(strain)
        end
        assert.equal(#branch, met)
      end
      follow(UP, 1, 1000, 1)
      follow(DOWN, 1000, 0, -1)
      assert.near(0, (piece.at(0)), 1e-9)
    end
  end)

  it("goes from branch to branch within a tenth of the range after each turn", function()
    local piece = specimen(branched)
    local upper, lower = 12, 4 -- at 5 %
    piece.to(0.05)
    assert.near(upper, (piece.at(0.05)), 1e-9)
    piece.to(0.05 + 0.1 * END)
    piece.to(0.05) -- a tenth back
    assert.near(lower, (piece.at(0.05)), 1e-9)
    piece.to(0.05 - 0.1 * END)
    piece.to(0.05)
    assert.near(upper, (piece.at(0.05)), 1e-9)
    -- half of the way is the middle
    piece.to(0.05 + 0.05 * END)
    local middle = piece.at(0.05)
    assert.near((upper + lower) / 2, middle, 1e-9)
  end)

  it("is one line beyond its end and in compression, where nothing is lost", function()
    local piece, plain = specimen(branched), specimen(fabric_of { weft = UP })
    for _, strain in ipairs { 0.12, 0.2, 0.12, -0.05, -0.01, -0.05 } do
      piece.to(strain)
      assert.near(plain.at(strain), (piece.at(strain)), 1e-9)
    end
  end)

  it("has the stress that its energy has for a slope, and the stiffness that its stress has, in every state", function()
    local random = sheets.random(7)
    local curve = { loading = UP, unloading = DOWN }
    for _, name in ipairs(names) do
      local piece = specimen(fabric_of({ weft = curve, warp = curve, shear = curve }, { weft = 1, shear = 1,
        slip = 0.004 }), name)
      for _ = 1, 12 do
        piece.to(0.11 * random(), 0.11 * random(), 0.11 * random())
        local x = piece.x(0.1 * random(), 0.1 * random(), 0.1 * random())
        local force_error, matrix_error = sheets.difference_errors(piece.model, x, 1e-6)
        assert.is_true(force_error < 1e-6, force_error)
        assert.is_true(matrix_error < 1e-6, matrix_error)
      end
    end
  end)

  it("loses energy along each step of every path, and so on every closed one", function()
    local random = sheets.random(3)
    for _ = 1, 60 do
      local up, down, strain, above, below = {}, {}, 0, 0, 0
      for k = 1, 3 + math.floor(9 * math.abs(random())) do
        local rise, share = math.exp(3 * random()), math.abs(random())
        strain, above = strain + 0.003 + 0.01 * math.abs(random()), above + rise
        below = math.min(below + share * rise, above)
        up[k], down[k] = { strain, above }, { strain, below }
      end
      down[#down] = nil
      local piece = specimen(fabric_of({ weft = { loading = up, unloading = down } }, { weft = 0.1, slip = 1e-3 }))
      local scale, here, lost = strain * above, 0, 0
      for _ = 1, 60 do
        local there = 1.2 * strain * random()
        -- the stress of one step has a potential: what is stored at its end, before and after the threads slip
        local _, before = piece.at(here)
        local _, work = piece.at(there)
        piece.to(there)
        local _, after = piece.at(there)
        assert.is_true(after <= work + 1e-9 * scale)
        lost, here = lost + work - after, there
        assert.is_true(before >= -1e-9 * scale)
      end
      assert.is_true(lost > 0)
    end
  end)

  it("loses the area between the branches in a full cycle", function()
    local piece, steps, work = specimen(branched), 4000, 0
    for k = 1, 2 * steps do
      local t = k <= steps and k - 0.5 or 2 * steps - k + 0.5
      local strain = END * t / steps
      work = work + (k <= steps and 1 or -1) * piece.at(strain) * END / steps
      piece.to(END * (k <= steps and k or 2 * steps - k) / steps)
    end
    local area = 0 -- of splines through the same points
    local up, down = specimen(fabric_of { weft = UP }), specimen(fabric_of { weft = DOWN })
    for k = 1, steps do
      local strain = END * (k - 0.5) / steps
      area = area + (up.at(strain) - down.at(strain)) * END / steps
    end
    assert.near(area, work, 0.02 * area) -- between the points the gap has a spline of its own
  end)

  it("is mirrored in shear, and the loop is symmetric", function()
    local piece = specimen(fabric_of { shear = { loading = UP, unloading = DOWN } })
    local function at(angle)
      local f = piece.model:forces({ x = piece.x(0, 0, angle) }):table()[3]
      return -2 * (f[1] * math.cos(angle) - f[2] * math.sin(angle))
    end
    local function cycle(sign)
      local read = {}
      for _, angle in ipairs { 0.06, 0.09, 0.05, 0.02, -0.02 } do
        piece.to(0, 0, sign * angle)
        read[#read + 1] = sign * at(sign * angle)
      end
      return read
    end
    cycle(1)
    cycle(-1)
    local plus, minus = cycle(1), cycle(-1)
    for k = 1, #plus do
      assert.near(plus[k], minus[k], 1e-9)
    end
    assert.is_true(plus[3] < 5 and plus[3] > 3)
  end)

  it("is read back as it was set, and taken away", function()
    local fabric = fabric_of { weft = { loading = UP, unloading = DOWN }, warp = UP }
    assert.same({ loading = UP, unloading = DOWN }, fabric.curves.weft)
    assert.same(UP, fabric.curves.warp)
    assert.same(fabric.curves, weft.fabric({ base = fabric }).curves)
    fabric.curves = { weft = UP }
    assert.same(UP, fabric.curves.weft)
    fabric.curves = { weft = { loading = UP } }
    assert.same(UP, fabric.curves.weft)
    fabric.curves = { weft = {} }
    assert.is_nil(fabric.curves.weft)
  end)

  it("must be one, and of a model that remembers", function()
    local function refused(curve)
      return message_of(fabric_of, { weft = curve })
    end
    assert.equal("weft.fabric: curves.weft: the unloading branch must not lie above the loading branch, but at the "
      .. "strain 0.05 it has 13 and that 12 N/m", refused { loading = UP, unloading = { { 0.05, 13 } } })
    assert.equal("weft.fabric: curves.weft: the unloading branch must lie between the strains 0 and 0.1",
      refused { loading = UP, unloading = { { 0.05, 3 }, { 0.2, 70 } } })
    assert.equal("weft.fabric: curves.weft must ascend: point 2 (0.06, 2 N/m) follows point 1 (0.05, 3 N/m)",
      refused { loading = UP, unloading = { { 0.05, 3 }, { 0.06, 2 } } })
    assert.matches("weft.fabric: curves.weft.*loading", refused { unloading = DOWN })
    assert.matches("unknown option 'unlading'; did you mean 'unloading'", refused { loading = UP, unlading = DOWN })
    assert.matches("curves.shear: branches are mirrored", message_of(fabric_of,
      { shear = { loading = { { -0.1, -1 }, { 0.1, 1 } }, unloading = { { 0.05, 0.1 } } } }))
    assert.matches('has hysteresis, which "weave particles as published" cannot', message_of(weft.model.create, {
      name = "weave particles as published",
      faces = { { 1, 2, 3 } }, rest = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, fabric = branched }))
  end)
end)

describe("What a model remembers", function()
  it("is led to no place that is none", function()
    local model = weft.model.create { name = "weave particles", faces = { { 1, 2, 3 } },
      rest = { { 0, 0 }, { 0.1, 0 }, { 0, 0.1 } }, fabric = weft.fabric { loss = { stretch = 0.1 } } }
    local x = { { 0, 0, 0 }, { 0.11, 0, 0 }, { 0, 0.1, 0 } }
    model:remember { x = x }
    local before = model:energy { x = x }
    for _, far in ipairs { 1e15, 1e300, -1e308 } do
      assert.equal("weft.model.remember: x[2] must be finite and within 1e15 m of the origin",
        message_of(model.remember, model, { x = { x[1], { 0, far, 0 }, x[3] } }))
    end
    assert.equal(before, model:energy { x = x })
  end)
end)

describe("The virtual tensile test", function()
  it("reads LT, WT and RT of the branches", function()
    local n, m, up, down, load = 2.3, 4.5, {}, {}, 490.3325
    for k = 1, 20 do
      local share = k / 20
      up[k], down[k] = { END * share, load * share ^ n }, { END * share, load * share ^ m }
    end
    local curve = { loading = up, unloading = down }
    local fabric = fabric_of { weft = curve, warp = curve }
    for _, mesh in ipairs { "structured", "unstructured" } do
      for _, direction in ipairs { "weft", "warp" } do
        local read = weft.testbench.kes_tensile { fabric = fabric, direction = direction, mesh = mesh, edge = 0.025 }
        assert.near(100 * END, read.EMT, 1e-4)
        assert.near(2 / (n + 1), read.LT, 2e-3 * read.LT)
        assert.near(500 * END / (n + 1), read.WT, 2e-3 * read.WT)
        assert.near(100 * (n + 1) / (m + 1), read.RT, 0.2)
      end
    end
  end)

  it("reads the EMT, LT and RT of the sheet that the fabric is from", function()
    local fabric, report = weft.fabric.load("spec/fabric/suiting.csv", { hysteresis = true })
    assert.same({}, report.unused)
    for direction, measured in pairs { weft = { 6.1, 0.62, 61 }, warp = { 4.9, 0.66, 65 } } do
      local read = weft.testbench.kes_tensile { fabric = fabric, direction = direction, edge = 0.025 }
      assert.near(measured[1], read.EMT, 1e-3)
      assert.near(measured[2], read.LT, 2e-3)
      assert.near(measured[3], read.RT, 0.3)
    end
  end)
end)

describe("Fits of both branches", function()
  it("become curves, and files that turn back are read as two", function()
    local lines = { "strain (%), load (N/m)" }
    for k = 0, 20 do
      lines[#lines + 1] = ("%g, %g"):format(10 * k / 20, 60 * (k / 20) ^ 2)
    end
    for k = 19, 0, -1 do
      lines[#lines + 1] = ("%g, %g"):format(10 * k / 20, 60 * math.max(0, (k - 4) / 16) ^ 3)
    end
    local file = assert(io.open("build/spec/branches.csv", "w"))
    file:write(table.concat(lines, "\n"), "\n")
    file:close()
    local curve, unloading = weft.fabric.load_curve "build/spec/branches.csv"
    assert.same({ 21, 21 }, { #curve, #unloading })
    assert.same(curve[21], unloading[21])
    local law = weft.fabric.fit { curve = curve, unloading = unloading, kind = "spline", knots = 10 }
    local piece = specimen(fabric_of { weft = law.branches })
    for k = 1, 20 do
      piece.to(0.005 * k)
      assert.near(curve[k + 1][2], (piece.at(0.005 * k)), 0.7)
    end
    for k = 20, 1, -1 do
      piece.to(0.005 * k)
      assert.near(unloading[k + 1][2], (piece.at(0.005 * k)), 0.7)
    end
    assert.equal("weft.fabric.fit: unloading is of segments and splines; a line has one branch",
      message_of(weft.fabric.fit, { curve = curve, unloading = unloading }))
    weft.fabric.plot_fit(law, { curve = curve, unloading = unloading, file = "build/spec/branches.png" })
    local script = assert(io.open "build/spec/branches.gnuplot")
    assert.matches("spline, unloading", script:read "*a")
    script:close()
  end)
end)
