-- Pattern files: variants of the format, round trips, and what is wrong with a file.

local support = require "spec.support"
local weft = require "weft"
local sewing = require "spec.garment.sewing"
local message_of = support.message_of

local folder

--- Writes `text` to a file that the spec removes, and returns its path.
local function file_of(text)
  local path = folder .. "/pattern.json"
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

--- A small document; `change` edits its text.
local function document(change)
  local text = [==[
{ "pattern": {
    "panels": {
      "front": { "translation": [0, 10.0, 20.5], "rotation": [0, 0, 0],
        "vertices": [[0, 0], [40, 0], [40, 60], [0, 60.25]],
        "edges": [ { "endpoints": [0, 1] },
          { "endpoints": [1, 2], "curvature": { "type": "quadratic", "params": [[0.5, 0.1]] } },
          { "endpoints": [2, 3], "label": "collar" }, { "endpoints": [3, 0] } ] },
      "back": { "translation": [0, 10, -20], "rotation": [0, 0, 0], "label": "body",
        "vertices": [[0, 0], [0, 60], [40, 60], [40, 0]],
        "edges": [ { "endpoints": [0, 1] }, { "endpoints": [1, 2] },
          { "endpoints": [2, 3], "curvature": { "type": "quadratic", "params": [[0.5, -0.1]] } },
          { "endpoints": [3, 0] } ] }
    },
    "stitches": [ [ { "panel": "front", "edge": 1 }, { "panel": "back", "edge": 2 } ],
      [ { "panel": "front", "edge": 3 }, { "panel": "back", "edge": 0 } ] ],
    "panel_order": ["front", "back"] },
  "parameters": {}, "parameter_order": [],
  "properties": { "curvature_coords": "relative", "units_in_meter": 100 } }
]==]
  return change and change(text) or text
end

--- The document with one plain text replaced by another.
local function with(old, new)
  return document(function(text)
    local first, last = text:find(old, 1, true)
    assert(first, old)
    return text:sub(1, first - 1) .. new .. text:sub(last + 1)
  end)
end

local function load(text)
  return weft.garment.load(file_of(text))
end

