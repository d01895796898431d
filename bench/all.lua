-- Runs all benchmarks of the step, each within a time limit, and prints every target, what was measured, and whether it
-- is met. At most twenty-two minutes; what needs a peer that is not installed (`make bench-peers`) is left out.
--
--   luajit bench/all.lua [only=step,product] [quick]
--
-- Writes out/all.json. With `quick` everything runs at tiny sizes, to see that it works.

local cjson = require "cjson"
local lfs = require "lfs"
local common = require "bench.common"

local options = common.arguments { only = "", quick = false }

local function is_installed(command)
  return os.execute(command .. " >/dev/null 2>&1") == 0
end

-- In order, with the seconds that each may take.
local scripts = {
  { name = "machine", limit = 40, quick = "quick" },
  { name = "product", limit = 60, quick = "quick vertices=400" },
  { name = "elements", limit = 30, quick = "quick vertices=100" },
  { name = "step", limit = 120, quick = "quick vertices=100,400 warm=1" },
  { name = "step_large", script = "step", limit = 100, arguments = "vertices=10000,1000000 sizes out=step_large",
    quick = "quick vertices=100,900 warm=1 sizes out=step_large" },
  { name = "ccd", limit = 30, quick = "quick", arguments = "seconds=1",
    needs = "echo '#include <gmp.h>' | ${CC:-gcc} -E -" },
  { name = "air", limit = 60, quick = "quick repeats=1 cells=8 laws=plate" },
  { name = "air_sources", limit = 20, quick = "quick" },
  { name = "air_particles", limit = 60, quick = "quick" },
  { name = "air_flow", limit = 60, quick = "quick cells=16 repeats=1", arguments = "repeats=3" },
  { name = "air_cloth", limit = 60, quick = "quick cells=16 sheet=8" },
  { name = "kang", limit = 60, quick = "quick repeats=1" },
  { name = "game_sdk", limit = 150, quick = "quick sides=10 frames=6 repeats=1" },
  { name = "bullet", limit = 80, quick = "quick side=10 frames=6 repeats=1",
    needs = "test -d ${BULLET_INCDIR:-/usr/include/bullet}" },
  { name = "blender", limit = 350, quick = "quick side=10 frames=4 reference=8 steps=240 repeats=1",
    needs = "command -v blender", reference = "blender_100_30_200.txt" },
}

local function path_of(name)
  return ("%s/%s.json"):format(common.out, name)
end

local function read_result(name)
  local file = io.open(path_of(name))
  local result = file and cjson.decode(file:read "*a")
  if file then
    file:close()
  end
  return result
end

--- Runs one script. Returns its result, or nil and why there is none.
local function run(script)
  if script.needs and not is_installed(script.needs) then
    return nil, "its peer is not installed; make bench-peers"
  end
  if script.reference and not options.quick and not lfs.attributes(common.out .. "/" .. script.reference) then
    return nil, ("it has no reference yet; luajit bench/%s.lua makes it, in some twenty minutes"):format(script.name)
  end
  os.remove(path_of(script.name)) -- an old result is no result
  local start = common.clock()
  local code = os.execute(("timeout %d luajit bench/%s.lua %s"):format(script.limit, script.script or script.name,
    options.quick and script.quick or script.arguments or ""))
  local result = read_result(script.name)
  if result and code == 0 then
    return result
  end
  local seconds = common.clock() - start
  return nil, seconds >= script.limit and ("not done in %d s"):format(script.limit) or "it failed"
end

local function is_wanted(name)
  return options.only == "" or ("," .. options.only .. ","):find("," .. name .. ",", 1, true) ~= nil
end

local summary, missing, wanted = {}, {}, {}
for _, script in ipairs(scripts) do
  wanted[#wanted + 1] = is_wanted(script.name) and script or nil
end
for _, script in ipairs(wanted) do
  print(("\n==== %s"):format(script.name))
  io.stdout:flush()
  local result, reason = run(script)
  if result then
    summary[#summary + 1] = { name = script.name, targets = result.targets or {}, noisy = (result.machine or {}).noisy }
  else
    missing[#missing + 1] = { name = script.name, reason = reason }
    print("no result: " .. reason)
  end
end

print "\n==== summary"
local met, count = 0, 0
for _, entry in ipairs(summary) do
  if #entry.targets > 0 then
    local noisy = entry.noisy and "  (NOISY: two threads give less than 1.9 times the FMA of one)" or ""
    print(entry.name .. noisy)
    common.print_targets(entry.targets)
  end
  for _, target in ipairs(entry.targets) do
    count, met = count + 1, met + (target.met and 1 or 0)
  end
end
for _, entry in ipairs(missing) do
  print(("%s: no result: %s"):format(entry.name, entry.reason))
end
print(("%d of %d targets met; load %.1f"):format(met, count, common.load_average() or 0))
common.write("all", { summary = summary, missing = missing, met = met, count = count })
