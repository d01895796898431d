-- What the examples share that leave frames of an animation: options from the command line, and the frames joined.

local lfs = require "lfs"

local animation = {}

io.stdout:setvbuf "line" -- what is printed is seen at once, also through a pipe

--- The defaults, with what the command line says as name=value in their place; numbers stay numbers. Everybody takes
--- `out`, the folder for results, `frames`, the folder for frames (out/<name>), and `quick`: values to see in seconds
--- that the script works, and `scale` for its pictures. Makes both folders, and takes old frames away.
---@param name string of the frames' folder
---@param defaults table
---@param quick table values in place of the defaults
function animation.options(name, defaults, quick)
  local options = { out = "out", frames = "", quick = false, scale = 1 }
  for key, value in pairs(defaults) do
    options[key] = value
  end
  for _, argument in ipairs(arg) do
    if argument == "quick" then
      options.quick, options.scale = true, 0.3
      for key, value in pairs(quick) do
        options[key] = value
      end
    end
  end
  for _, argument in ipairs(arg) do
    local key, text = argument:match "^([^=]*)=(.*)$"
    local value = text
    if type(options[key]) == "number" then
      value = tonumber(text)
    end
    if argument ~= "quick" and (options[key] == nil or value == nil) then
      error(("unknown argument '%s': see the top of the script"):format(argument), 0)
    elseif key then
      options[key] = value
    end
  end
  options.frames = options.frames ~= "" and options.frames or options.out .. "/" .. name
  lfs.mkdir(options.out)
  lfs.mkdir(options.frames)
  for file in lfs.dir(options.frames) do
    if file:find "^%d%d%d%.png$" then
      os.remove(options.frames .. "/" .. file)
    end
  end
  return options
end

--- The folder's frames as one moving picture, where ImageMagick is installed. delay: 1/100 s between frames.
function animation.join(folder, file, delay)
  os.execute(("convert -delay %d -loop 0 '%s'/*.png '%s' 2>/dev/null"):format(delay, folder, file))
end

return animation
