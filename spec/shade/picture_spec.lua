-- Pictures of scenes whose light is known, judged by their pixels.

local near = require "spec.support".near
local weft = require "weft"

local pi = math.pi

-- The light of csrc/shade/trace.c, relative to a white surface that shows as white.
local KEY, ZENITH, HORIZON, GROUND_BOUNCE, MESH_BOUNCE, GROUND_SKY = 1.25, 0.60, 0.36, 0.30, 0.13, 0.55

local MATTE = { sheen = 0, gloss = 0 }

local function mesh(positions, faces)
  local result = {
    positions = weft.buffer { count = #positions },
    faces = weft.buffer { count = #faces, type = "index" },
  }
  result.positions:assign(positions)
  result.faces:assign(faces)
  return result
end

--- A sphere of `rows` x 2 `rows` quadrilaterals.
local function sphere(centre, radius, rows)
  local positions, faces, columns = {}, {}, 2 * rows
  for i = 0, rows do
    for j = 0, columns - 1 do
      local a, b = pi * i / rows, 2 * pi * j / columns
      positions[#positions + 1] = {
        centre[1] + radius * math.sin(a) * math.sin(b),
        centre[2] + radius * math.cos(a),
        centre[3] + radius * math.sin(a) * math.cos(b),
      }
    end
  end
  for i = 0, rows - 1 do
    for j = 0, columns - 1 do
      local a, b = i * columns + j + 1, i * columns + (j + 1) % columns + 1
      if i > 0 then
        faces[#faces + 1] = { a, a + columns, b }
      end
      if i < rows - 1 then
        faces[#faces + 1] = { b, a + columns, b + columns }
      end
    end
  end
  return mesh(positions, faces)
end

--- The parallelogram from `corner` along `a` and `b`; its front is where a x b points.
local function quad(corner, a, b)
  local function at(s, t)
    return { corner[1] + s * a[1] + t * b[1], corner[2] + s * a[2] + t * b[2], corner[3] + s * a[3] + t * b[3] }
  end
  return mesh({ at(0, 0), at(1, 0), at(1, 1), at(0, 1) }, { { 1, 2, 3 }, { 1, 3, 4 } })
end

local function item(object, ...)
  local result = { object }
  for i = 1, select("#", ...) do
    for name, value in pairs((select(i, ...))) do
      result[name] = value
    end
  end
  return result
end

local function to_linear(display)
  return display <= 0.04045 and display / 12.92 or ((display + 0.055) / 1.055) ^ 2.4
end

local function to_display(light)
  return light <= 0.0031308 and 12.92 * light or 1.055 * light ^ (1 / 2.4) - 0.055
end

--- The linear light of the green channel, the mean over (2 reach + 1)² pixels.
local function light_at(picture, column, row, reach)
  local sum, count = 0, 0
  for y = row - reach, row + reach do
    for x = column - reach, column + reach do
      local _, green = picture:pixel(x, y)
      sum, count = sum + to_linear(green / 255), count + 1
    end
  end
  return sum / count
end

--- How much of the picture a black mesh covers, and the box around it, all in pixels.
local function silhouette(picture)
  local bytes, width = picture:bytes(), picture.width
  local background = to_linear(bytes:byte(2) / 255)
  local area, left, right, top, bottom = 0, math.huge, -math.huge, math.huge, -math.huge
  for y = 1, picture.height do
    for x = 1, width do
      local cover = 1 - to_linear(bytes:byte(3 * ((y - 1) * width + x - 1) + 2) / 255) / background
      area = area + cover
      if cover > 0.5 then
        left, right, top, bottom = math.min(left, x), math.max(right, x), math.min(top, y), math.max(bottom, y)
      end
    end
  end
  return area, left, right, top, bottom
end

local BLACK = { colour = { 0, 0, 0 }, sheen = 0, gloss = 0 }

describe("weft.picture", function()
  after_each(function()
    weft.threads(1)
  end)

  it("shows a sphere under the angle of perspective", function()
    -- A sphere of radius r at distance d is seen within the half-angle asin(r / d), whose tangent is r / sqrt(d² - r²).
    local distance, fov, size = 3, 40, 200
    local picture = weft.picture {
      item(sphere({ 0, 0, 0 }, 1, 64), BLACK), width = size, height = size, ground = false,
      view = { eye = { 0, 0, distance }, target = { 0, 0, 0 }, fov = fov },
    }
    local radius = size / 2 / math.tan(math.rad(fov / 2)) / math.sqrt(distance ^ 2 - 1)
    local area, left, right, top, bottom = silhouette(picture)
    near(pi * radius ^ 2, area, 0.005, "silhouette")
    assert.is_true(math.abs(left + right - size - 1) <= 1 and math.abs(top + bottom - size - 1) <= 1)
  end)

  it("frames what it shows, whatever its size and place", function()
    local origin = { 0, 0, 0 }
    for _, case in ipairs { { origin, 1 }, { { 1e5, -3e4, 2e5 }, 1e-1 }, { origin, 1e-5 }, { origin, 1e6 } } do
      for _, view in ipairs { "front", "three-quarter back", "top" } do
        local picture = weft.picture {
          item(sphere(case[1], case[2], 32), BLACK), width = 160, height = 100, ground = false, view = view,
        }
        local _, left, right, top, bottom = silhouette(picture)
        -- 90 % of the height is filled, and the middle is in the middle.
        assert.is_true(math.abs(bottom - top + 1 - 90) <= 1, "height " .. bottom - top + 1)
        assert.is_true(math.abs(left + right - 161) <= 1 and math.abs(top + bottom - 101) <= 1)
      end
    end
  end)

  it("frames in perspective, with near and far things at the same distance from the margins", function()
    local picture = weft.picture {
      item(sphere({ 0, 0, 0 }, 0.3, 32), BLACK), item(sphere({ 0.2, 2, 1 }, 0.3, 32), BLACK), width = 160,
      height = 100, ground = false, view = { azimuth = 20, elevation = 30 },
    }
    local _, _, _, top, bottom = silhouette(picture)
    assert.is_true(math.abs(bottom - top + 1 - 90) <= 1 and math.abs(top + bottom - 101) <= 1)
  end)

  it("looks through 30 degrees along the longer side unless told otherwise", function()
    for _, size in ipairs { { 240, 80 }, { 80, 240 } } do
      local picture = weft.picture {
        item(sphere({ 0, 0, 0 }, 1, 64), BLACK), width = size[1], height = size[2], ground = false,
        view = { eye = { 0, 0, 20 }, target = { 0, 0, 0 } },
      }
      local radius = 120 / math.tan(math.rad(15)) / math.sqrt(20 ^ 2 - 1)
      near(pi * radius ^ 2, (silhouette(picture)), 0.01, "silhouette")
    end
  end)

  it("sees each side from where its name says", function()
    -- Six plates around the origin, each in the colour of its outer side.
    local plates = {
      front = { { -1, -1, 1 }, { 2, 0, 0 }, { 0, 2, 0 } }, back = { { 1, -1, -1 }, { -2, 0, 0 }, { 0, 2, 0 } },
      left = { { 1, -1, 1 }, { 0, 0, -2 }, { 0, 2, 0 } }, right = { { -1, -1, -1 }, { 0, 0, 2 }, { 0, 2, 0 } },
      top = { { -1, 1, 1 }, { 2, 0, 0 }, { 0, 0, -2 } },
    }
    for name in pairs(plates) do
      local scene = { width = 40, height = 40, samples = 4, view = name, ground = false }
      for other, plate in pairs(plates) do
        scene[#scene + 1] = item(quad(plate[1], plate[2], plate[3]), MATTE,
          { colour = other == name and { 0, 0.5, 0 } or { 0.5, 0, 0 } })
      end
      local red, green = weft.picture(scene):pixel(20, 20)
      assert.is_true(green > 60 and red < 20, ("%s shows red %d, green %d"):format(name, red, green))
    end
  end)

  it("gives a lit sphere the light of theory at its middle", function()
    -- Lit and seen along its normal n: key light 1, and the sky over the hemisphere about a level n. With the cosine
    -- law the mean of |y| there is that of a coordinate over the unit disc, 4 / 3 pi.
    local albedo = 0.3
    local shade = to_display(albedo)
    local picture = weft.picture {
      item(sphere({ 0, 0, 0 }, 1, 64), MATTE, { colour = { shade, shade, shade } }), width = 60, height = 60,
      samples = 256, ground = false, light = { 0, 0, 1 }, view = { eye = { 0, 0, 5 }, target = { 0, 0, 0 }, fov = 30 },
    }
    local sky = HORIZON + (ZENITH + GROUND_BOUNCE - 2 * HORIZON) / 2 * 4 / (3 * pi)
    near(albedo * (KEY + sky), light_at(picture, 30, 30, 1), 0.02, "light")
  end)

  it("darkens the ground in the shadow of a sphere by what it hides", function()
    -- A sphere of radius r hides from a level surface the part (r / d)² cos of the sky, and in its umbra the key light.
    local height, radius, light = 1.5, 0.8, { 0.6, 0.8, 0 }
    local eye_height = 8
    local picture = weft.picture {
      item(sphere({ 0, height, 0 }, radius, 32), BLACK), width = 400, height = 100, samples = 64, ground = 0,
      light = light, view = { eye = { 0, eye_height, 0 }, target = { 0, 0, 0 }, up = { 0, 0, -1 }, fov = 20 },
    }
    local shadow = -height * light[1] / light[2] -- where the ray through the centre meets the ground
    local column = 200 + math.floor(50 * shadow / (eye_height * math.tan(math.rad(10))) + 0.5)
    local distance = math.sqrt(height ^ 2 + shadow ^ 2)
    local open = 1 - (radius / distance) ^ 2 * height / distance
    local key, background = KEY * light[2], to_linear(0.90)
    local dark, lit = GROUND_SKY * open / (GROUND_SKY + key), (key + GROUND_SKY * open) / (GROUND_SKY + key)
    near(dark * background, light_at(picture, column, 50, 1), 0.03, "umbra")
    near(lit * background, light_at(picture, 401 - column, 50, 1), 0.02, "lit ground")
  end)

  it("keeps the background and open ground uniform", function()
    local picture = weft.picture {
      item(sphere({ 0, 1, 0 }, 0.1, 8)), width = 120, height = 60, samples = 4, background = { 0.8, 0.7, 0.6 },
      view = { eye = { 0, 1, 12 }, target = { 0, 1, 0 }, fov = 40 },
    }
    for x = 1, 120 do
      for _, y in ipairs { 1, 10, 20 } do
        assert.same({ 204, 179, 153 }, { picture:pixel(x, y) })
      end
    end
  end)

  it("is darker in a corner", function()
    -- A floor before a wall of height h and great width: at distance x the wall hides the part
    -- (1 - x / sqrt(x² + h²)) / 2 of the floor's cosine-weighted sky. The rest is taken to have the sky's mean light.
    local picture = weft.picture {
      item(quad({ -50, 0, 0 }, { 0, 0, 50 }, { 100, 0, 0 }), MATTE),
      item(quad({ -50, 0, 0 }, { 100, 0, 0 }, { 0, 10, 0 }), MATTE),
      width = 60, height = 200, samples = 256, ground = false, light = { 0, -1, 0 },
      view = { eye = { 0, 12, 20 }, target = { 0, 0, 20 }, up = { 0, 0, -1 }, fov = 120 },
    }
    --- Row of the floor point at distance x from the wall.
    local function row(x)
      return 100 + math.floor(100 * (x - 20) / (12 * math.tan(math.rad(60))) + 0.5)
    end
    local albedo = to_linear(0.68)
    local open = HORIZON + (ZENITH - HORIZON) * 2 / 3
    local last = 0
    for _, x in ipairs { 1, 5, 20 } do
      local hidden = (1 - x / math.sqrt(x * x + 100)) / 2
      local got = light_at(picture, 30, row(x), 0)
      near(albedo * (open * (1 - hidden) + MESH_BOUNCE * hidden), got, 0.06, "floor at " .. x)
      assert.is_true(got > last)
      last = got
    end
  end)

  it("is the same bits for any number of threads and any seed but the same", function()
    local function draw(threads, seed)
      weft.threads(threads)
      return weft.picture {
        item(sphere({ 0, 1, 0 }, 0.5, 12), { edges = true }), quad({ -1, 0, -1 }, { 0, 0, 2 }, { 2, 0, 0 }),
        width = 90, height = 70, samples = 5, views = { "three-quarter", "three-quarter back" }, seed = seed,
      }:bytes()
    end
    local one = draw(1, 1)
    assert.is_true(one == draw(2, 1), "2 threads")
    assert.is_true(one == draw(5, 1), "5 threads")
    assert.is_false(one == draw(1, 2), "another seed")
  end)

  it("shows the two sides of cloth in their colours", function()
    local plate = item(quad({ -1, -1, 0 }, { 2, 0, 0 }, { 0, 2, 0 }), MATTE,
      { colour = { 0, 0.5, 0 }, back_colour = { 0, 0, 0.5 } })
    local picture = weft.picture { plate, views = { "front", "back" }, width = 80, height = 40, samples = 4 }
    local _, green, blue = picture:pixel(20, 20)
    assert.is_true(green > 60 and blue < 20)
    _, green, blue = picture:pixel(60, 20)
    assert.is_true(blue > 60 and green < 20)
  end)

  describe("of a square of two triangles", function()
    local square = quad({ -1, -1, 0 }, { 2, 0, 0 }, { 0, 2, 0 })

    local function draw(look)
      return weft.picture {
        item(square, { look = "plain" }, look), width = 100, height = 100, ground = false, line_width = 3,
        light = { 0, 0, 1 }, view = { eye = { 0, 0, 10 }, target = { 0, 0, 0 }, fov = 2 * math.deg(math.atan(1 / 8)) },
      }
    end

    --- The green of a point on the diagonal, one on the left border and one on neither.
    local function samples(picture)
      local result = {}
      for i, at in ipairs { { 30, 71 }, { 11, 30 }, { 30, 40 } } do
        local _, green = picture:pixel(at[1], at[2])
        result[i] = green
      end
      return result
    end

    it("draws the edges that are asked for", function()
      local pairs_of_diagonal = weft.buffer { count = 2, components = 2, type = "index" }
      pairs_of_diagonal:assign { { 3, 1 }, { 2, 4 } } -- the second is no edge
      local plain = samples(draw {})
      for name, case in pairs {
        edges = { { edges = true }, true, true },
        borders = { { borders = true }, false, true },
        lines = { { lines = pairs_of_diagonal }, true, false },
      } do
        local drawn = samples(draw(case[1]))
        assert.equal(case[2], drawn[1] < plain[1] - 50, name .. ": diagonal")
        assert.equal(case[3], drawn[2] < plain[2] - 50, name .. ": border")
        assert.is_true(math.abs(drawn[3] - plain[3]) <= 3, name .. ": inside")
      end
    end)

    it("shows values by vertex and by face", function()
      local red, _, blue = draw({ values = { 0, 0, 1, 1 } }):pixel(50, 15)
      assert.is_true(red > blue + 30, "high values are yellow")
      red, _, blue = draw({ values = { 0, 0, 1, 1 } }):pixel(50, 85)
      assert.is_true(blue > red + 30, "low values are blue")
      local by_face = draw { values = { -1, 0.5 }, map = "diverging", range = { -1, 1 } }
      red, _, blue = by_face:pixel(70, 80)
      assert.is_true(blue > red + 30, "negative values are blue")
      red, _, blue = by_face:pixel(30, 20)
      assert.is_true(red > blue + 20, "positive values are red")
    end)

    it("shows a colour by vertex or by face", function()
      local by_vertex = weft.buffer { count = 4, type = "float" }
      by_vertex:assign { { 0.5, 0, 0 }, { 0.5, 0, 0 }, { 0, 0, 0.5 }, { 0, 0, 0.5 } }
      local low, _, high = draw({ colours = by_vertex }):pixel(50, 85)
      assert.is_true(low > 60 and high < 60)
      low, _, high = draw({ colours = by_vertex }):pixel(50, 15)
      assert.is_true(low < 60 and high > 60)
      local colours = weft.buffer { count = 2 }
      colours:assign { { 0.5, 0, 0 }, { 0, 0, 0.5 } }
      local red, _, blue = draw({ colours = colours }):pixel(70, 80)
      assert.is_true(red > 60 and blue < 40)
      red, _, blue = draw({ colours = colours }):pixel(30, 20)
      assert.is_true(blue > 60 and red < 40)
    end)
  end)

  it("makes edges smooth below the crease angle and sharp above it", function()
    -- Two plates that meet at 60 degrees, lit from one side: with smooth normals the light changes steadily across.
    local roof = mesh({ { -1, 0, 0 }, { 0, 0, 0.577 }, { 1, 0, 0 }, { -1, 2, 0 }, { 0, 2, 0.577 }, { 1, 2, 0 } },
      { { 1, 2, 5 }, { 1, 5, 4 }, { 2, 3, 6 }, { 2, 6, 5 } })
    local function jump(crease)
      local picture = weft.picture {
        item(roof, MATTE, { crease = crease }), width = 100, height = 50, samples = 64, ground = false,
        light = { -1, 0, 1 }, view = { eye = { 0, 1, 10 }, target = { 0, 1, 0 }, fov = 10 },
      }
      return math.abs(light_at(picture, 46, 25, 1) - light_at(picture, 55, 25, 1))
    end
    assert.is_true(jump(70) < 0.12, "smooth: " .. jump(70))
    assert.is_true(jump(50) > 0.3, "sharp: " .. jump(50))
  end)
end)
