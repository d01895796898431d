-- What the examples share that leave frames of an animation: options from the command line, and the frames joined.

local lfs = require "lfs"

local animation = {}

--- The defaults, with what the command line says as name=value in their place; numbers stay numbers. Makes out/ and
--- the folder that `frames` names.
function animation.options(defaults)
  local options = {}
  for name, default in pairs(defaults) do
    options[name] = default
  end
  for _, argument in ipairs(arg) do
    local name, value = argument:match "^([^=]*)=(.*)$"
    if type(defaults[name]) == "number" then
      options[name] = tonumber(value) or options[name]
    elseif name and defaults[name] then
      options[name] = value
    end
  end
  lfs.mkdir "out"
  lfs.mkdir(options.frames)
  return options
end

--- The folder's frames as one moving picture, where ImageMagick is installed. delay: 1/100 s between frames.
function animation.join(folder, file, delay)
  os.execute(("convert -delay %d -loop 0 '%s'/*.png %s 2>/dev/null"):format(delay, folder, file))
end

return animation
