-- How close the product of the cloth's matrix with a vector comes to the memory's bandwidth: bytes of the matrix and of
-- both vectors per second, over those of a STREAM triad on as many bytes, measured in turn.
--
--   luajit bench/product.lua [vertices=250000,1000000] [repeats=5] [quick]
--
-- Prints a table and writes out/product.json. Stands for "block product: at least 80 % of the triad beyond cache".

local common = require "bench.common"

local TARGET = 0.8

local options = common.arguments { vertices = "250000,1000000", repeats = 5, quick = false }
local kernels = common.sheet_kernels()

--- Measures both precisions of one matrix, one and two threads, each against a triad on as many bytes.
local function measure(vertices)
  local sheet, side = common.kernel_sheet(vertices)
  local rows = { { single = 0, precision = "double" }, { single = 1, precision = "single" } }
  for _, row in ipairs(rows) do
    local bytes = kernels.bench_product_bytes(sheet, row.single)
    local flops = kernels.bench_product_flops(sheet, row.single)
    local passes = math.max(1, math.floor((options.quick and 1e7 or 2e9) / bytes))
    local measurements = common.machine_measurements(bytes, options.quick)
    for threads = 1, 2 do
      table.insert(measurements, { "product" .. threads, function()
        return bytes * passes / kernels.bench_product_run(sheet, row.single, threads, passes)
      end })
    end
    local medians, all = common.interleave(options.repeats, measurements)
    row.vertices, row.megabytes, row.bytes_per_vertex = side * side, bytes / 1e6, bytes / side ^ 2
    row.flops_per_byte, row.machine = flops / bytes, common.machine_result(all)
    row.gb_per_s = { medians.product1 / 1e9, medians.product2 / 1e9 }
    row.milliseconds = { 1000 * bytes / medians.product1, 1000 * bytes / medians.product2 }
    row.fraction = { common.ratio(all.product1, all.triad1), common.ratio(all.product2, all.triad2) }
  end
  kernels.bench_sheet_destroy(sheet)
  return rows
end

local function judge(r, threads)
  local met = r.fraction[threads] >= TARGET
  if not met then
    print(("    %d thread(s): %.2f ms a product, of which moving its %.0f MB at the triad's rate takes %.2f; it " ..
      "does %.1f Gflop/s of the %.0f of the FMA loop"):format(threads, r.milliseconds[threads], r.megabytes,
      r.megabytes / r.machine.triad_gb_per_s[threads], r.gb_per_s[threads] * r.flops_per_byte,
      r.machine.fma_gflop_per_s[threads]))
  end
  return common.target(("product, %s, %d vertices, %d thread(s)"):format(r.precision, r.vertices, threads),
    "at least 80 % of the triad", ("%.0f %%"):format(100 * r.fraction[threads]), met)
end

local results, targets = {}, {}
print "vertices, precision, MB of matrix and vectors, bytes per vertex, flops per byte |"
print "one and two threads: ms per product, GB/s, fraction of the triad on as many bytes"
for text in options.vertices:gmatch "[^,]+" do
  for _, r in ipairs(measure(tonumber(text))) do
    results[#results + 1] = r
    print(("%8d %s %6.0f %6.0f %5.2f | %8.2f %8.2f ms  %6.1f %6.1f GB/s  %5.2f %5.2f%s"):format(r.vertices, r.precision,
      r.megabytes, r.bytes_per_vertex, r.flops_per_byte, r.milliseconds[1], r.milliseconds[2], r.gb_per_s[1],
      r.gb_per_s[2], r.fraction[1], r.fraction[2], r.machine.noisy and "  NOISY" or ""))
    for threads = 1, 2 do
      targets[#targets + 1] = judge(r, threads)
    end
  end
end
common.print_machine(results[#results].machine)
common.print_targets(targets)
common.write("product", { machine = results[#results].machine, results = results, targets = targets })
