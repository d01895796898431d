-- Continuous detection of vertex-face and edge-edge pairs: contacts that it misses by the exact judge's word (none is
-- allowed), false alarms, and nanoseconds per query.
--
--   luajit bench/ccd.lua [random=100000] [cloth=20000] [adversarial=5000] [separated=5000] [seconds=20] [quick]
--                        [parts=1] [part=1] [sum]
--
-- So many queries of each kind of pair: random points at both ends, pairs as cloth has them, and adversarial ones
-- (nearly parallel, nearly in one plane, touching at the start, at rest, of no length or area, of huge and tiny scales;
-- bench/ccd.c makes them); then `separated` of each family that must keep a thousandth and a fiftieth of their size,
-- or come no nearer if they start nearer than that.
-- A family ends early when `seconds` have passed, and says so. The queries of the shared data come with the judgement
-- of rational arithmetic; WEFT_SHARED_DATA says where they are.
--
-- These defaults are a sample; `make bench-ccd` runs 10^8 random and 10^6 adversarial queries, half of each kind, in
-- parts: with parts=16 part=3 only each sixteenth batch of queries is run from the third on, and the result goes to
-- out/ccd_part_3_of_16.json. With parts=16 and `sum` these are added up; the sum is what one run would count.
--
-- Dropped is a contact of which the bound in single precision that a pass over the list of candidates asks first says
-- that the pair needs no detection. A false alarm is wide when the pair does not even come within 10^-12 of its size
-- beyond the separation and its tolerance. Late is a time of impact after contact has begun. Doubtful are the judge's
-- questions that took exact arithmetic throughout. Prints a table and writes out/ccd.json.

local ccd = require "bench.ccd_kernel"
local cjson = require "cjson"
local common = require "bench.common"
local support = require "spec.support"

local options = common.arguments { random = 1e5, cloth = 2e4, adversarial = 5e3, separated = 5000, seconds = 20,
  parts = 1, part = 1, sum = false, quick = false }
if ccd.missing() then
  error(ccd.missing(), 0)
end

local BATCH = 1e4
local COUNTS = { "queries", "contacts", "misses", "dropped", "late", "false_alarms", "wide_alarms", "near_at_start",
  "doubtful" }
local result = { families = {}, data = {} }

local function print_row(row)
  print(("%-12s %-12s %7g %10d %9d %7d %7d %6d %8d %6d %9d %8.0f%s"):format(row.family, row.kind, row.fraction,
    row.queries, row.contacts, row.misses, row.dropped, row.late, row.false_alarms, row.wide_alarms, row.doubtful,
    row.nanoseconds, row.complete and "" or "  ended early"))
end

local function median_nanoseconds(times)
  return #times > 0 and common.median(times) or 0
end

--- Runs this part of one family. Time is the median of its batches: others use the machine.
local function run(family, kind, fraction, count)
  local sum, times, start, complete = nil, {}, common.clock(), true
  for first = (options.part - 1) * BATCH, count - 1, options.parts * BATCH do
    if common.clock() - start > options.seconds then
      complete = false
      break
    end
    local before, n = sum and sum.seconds or 0, math.min(BATCH, count - first)
    sum = ccd.run(family, kind, fraction, n, 1 + first, sum)
    times[#times + 1] = (sum.seconds - before) / n * 1e9
  end
  local row = { family = family, kind = ccd.kinds[kind], fraction = fraction, complete = complete,
    nanoseconds = median_nanoseconds(times) }
  for _, name in ipairs(COUNTS) do
    row[name] = sum and sum[name] or 0
  end
  table.insert(result.families, row)
  print_row(row)
end

local function part_name(part)
  return ("ccd_part_%d_of_%d"):format(part, options.parts)
end

--- The families as all parts together found them. Time is the median of those that had queries.
local function add_parts()
  local times = {}
  for part = 1, options.parts do
    local path = ("%s/%s.json"):format(common.out, part_name(part))
    local file = io.open(path) or error(path .. " is not there; run that part first", 0)
    for i, row in ipairs(cjson.decode(file:read "*a").families) do
      local sum = result.families[i]
      times[i] = times[i] or {}
      table.insert(times[i], row.queries > 0 and row.nanoseconds or nil)
      if not sum then
        result.families[i] = row
      else
        sum.complete = sum.complete and row.complete
        for _, name in ipairs(COUNTS) do
          sum[name] = sum[name] + row[name]
        end
      end
    end
    file:close()
  end
  for i, row in ipairs(result.families) do
    row.nanoseconds = median_nanoseconds(times[i])
    print_row(row)
  end
end

local function run_families()
  for _, family in ipairs { "random", "cloth", "adversarial" } do
    for kind = 0, 1 do
      run(family, kind, 0, options.quick and 1000 or options[family])
      for _, fraction in ipairs { 1e-3, 0.02 } do
        run(family, kind, fraction, options.quick and 100 or options.separated)
      end
    end
  end
end

--- The shared queries of one folder and kind.
local function run_data(folder, kind)
  local row = { family = folder, kind = ccd.kinds[kind], queries = 0, contacts = 0, misses = 0, false_alarms = 0 }
  local seconds = 0
  for part = 0, 1 do
    local path = support.shared_data(ccd.data_path(folder, kind, part))
    if not path then
      return
    end
    local list = ccd.read(path)
    local queries, times = ccd.pack(list)
    local best = math.huge
    for _ = 1, 9 do
      best = math.min(best, ccd.kernel().bench_ccd_detect(kind, queries, #list, times))
    end
    seconds = seconds + best
    for i, entry in ipairs(list) do
      local found = times[i - 1] >= 0
      row.queries = row.queries + 1
      row.contacts = row.contacts + (entry.contact and 1 or 0)
      row.misses = row.misses + (entry.contact and not found and 1 or 0)
      row.false_alarms = row.false_alarms + (found and not entry.contact and 1 or 0)
    end
  end
  row.nanoseconds = seconds / row.queries * 1e9
  table.insert(result.data, row)
  print(("%-24s %-12s %8d %9d %7d %12d %8.0f"):format(folder, row.kind, row.queries, row.contacts, row.misses,
    row.false_alarms, row.nanoseconds))
end

local function total(rows, field)
  local sum = 0
  for _, row in ipairs(rows) do
    sum = sum + row[field]
  end
  return sum
end

print "family       pair        separation  queries  contacts  misses dropped   late   alarms   wide  doubtful ns/query"
if options.sum then
  add_parts()
else
  run_families()
end
if options.parts > 1 and not options.sum then
  common.write(part_name(options.part), result)
  return
end
print "data                     pair          queries  contacts  misses false alarms ns/query"
for _, folder in ipairs(ccd.data) do
  for kind = 0, 1 do
    run_data(folder, kind)
  end
end
if #result.data == 0 then
  print "the shared queries are not there; set WEFT_SHARED_DATA"
end

local _, all = common.interleave(options.quick and 1 or 3, common.machine_measurements(1e8, options.quick))
result.machine = common.machine_result(all)
common.print_machine(result.machine)
local wrong = total(result.data, "misses")
for _, field in ipairs { "misses", "dropped", "late" } do
  wrong = wrong + total(result.families, field)
end
local queries = total(result.families, "queries") + total(result.data, "queries")
result.targets = { common.target("contacts missed, dropped or found late", "none",
  ("%d in %d queries"):format(wrong, queries), wrong == 0) }
common.print_targets(result.targets)
common.write("ccd", result)
