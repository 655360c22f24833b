// The library routines "cholesky" and "triangular_solve": StableHLO's operations of those names, on row-major matrices
// of f32, f64, complex<f32> and complex<f64> with any number of batch dimensions in front.
//
// LAPACK does the work where there is one, without transposing anything: a row-major matrix is the transpose of a
// column-major one, so the other triangle is named instead. Without LAPACK plain loops do it. Many small matrices are
// factored in lanes (small_matrices/) with or without one.
#pragma once

#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/cpu/lapack_library.h"

namespace tenon::runtime {

// Attribute: lower. The other triangle of the result is zero; the whole result is NaN where the matrix is not positive
// definite.
StatusOr<std::unique_ptr<RuntimeCallInstance>> makeCholesky(const program::RuntimeCall &runtimeCall,
                                                            const LapackLibrary *lapack);
// Attributes: left_side, lower, unit_diagonal, transpose_a (StableHLO's enum or its name).
StatusOr<std::unique_ptr<RuntimeCallInstance>> makeTriangularSolve(const program::RuntimeCall &runtimeCall,
                                                                   const LapackLibrary *lapack);

} // namespace tenon::runtime
