-- What sewing and draping the shared shirt costs, by phase of the step, at several edge lengths.
--
--   luajit bench/drape.lua [edge lengths in cm ...]     (2.0 1.2 0.7 by default)
--
-- Prints a table and writes out/drape.json. WEFT_SHARED_DATA names the folder of the shared data.

local weft = require "weft"
local core = require "weft.core"
local cjson = require "cjson"
local lfs = require "lfs"

local data = (os.getenv "WEFT_SHARED_DATA" or "../shared/data") .. "/garmentcode/"
local phases = { "assembly", "solve", "detection", "response" }

-- Adds what the last step of a world took.
local function count_step(sum, stats)
  for _, phase in ipairs(phases) do
    sum[phase] = sum[phase] + stats[phase .. "_seconds"]
  end
  sum.step = sum.step + stats.step_seconds
  sum.iterations = sum.iterations + stats.solver_iterations
  sum.steps = sum.steps + 1
end

local function new_sum()
  return { assembly = 0, solve = 0, detection = 0, response = 0, step = 0, iterations = 0, steps = 0 }
end

local function measure(edge)
  local body = weft.body.load(data .. "mean_all.obj")
  local garment = weft.garment.load(data .. "shirt_mean_specification.json")
  local start, sum = core.clock(), new_sum()
  local cloth = garment:sew { on = body, edge = edge, every = function(world) count_step(sum, world.stats) end }
  local sewn, sewing_steps = core.clock(), sum.steps
  local world = weft.world()
  world:add(body)
  world:add(cloth)
  local rested = world:run {
    seconds = 20, settle = 1.5, until_rest = true,
    every = function() count_step(sum, world.stats) end,
  }
  local draped = core.clock()
  local _, peak = weft.memory()
  local result = {
    edge = edge, vertices = cloth.vertices, triangles = cloth.triangles, steps = sum.steps,
    sewing_steps = sewing_steps, sewing_seconds = sewn - start, draping_seconds = draped - sewn,
    rested = rested, iterations_per_step = sum.iterations / sum.steps, megabytes = peak / 2 ^ 20,
    milliseconds_per_step = 1000 * sum.step / sum.steps,
  }
  local other = sum.step
  for _, phase in ipairs(phases) do
    result[phase .. "_ms"] = 1000 * sum[phase] / sum.steps
    other = other - sum[phase]
  end
  result.other_ms = 1000 * other / sum.steps
  return result
end

local function print_row(r)
  print(("%5.1f %8d %9d %5d+%-5d %7.1f %7.1f | %7.1f %8.1f %7.1f %9.1f %8.1f %5.1f | %6.0f %6.0f%s"):format(
    r.edge * 100, r.vertices, r.triangles, r.sewing_steps, r.steps - r.sewing_steps, r.sewing_seconds,
    r.draping_seconds, r.milliseconds_per_step, r.assembly_ms, r.solve_ms, r.detection_ms, r.response_ms, r.other_ms,
    r.iterations_per_step, r.megabytes, r.rested and "" or "  not at rest after 20 s"))
end

lfs.mkdir "out"
local edges = #arg > 0 and arg or { 2.0, 1.2, 0.7 }
local results = {}
print "edge cm, vertices, triangles, steps sewing + draping, s sewing, s draping |"
print "ms per step: whole, assembly, solve, detection, response, other | CG iterations per step, MB at most"
for i, edge in ipairs(edges) do
  results[i] = measure(tonumber(edge) / 100)
  print_row(results[i])
end
local file = assert(io.open("out/drape.json", "w"))
file:write(cjson.encode { threads = weft.threads(), results = results }, "\n")
file:close()
