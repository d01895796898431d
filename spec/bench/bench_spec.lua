-- The benchmarks run, at tiny sizes, and write what the summary reads. Times are nobody's business here.

local cjson = require "cjson"

local out = (os.getenv "WEFT_BUILD" or "build") .. "/bench" -- results of real runs stay as they are

local function run(script, arguments, name)
  local command = ("WEFT_BENCH_OUT='%s' timeout 120 luajit bench/%s.lua %s 2>&1; echo code $?"):format(out, script,
    arguments)
  local pipe = assert(io.popen(command))
  local output = pipe:read "*a"
  pipe:close()
  assert.is_truthy(output:find "code 0\n$", output)
  local file = assert(io.open(("%s/%s.json"):format(out, name or script)))
  local result = cjson.decode(file:read "*a")
  file:close()
  return result, output
end

describe("The benchmarks", function()
  local common, motion, ffi

  setup(function()
    common, motion, ffi = require "bench.common", require "bench.motion", require "ffi"
  end)

  it("measure the machine", function()
    local result = run("machine", "quick repeats=1")
    assert.is_true(result.machine.triad_gb_per_s[1] > 0 and result.machine.fma_gflop_per_s[2] > 0)
    assert.equal("boolean", type(result.machine.noisy))
  end)

  it("count the bytes of a product", function()
    local r = run("product", "quick repeats=1 vertices=10000").results[1]
    -- Alternating diagonals: 5 to 9 blocks a row and some 14 scalars, and the vectors.
    assert.is_true(r.bytes_per_vertex > 250 and r.bytes_per_vertex < 1000)
    assert.is_true(r.fraction[1] > 0 and r.fraction[2] > 0)
  end)

  it("measure a velocity of each kind of wind source", function()
    local kinds = run("air_sources", "quick").kinds
    assert.is_true(#kinds >= 11)
    for _, kind in ipairs(kinds) do
      assert.is_true(kind.ns[1] > 0 and kind.ns[2] > 0, kind.name)
    end
  end)

  it("move wind particles of several sources", function()
    local kinds = run("air_particles", "quick").kinds
    assert.equal(4, #kinds)
    for _, kind in ipairs(kinds) do
      assert.is_true(kind.particles > 50 and kind.ns[1] > 0 and kind.ns[2] > 0, kind.name)
    end
  end)

  it("evaluate elements with every instruction set", function()
    local r = run("elements", "quick repeats=1 vertices=100").results[1]
    assert.equal(162, r.faces)
    assert.equal(1, r.sets.scalar.speedup)
  end)

  it("set the models of a kind beside each other", function()
    local result = run("models", "quick repeats=1 kind=membrane cells=4")
    local first = result.membranes[1]
    assert.equal("weave", first.name)
    assert.near(1, first.errors.bias, 0.005)
    assert.is_true(first.time.stiffness > 0 and #first.cannot > 0)
    assert.equal(0, #result.bendings)
    assert.is_true(result.targets[1].met)
  end)

  it("measure the force of air beside the membrane", function()
    local r = run("air", "quick repeats=1 cells=8 laws=plate").results[1]
    assert.equal(128, r.faces)
    assert.is_true(r.share > 0 and r.whole_share > 0 and r.fraction.forces > 0 and r.step.windy > 0)
  end)

  it("measure a step in a flow of air by phase", function()
    local results = run("air_cloth", "quick cells=16 sheet=8").results
    assert.equal(3, #results)
    for _, r in ipairs(results) do
      assert.is_true(r.cut > 0 and r.carry > 0 and r.project > 0 and r.cut_faces > 0)
    end
  end)

  it("measure the flow of air", function()
    local r = run("air_flow", "quick cells=16 repeats=1").results[1]
    assert.is_true(r.phases[2].pressure > 0 and r.phases[2].iterations >= 1 and r.fraction[1] > 0)
    assert.is_true(r.divergence <= 1e-5)
  end)

  it("judge continuous detection", function()
    local missing = require "bench.ccd_kernel".missing()
    if missing then
      pending(missing)
      return
    end
    local result = run("ccd", "quick")
    assert.equal(18, #result.families)
    assert.equal(1000, result.families[1].queries)
    assert.is_true(result.families[1].complete and result.families[1].nanoseconds > 0)
    assert.is_true(result.targets[1].met)
    -- In parts, of which the second has one batch of random queries only, as the first has.
    local counts = "random=20000 cloth=100 adversarial=100 separated=10 "
    local whole = run("ccd", counts).families
    run("ccd", counts .. "parts=2 part=1", "ccd_part_1_of_2")
    local second = run("ccd", counts .. "parts=2 part=2", "ccd_part_2_of_2").families
    assert.equal(10000, second[1].queries)
    assert.equal(0, second[2].queries)
    for i, row in ipairs(run("ccd", "parts=2 sum").families) do
      row.nanoseconds = whole[i].nanoseconds
      assert.same(whole[i], row)
    end
  end)

  it("measure contact by variant and in whole scenes", function()
    local result = run("contact", "quick repeats=2 triangles=800 body=400 side=11 layers=3 layer=50 barrier=11 " ..
      "shirt=0.06 only=variants,sphere,layers,barrier,shirt data=none")
    assert.equal(28, #result.variants)
    for _, row in ipairs(result.variants) do
      assert.is_true(row.update > 0 and row.tree > 0 and row.resolve > 0)
    end
    assert.equal(0, result.sphere.crossings)
    assert.equal(0, result.layers.crossings)
    assert.equal(0, result.barrier.crossings)
    assert.is_true(result.barrier.ratio > 0)
    assert.is_true(result.shirt.share > 0 and result.shirt.share < 1)
    local _, output = run("contact", "quick layers=3 layer=50 only=layers pressed=impulses weight")
    assert.matches("3 layers, impulses, with gravity", output, 1, true)
  end)

  it("measure colliders by kind", function()
    local result = run("colliders", "quick repeats=1")
    assert.equal(9, #result.rows)
    for _, row in ipairs(result.rows) do
      assert.is_true(row.query_ns > 0 and row.step_ms > 0)
    end
    assert.is_true(result.body.step_ms > 0)
  end)

  it("take a step apart", function()
    local result, output = run("step", "quick repeats=2 warm=1 vertices=100,400")
    assert.equal(2, #result.results)
    local r = result.results[2]
    assert.equal(400, r.vertices)
    assert.is_true(r.solver_residual <= 1e-3)
    local sum = 0
    for _, ms in pairs(r.phases) do
      sum = sum + ms
    end
    assert.near(r.step_ms, sum, 0.5 * r.step_ms) -- medians of parts
    assert.equal(0, result.lua.garbage_bytes)
    assert.equal(0, result.lua.garbage_bytes_of_run)
    assert.equal(6, #result.targets)
    assert.is_truthy(output:find("Lua garbage per step", 1, true))
  end)

  it("set our sheet beside published times", function()
    local result = run("game_sdk", "quick sides=100 frames=3 repeats=1")
    assert.equal(4, #result.results)
    assert.equal(2, #result.targets)
    assert.is_true(result.results[1].stretch.largest < result.results[3].stretch.largest)
  end)

  it("run one after the other, with a summary of what was met", function()
    local result, output = run("all", "quick only=machine,product,air,air_sources,air_particles,air_flow,air_cloth")
    local names = {}
    for k, entry in ipairs(result.summary) do
      names[k] = entry.name
    end
    assert.same({ "machine", "product", "air", "air_sources", "air_particles", "air_flow", "air_cloth" }, names)
    assert.equal(5, result.count) -- four of the product, one of the force of air; the flow has one for 64^3 cells
    assert.same({}, result.missing)
    assert.is_truthy(output:find "%d of 5 targets met")
  end)

  it("take turns with a peer, and say so when it ends early", function()
    local peer = motion.of_peer("spec", [[while read -r line; do
      echo a banner; echo "frame 0 0.25 0.125"; echo "1 2 3"; echo "4 5 6.5"
      n=x$n; [ $n = xxx ] && exit; done]], 2, 60)
    assert.equal(0.25, peer.advance())
    peer.advance()
    assert.equal(3, #peer.frames)
    assert.equal(6.5, peer.frames[2].x[5])
    assert.is_truthy(select(2, pcall(peer.advance)):find("spec ended early", 1, true))
    peer.close()
    local path = os.tmpname()
    motion.save(peer, path)
    local read = motion.read(path, 2, 60)
    os.remove(path)
    assert.same({ 3, 0.125, 6.5 }, { #read.frames, read.frames[3].processor_seconds, read.frames[1].x[5] })
    assert.is_nil(motion.read(path, 2, 60))
  end)

  it("refuse options they do not know, naming those they do", function()
    local pipe = assert(io.popen(("WEFT_BENCH_OUT='%s' luajit bench/machine.lua repeat=3 2>&1"):format(out)))
    local output = pipe:read "*a"
    pipe:close()
    assert.is_truthy(output:find("unknown option 'repeat=3'; there are: quick, repeats", 1, true))
  end)

  it("take medians and quantiles", function()
    assert.equal(2, common.median { 3, 1, 2 })
    assert.equal(2.5, common.median { 4, 1, 2, 3 })
    assert.equal(2, common.ratio({ 2, 6, 40 }, { 1, 3, 10 }))
    assert.equal(99, common.quantile((function()
      local list = {}
      for i = 1, 100 do
        list[i] = i
      end
      return list
    end)(), 0.99))
  end)

  it("hold five centimetres at either corner", function()
    local weft = require "weft"
    local sheet = common.hanging_sheet(101)
    local world = weft.world { self_contact = false }
    world:add(sheet)
    world:step(2)
    local held = {}
    local x = sheet.positions:ffi()
    for i = 0, sheet.vertices - 1 do
      if x.ptr[3 * i + 1] == 0 then
        held[#held + 1] = i - 100 * 101
      end
    end
    assert.same({ 0, 1, 2, 3, 4, 5, 95, 96, 97, 98, 99, 100 }, held)
  end)

  it("measure what a motion did: a sheet that falls a metre in a tenth of a second, uniformly stretched", function()
    local rest = common.hanging_sheet(3)
    local before = rest.positions:ffi().ptr
    local after = ffi.new("double[27]")
    for i = 0, 8 do
      after[3 * i], after[3 * i + 2] = 1.1 * before[3 * i], 1.1 * before[3 * i + 2]
      after[3 * i + 1] = before[3 * i + 1] - 1
    end
    local start = ffi.new("double[27]")
    for i = 0, 8 do
      start[3 * i], start[3 * i + 1], start[3 * i + 2] = after[3 * i], after[3 * i + 1] + 1, after[3 * i + 2]
    end
    local m = { vertices = 9, fps = 10, frames = { { x = start }, { x = after } } }
    local measures = motion.measures(m, 2, 3)
    assert.near(-1, measures[1].centre[2], 1e-12)
    assert.near(0.5 * 18 * 10 ^ 2, measures[1].energy, 1e-9)
    assert.near(-1, measures[1].hem, 1e-12)
    local stretch = motion.stretch_meter(rest.faces, before)(after)
    assert.near(0.1, stretch.mean, 1e-12)
    assert.near(0.1, stretch.largest, 1e-12)
    local other = motion.measures({ vertices = 9, fps = 10, frames = { { x = start }, { x = start } } }, 2, 3)
    local errors = motion.errors(other, measures)
    assert.near(1, errors.centre, 1e-12)
    assert.near(1, errors.energy, 1e-12)
    assert.near(1, errors.hem, 1e-12)
    assert.is_true(motion.no_worse(motion.errors(measures, measures), errors))
    assert.is_false(motion.no_worse(errors, motion.errors(measures, measures)))
  end)
end)
