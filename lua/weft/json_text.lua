--- What readers of JSON do to its text before it is decoded.

local json_text = {}

--- Where the string that begins at `start` ends.
local function string_end(text, start)
  local position = start + 1
  while true do
    local at = text:find('["\\]', position)
    if not at or text:byte(at) == 34 then
      return at or #text
    end
    position = at + 2
  end
end

--- The text with changes outside of its strings. `change(at)` is called where one of `bytes` stands (a part of a
--- pattern's set); it returns where what it takes ends, and what comes in its place.
---@param text string
---@param bytes string
---@param change fun(at: integer): integer, string
---@return string
function json_text.change(text, bytes, change)
  local parts, position, set = {}, 1, '["' .. bytes .. "]"
  while true do
    local at = text:find(set, position)
    if not at then
      break
    end
    local stop, new
    if text:byte(at) == 34 then
      stop = string_end(text, at)
      new = text:sub(at, stop)
    else
      stop, new = change(at)
    end
    parts[#parts + 1] = text:sub(position, at - 1)
    parts[#parts + 1] = new
    position = stop + 1
  end
  parts[#parts + 1] = text:sub(position)
  return table.concat(parts)
end

return json_text
