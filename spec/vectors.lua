-- Vectors of three numbers, as tables. `local vectors = require "spec.vectors"`.

local vectors = {}

function vectors.minus(a, b)
  return { a[1] - b[1], a[2] - b[2], a[3] - b[3] }
end

function vectors.dot(a, b)
  return a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
end

function vectors.cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

function vectors.norm(a)
  return math.sqrt(vectors.dot(a, a))
end

return vectors
