-- tools/setup with a pretended package manager: what it installs, and what it says when it may not.

local function run(stubs)
  local folder = os.tmpname()
  os.remove(folder)
  os.execute("mkdir " .. folder)
  for name, script in pairs(stubs) do
    local path = folder .. "/" .. name
    local file = assert(io.open(path, "w"))
    file:write("#!/bin/sh\n", script, "\n")
    file:close()
    os.execute("chmod +x " .. path)
  end
  local pipe = assert(io.popen(("PATH=%s:$PATH LOG=%s/log tools/setup test 2>&1; echo code $?"):format(folder, folder)))
  local output = pipe:read "*a"
  pipe:close()
  local log = io.open(folder .. "/log")
  local calls = log and log:read "*a" or ""
  if log then
    log:close()
  end
  os.execute("rm -r " .. folder)
  return output, calls
end

local all_there = "echo installed"
local no_embree = 'case "$*" in *libembree*) exit 1;; *) echo installed;; esac'
local record = 'echo "$*" >> $LOG'

describe("tools/setup", function()
  it("does nothing when all is there", function()
    local output, calls = run { ["dpkg-query"] = all_there, ["apt-get"] = record }
    assert.equal("code 0\n", output)
    assert.equal("", calls)
  end)

  it("installs what is missing when it is root", function()
    local output, calls = run { ["dpkg-query"] = no_embree, ["apt-get"] = record, id = "echo 0" }
    assert.equal("installing libembree-dev\ncode 0\n", output)
    assert.equal("install -y -q --no-install-recommends libembree-dev\n", calls)
  end)

  it("renews the package lists when the first attempt fails", function()
    local _, calls = run { ["dpkg-query"] = no_embree, id = "echo 0",
      ["apt-get"] = record .. "; [ -e $LOG.second ] || { touch $LOG.second; exit 100; }" }
    assert.equal("install -y -q --no-install-recommends libembree-dev\nupdate -q\n" ..
      "install -y -q --no-install-recommends libembree-dev\n", calls)
  end)

  it("goes through sudo when that asks for no password", function()
    local _, calls = run { ["dpkg-query"] = no_embree, id = "echo 1000",
      sudo = 'if [ "$1" = -n ]; then exit 0; fi; echo "sudo $*" >> $LOG' }
    assert.equal("sudo apt-get install -y -q --no-install-recommends libembree-dev\n", calls)
  end)

  it("says what to install when it may not", function()
    local output, calls = run { ["dpkg-query"] = no_embree, ["apt-get"] = record, id = "echo 1000", sudo = "exit 1" }
    assert.is_truthy(output:find("sudo apt-get install libembree-dev\n", 1, true))
    assert.is_truthy(output:find "code 1\n$")
    assert.equal("", calls)
  end)

  it("fails when the installation fails", function()
    local output = run { ["dpkg-query"] = no_embree, ["apt-get"] = "exit 100", id = "echo 0" }
    assert.is_truthy(output:find "code 100\n$")
  end)
end)
