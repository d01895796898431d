-- Runs specs: `luajit spec/run.lua [file or folder]...`, from the clone's root, after `make` for both ABIs.
--
-- Every spec file is a process of its own, so that a crash is one file's failure. Everything runs under LuaJIT; the API
-- specs (spec/lua, spec/weft for the Lua side, spec/io for the readers) run again under PUC Lua 5.1 and 5.4. Two files
-- run at a time; what they print is shown in a fixed order. WEFT_INTERPRETERS="luajit lua5.4" chooses the interpreters.

local roots = #arg > 0 and arg or { "spec" }
local interpreters = os.getenv "WEFT_INTERPRETERS" or "luajit lua5.1 lua5.4"
local jobs = os.getenv "WEFT_JOBS" or "2"
local time_limit = os.getenv "WEFT_SPEC_TIMEOUT" or "900"
local busted = os.getenv "WEFT_BUSTED" or "/usr/bin/busted"
local preload = os.getenv "WEFT_PRELOAD" -- for sanitizers: only the interpreters get it, not the shell around them
local environment = preload and ("env LD_PRELOAD=%q ASAN_OPTIONS=%q"):format(preload,
  os.getenv "WEFT_ASAN_OPTIONS" or "") or ""
local logs = (os.getenv "WEFT_BUILD" or "build") .. "/spec"

local function quote(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function lines_of(command)
  local lines, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do
    lines[#lines + 1] = line
  end
  pipe:close()
  return lines
end

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read "*a" or ""
  if file then
    file:close()
  end
  return text
end

local function is_api_spec(file)
  return file:find "^spec/lua/" or file:find "^spec/weft/" or file:find "^spec/io/"
end

local function list_runs()
  local quoted = {}
  for i, root in ipairs(roots) do
    quoted[i] = quote(root)
  end
  local files = lines_of("find " .. table.concat(quoted, " ") .. " -name '*_spec.lua' | LC_ALL=C sort -u")
  local runs = {}
  for interpreter in interpreters:gmatch "%S+" do
    for _, file in ipairs(files) do
      file = file:gsub("^%./", "")
      if interpreter == "luajit" or is_api_spec(file) then
        runs[#runs + 1] = { interpreter = interpreter, file = file, log = ("%s/%d"):format(logs, #runs + 1) }
      end
    end
  end
  return runs
end

--- Runs all, `jobs` at a time; each leaves its output in log.out and its exit code in log.code.
local function execute(runs)
  os.execute("rm -rf " .. quote(logs) .. " && mkdir -p " .. quote(logs))
  local list = assert(io.open(logs .. "/list", "w"))
  for _, run in ipairs(runs) do
    local command = ("timeout -k 5 %s %s %s %s %s > %s.out 2>&1; echo $? > %s.code"):format(
      time_limit, environment, run.interpreter, quote(busted), quote(run.file), quote(run.log), quote(run.log))
    list:write(command, "\0")
  end
  list:close()
  os.execute(("xargs -0 -P %s -n 1 sh -c < %s"):format(jobs, quote(logs .. "/list")))
end

local total = { passed = 0, failed = 0, skipped = 0 }

local function report(run)
  local output = read(run.log .. ".out")
  local code = tonumber(read(run.log .. ".code"):match "%d+") or 255
  local passed, failures, errors, pending =
    output:match "(%d+) success%a* / (%d+) failure%a* / (%d+) errors? / (%d+) pending"
  local failed = passed and failures + errors or 1
  if passed and failed == 0 and code ~= 0 then
    failed = 1 -- it crashed, hung or leaked after its summary
  end
  total.passed = total.passed + (tonumber(passed) or 0)
  total.failed = total.failed + failed
  total.skipped = total.skipped + (tonumber(pending) or 0)

  local verdict = failed == 0 and "ok" or not passed and "NO SUMMARY, exit " .. code or "FAILED, exit " .. code
  print(("%-7s %-44s %s passed, %d failed, %s skipped: %s"):format(
    run.interpreter, run.file, passed or 0, failed, pending or 0, verdict))
  if failed > 0 or tonumber(pending) > 0 then
    print(output)
  end
end

local runs = list_runs()
execute(runs)
for _, run in ipairs(runs) do
  report(run)
end
if #runs == 0 then
  print "no spec was found"
  total.failed = 1
end
print(("%d passed, %d failed, %d skipped"):format(total.passed, total.failed, total.skipped))
os.exit(total.failed == 0 and 0 or 1)
