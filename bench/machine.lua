-- What the machine can do: memory bandwidth (STREAM triad) and arithmetic (fused multiply-adds in registers), with one
-- and with two threads, by working set.
--
--   luajit bench/machine.lua [repeats=5] [quick]
--
-- Prints a table and writes out/machine.json.

local common = require "bench.common"

local options = common.arguments { repeats = 5, quick = false }
local sizes = options.quick and { 1e6 } or { 1e6, 1e8, 1e9 }
local results = {}
print " working set MB | triad GB/s: one, two threads, ratio | FMA Gflop/s: one, two threads, ratio"
for i, bytes in ipairs(sizes) do
  local _, all = common.interleave(options.repeats, common.machine_measurements(bytes, options.quick))
  local r = common.machine_result(all)
  r.working_set_mb = bytes / 1e6
  results[i] = r
  print(("%15.0f | %11.1f %11.1f %9.2f | %14.1f %10.1f %8.2f%s"):format(bytes / 1e6, r.triad_gb_per_s[1],
    r.triad_gb_per_s[2], r.triad_ratio, r.fma_gflop_per_s[1], r.fma_gflop_per_s[2], r.fma_ratio,
    r.noisy and "  NOISY" or ""))
end
common.print_machine(results[#results])
common.write("machine", { machine = results[#results], results = results })
