--- Linear systems and static equilibria on their own.

local core = require "weft.core"

---@class weft.solve.system
---@field rows integer vertices; every vertex has three unknowns
---@field pairs integer[][] index pairs {i, j}; each also stands for {j, i}
---@field blocks number[][] nine numbers, row by row, for each pair
---@field contact_pairs? integer[][] further blocks, in any order and repeated as you like
---@field contact_blocks? number[][]
---@field b number[][]|weft.buffer right-hand side
---@field x? number[][]|weft.buffer start; fixed components keep its values
---@field fixed? integer[] vertices fixed in all directions
---@field guided? integer[] vertices fixed along one direction; name a vertex twice for two
---@field directions? number[][] one for each guided vertex
---@field relative_tolerance? number
---@field absolute_tolerance? number
---@field max_iterations? integer
---@field positions? number[][]|weft.buffer of the vertices, for preconditioners that use them
---@field preconditioner? "none"|"diagonal"|"block jacobi"|"block ssor"|"incomplete cholesky"|"multigrid"

---@class weft.solve.equilibrium_options
---@field models weft.model[]
---@field x number[][]|weft.buffer start
---@field load number[][]|weft.buffer N per vertex
---@field fixed? integer[]
---@field guided? integer[]
---@field directions? number[][]
---@field tolerance? number largest unbalanced force over the load's root mean square; 1e-6 by default
---@field linear_tolerance? number of the linear solves; 1e-8 by default
---@field max_iterations? integer 500 by default

local solve = {}

--- Solves by preconditioned conjugate gradients. Raises when the matrix is not positive definite, naming a vertex.
---@type fun(options: weft.solve.system): weft.buffer, { iterations: integer, residual: number, converged: boolean }
solve.linear = core.solve_linear

--- The matrix of such a system times b.
---@type fun(options: weft.solve.system): weft.buffer
solve.product = core.solve_product

--- Positions in static equilibrium under constant loads, and what it took: iterations, linear_iterations, residual,
--- energy, converged.
---@type fun(options: weft.solve.equilibrium_options): weft.buffer, table
solve.equilibrium = core.solve_equilibrium

return solve
