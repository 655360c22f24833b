// Programs of one scatter, and whether its kernel computes what the interpreter does.
#pragma once

#include "tenon/codegen/llvm/loop/test/loop_testing.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tenon::codegen::testing {

// Dimension numbers: of elements of a row, and of rows of a matrix.
inline constexpr const char *kElements =
    "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1";
inline constexpr const char *kRows = "update_window_dims = [1], inserted_window_dims = [0], "
                                     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1";

// A scatter of the input %t, the indices %i and the updates %u, whose types are given without "tensor<>". `op` combines
// %p, the element before, with %q, that of the updates.
std::string scatter(const std::string &op, const std::string &numbers, const std::string &element, const std::string &t,
                    const std::string &i, const std::string &u);

Bytes bytesOf(const std::vector<int32_t> &values);

// The kernel on random inputs, or what `change` makes of them, gives the interpreter's bits (but for those of a NaN)
// for any partition of its tasks. `look` sees each kernel.
void checkInterpreted(const std::string &text, llvm::function_ref<void(std::vector<Bytes> &inputs)> change = {},
                      llvm::function_ref<void(const LoopKernel &)> look = {});

} // namespace tenon::codegen::testing
