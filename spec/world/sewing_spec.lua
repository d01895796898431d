local weft = require "weft"
local support = require "spec.support"
local core = require "weft.core"

-- Two square patches of n x n cells with `gap` between the right border of the first and the left one of the second.
local function two_patches(n, gap, lift)
  local points, rest, faces, stitches = {}, {}, {}, {}
  local size, columns = 0.1, n + 1
  for patch = 0, 1 do
    local first = patch * columns * columns
    for j = 0, n do
      for i = 0, n do
        points[#points + 1] = { patch * (size + gap) + i * size / n, patch * (lift or 0), j * size / n }
        rest[#rest + 1] = { i * size / n, -j * size / n }
      end
    end
    for j = 0, n - 1 do
      for i = 1, n do
        local a = first + j * columns + i
        local b, c, d = a + 1, a + columns + 1, a + columns
        faces[#faces + 1] = { a, d, b }
        faces[#faces + 1] = { b, d, c }
      end
    end
  end
  for j = 0, n do
    stitches[#stitches + 1] = { j * columns + n + 1, columns * columns + j * columns + 1 }
  end
  return { vertices = points, rest = rest, faces = faces, stitches = stitches }
end

local function sew(world, cloth, options)
  local sewing = core.sewing(world, cloth, options or {})
  local done, share, gap, open
  repeat
    done, share, gap, open = sewing:advance()
  until done
  return share, gap, open
end

describe("sewing", function()
  it("merges two patches of 11 x 11 vertices into 231 vertices, 400 triangles and 630 edges", function()
    local cloth = weft.cloth(two_patches(10, 0.05))
    local mass = cloth.mass
    assert.same({ 242, 400, 11 }, { cloth.vertices, cloth.triangles, cloth.stitches })
    local world = weft.world()
    world:add(cloth)
    assert.same({ 1, 0, 0 }, { sew(world, cloth) })
    assert.same({ 231, 400, 0 }, { cloth.vertices, cloth.triangles, cloth.stitches })
    local report = weft.inspect.examine(cloth)
    assert.equal(231 - 630 + 400, report.euler)
    assert.same({ true, true, 1, 1 }, { report.manifold, report.oriented, report.components, report.boundary_loops })
    assert.is_true(math.abs(cloth.mass - mass) < 1e-15)
  end)

  it("leaves the patches without strain once they rest", function()
    local cloth = weft.cloth(two_patches(10, 0.05, 0.02))
    local world = weft.world { gravity = { 0, 0, 0 } }
    world:add(cloth)
    sew(world, cloth)
    assert.is_true(world:run { seconds = 6, settle = 2, until_rest = true })
    for f = 1, cloth.triangles do
      local a, b, shear = cloth.strains:get(f)
      assert.is_true(math.abs(a) < 1e-3 and math.abs(b) < 1e-3 and math.abs(shear) < 1e-3)
    end
  end)

  it("puts gravity and damping back after every step", function()
    local cloth = weft.cloth(two_patches(4, 0.02))
    local world = weft.world { gravity = { 0, -3, 0 }, damping = 0.25 }
    world:add(cloth)
    core.sewing(world, cloth, {}):advance()
    assert.same({ 0, -3, 0 }, world.gravity)
    assert.equal(0.25, world.damping)
  end)

  it("says which seam stays open", function()
    local cloth = weft.cloth(two_patches(4, 0.05))
    local world = weft.world()
    world:add(cloth)
    cloth:pin { vertices = { 1, 26 } } -- further apart than the cloth reaches
    cloth:pin { vertices = { 26 }, targets = { { 2, 0, 0 } } }
    local message = support.message_of(sew, world, cloth, { duration = 0.2, time_limit = 0.5 })
    assert.matches("^weft.sewing: the seams do not close: after 0.5%d* s seam 1 still gapes", message)
    world:step()
  end)

  it("refuses to collapse a triangle", function()
    local patches = two_patches(4, 0.05)
    patches.stitches = { { 1, 2 } }
    local cloth = weft.cloth(patches)
    local world = weft.world()
    world:add(cloth)
    local message = support.message_of(sew, world, cloth)
    assert.matches("^weft.sewing: ", message)
    assert.equal(50, cloth.vertices)
    world:step()
  end)

  it("sews cloth from tables in its world, and garments without a body", function()
    local cloth = weft.cloth(two_patches(6, 0.02))
    local world = weft.world()
    world:add(cloth)
    world:sew(cloth)
    assert.same({ 91, 0 }, { cloth.vertices, cloth.stitches })

    -- One flat panel, sewn to itself: it has to leave its plane.
    local tube = weft.garment {
      panels = { tube = { vertices = { { 0, 0 }, { 0.8, 0 }, { 0.8, 0.5 }, { 0, 0.5 } } } },
      seams = { { { panel = "tube", edge = 2 }, { panel = "tube", edge = 4 } } },
    }
    local report = weft.inspect.examine(tube:sew { edge = 0.05 })
    assert.same({ 0, 2, true }, { report.euler, report.boundary_loops, report.oriented })
  end)

  it("refuses bad options before any work, on the script's line", function()
    local garment = weft.garment { panels = { square = { vertices = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } } } } }
    for expected, given in pairs {
      ["on must be a weft.body or a list of them, got x"] = { on = "x" },
      ["every must be a function, got 5"] = { every = 5 },
      ["edge must be a number from 1e-05 to 10, got 0"] = { edge = 0 },
      ["unknown option 'duraton'; did you mean 'duration'?"] = { duraton = 1 },
      ["damping must be a number from 0 to 10000, got nan"] = { damping = 0 / 0 },
    } do
      local done, message = pcall(function() garment:sew(given) end)
      assert.is_false(done)
      assert.matches("sewing_spec.lua:%d+: weft.garment.sew: ", message)
      assert.equal("weft.garment.sew: " .. expected, (message:gsub("^.-:%d+: ", "")):gsub("%-nan", "nan"))
    end
  end)

  it("stops when the cloth is closed or leaves the world", function()
    local cloth = weft.cloth(two_patches(4, 0.05))
    local world = weft.world()
    world:add(cloth)
    local sewing = core.sewing(world, cloth, {})
    world:remove(cloth)
    assert.matches("has left the world", support.message_of(sewing.advance, sewing))
    cloth:close()
    assert.matches("has left the world", support.message_of(sewing.advance, sewing))
    world:close()
    assert.matches("closed weft.sewing", support.message_of(sewing.advance, sewing))
  end)
end)
