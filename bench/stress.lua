-- Stress scenes: `luajit bench/stress.lua [size=small] [contact=mode] [name...]`, from the clone's root; `make stress`.
-- Prints a table and leaves a picture of the end of each scene in build/stress/ (WEFT_BENCH_OUT for another folder).

local weft = require "weft"
local lfs = require "lfs"
local run = require "spec.world.stress.run"

local out = os.getenv "WEFT_BENCH_OUT" or "build/stress"
local size, contact, wanted, any = "full", nil, {}, false
for _, word in ipairs(arg) do
  local name, value = word:match "^(%w+)=(.+)$"
  if name == "size" then
    size = value
  elseif name == "contact" then
    contact = value
  else
    wanted[word], any = true, true
  end
end

lfs.mkdir "build"
lfs.mkdir(out)
io.stdout:setvbuf "line"
local row = "%-9s %8s %7s %7s %9s %8s %9s %8.6s %9s"
print(row:format("scene", "vertices", "frames", "parts", "crossings", "held", "most held", "m/s", "s/frame"))
local failed = 0
for _, scene in ipairs(run.scenes()) do
  local possible = not scene.rigid or contact == nil or contact == "impulses" or contact == "penalty"
  if possible and (not any or wanted[scene.name]) then
    local report, made = run.scene(scene, size, { contact = contact })
    print(row:format(report.name, report.vertices, report.frames, report.parts, report.crossings, report.held,
      report.most_held, report.fastest, ("%.4f"):format(report.seconds / math.max(report.frames, 1))))
    for _, o in ipairs(report.outcome) do
      print(("          %s: %.4g (%g to %g)"):format(o[1], o[2], o[3], o[4]))
    end
    for _, message in ipairs(report.errors) do
      print("          WRONG: " .. message)
      failed = failed + 1
    end
    local picture = { file = ("%s/%s%s.png"):format(out, report.name, contact and "-" .. contact or ""),
      view = made.view, width = 1000, height = 750, ground = made.world.floor or false }
    for _, list in ipairs { made.bodies, made.rigids or {} } do
      for _, body in ipairs(list) do
        picture[#picture + 1] = body
      end
    end
    for _, cloth in ipairs(made.cloths) do
      picture[#picture + 1] = cloth
    end
    weft.picture(picture)
    made.world:close()
  end
end
os.exit(failed == 0 and 0 or 1)
