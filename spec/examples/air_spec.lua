-- The examples with wind, in their quick form: they end well, and leave pictures in which there is something to see.

local lfs = require "lfs"
local support = require "spec.support"

local out = (os.getenv "WEFT_BUILD" or "build") .. "/examples"

local function run(script, arguments)
  local pipe = assert(io.popen(("timeout 120 %s examples/%s.lua %s 2>&1; echo code $?"):format(support.interpreter(),
    script, arguments)))
  local output = pipe:read "*a"
  pipe:close()
  return output
end

--- Width, height and bytes of a picture.
local function png(path)
  local bytes = support.read_file(path)
  assert.equal("\137PNG\r\n\26\n", bytes:sub(1, 8), path)
  assert.equal("IEND", bytes:sub(-8, -5), path)
  local function number(at)
    local a, b, c, d = bytes:byte(at, at + 3)
    return ((a * 256 + b) * 256 + c) * 256 + d
  end
  return number(17), number(21), bytes
end

--- A picture with something in it: one colour takes next to no bytes, and this one has at least a byte for 16 pixels.
local function check_picture(path, width, height)
  local w, h, bytes = png(path)
  assert.same({ width, height }, { w, h })
  assert.is_true(#bytes > w * h / 16, ("%s has %d bytes"):format(path, #bytes))
end

--- Frames of one size, each with something in it and other than the one before; joined where ImageMagick is installed.
local function check_animation(folder, count, width, height, joined)
  local frames, before = 0, nil
  for file in lfs.dir(folder) do
    frames = frames + (file:find "%.png$" and 1 or 0)
  end
  assert.equal(count, frames)
  for k = 1, count do
    local path = ("%s/%03d.png"):format(folder, k)
    check_picture(path, width, height)
    local bytes = support.read_file(path)
    assert.is_true(bytes ~= before, path)
    before = bytes
  end
  local installed = os.execute "command -v convert >/dev/null 2>&1"
  if installed == 0 or installed == true then
    local bytes = support.read_file(joined)
    local images = select(2, bytes:gsub("!\249\4", ""))
    assert.equal("GIF89a", bytes:sub(1, 6))
    assert.is_true(images >= count, images)
  end
end

describe("The examples with wind", function()
  setup(function()
    lfs.mkdir(out)
  end)

  local function example(script, frames)
    os.execute(("rm -f '%s'/*.png '%s'/*.gif '%s'/*.csv"):format(out, out, out))
    local folder = out .. "/" .. frames
    lfs.mkdir(folder)
    assert(io.open(folder .. "/999.png", "w")):close() -- of an earlier run, longer than this one
    local output = run(script, ("quick out='%s'"):format(out))
    assert.is_truthy(output:find "code 0\n$", output)
    return output, folder
  end

  it("fly a flag", function()
    local output, folder = example("flag", "flag")
    check_animation(folder, 6, 144, 120, out .. "/flag.gif")
    check_picture(out .. "/flag.png", 270, 216)
    local drag = tonumber(output:match "force%s+(%-?[%d.]+)")
    assert.is_true(drag > 0.1 and drag < 10, output)
  end)

  it("let a gust catch a skirt", function()
    local output, folder = example("skirt_in_gust", "skirt")
    check_animation(folder, 10, 108, 144, out .. "/skirt_in_gust.gif")
    check_picture(out .. "/skirt_in_gust.png", 270, 270)
    check_picture(out .. "/skirt_moments.png", 450, 150)
    assert.is_true(tonumber(output:match "at most ([%d.]+) N") > 0.5, output)
  end)

  it("put a mannequin into a wind tunnel, and shelter a flag by it", function()
    local output, folder = example("wind_tunnel", "tunnel")
    check_animation(folder, 4, 192, 144, out .. "/wind_tunnel.gif")
    check_picture(out .. "/wind_tunnel.png", 360, 270)
    check_picture(out .. "/wake.png", 360, 270)
    local sheltered, free = output:match "flags (%-?[%d.]+) N there, (%-?[%d.]+) N"
    assert.is_true(tonumber(sheltered) < 0.5 * tonumber(free), output)
    local rows = select(2, support.read_file(out .. "/wind_tunnel.csv"):gsub("\n", ""))
    assert.equal(13, rows) -- a head and twelve steps
  end)

  it("say which argument they do not know", function()
    for _, script in ipairs { "flag", "skirt_in_gust", "wind_tunnel" } do
      for _, argument in ipairs { "quik", "secondss=1", "scale=large" } do
        local output = run(script, argument)
        assert.is_truthy(output:find(("unknown argument '%s'"):format(argument), 1, true), output)
        assert.is_truthy(output:find "code 1\n$")
      end
    end
  end)
end)
