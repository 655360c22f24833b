// A stable merge sort that ends whatever its comparator says, and whose comparator may fail.
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <vector>

namespace tenon::interpreter {

using Before = llvm::function_ref<llvm::FailureOr<bool>(int64_t, int64_t)>;

// Sorts `order` by `before(a, b)`: a must come before b.
llvm::LogicalResult mergeSort(std::vector<int64_t> &order, Before before);

} // namespace tenon::interpreter
