-- Meshes from and to files: what is read is what was written, bit for bit, and hostile files are answered in words.

local support = require "spec.support"
local weft = require "weft"
local message_of = support.message_of

local folder = os.tmpname()
os.remove(folder)
os.execute("mkdir -p " .. folder)
folder = folder .. "/"

local function write(name, text)
  local file = assert(io.open(folder .. name, "wb"))
  file:write(text)
  file:close()
  return folder .. name
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function files()
  local pipe = io.popen("ls -A " .. folder)
  local text = pipe:read "*a"
  pipe:close()
  return text
end

local function load(name, text)
  return weft.mesh.load(write(name, text))
end

--- The message without the path.
local function load_error(name, text)
  local path = write(name, text)
  return (message_of(weft.mesh.load, path):gsub("^weft.mesh.load: ", ""):gsub(folder, "", 1))
end

local stream = support.stream

--- Numbers as they lie in a file: little endian, or reversed.
local function bytes(type, values, big)
  local parts = {}
  for i, value in ipairs(values) do
    local buffer = weft.buffer { count = 1, components = 1, type = type }
    buffer:assign { type == "index" and value + 1 or value }
    parts[i] = big and buffer:string():reverse() or buffer:string()
  end
  return table.concat(parts)
end

describe("weft.mesh", function()
  teardown(function()
    os.execute("rm -r " .. folder)
  end)

  it("reads every form of OBJ statement that carries positions and faces", function()
    local mesh = load("forms.obj", "\239\187\191# a comment \\\r\nmtllib x\\y.mtl\r\nv 0 0 0\r\nv\t1 0 0 # one\r\n" ..
      "v 1.0 +1.0e+0 0 1\r\nv .0 1. -0.0\r\nvt 0 0\r\nvn 0 0 1\r\ng a b\r\ns off\r\nusemtl m\r\nf 1/1/1 2//1 \\\r\n" ..
      "  3/1 4\r\nf -4 -3 -2\rl 1 2\no last\nf 4 5 6\nv 2 2 2\nv 3 3 3")
    assert.same({ { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 }, { 2, 2, 2 }, { 3, 3, 3 } },
      mesh.positions:table())
    assert.same({ { 1, 2, 3 }, { 1, 3, 4 }, { 1, 2, 3 }, { 4, 5, 6 } }, mesh.faces:table())
    assert.is_nil(mesh.colours)
    assert.equal("weft.mesh (6 vertices, 4 faces)", tostring(mesh))
    assert.same({ 6, 4 }, { mesh.vertices, mesh.triangles })
  end)

  it("reads colours where every vertex has one", function()
    local mesh = load("colours.obj", "v 0 0 0 1 0.5 0\nv 1 0 0 0 0 1\nv 0 1 0 0.25 0 0\nf 1 2 3\n")
    assert.same({ { 1, 0.5, 0 }, { 0, 0, 1 }, { 0.25, 0, 0 } }, mesh.colours:table())
    assert.is_nil(load("half.obj", "v 0 0 0 1 0.5 0\nv 1 0 0\nv 0 1 0 0.25 0 0\nf 1 2 3\n").colours)
  end)

  it("leaves out triangles without three corners, with a warning", function()
    local heard = {}
    weft.on_warning(function(text) heard[#heard + 1] = text end)
    local mesh = load("twice.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 1 2\n")
    weft.on_warning(nil)
    assert.equal(1, #mesh.faces)
    assert.equal(1, #heard)
    assert.matches("1 triangles were left out", heard[1])
  end)

  it("says where an OBJ file is wrong", function()
    local v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    local cases = {
      { "", "bad.obj: has no faces" },
      { v, "bad.obj: has no faces" },
      { v .. "f 1 2\n", "bad.obj, line 4: a face needs three corners or more" },
      { v .. "f 1 2 4\n", "bad.obj, line 4: a face names vertex 4 of 3" },
      { v .. "f 1 2 0\n", "bad.obj, line 4: a face names vertex 0 of 3 so far" },
      { v .. "\n\nf 1 2 -4\n", "bad.obj, line 6: a face names vertex -4 of 3 so far" },
      { v .. "f 1 2 99999999999999999999\n", "bad.obj, line 4: a face needs corners v, v/t, v//n or v/t/n" },
      { v .. "f 1 2 3.5\n", "bad.obj, line 4: a face needs corners v, v/t, v//n or v/t/n" },
      { v .. "f 1 2 3/x\n", "bad.obj, line 4: a face needs corners v, v/t, v//n or v/t/n" },
      { "v 0 0\n", "bad.obj, line 1: a vertex needs three coordinates" },
      { "v 0 0 nan\n", "bad.obj, line 1: a vertex needs finite decimal numbers" },
      { "v 0 0 inf\n", "bad.obj, line 1: a vertex needs finite decimal numbers" },
      { "v 0 0 1e999\n", "bad.obj, line 1: a vertex needs finite decimal numbers" },
      { "v 0 0 0x10\n", "bad.obj, line 1: a vertex needs finite decimal numbers" },
      { "v 0 0 1,5\n", "bad.obj, line 1: a vertex needs finite decimal numbers" },
      { "v 1 2 3 4 5 6 7 8\n", "bad.obj, line 1: a vertex has more than seven numbers" },
      { "# \\\nv \\\n 0 0 x\n", "bad.obj, line 3: a vertex needs finite decimal numbers" },
      { "\137PNG\r\n", "bad.obj, line 1: is no OBJ statement" },
      { v .. "\0\0\0", "bad.obj, line 4: is no OBJ statement" },
    }
    for _, case in ipairs(cases) do
      assert.equal(case[2], load_error("bad.obj", case[1]))
    end
  end)

  it("answers for files that are none", function()
    assert.equal("weft.mesh.load: /no/such/file.obj: cannot be opened: No such file or directory",
      message_of(weft.mesh.load, "/no/such/file.obj"))
    assert.matches("is a directory, not a file$", message_of(weft.mesh.load, folder))
    assert.matches("is a device or pipe, not a file$", message_of(weft.mesh.load, "/dev/zero"))
    local path = write("long.obj", ("#"):rep(1001))
    assert.matches("has 1001 bytes, more than the limit of 1000$", message_of(weft.mesh.load, path, { limit = 1000 }))
    assert.matches("has no faces$", message_of(weft.mesh.load, path, { limit = 1001 }))
  end)

  local function ply(format, big)
    local binary = format ~= "ascii"
    local header = "ply\r\nformat " .. format .. " 1.0\ncomment " .. ("long "):rep(50) .. "\nobj_info x\n" ..
      "element before 2\nproperty list uchar short q\nproperty float w\nelement vertex 4\nproperty uchar red\n" ..
      "property double z\nproperty float32 y\nproperty uchar green\nproperty list uint8 float64 more\n" ..
      "property int x\nproperty uchar blue\nelement face 2\nproperty char flag\n" ..
      "property list ushort uint vertex_index\nproperty list uchar float uv\nelement empty 9\nend_header\n"
    local p = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0.1 }, { 0, 1, -0.5 } }
    if not binary then
      local lines = { "1 7 nan", "0 2" }
      for i, v in ipairs(p) do
        lines[#lines + 1] = ("255 %.17g %g 0 1 nan %d %d"):format(v[3], v[2], v[1], i)
      end
      return header .. table.concat(lines, "\n") .. "\n-1 4 0 1 2 3 0\n1 3 3 2\n 0 2 0.5 0.5\n"
    end
    local byte = string.char
    local function short(n)
      return big and byte(0, n) or byte(n, 0)
    end
    local function float(x) return bytes("float", { x }, big) end
    local function double(x) return bytes("double", { x }, big) end
    local function int(...) return bytes("index", { ... }, big) end
    local parts = { header, byte(1), short(7), float(1), byte(0), float(2) }
    for i, v in ipairs(p) do
      parts[#parts + 1] = byte(255) .. double(v[3]) .. float(v[2]) .. byte(0) .. byte(1) .. double(3) .. int(v[1]) ..
        byte(i)
    end
    parts[#parts + 1] = byte(255) .. short(4) .. int(0, 1, 2, 3) .. byte(0)
    parts[#parts + 1] = byte(1) .. short(3) .. int(3, 2, 0) .. byte(2) .. float(0.5) .. float(0.5)
    return table.concat(parts)
  end

  it("reads PLY in all three encodings, whatever else it holds and in whatever order", function()
    for _, format in ipairs { "ascii", "binary_little_endian", "binary_big_endian" } do
      local mesh = load("order.ply", ply(format, format == "binary_big_endian"))
      assert.same({ { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0.1 }, { 0, 1, -0.5 } }, mesh.positions:table())
      assert.same({ { 1, 2, 3 }, { 1, 3, 4 }, { 4, 3, 1 } }, mesh.faces:table())
      local r, g, b = mesh.colours:get(3)
      assert.same({ 1, 0 }, { r, g })
      assert.near(3 / 255, b, 1e-7)
    end
  end)

  it("says where a PLY file is wrong", function()
    local function ascii(vertex, face, rest)
      return "ply\nformat ascii 1.0\nelement vertex " .. vertex .. "\nproperty float x\nproperty float y\n" ..
        "property float z\nelement face " .. face .. "\nproperty list uchar int vertex_indices\nend_header\n" .. rest
    end
    local v = "0 0 0\n1 0 0\n0 1 0\n"
    local cases = {
      { "ply\n", "the header has no end" },
      { "ply\nformat ascii 2.0\n", "the format must be ascii" },
      { "ply\nend_header\n", "the header has no format" },
      { "ply\nformat ascii 1.0\nnonsense\n", "is no line of a PLY header" },
      { "ply\nformat ascii 1.0\nelement vertex -1\n", "an element needs a name and a count" },
      { "ply\nformat ascii 1.0\nproperty float x\n", "a property outside an element" },
      { "ply\nformat ascii 1.0\nelement vertex 1\nproperty strange x\n", "a property needs a number type" },
      { "ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 1\n", "names an element twice" },
      { "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty int x\n", "names a property twice" },
      { "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", "vertices have no x, y and z" },
      { ascii(0, 0, ""), "bad.ply: has no faces" },
      { ascii(3, 1, v), "the file ends too early" },
      { ascii(3, 1, v .. "3 0 1\n"), "the file ends too early" },
      { ascii(3, 1, v .. "2 0 1\n"), "a face has fewer than three corners" },
      { ascii(3, 1, v .. "3 0 1 3\n"), "a face names vertex 3, but they go from 0 to 2" },
      { ascii(3, 1, v .. "3 0 1 -1\n"), "a face names vertex -1, but they go from 0 to 2" },
      { ascii(3, 1, v .. "3 0 1 1.5\n"), "a face names vertex 1.5, but they go from 0 to 2" },
      { ascii(3, 1, v .. "3 0 1 x\n"), "a decimal number was expected" },
      { ascii(3, 1, v .. "400 0 1 x\n"), "a list is longer than the file" },
      { ascii(3, 1, "0 0 nan\n1 0 0\n0 1 0\n3 0 1 2\n"), "a decimal number was expected" },
      { ascii(4000000000, 1, v), "4000000000 vertices are more than 2147483647" },
      { ascii(2000000000, 1, v), "2000000000 elements 'vertex' cannot fit into the 18 bytes that are left" },
      { ascii(3, 2000000000, v), "2000000000 elements 'face' cannot fit into the 1 bytes that are left" },
    }
    support.collect()
    local before = weft.memory()
    for _, case in ipairs(cases) do
      local message = load_error("bad.ply", case[1])
      assert.matches("^bad.ply", message)
      assert.is_truthy(message:find(case[2], 1, true), message)
    end
    support.collect()
    local after, peak = weft.memory()
    assert.equal(before, after)
    assert.is_true(peak < before + 1e8) -- nobody believed the counts
  end)

  it("takes any file that was cut off or changed for a mesh or for an error", function()
    local random, good, refused = stream(20), 0, 0
    local sources = {
      { "fuzz.obj", "v 0 0 0\nv 1 0 0 .5 .5 .5\nv 1 1 0\nv 0 1e-3 0\n# x\nf 1/2/3 2//1 3/1 4\\\n 1\nf -1 -2 -3\n" },
      { "fuzz.ply", ply "ascii" },
      { "fuzz.ply", ply "binary_little_endian" },
      { "fuzz.ply", ply("binary_big_endian", true) },
    }
    weft.on_warning(function() end)
    support.collect()
    local before = weft.memory()
    for round = 1, 2000 do
      local name = sources[round % 4 + 1][1]
      local text = support.damaged(sources[round % 4 + 1][2], random, "0123456789-+.eE/\\\n# ")
      local ok, mesh = pcall(load, name, text)
      if ok then
        good = good + 1
        for _, face in ipairs(mesh.faces:table()) do
          for _, v in ipairs(face) do
            assert.is_true(v >= 1 and v <= mesh.vertices)
          end
        end
        mesh:close()
      else
        refused = refused + 1
        assert.matches("weft.mesh.load: .+fuzz", mesh)
      end
    end
    weft.on_warning(nil)
    support.collect()
    assert.equal(before, (weft.memory()))
    assert.is_true(good > 100 and refused > 100)
  end)

  --- Points whose coordinates are hard to print.
  local function hard_mesh(count)
    local random, vertices, faces, colours = stream(7), {}, {}, {}
    local special = { 0.1, 1 / 3, 2 ^ -1074, 2 ^ -1022, 1.7976931348623157e308, -4.35, 123456789.123456789, 1e22, 1e23,
      5e-324, 9007199254740993, 0.30000000000000004, -2 ^ 63 }
    for i = 1, count do
      local p = {}
      for k = 1, 3 do
        local mantissa = random(2147483646) * 2147483647 + random(2147483646)
        p[k] = special[3 * (i - 1) + k] or (random(2) == 0 and -1 or 1) * mantissa * 2 ^ (random(200) - 150)
      end
      vertices[i] = p
      colours[i] = { random(256) / 255, random(256) / 255, random(256) / 255 }
      if i >= 3 then
        faces[#faces + 1] = { i, i - 1, i - 2 }
      end
    end
    return weft.mesh { vertices = vertices, faces = faces, colours = colours }
  end

  it("keeps every bit of a coordinate through OBJ and PLY, however often", function()
    local mesh = hard_mesh(3000)
    local positions, faces = mesh.positions:string(), mesh.faces:string()
    for _, ending in ipairs { "obj", "PLY", "obj" } do
      local path = folder .. "kept." .. ending
      mesh:save(path)
      mesh = weft.mesh.load(path)
      assert.is_true(positions == mesh.positions:string())
      assert.is_true(faces == mesh.faces:string())
    end
  end)

  it("keeps colours in PLY, and single precision on request", function()
    local mesh = weft.mesh { vertices = { { 0.1, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } },
      colours = { { 0, 0.2, 1 }, { -3, 0.6, 7 }, { 0.4, 0.8, 0 } } }
    mesh:save(folder .. "float.ply", { precision = "float" })
    local again = weft.mesh.load(folder .. "float.ply")
    assert.near(0.1, (again.positions:get(1)), 1e-8)
    assert.are_not.equal(0.1, (again.positions:get(1)))
    local wanted = { { 0, 0.2, 1 }, { 0, 0.6, 1 }, { 0.4, 0.8, 0 } }
    for i, colour in ipairs(again.colours:table()) do
      for k = 1, 3 do
        assert.near(wanted[i][k], colour[k], 1e-7)
      end
    end
  end)

  it("writes short numbers", function()
    weft.mesh { vertices = { { 0.1, -2, 1e30 }, { 1 / 3, 0, 0.5 }, { 0, 0, 12345678 } }, faces = { { 1, 2, 3 } } }
      :save(folder .. "short.obj")
    assert.equal("v 0.1 -2 1e+30\nv 0.3333333333333333 0 0.5\nv 0 0 12345678\nf 1 2 3\n", read(folder .. "short.obj"))
  end)

  it("reads and writes the same in a locale that has a decimal comma", function()
    local place = folder .. "locales"
    os.execute(("mkdir -p %s && localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1"):format(place, place, place))
    local script = write("locale.lua", ([[
      if not os.setlocale "de_DE.UTF-8" then
        print "none"
        return
      end
      local weft = require "weft"
      local mesh = weft.mesh { vertices = { { 0.1, 1 / 3, 1.25 }, { 1, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } }
      mesh:save "%slocale.obj"
      local again = weft.mesh.load "%slocale.obj"
      print(mesh.positions:string() == again.positions:string() and "same" or "different")
    ]]):format(folder, folder))
    local pipe = io.popen(("LOCPATH=%s %s %s 2>&1"):format(place, support.interpreter(), script))
    local answer = pipe:read "*a"
    pipe:close()
    if answer == "none\n" then
      pending "localedef cannot make a German locale here (Debian package: locales)"
      return
    end
    assert.equal("same\n", answer)
    assert.matches("^v 0%.1 0%.3333333333333333 1%.25\n", read(folder .. "locale.obj"))
  end)

  it("leaves the old file and no other when it cannot write", function()
    local mesh = weft.mesh { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } }
    assert.equal("weft.mesh.save: /dev/full: cannot be written: No space left on device",
      message_of(function()
        -- a full disk, reached under a name with a known ending
        os.execute(("ln -sf /dev/full %sfull.obj"):format(folder))
        mesh:save(folder .. "full.obj")
      end))
    assert.equal("weft.mesh.save: /no/such/folder/x.obj: cannot be written: No such file or directory",
      message_of(mesh.save, mesh, "/no/such/folder/x.obj"))
    assert.equal('weft.mesh.save: path must end in .obj or .ply, got "x.stl"', message_of(mesh.save, mesh, "x.stl"))
    local path = write("old.obj", "precious")
    local listing = files()
    support.fail_each_allocation(function()
      mesh:save(path)
    end, function()
      assert.equal("precious", read(path))
      assert.equal(listing, files())
    end)
    assert.matches("^v 0 0 0\n", read(path))
    assert.equal(listing, files())
  end)

  it("follows a link to the file behind it", function()
    local mesh = weft.mesh { vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, faces = { { 1, 2, 3 } } }
    local path = write("behind.obj", "old")
    os.execute(("ln -sf behind.obj %slink.obj"):format(folder))
    mesh:save(folder .. "link.obj")
    local pipe = io.popen(("readlink %slink.obj"):format(folder))
    assert.equal("behind.obj\n", pipe:read "*a")
    pipe:close()
    assert.matches("^v 0 0 0\n", read(path))
  end)

  it("survives every failing allocation", function()
    local paths = { write("memory.obj", "v 0 0 0 1 1 1\nv 1 0 0 1 1 1\nv 0 1 0 1 1 1\nf 1 2 3\n"),
      write("memory.ply", ply "binary_little_endian") }
    for _, path in ipairs(paths) do
      local _, count = support.fail_each_allocation(function()
        weft.mesh.load(path):close()
      end)
      assert.is_true(count >= 5)
    end
  end)

  it("refuses what is no mesh", function()
    local v = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }
    assert.equal("weft.mesh: vertices must be a list of points, got nothing", message_of(weft.mesh, { faces = {} }))
    assert.equal("weft.mesh: a face names a vertex twice",
      message_of(weft.mesh, { vertices = v, faces = { { 1, 1, 2 } } }))
    assert.equal("weft.mesh: colours must be as many as the 3 vertices, got 1",
      message_of(weft.mesh, { vertices = v, faces = { { 1, 2, 3 } }, colours = { { 0, 0, 0 } } }))
    assert.matches("^weft.mesh: ", message_of(weft.mesh, { vertices = v, faces = { { 1, 2, 4 } } }))
    assert.equal("weft.mesh: unknown option 'vertexes'; did you mean 'vertices'?",
      message_of(weft.mesh, { vertexes = v }))
  end)
end)

describe("Meshes that others made", function()
  it("keep their count and order: a GarmentCode body", function()
    local path, missing = support.shared_data "garmentcode/mean_all.obj"
    if not path then
      pending(missing)
      return
    end
    local mesh = weft.mesh.load(path)
    assert.same({ 23752, 47500 }, { mesh.vertices, mesh.triangles })
    assert.same({ 0.0022498837, 1.4566390738, -0.0720482394 }, { mesh.positions:get(1) })
    assert.same({ 10196, 2093, 10199 }, { mesh.faces:get(1) })
  end)

  it("keep their count and order: a big-endian PLY, and quads in groups", function()
    local path, missing = support.shared_data "collision-meshes/cloth_ball92.ply"
    local quads = support.shared_data "makehuman/base.obj"
    if not (path and quads) then
      pending(missing)
      return
    end
    local mesh = weft.mesh.load(path)
    assert.same({ 46598, 92230 }, { mesh.vertices, mesh.triangles })
    mesh = weft.mesh.load(quads)
    assert.same({ 19158, 2 * 18486 }, { mesh.vertices, mesh.triangles })
  end)
end)
