-- What the scripts of this folder share: numbers to files in out/, and drawings of them by gnuplot where it is
-- installed.

local lfs = require "lfs"

local common = {}

io.stdout:setvbuf "line"
lfs.mkdir "out"

--- Writes blocks of rows of numbers to out/<name>.csv, for gnuplot's `index`. Each block may have a `title`.
function common.write(name, blocks)
  local file = assert(io.open(("out/%s.csv"):format(name), "w"))
  for k, block in ipairs(blocks) do
    file:write(k > 1 and "\n\n" or "", block.title and ("# %s\n"):format(block.title) or "")
    for _, row in ipairs(block) do
      local cells = {}
      for c, value in ipairs(row) do
        cells[c] = ("%.6g"):format(value)
      end
      file:write(table.concat(cells, ","), "\n")
    end
  end
  file:close()
end

--- Draws out/<name>.png of out/<name>.csv by gnuplot commands, in which `file` is that file's name. Size in pixels.
function common.draw(name, width, height, commands)
  local script = assert(io.open(("out/%s.gnuplot"):format(name), "w"))
  script:write(([[
set terminal pngcairo size %d,%d
set output "out/%s.png"
set datafile separator ","
set grid
# What coincides is seen: the marks of the first linetypes fit into each other.
set linetype 1 pointtype 6 pointsize 2
set linetype 2 pointtype 2 pointsize 1
set linetype 3 pointtype 4 pointsize 1.8
set linetype 4 pointtype 8 pointsize 1
file = "out/%s.csv"
]]):format(width, height, name, name), commands)
  script:close()
  local drawn = os.execute(("gnuplot out/%s.gnuplot"):format(name))
  if drawn ~= 0 and drawn ~= true then
    print "no plot: gnuplot is not installed (Debian package gnuplot-nox)"
  end
end

--- A plot's curve or points: gnuplot's `plot` elements for the blocks `first` (from 0) on, of a list of titles.
function common.elements(titles, first, style)
  local list = {}
  for k, title in ipairs(titles) do
    list[k] = ('file index %d with %s linetype %d title "%s"'):format(first + k - 1, style, k, title)
  end
  return table.concat(list, ", \\\n  ")
end

return common
