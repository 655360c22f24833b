// Kernels in forms of their own: those in which the threads of a block work together. A form is chosen for a part of a
// kernel's plan (kernel/kernel_plan.h) and computes what the part does; parts without one are functions of tasks, of
// which a thread takes one.
#pragma once

#include "tenon/codegen/gpu/attention.h"
#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/gpu/convolution.h"
#include "tenon/codegen/gpu/result_table.h"
#include "tenon/codegen/gpu/scan.h"
#include "tenon/codegen/gpu/scan_columns.h"
#include "tenon/codegen/gpu/scatter.h"
#include "tenon/codegen/gpu/select_and_scatter.h"
#include "tenon/codegen/gpu/skinny_product.h"
#include "tenon/codegen/gpu/sort.h"
#include "tenon/codegen/gpu/split_rows.h"
#include "tenon/codegen/gpu/tile_product.h"
#include "tenon/codegen/gpu/top_k.h"
#include "tenon/codegen/gpu/transpose.h"
#include "tenon/codegen/kernel/kernel_plan.h"

namespace tenon::codegen {

// None where a thread takes a task.
using GpuForm = std::variant<std::monostate, TransposePlan, ResultTablePlan, RowTeamPlan, SplitTeamPlan, ScanTeamPlan,
                             ColumnScanPlan, ScatterTeamPlan, SelectTeamPlan, GpuSortPlan, GpuTopKPlan, ProductPlan,
                             SkinnyProductPlan, TileProductPlan, GpuConvolutionPlan, GpuAttentionPlan>;

inline bool isForm(const GpuForm &form) { return !std::holds_alternative<std::monostate>(form); }

// One for each part of the plan, whose kernel then is what the forms make it.
llvm::SmallVector<GpuForm, 1> chooseForms(KernelPlan &plan, const CostModel::Blocks &costs, const GpuChip &chip);

// Whether the form copies boxes of arrays (GpuTarget::forMaps).
bool usesMaps(const GpuForm &form);

// The launches of the part's phases.
FormPhases phasesOf(const GpuForm &form, const Kernel &kernel);

void print(const GpuForm &form, llvm::raw_ostream &os);

// Emits the functions of the part's phases, of whose tasks a block takes one, or a thread (task_kernel.h).
llvm::LogicalResult emitForm(const GpuForm &form, const KernelPart &part, llvm::Module &module,
                             const EmissionTarget &target, GpuBuilder &gpu);

} // namespace tenon::codegen
