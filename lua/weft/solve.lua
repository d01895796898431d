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
---@field method? "conjugate gradients"|"cholmod"
---@field precision? "single"|"double" of the iteration; the result is as accurate with either
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
---@field preconditioner? string of the linear solves; as for weft.solve.linear

local solve = {}

local direct -- keeps the factor of the last pattern

local function direct_solver()
  if not direct then
    local built, cholmod = pcall(require, "weft.cholmod_core")
    if not built then
      error("weft.solve.linear: the method cholmod is not built; install libsuitesparse-dev and run make again\n"
        .. cholmod, 0)
    end
    direct = cholmod.open()
  end
  return direct
end

--- Solves by preconditioned conjugate gradients, or directly by CHOLMOD, whose supernodal factorisation is under the
--- GPL. Raises when the matrix is not positive definite, naming a vertex. `islands`: parts that nothing couples; each
--- converges by itself. `fell_back`: single precision did not do. `reused`: the symbolic factor of the direct solve
--- before served again, because the pattern was the same.
---@param options weft.solve.system
---@return weft.buffer x
---@return table took iterations, islands, residual, converged, fell_back, reused
function solve.linear(options)
  if type(options) == "table" and rawget(options, "method") == "cholmod" then
    return direct_solver():solve(options)
  end
  return core.solve_linear(options)
end

--- The matrix of such a system times b.
---@type fun(options: weft.solve.system): weft.buffer
solve.product = core.solve_product

--- Positions in static equilibrium under constant loads, and what it took: iterations, linear_iterations, residual,
--- energy, converged.
---@type fun(options: weft.solve.equilibrium_options): weft.buffer, table
solve.equilibrium = core.solve_equilibrium

return solve
