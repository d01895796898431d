-- How close the product of the cloth's matrix with a vector comes to the memory's bandwidth: bytes of the matrix and of
-- both vectors per second, over those of a STREAM triad on as many bytes, measured in turn.
--
--   luajit bench/product.lua [vertices=250000,1000000] [repeats=5] [quick]
--
-- Prints a table and writes out/product.json. Stands for "block product: at least 80 % of the triad beyond cache".

local common = require "bench.common"

local TARGET = 0.8

local options = common.arguments { vertices = "250000,1000000", repeats = 5, quick = false }
local kernels = common.product_kernel()

local function measure(vertices)
  local side = common.side_of(vertices)
  local product = kernels.bench_product_create(side - 1)
  if product == nil then
    error(("no matrix of %d vertices can be made"):format(side * side), 0)
  end
  local bytes, flops = kernels.bench_product_bytes(product), kernels.bench_product_flops(product)
  local passes = math.max(1, math.floor((options.quick and 1e7 or 2e9) / bytes))
  local measurements = common.machine_measurements(bytes, options.quick)
  for threads = 1, 2 do
    table.insert(measurements, { "product" .. threads, function()
      return bytes * passes / kernels.bench_product_run(product, threads, passes)
    end })
  end
  local medians, all = common.interleave(options.repeats, measurements)
  kernels.bench_product_destroy(product)
  return {
    vertices = side * side, megabytes = bytes / 1e6, bytes_per_vertex = bytes / side ^ 2,
    flops_per_byte = flops / bytes, machine = common.machine_result(all),
    gb_per_s = { medians.product1 / 1e9, medians.product2 / 1e9 },
    milliseconds = { 1000 * bytes / medians.product1, 1000 * bytes / medians.product2 },
    fraction = { common.ratio(all.product1, all.triad1), common.ratio(all.product2, all.triad2) },
  }
end

local results, targets = {}, {}
print "vertices, MB of matrix and vectors, bytes per vertex, flops per byte |"
print "one and two threads: ms per product, GB/s, fraction of the triad on as many bytes"
for text in options.vertices:gmatch "[^,]+" do
  local r = measure(tonumber(text))
  results[#results + 1] = r
  print(("%8d %7.0f %6.0f %5.2f | %8.2f %8.2f ms  %6.1f %6.1f GB/s  %5.2f %5.2f%s"):format(r.vertices, r.megabytes,
    r.bytes_per_vertex, r.flops_per_byte, r.milliseconds[1], r.milliseconds[2], r.gb_per_s[1], r.gb_per_s[2],
    r.fraction[1], r.fraction[2], r.machine.noisy and "  NOISY" or ""))
  for threads = 1, 2 do
    targets[#targets + 1] = common.target(
      ("block product, %d vertices, %s"):format(r.vertices, threads == 1 and "one thread" or "two threads"),
      "at least 80 % of the triad", ("%.0f %%"):format(100 * r.fraction[threads]), r.fraction[threads] >= TARGET)
    if r.fraction[threads] < TARGET then
      local triad = r.machine.triad_gb_per_s[threads]
      print(("         %d thread(s): %.2f ms a product, of which moving its %.0f MB at the triad's rate takes %.2f; " ..
        "it does %.1f Gflop/s of the %.0f that the FMA loop does"):format(threads, r.milliseconds[threads], r.megabytes,
        r.megabytes / triad, r.gb_per_s[threads] * r.flops_per_byte, r.machine.fma_gflop_per_s[threads]))
    end
  end
end
common.print_machine(results[#results].machine)
common.print_targets(targets)
common.write("product", { machine = results[#results].machine, results = results, targets = targets })
