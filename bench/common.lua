-- What benchmarks share: the machine's own limits measured in the same run, medians of interleaved repetitions, scenes,
-- targets, and the JSON file. `local common = require "bench.common"`, from the clone's root.

local weft = require "weft"
local core = require "weft.core"
local cjson = require "cjson"
local lfs = require "lfs"

local has_ffi, ffi = pcall(require, "ffi")
if not has_ffi then
  error("benchmarks need LuaJIT: they load kernels through its FFI", 0)
end

-- Where results go. WEFT_BENCH_OUT names another folder than out/.
local common = { clock = core.clock, out = os.getenv "WEFT_BENCH_OUT" or "out" }
lfs.mkdir(common.out)
io.stdout:setvbuf "line" -- what is stopped at a time limit (all.lua) leaves what it has found

-- ---- statistics ----------------------------------------------------------------------------------------------------

function common.median(values)
  local sorted = {}
  for i, value in ipairs(values) do
    sorted[i] = value
  end
  table.sort(sorted)
  local n = #sorted
  return n % 2 == 1 and sorted[(n + 1) / 2] or (sorted[n / 2] + sorted[n / 2 + 1]) / 2
end

function common.mean(values)
  local sum = 0
  for _, value in ipairs(values) do
    sum = sum + value
  end
  return sum / #values
end

