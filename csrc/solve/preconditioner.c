#include "solve/preconditioner.h"

const wf_preconditioner *const wf_preconditioners[WF_PRECONDITIONER_COUNT + 1] = {
    &wf_preconditioner_none,
    &wf_preconditioner_diagonal,
    &wf_preconditioner_block_jacobi,
    &wf_preconditioner_block_ssor,
    &wf_preconditioner_incomplete_cholesky,
    &wf_preconditioner_multigrid,
    NULL,
};
