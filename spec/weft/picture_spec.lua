-- weft.picture as a script meets it: what it refuses, what it writes, and that it leaves nothing behind.

local support = require "spec.support"
local weft = require "weft"
local core = require "weft.core"
local message_of = support.message_of

local function triangle(apex)
  local result = { positions = weft.buffer { count = 3 }, faces = weft.buffer { count = 1, type = "index" } }
  result.positions:assign { { 0, 0, 0 }, { 1, 0, 0 }, apex or { 0, 1, 0 } }
  result.faces:assign { { 1, 2, 3 } }
  return result
end

--- A small picture of a triangle with some options changed.
local function draw(changes)
  local options = { triangle(), width = 16, height = 12, samples = 2 }
  for name, value in pairs(changes or {}) do
    options[name] = value
  end
  return weft.picture(options)
end

local function refusal(changes)
  return message_of(draw, changes)
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "*a"
  file:close()
  return bytes
end

describe("weft.picture", function()
  it("is described by its size, and gives its pixels", function()
    local picture = draw()
    assert.equal("weft.picture (16 x 12 pixels, finished)", tostring(picture))
    assert.same({ 16, 12 }, { picture.width, picture.height })
    local bytes = picture:bytes()
    assert.equal(3 * 16 * 12, #bytes)
    assert.same({ bytes:byte(3 * (4 * 16 + 6) + 1, 3 * (4 * 16 + 6) + 3) }, { picture:pixel(7, 5) })
    for _, at in ipairs { { 0, 1 }, { 17, 1 }, { 1, 13 }, { 1.5, 1 }, { 0 / 0, 1 } } do
      assert.matches("^weft.picture.pixel: ", message_of(picture.pixel, picture, at[1], at[2]))
    end
    picture:close()
    assert.matches("is a closed weft.picture", message_of(picture.pixel, picture, 1, 1))
  end)

  it("writes a PNG file of its size", function()
    local path = os.tmpname()
    draw { file = path }
    local bytes = read(path)
    assert.equal("\137PNG\r\n\26\n", bytes:sub(1, 8))
    assert.equal("IHDR\0\0\0\16\0\0\0\12\8\2", bytes:sub(13, 26)) -- 8 bits, red green blue
    assert.equal("IEND", bytes:sub(-8, -5))
    draw():save(path)
    assert.equal(bytes, read(path))
    os.remove(path)
  end)

  it("refuses paths that cannot be written, and keeps the picture", function()
    local picture = draw()
    assert.matches("^weft.picture: .*/no/such/folder/x.png", message_of(picture.save, picture, "/no/such/folder/x.png"))
    assert.matches("^weft.picture.save: path must be ", message_of(picture.save, picture, 3))
    assert.matches("^weft.picture: file must be a path", refusal { file = 3 })
    assert.matches("/no/such/folder/x.png", refusal { file = "/no/such/folder/x.png" })
    assert.equal(3 * 16 * 12, #picture:bytes())
  end)

  it("names the option that is wrong", function()
    for expected, changes in pairs {
      ["^weft.picture: unknown option 'hight'; did you mean 'height'%?$"] = { hight = 3 },
      ["^weft.picture: width must be an integer from 1 to 16384, got 0$"] = { width = 0 },
      ["^weft.picture: width must be an integer from 1 to 16384, got 16385$"] = { width = 16385 },
      ["^weft.picture: width must be an integer from 1 to 16384, got nan$"] = { width = 0 / 0 },
      ["^weft.picture: width and height must be .* at most 67108864 pixels"] = { width = 16384, height = 16384 },
      ["^weft.picture: samples must be an integer from 1 to 4096"] = { samples = 1e9 },
      ["^weft.picture: background must be three numbers from 0 to 1"] = { background = { 1, 2, 3 } },
      ["^weft.picture: ground must be true, false or a height in metres, got \"low\"$"] = { ground = "low" },
      ["^weft.picture: view must be one of 'back', 'front'.* got 'font'$"] = { view = "font" },
      ["^weft.picture: give either view or views$"] = { view = "front", views = { "back" } },
      ["^weft.picture: views must be a list of views, got an empty one$"] = { views = {} },
      ["^weft.picture: view: unknown option 'elevatoin'; did you mean 'elevation'%?$"] = { view = { elevatoin = 3 } },
      ["^weft.picture: view: target must be .* got nothing$"] = { view = { eye = { 0, 0, 1 } } },
      ["^weft.picture: a view has either azimuth"] = { view = { azimuth = 1, eye = { 0, 0, 1 } } },
      ["^weft.picture: a view needs an eye apart from its target"] = {
        view = { eye = { 1, 1, 1 }, target = { 1, 1, 1 } },
      },
      ["^weft.picture: view: fov must be a number from 1 to 150, got 180$"] = { view = { fov = 180 } },
      ["^weft.picture: progress must be true, a function"] = { progress = 3 },
      ["^weft.picture: item 1 must be a mesh, .* got 3$"] = { 3 },
      ["^weft.picture: item 1: look must be one of 'body', 'cloth', 'plain', 'rigid', 'wind', got silk$"] = {
        { triangle(), look = "silk" },
      },
      ["^weft.picture: mesh 1: unknown option 'color'; did you mean 'colour'%?$"] = {
        { triangle(), color = { 1, 1, 1 } },
      },
      ["^weft.picture: mesh 1: sheen must be "] = { { triangle(), sheen = 2 } },
      ["^weft.picture: mesh 1 has 2 values for 3 vertices and 1 faces$"] = { { triangle(), values = { 1, 2 } } },
      ["^weft.picture: mesh 1: colours must be a weft.buffer, got 3$"] = { { triangle(), colours = 3 } },
      ["^weft.picture: mesh 1: colours must be a buffer of red"] = {
        { triangle(), colours = weft.buffer { count = 3, components = 2 } },
      },
      ["^weft.picture: mesh 1 has 2 colours for 3 vertices and 1 faces$"] = {
        { triangle(), colours = weft.buffer { count = 2 } },
      },
      ["^weft.picture: mesh 1: lines must be "] = { { triangle(), lines = weft.buffer { count = 3 } } },
    } do
      assert.matches(expected, refusal(changes))
    end
    assert.matches("^weft.picture: a picture needs at least one mesh$", message_of(weft.picture, {}))
    assert.matches("^weft.picture must be called with a table", message_of(weft.picture, nil))
  end)

  it("names the script's line in its errors", function()
    local _, message = pcall(function() weft.picture { triangle(), width = 0 } end)
    assert.matches("picture_spec.lua:%d+: weft.picture: width", message)
  end)

  it("refuses meshes that cannot be drawn", function()
    local wrong_index = triangle()
    wrong_index.faces:set(1, 1, 2, 4)
    assert.equal("weft.picture: mesh 1: face 1 names vertex 4 of 3", refusal { wrong_index })
    local empty = { positions = weft.buffer { count = 0 }, faces = weft.buffer { count = 0, type = "index" } }
    assert.equal("weft.picture: mesh 1 has nothing to draw: 0 vertices, 0 faces", refusal { empty })
    assert.equal("weft.picture: mesh 2 has nothing to draw: 0 vertices, 0 faces",
      message_of(weft.picture, { triangle(), empty }))
    assert.equal("weft.picture: mesh 1: vertex 3 is at (0, 1e+10, 0); coordinates must be finite and below 1e9 m",
      refusal { triangle { 0, 1e10, 0 } })
    local point = triangle()
    point.positions:assign { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } }
    assert.equal("weft.picture: all vertices of the picture are in one point", refusal { point })
    local closed = triangle()
    closed.positions:close()
    assert.matches("^weft.picture: mesh 1: positions is a closed weft.buffer", refusal { closed })
    local swapped = triangle()
    swapped.positions, swapped.faces = swapped.faces, swapped.positions
    assert.matches("^weft.picture: mesh 1: positions must be ", refusal { swapped })
  end)

  if rawget(_G, "jit") then
    it("refuses positions that are not numbers", function()
      local ffi, broken = require "ffi", triangle()
      ffi.cast("double *", broken.positions:ffi().ptr)[4] = 0 / 0
      assert.matches("^weft.picture: mesh 1: vertex 2 is at %(1, %-?nan, 0%)", refusal { broken })
    end)
  end

  it("draws degenerate meshes", function()
    local flat = triangle { 2, 0, 0 } -- no area
    assert.has_no.errors(function() draw { { flat, edges = true, borders = true } } end)
    local repeated = triangle()
    repeated.faces:set(1, 2, 2, 2)
    assert.has_no.errors(function() draw { { repeated, edges = true } } end)
  end)

  it("reports progress up to the end, and survives a report that raises", function()
    local last
    draw { width = 200, height = 200, progress = function(report)
      assert(not last or report.step >= last)
      last = report.step
    end }
    assert.equal(100, last)
    assert.matches("enough", refusal { progress = function() error "enough" end })
    assert.has_no.errors(draw)
  end)

  it("says what to install where it is not built", function()
    local part, made = package.loaded["weft.picture"], package.loaded["weft.picture_core"]
    package.loaded["weft.picture"], package.loaded["weft.picture_core"] = nil, nil
    package.preload["weft.picture_core"] = function() error("no such library", 0) end
    local message = message_of(require, "weft.picture")
    package.preload["weft.picture_core"] = nil
    package.loaded["weft.picture"], package.loaded["weft.picture_core"] = part, made
    assert.matches("weft.picture: this part is not built; install libembree%-dev and libpng%-dev and run make again",
      message)
    assert.matches("no such library", message)
  end)

  it("leaves no memory behind, also when any allocation fails", function()
    support.collect()
    local values, lines = { 1, 2, 3 }, weft.buffer { count = 1, components = 2, type = "index" }
    lines:assign { { 1, 2 } }
    local mesh, path = triangle(), os.tmpname()
    local function attempt()
      local item = { mesh, values = values, lines = lines }
      weft.picture({ item, width = 16, height = 12, samples = 1, file = path }):close()
    end
    attempt()
    support.collect()
    local before = weft.memory()
    local failures = 0
    for count = 0, 1000 do
      core.fail_allocation(count)
      local passed, message = pcall(attempt)
      core.fail_allocation()
      support.collect()
      assert.equal(before, (weft.memory()))
      if passed then
        break
      end
      failures = failures + 1
      assert.matches("out of memory", message)
    end
    os.remove(path)
    assert.is_true(failures > 15 and failures < 200, failures .. " failures")
  end)
end)