describe("weft.garment.load", function()
  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir '" .. folder .. "'"))
  end)
  teardown(function() os.execute("rm -r '" .. folder .. "'") end)

  it("reads panels in centimetres, their labels and their seams", function()
    local garment = load(document())
    assert.same({ "front", "back" }, { garment.panels[1].name, garment.panels[2].name })
    assert.equal("body", garment.panels[2].label)
    assert.near(0.24 + 2 / 3 * 0.6 * 0.06 / 2 * -1 + 0.4 * 0.0025 / 2, garment.panels[1].area, 1e-14)
    assert.same({ 2, 3 }, garment.seams[1].edges)
    assert.is_false(garment.seams[1].same)
    local z = garment:triangulate { edge = 0.1 }.positions:table()[1][3]
    assert.near(0.205, z, 1e-15)
    assert.equal("weft.garment (2 panels, 2 seams, 0.4566 m2)", (tostring(garment):gsub("0.45%d+", "0.4566")))
  end)

  it("reads past a byte order mark", function()
    assert.equal(2, #load("\239\187\191" .. document()).panels)
  end)

  it("takes panels in any order, and without panel_order by name", function()
    local garment = load(with(',\n    "panel_order": ["front", "back"]', ""))
    assert.same({ "back", "front" }, { garment.panels[1].name, garment.panels[2].name })
    assert.equal("back", load(with('["front", "back"]', '["back"]')).panels[1].name)
  end)

  it("reads the older form of quadratic curves, absolute coordinates, and other units", function()
    local reference = load(document()).panels[1].area
    local older = load(with('{ "type": "quadratic", "params": [[0.5, 0.1]] }', "[0.5, 0.1]"))
    assert.equal(reference, older.panels[1].area)
    local straight = load(with('{ "type": "quadratic", "params": [[0.5, 0.1]] }', "[0, 0]"))
    assert.near(0.24 + 0.4 * 0.0025 / 2, straight.panels[1].area, 1e-15)
    local absolute = load(document(function(text)
      text = text:gsub("%[%[0.5, 0.1%]%]", "[[34, 30]]"):gsub("%[%[0.5, %-0.1%]%]", "[[34, 30]]")
      return (text:gsub('"relative"', '"absolute"'))
    end))
    assert.near(reference, absolute.panels[1].area, 1e-15)
    local metres = load(with('"units_in_meter": 100', '"units_in_meter": 1'))
    assert.near(reference * 1e4, metres.panels[1].area, 1e-9)
    assert.equal(reference, load(with(', "units_in_meter": 100', "")).panels[1].area)
  end)

  it("reads circular edges", function()
    local arc = load(with('{ "type": "quadratic", "params": [[0.5, 0.1]] }',
      '{ "type": "circle", "params": [50, 0, 1] }')) -- right of the upward edge is outward
    local angle = 2 * math.asin(0.3 / 0.5)
    assert.near(0.24 + 0.4 * 0.0025 / 2 + 0.5 ^ 2 / 2 * (angle - math.sin(angle)), arc.panels[1].area, 1e-14)
    assert.near(0.5 * angle, arc.seams[1].lengths[1], 1e-14)
  end)

  it("turns a panel by intrinsic or extrinsic angles", function()
    local text = with('"translation": [0, 10.0, 20.5], "rotation": [0, 0, 0]',
      '"translation": [0, 0, 0], "rotation": [90, 0, 90]')
    -- Rx Rz: x -> y -> z. Rz Rx: x -> x -> y.
    local function second_vertex(garment)
      local mesh = garment:triangulate { edge = 0.4 }
      local rest = mesh.rest:table()
      for i, place in ipairs(mesh.positions:table()) do
        if math.abs(math.abs(rest[i][1]) - 0.4) < 1e-12 and math.abs(rest[i][2]) < 1e-12 then
          return place
        end
      end
    end
    local place = second_vertex(load(text))
    assert.near(0.4, place[3], 1e-12)
    assert.near(0, place[2], 1e-12)
    place = second_vertex(weft.garment.load(file_of(text), { euler = "extrinsic" }))
    assert.near(0.4, place[2], 1e-12)
  end)

  it("turns a panel about the middle of its vertices when the file asks for it", function()
    local turned = with('"translation": [0, 10.0, 20.5], "rotation": [0, 0, 0]',
      '"translation": [0, 10.0, 20.5], "rotation": [0, 0, 180]')
    local function middle(text)
      local mesh = load(text):triangulate { edge = 0.4 }
      local sum, count = 0, 0
      for i, point in ipairs(mesh.positions:table()) do
        if mesh.vertex_panel:get(i) == 1 then
          sum, count = sum + point[1], count + 1
        end
      end
      return sum / count
    end
    assert.near(-0.2, middle(turned), 0.03)
    assert.near(0.2, middle((turned:gsub('"units_in_meter"', '"normalize_panel_translation": true, %0'))), 0.03)
  end)

  it("reads stitches with more than two elements", function()
    local handler = weft.on_warning
    handler(function() end)
    local function first_seam(extra)
      local side = '{ "panel": "back", "edge": 2 }'
      return load(with(side .. " ]", side .. ", " .. extra .. " ]")).seams[1]
    end
    assert.is_false(first_seam('"note"').same)
    assert.is_false(first_seam('{ "colour": "red" }').same)
    assert.is_false(first_seam("null").same)
    assert.is_true(first_seam('"right_wrong"').same)
    assert.is_true(first_seam('{ "crossed": true }').crossed)
    handler(nil)
  end)

  it("gets back what it saved", function()
    local extra = with('"parameters": {}', '"parameters": { "bust": { "value": 0.1, "range": [], "empty": {}, ' ..
      '"text": "a \\"quoted\\" [] {} \\\\ \\u00e9\\n", "none": null, "yes": true } }')
    local cjson = require "cjson"
    for _, text in ipairs { document(), extra, with("60.25", "60.250000000000007"), with("10.0", "0.1e-7") } do
      local garment = load(text)
      garment:save(folder .. "/saved.json")
      local saved = read(folder .. "/saved.json")
      assert.same(cjson.decode(text), cjson.decode(saved))
      local again = weft.garment.load(folder .. "/saved.json")
      assert.same(garment.panels, again.panels)
      assert.same(garment.seams, again.seams)
      again:save(folder .. "/again.json")
      assert.equal(saved, read(folder .. "/again.json"))
    end
    local saved = read(folder .. "/saved.json")
    assert.matches('"parameter_order": %[%]', saved)
    assert.matches('"parameters": {}', saved)
    load(extra):save(folder .. "/saved.json")
    saved = read(folder .. "/saved.json")
    assert.matches('"range": %[%]', saved)
    assert.matches('"empty": {}', saved)
    assert.matches('"none": null', saved)
  end)

  it("gets back what was made from tables", function()
    local given = sewing.shirt()
    given.panels.left_front.grain, given.panels.left_front.layer, given.panels.left_front.fabric = 0.25, 2, 3
    given.panels.left_front.rotation = { 0.1, -0.2, 0.3 }
    given.panels.left_front.label = "body"
    given.seams[1].crossed = false
    local garment = weft.garment(given)
    garment:save(folder .. "/saved.json")
    local again = weft.garment.load(folder .. "/saved.json")
    assert.same({ 3, 2, "body" }, { again.panels[2].fabric, again.panels[2].layer, again.panels[2].label })
    assert.near(0.25, again.panels[2].grain, 1e-15)
    assert.same(garment.seams, again.seams)
    local before = garment:triangulate { edge = 0.1 }.positions:table()
    for i, point in ipairs(again:triangulate { edge = 0.1 }.positions:table()) do
      for k = 1, 3 do
        assert.near(before[i][k], point[k], 1e-14)
      end
    end
  end)

  for _, name in ipairs { "shirt_mean", "dress_pencil" } do
    local path, missing = support.shared_data(("garmentcode/%s_specification.json"):format(name))
    it("gets back the shared " .. name, function()
      if not path then
        pending(missing)
        return
      end
      local cjson = require "cjson"
      local garment = weft.garment.load(path)
      garment:save(folder .. "/saved.json")
      assert.same(cjson.decode(read(path)), cjson.decode(read(folder .. "/saved.json")))
      local again = weft.garment.load(folder .. "/saved.json")
      assert.same(garment.panels, again.panels)
      assert.same(garment.seams, again.seams)
    end)
  end

  local path_pattern = "^weft.garment.load: .-pattern.json: "

  for what, case in pairs {
    ["that is cut off"] = { function() return document():sub(1, 200) end, "the file is not JSON: Expected" },
    ["that is empty"] = { function() return "" end, "the file is not JSON: " },
    ["with a NaN in it"] = { function() return with("60.25", "NaN") end, "the file is not JSON: .*invalid token" },
    ["that is a number"] = { function() return "3" end, "the document: it must be a table, got 3" },
    ["without a pattern"] = { function() return "{}" end, "the document: 'pattern' must be a table, got nothing" },
    ["without panels"] = { function() return with('"panels": {', '"sheets": {') end,
      "the document: 'pattern.panels' must be a table, got nothing" },
    ["with no panel"] = { function() return '{ "pattern": { "panels": {} } }' end, "the document has no panels" },
    ["with an unknown panel in a stitch"] = { function() return with('"panel": "back", "edge": 2',
      '"panel": "bakc", "edge": 2') end, 'stitch 0: there is no panel "bakc"' },
    ["with an unknown edge in a stitch"] = { function() return with('"panel": "back", "edge": 2',
      '"panel": "back", "edge": 4') end, "seam 0 names edge 4 of panel 'back', which has edges 0 to 3" },
    ["with half an edge's number"] = { function() return with('"panel": "back", "edge": 2',
      '"panel": "back", "edge": 2.5') end, "stitch 0: an edge's number must be a whole number, at least 0, got 2.5" },
    ["with one side in a stitch"] = { function() return with(', { "panel": "back", "edge": 2 } ]', " ]") end,
      "stitch 0: its second side must be a table, got nothing" },
    ["with an edge sewn twice"] = { function() return with('{ "panel": "front", "edge": 3 }',
      '{ "panel": "front", "edge": 1 }') end, "edge 1 of panel 'front' is sewn by seam 0 and again by seam 1" },
    ["with an edge sewn to itself"] = { function() return with('{ "panel": "back", "edge": 2 } ]',
      '{ "panel": "front", "edge": 1 } ]') end, "seam 0 sews edge 1 of panel 'front' to itself" },
    ["with a gap in an outline"] = { function() return with('{ "endpoints": [2, 3], "label": "collar" }, ', "") end,
      "panel 'front', edge 2 does not begin where edge 1 ends" },
    ["with an open outline"] = { function() return with(', { "endpoints": [3, 0] } ] },\n      "back"',
      ' ] },\n      "back"') end,
      "panel 'front': its outline is not closed; edge 2 does not return to where edge 0 began" },
    ["with a vertex too many"] = { function() return with('"endpoints": [3, 0] } ] },\n      "back"',
      '"endpoints": [3, 7] } ] },\n      "back"') end,
      "panel 'front', edge 3 names a vertex that the panel does not have" },
    ["with a huge coordinate"] = { function() return with("60.25", "1e14") end,
      "panel 'front': a vertex at %(0, 1e%+12%) m is not a number or farther than 1 km" },
    ["with an infinite coordinate"] = { function() return with("60.25", "1e999") end,
      "panel 'front': vertex 3 must be a finite number below 1e15, got inf" },
    ["with a vertex of three numbers"] = { function() return with("[40, 60]", "[40, 60, 1]") end,
      "panel 'front': vertex 2 must be 2 numbers, got 3 values" },
    ["with an unknown curve"] = { function() return with('"type": "quadratic"', '"type": "spline"') end,
      "panel 'front', edge 1: the curvature's type must be \"quadratic\", \"cubic\" or \"circle\", got \"spline\"" },
    ["with a control point missing"] = { function() return with('"type": "quadratic"', '"type": "cubic"') end,
      "panel 'front', edge 1: a cubic curve has 2 control points, got 1" },
    ["with a circle too small"] = { function() return with('{ "type": "quadratic", "params": [[0.5, 0.1]] }',
      '{ "type": "circle", "params": [20, 0, 1] }') end,
      "panel 'front', edge 1: no circle of radius 0.2 m passes through ends 0.6 m apart" },
    ["with an edge of no length"] = { function() return with("[40, 60], [0, 60.25]", "[40, 60], [40, 60]") end,
      "panel 'front', edge 2 has no length" },
    ["with no area"] = { function() return with("[[0, 0], [0, 60], [40, 60], [40, 0]]",
      "[[0, 0], [10, 0], [20, 0], [30, 0]]"):gsub("%[%[0.5, %-0.1%]%]", "[[0.5, 0]]") end,
      "panel 'back': its outline encloses no area" },
    ["with an outline whose crossing parts cancel"] = { function() return with("[[0, 0], [0, 60], [40, 60], [40, 0]]",
      "[[0, 0], [60, 60], [60, 0], [0, 60]]"):gsub("%[%[0.5, %-0.1%]%]", "[[0.5, 0]]") end,
      "panel 'back': its outline encloses no area: the outline crosses itself at %(0.3, 0.3%)" },
    ["with a number too large"] = { function() return with("[0, 10.0, 20.5]", "[0, 1e300, 20.5]") end,
      "panel 'front': its translation must be a finite number below 1e15, got 1e%+300" },
    ["with odd units"] = { function() return with('"units_in_meter": 100', '"units_in_meter": 0') end,
      "properties: units_in_meter must be from 0.001 to 1000000, got 0" },
    ["with odd coordinates"] = { function() return with('"relative"', '"polar"') end,
      'properties: curvature_coords must be "relative" or "absolute", got "polar"' },
    ["with panels that are numbers"] = { function() return '{ "pattern": { "panels": { "a": 3 } } }' end,
      "panel 'a': it must be a table, got 3" },
    ["nested without end"] = { function() return ("["):rep(5000) end, "the file is not JSON: " },
  } do
    it("says what is wrong with a file " .. what, function()
      assert.matches(path_pattern .. case[2], message_of(load, (case[1]())))
      assert.equal(2, #load(document()).panels)
    end)
  end

  it("says when a file is not there, or the path is none", function()
    assert.matches("^weft.garment.load: no/such.json: cannot open the file: .*No such file",
      message_of(weft.garment.load, "no/such.json"))
    assert.matches("^weft.garment.load: .*: cannot read the file", message_of(weft.garment.load, folder))
    assert.equal("weft.garment.load: path must be a string, got 3", message_of(weft.garment.load, 3))
    assert.matches("did you mean 'euler'", message_of(weft.garment.load, "x", { eluer = "intrinsic" }))
  end)

  it("says what to install when lua-cjson is missing", function()
    local path = file_of(document())
    local loaded, loader = package.loaded.cjson, package.preload.cjson
    package.loaded.cjson = nil
    package.preload.cjson = function() error "absent" end
    local message = message_of(weft.garment.load, path)
    package.loaded.cjson, package.preload.cjson = loaded, loader
    assert.matches("needs lua%-cjson; on Debian: apt install lua%-cjson$", message)
  end)

  it("says when a file cannot be written", function()
    local garment = load(document())
    assert.matches("^weft.garment.save: cannot open the file: ", message_of(garment.save, garment, "no/such/x.json"))
    assert.equal("weft.garment.save: path must be a string, got nil", message_of(garment.save, garment))
    garment:close()
    assert.equal("weft.garment.save: self is a closed weft.garment", message_of(garment.save, garment, "x"))
  end)
end)

describe("weft.garment", function()
  local square = { vertices = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } } }

  for what, case in pairs {
    ["no tables"] = { 3, "must be called with a table of options, got 3" },
    ["no panels"] = { {}, "the garment: 'panels' must be a table, got nothing" },
    ["empty panels"] = { { panels = {} }, "the document has no panels" },
    ["an unknown option"] = { { panel = {} }, "unknown option 'panel'; did you mean 'panels'%?" },
    ["an unknown field"] = { { panels = { a = { vertex = {} } } },
      "panel 'a': unknown field \"vertex\"; did you mean 'vertices'%?" },
    ["a panel without a name"] = { { panels = { square } }, "panel 1: its name must be a string, got nothing" },
    ["two panels of one name"] = { { panels = { { name = "a", vertices = square.vertices }, a = square } },
      "two panels are called 'a'" },
    ["a NaN"] = { { panels = { a = { vertices = { { 0, 0 }, { 1, 0 / 0 }, { 1, 1 } } } } },
      "panel 'a': vertex 2 must be a finite number below 1e15, got %-?nan" },
    ["an edge of three ends"] = { { panels = { a = { vertices = square.vertices, edges = { { 1, 2, 3 } } } } },
      "panel 'a', edge 1: unknown field 3" },
    ["edges that are none"] = { { panels = { a = { vertices = square.vertices, edges = 7 } } },
      "panel 'a': its edges must be a table, got 7" },
    ["a seam with an unknown panel"] = { { panels = { a = square }, seams = { { { "a", 1 }, { "b", 1 } } } },
      'seam 1: there is no panel "b"' },
    ["a seam with an unknown edge"] = { { panels = { a = square }, seams = { { { "a", 1 }, { "a", 5 } } } },
      "seam 1 names edge 5 of panel 'a', which has edges 1 to 4" },
    ["a seam with edge 0"] = { { panels = { a = square }, seams = { { { "a", 0 }, { "a", 2 } } } },
      "seam 1: an edge's number must be a whole number, at least 1, got 0" },
    ["a seam from its end"] = { { panels = { a = square },
      seams = { { { "a", 1, from = 0.5, to = 0.5 }, { "a", 2 } } } },
      "seam 1: the part of edge 1 of panel 'a' must run from a fraction .* got 0.5 to 0.5" },
    ["parts that overlap"] = { { panels = { a = square }, seams = { { { "a", 1, to = 0.6 }, { "a", 2 } },
      { { "a", 1, from = 0.5 }, { "a", 3 } } } }, "edge 1 of panel 'a' is sewn by seam 1 and again by seam 2" },
    ["crossed that is no answer"] = { { panels = { a = square },
      seams = { { { "a", 1 }, { "a", 3 }, crossed = 1 } } },
      'seam 1: crossed must be true, false or "auto", got 1' },
    ["a hole larger than its panel"] = { { panels = { a = { vertices = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { -3, -3 },
      { 3, -3 }, { 0, 3 } }, edges = { { 1, 2 }, { 2, 3 }, { 3, 1 }, { 4, 5 }, { 5, 6 }, { 6, 4 } } } } },
      "panel 'a': its holes are larger than its outline" },
    ["a fabric that is none"] = { { panels = { a = { vertices = square.vertices, fabric = "wool" } } },
      'panel \'a\': its fabric must be a whole number, at least 1, got "wool"' },
  } do
    it("refuses " .. what, function()
      assert.matches("^weft.garment:? " .. case[2], message_of(weft.garment, case[1]))
    end)
  end

  it("refuses a list with a hole, after which elements would be lost", function()
    local function without(k, list)
      list[k] = nil
      return list
    end
    local function square_with(fields)
      fields.name, fields.vertices = "a", fields.vertices or { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } }
      return { panels = { fields } }
    end
    local function crease(x)
      return { from = { x, 0 }, to = { x, 1 }, angle = 1 }
    end
    local function edges(curvature)
      return { { 1, 2, curvature = curvature }, { 2, 3 }, { 3, 4 }, { 4, 1 } }
    end
    local function seams(list)
      return { panels = { square_with({}).panels[1] }, seams = list }
    end
    for what, given in pairs {
      ["the garment: 'panels' must be a list without holes, got nothing at 1"] =
        { panels = without(1, { square, square_with({}).panels[1] }) },
      ["the garment: 'seams' must be a list without holes, got nothing at 2"] =
        seams(without(2, { { { "a", 1 }, { "a", 2 } }, {}, { { "a", 3 }, { "a", 4 } } })),
      ["panel 'a': its vertices must be a list without holes, got nothing at 5"] =
        square_with { vertices = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, [6] = { 0, 0.5 } } },
      ["panel 'a': its edges must be a list without holes, got nothing at 5"] =
        square_with { edges = without(5, { { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 1 }, {}, { 1, 2 } }) },
      ["panel 'a': its folds must be a list without holes, got nothing at 2"] =
        square_with { folds = without(2, { crease(0.2), {}, crease(0.4) }) },
      ["panel 'a', fold 1: from must be a list without holes, got nothing at 1"] =
        square_with { folds = { { from = { nil, 0 }, to = { 0.1, 1 }, angle = 1 } } },
      ["panel 'a': its translation must be a list without holes, got nothing at 4"] =
        square_with { translation = { 0, 0, 0, nil, 1 } },
      ["panel 'a': its rotation must be a list without holes, got nothing at 2"] =
        square_with { rotation = { 0, nil, 0 } },
      ["panel 'a', edge 1: the curvature's params must be a list without holes, got nothing at 1"] =
        square_with { edges = edges { type = "cubic", params = { nil, { 0.3, 0.1 } } } },
      ["panel 'a', edge 1: the circle's params must be a list without holes, got nothing at 2"] =
        square_with { edges = edges { type = "circle", params = { 1, nil, 1 } } },
    } do
      assert.equal("weft.garment: " .. what, message_of(weft.garment, given))
    end
  end)

  it("does not change the tables it is given", function()
    local given = sewing.shirt()
    weft.garment(given)
    assert.same(sewing.shirt(), given)
  end)

  it("loses nothing when an allocation fails", function()
    local _, count = support.fail_each_allocation(function() weft.garment(sewing.shirt()):close() end)
    assert.is_true(count > 30)
  end)
end)