--- The value below which a fraction of the sorted list lies.
function common.quantile(sorted, fraction)
  return sorted[math.max(1, math.min(#sorted, math.ceil(fraction * #sorted)))]
end

--- Calls each of a list of { name, function } in turn, `repeats` times over. Returns the medians and all values by
--- name. What is compared is so measured under the same conditions, also on a machine that others use.
function common.interleave(repeats, measurements)
  local all, medians = {}, {}
  for _ = 1, repeats do
    for _, measurement in ipairs(measurements) do
      local name, measure = measurement[1], measurement[2]
      all[name] = all[name] or {}
      table.insert(all[name], measure())
    end
  end
  for name, values in pairs(all) do
    medians[name] = common.median(values)
  end
  return medians, all
end

--- Median of the ratios of two lists measured in turn.
function common.ratio(above, below)
  local ratios = {}
  for i, value in ipairs(above) do
    ratios[i] = value / below[i]
  end
  return common.median(ratios)
end

-- ---- kernels in C --------------------------------------------------------------------------------------------------

local build = os.getenv "WEFT_BUILD" or "build"

--- Makes build/bench/<file> when what it is made from is newer, and returns its path.
local function make(file)
  local path = ("%s/bench/%s"):format(build, file)
  local pipe = assert(io.popen(("make --no-print-directory BUILD='%s' '%s' 2>&1 && echo built"):format(build, path)))
  local output = pipe:read "*a"
  pipe:close()
  if not output:find "built\n$" then
    error(("cannot build %s:\n%s"):format(path, output), 0)
  end
  return (path:find "^/" and "" or "./") .. path
end

--- Builds bench/<name>.c and loads it with these declarations.
function common.kernel(name, declarations)
  local library = ffi.load(make(name .. ".so"))
  ffi.cdef(declarations)
  return library
end

--- Builds the program of bench/peers/<name>.cpp and returns its path.
function common.program(name)
  return make(name)
end

local sheet_kernels

--- Parts of a sheet's step, from bench/sheet.c.
function common.sheet_kernels()
  sheet_kernels = sheet_kernels or common.kernel("sheet", [[
    typedef struct sheet sheet;
    sheet *bench_sheet_create(int cells);
    void bench_sheet_destroy(sheet *p);
    double bench_product_bytes(const sheet *p, int single);
    double bench_product_flops(const sheet *p, int single);
    double bench_product_run(sheet *p, int single, int threads, int passes);
    double bench_elements_run(sheet *p, int instruction_set, int stiffness, int passes);
    double bench_elements_bytes(const sheet *p, int stiffness);
    const double *bench_elements_forces(const sheet *p);
  ]])
  return sheet_kernels
end

--- A sheet of about so many vertices for these kernels, freed with bench_sheet_destroy, and its side.
function common.kernel_sheet(vertices)
  local side = common.side_of(vertices)
  local made = common.sheet_kernels().bench_sheet_create(side - 1)
  if made == nil then
    error(("no sheet of %d vertices can be made"):format(side * side), 0)
  end
  return made, side
end

local machine

local function load_machine()
  machine = machine or common.kernel("machine", [[
    typedef struct machine machine;
    machine *bench_machine_create(double bytes);
    void bench_machine_destroy(machine *m);
    double bench_machine_triad(machine *m, int threads, int passes);
    double bench_machine_multiply_add(int threads, int passes);
  ]])
  return machine
end

local TRIAD_BYTES = 4e9    -- moved in one measurement, so that it takes some tenths of a second
local SMALL_TRIAD_BYTES = 2e8
local FMA_PASSES = 2 ^ 22

--- A function (threads) that measures the triad's bytes per second over arrays of `bytes` together.
function common.triad(bytes, quick)
  local kernels = load_machine()
  local arrays = kernels.bench_machine_create(bytes)
  if arrays == nil then
    error(("no memory for a triad of %.0f MB"):format(bytes / 1e6), 0)
  end
  ffi.gc(arrays, kernels.bench_machine_destroy)
  local passes = math.max(1, math.floor((quick and SMALL_TRIAD_BYTES or TRIAD_BYTES) / bytes))
  kernels.bench_machine_triad(arrays, 1, 1)
  return function(threads)
    return kernels.bench_machine_triad(arrays, threads, passes)
  end
end

--- Floating-point operations per second in registers.
function common.multiply_add(threads, quick)
  return load_machine().bench_machine_multiply_add(threads, quick and FMA_PASSES / 16 or FMA_PASSES)
end

--- The four measurements of the machine for common.interleave: triad1, triad2, fma1, fma2.
function common.machine_measurements(bytes, quick)
  local triad = common.triad(bytes, quick)
  return {
    { "triad1", function() return triad(1) end },
    { "triad2", function() return triad(2) end },
    { "fma1", function() return common.multiply_add(1, quick) end },
    { "fma2", function() return common.multiply_add(2, quick) end },
  }
end

--- What the machine did in this run, from the values that common.interleave gave, and whether that was noisy.
function common.machine_result(all)
  local triad = common.ratio(all.triad2, all.triad1)
  local fma = common.ratio(all.fma2, all.fma1)
  return {
    processor = common.processor(), processors = common.processors(),
    triad_gb_per_s = { common.median(all.triad1) / 1e9, common.median(all.triad2) / 1e9 },
    fma_gflop_per_s = { common.median(all.fma1) / 1e9, common.median(all.fma2) / 1e9 },
    triad_ratio = triad, fma_ratio = fma, noisy = fma < 1.9,
  }
end

function common.processor()
  local file = io.open "/proc/cpuinfo"
  local text = file and file:read "*a" or ""
  if file then
    file:close()
  end
  return text:match "model name%s*:%s*([^\n]+)" or "unknown processor"
end

function common.processors()
  local pipe = assert(io.popen "nproc")
  local count = tonumber(pipe:read "*l") or 1
  pipe:close()
  return count
end

function common.load_average()
  local file = io.open "/proc/loadavg"
  local load = file and tonumber(file:read "*l":match "^%S+")
  if file then
    file:close()
  end
  return load
end

function common.print_machine(result)
  print(("%s, %d processors, load %.1f; triad %.1f and %.1f GB/s (x%.2f), FMA %.0f and %.0f Gflop/s (x%.2f) " ..
    "with one and two threads%s"):format(result.processor, result.processors, common.load_average() or 0,
    result.triad_gb_per_s[1], result.triad_gb_per_s[2], result.triad_ratio, result.fma_gflop_per_s[1],
    result.fma_gflop_per_s[2], result.fma_ratio, result.noisy and "; NOISY" or ""))
end

-- ---- scenes --------------------------------------------------------------------------------------------------------

--- The sheet of the comparisons: 1 m x 1 m of wool with `side` x `side` vertices, held along the first and last 5 cm of
--- its upper edge. It starts flat and level, unless `upright`. Options pass on to weft.sheet.
function common.hanging_sheet(side, options)
  options = options or {}
  local cells = side - 1
  local sheet = weft.sheet {
    cells = { cells, cells }, size = options.size, fabric = options.fabric, centre = options.centre,
    warp = options.upright and { 0, 1, 0 } or nil,
  }
  local width, pins = options.size and options.size[1] or 1, {}
  local reach = options.pinned or 0.05
  for i = 0, cells do
    local s = i / cells * width
    if s <= reach + 1e-9 or s >= width - reach - 1e-9 then
      pins[#pins + 1] = cells * side + i + 1 -- vertices run along the weft first; the last row is the upper edge
    end
  end
  sheet:pin { vertices = pins }
  return sheet
end

--- A copy of a fabric whose membrane is `factor` times as stiff, in shear too; its viscous moduli stay.
function common.stiffer(fabric, factor)
  local s = fabric.stretch
  return weft.fabric {
    base = fabric, viscosity = fabric.viscosity / factor, shear = factor * fabric.shear,
    stretch = { weft = factor * s.weft, warp = factor * s.warp, coupling = factor * s.coupling },
  }
end

--- Side of the square sheet that has about so many vertices.
function common.side_of(vertices)
  return math.floor(math.sqrt(vertices) + 0.5)
end

-- ---- reports -------------------------------------------------------------------------------------------------------

--- A row of the summary: what, the target in words, what was measured in words, and whether it is met.
function common.target(what, target, measured, met)
  return { what = what, target = target, measured = measured, met = met }
end

function common.print_targets(targets)
  for _, row in ipairs(targets) do
    print(("  %-46s target %-35s measured %-40s %s"):format(row.what, row.target, row.measured,
      row.met and "met" or "MISSED"))
  end
end

--- Says what a time stands for: bytes and operations per vertex that the machine does in it, on one thread.
function common.explain(what, ms, vertices, machine_result)
  local each = 1e6 * ms / vertices
  print(("    %-28s %9.2f ms: the triad moves %.0f bytes per vertex, the FMA loop does %.0f operations"):format(what,
    ms, each * machine_result.triad_gb_per_s[1], each * machine_result.fma_gflop_per_s[1]))
end

function common.write(name, result)
  local file = assert(io.open(("%s/%s.json"):format(common.out, name), "w"))
  file:write(cjson.encode(result), "\n")
  file:close()
end

--- Options of a script: `name=value`, or a bare name for true. Unknown ones end the script with the list of known ones.
function common.arguments(defaults)
  local options = {}
  for name, value in pairs(defaults) do
    options[name] = value
  end
  for _, argument in ipairs(arg) do
    local name, value = argument:match "^(%w+)=(.*)$"
    name = name or argument
    if defaults[name] == nil then
      local known = {}
      for key in pairs(defaults) do
        known[#known + 1] = key
      end
      table.sort(known)
      error(("unknown option '%s'; there are: %s"):format(argument, table.concat(known, ", ")), 0)
    end
    if type(defaults[name]) == "number" then
      options[name] = tonumber(value) or error(("%s must be a number"):format(name), 0)
    elseif type(defaults[name]) == "boolean" then
      options[name] = value == nil or value == "true"
    else
      options[name] = value
    end
  end
  return options
end

return common
