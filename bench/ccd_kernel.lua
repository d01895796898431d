-- Queries of continuous detection, its answers, and the exact judge, from bench/ccd.c: for bench/ccd.lua and the spec
-- of continuous detection.

local common = require "bench.common"
local ffi = require "ffi"

local ccd = {
  kinds = { [0] = "vertex-face", "edge-edge" },
  families = { random = 0, cloth = 1, adversarial = 2 },
  -- Of the shared data; each has folders of both kinds with two files each.
  data = { "erleben-sliding-spike", "erleben-sliding-wedge", "erleben-spikes", "erleben-wedges", "unit-tests" },
}

--- Why the judge cannot be built; nil where it can.
function ccd.missing()
  if os.execute "echo '#include <gmp.h>' | ${CC:-gcc} -E - >/dev/null 2>&1" ~= 0 then
    return "the exact judge needs GMP (Debian: libgmp-dev)"
  end
end

local kernel

--- The functions of bench/ccd.c.
function ccd.kernel()
  kernel = kernel or common.kernel("ccd", [[
    typedef struct ccd_query { double x0[4][3], x1[4][3], separation; } ccd_query;
    typedef struct ccd_verdict {
      int64_t contacts, misses, dropped, late, false_alarms, wide_alarms, near_at_start, doubtful;
    } ccd_verdict;
    void bench_ccd_make(int family, int kind, double seed, double fraction, int count, ccd_query *queries);
    double bench_ccd_detect(int kind, const ccd_query *queries, int count, double *times);
    bool bench_ccd_exact(int kind, const ccd_query *q, double until);
    int bench_ccd_quick(int kind, const ccd_query *q, double until);
    void bench_ccd_judge(int kind, const ccd_query *queries, int count, const double *times, ccd_verdict *verdict);
  ]])
  return kernel
end

--- Room for so many queries and their answers.
function ccd.room(count)
  ccd.kernel() -- declares the types
  return ffi.new("ccd_query[?]", count), ffi.new("double[?]", count)
end

--- Makes queries of a family by its name, answers and judges them. The separation is `fraction` of each pair's size.
--- Adds to `sum` (a new one if nil) and returns it: the fields of ccd_verdict, queries, and seconds of detection.
function ccd.run(family, kind, fraction, count, seed, sum)
  local functions, queries, times = ccd.kernel(), ccd.room(count)
  local verdict = ffi.new "ccd_verdict"
  functions.bench_ccd_make(ccd.families[family], kind, seed, fraction, count, queries)
  local seconds = functions.bench_ccd_detect(kind, queries, count, times)
  functions.bench_ccd_judge(kind, queries, count, times, verdict)
  sum = sum or { queries = 0, seconds = 0, contacts = 0, misses = 0, dropped = 0, late = 0, false_alarms = 0,
    wide_alarms = 0, near_at_start = 0, doubtful = 0 }
  for name, value in pairs(sum) do
    sum[name] = value + (name == "queries" and count or name == "seconds" and seconds or tonumber(verdict[name]))
  end
  return sum
end

--- The path of one file of the shared data below its folder: part 0 or 1.
function ccd.data_path(folder, kind, part)
  return ("ccd-queries/%s/%s/data_0_%d.csv"):format(folder, ccd.kinds[kind], part)
end

--- Reads such a file: a list of { from =, to =, contact = }.
function ccd.read(path)
  local list, points = {}, {}
  for line in io.lines(path) do
    local n = {}
    for number in line:gmatch "[^,]+" do
      n[#n + 1] = tonumber(number)
    end
    -- Denominators are powers of two: the quotients are exact.
    points[#points + 1] = { n[1] / n[2], n[3] / n[4], n[5] / n[6] }
    if #points == 8 then
      list[#list + 1] = { from = { unpack(points, 1, 4) }, to = { unpack(points, 5, 8) }, contact = n[7] == 1 }
      points = {}
    end
  end
  return list
end

--- Such a list in the kernel's form, and room for its answers.
function ccd.pack(list)
  local queries, times = ccd.room(#list)
  for i, entry in ipairs(list) do
    local query = queries[i - 1]
    for k = 1, 4 do
      for axis = 1, 3 do
        query.x0[k - 1][axis - 1], query.x1[k - 1][axis - 1] = entry.from[k][axis], entry.to[k][axis]
      end
    end
  end
  return queries, times
end

return ccd
