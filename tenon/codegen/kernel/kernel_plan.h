// How a kernel is computed: decided once, by planKernel, before any code is emitted. Emission (kernel_emitter.h) is a
// function of the plan.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/kernel/attention/attention.h"
#include "tenon/codegen/kernel/attention/gradient.h"
#include "tenon/codegen/kernel/contraction/contraction.h"
#include "tenon/codegen/kernel/product_target.h"
#include "tenon/codegen/llvm/concatenate.h"
#include "tenon/codegen/llvm/loop/scan.h"
#include "tenon/codegen/llvm/loop/scatter.h"
#include "tenon/codegen/llvm/loop/select_and_scatter.h"
#include "tenon/codegen/llvm/loop/split_reduction.h"
#include "tenon/codegen/llvm/sort/sort.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"

#include <memory>
#include <variant>

namespace tenon::codegen {

using Schedule = std::variant<loop::MapPlan, loop::RowKernelPlan, loop::SplitReductionPlan, loop::ScanPlan,
                              loop::ScatterPlan, loop::SelectAndScatterPlan, sort::SortPlan, sort::TopKPlan,
                              ConcatenationPlan, DotPlan, ConvolutionPlan, AttentionPlan, AttentionGradientPlan>;

// What a kernel computes at once: all of it, or values in the temporary block that later parts read.
struct KernelPart {
  KernelSource source;
  Schedule schedule;

  const Kernel &kernel() const;
};

// The plan of a computation that becomes a function of its own (entry/computation_function.h).
struct ComputationPlan;

struct KernelPlan {
  Kernel kernel; // of all parts
  llvm::SmallVector<KernelPart, 1> parts;
  llvm::MapVector<mlir::Region *, std::shared_ptr<const ComputationPlan>> computations;

  // Several lines: what each part iterates over, in which order, in which vectors and tasks, and what it reads, writes
  // and keeps. The names of functions are no part of it.
  void print(llvm::raw_ostream &os) const;
};

// Whether the op has native code (else it must be a runtime call: a library routine or a custom call). Cheap.
bool canEmitKernel(mlir::Operation *op, const ProductTarget &target);

// The plan of an op of a fused program, whose functions will be named `symbol` (with suffixes, if there are several).
// The op must outlive the plan. Errors are reported at the op.
llvm::FailureOr<KernelPlan> planKernel(mlir::Operation *op, llvm::StringRef symbol, const ProductTarget &target);

} // namespace tenon::codegen
