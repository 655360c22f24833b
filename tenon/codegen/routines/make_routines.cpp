// Compiles the routines that products of usual types, layouts and sizes are made of, for each level of x86:
//
//   tenon_make_routines ARCHIVE
//
// What a product's size decides is mostly data of its kernel (codegen/cpu/matmul/tiled.h), so few products have them
// all.
#include "tenon/codegen/cpu/contraction/contraction.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/codegen/llvm/routines.h"
#include "tenon/support/parallel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <mutex>

namespace tenon::codegen {
namespace {

using matmul::ContractionSpec;

struct Types {
  mlir::Type factor, out;
};

// A level, and which products are computed with its features.
struct Level {
  const char *cpu, *features;
  bool ofFloats, ofIntegers, ofBf16;
};
constexpr Level kLevels[] = {
    {"x86-64-v3", "", true, true, true},
    {"x86-64-v4", "", true, true, true},
    {"x86-64-v3", "+avxvnni", false, true, false},
    {"x86-64-v4", "+avx512vnni", false, true, false},
    {"x86-64-v4", "+avx512bf16", false, false, true},
    {"x86-64-v4", "+amx-tile,+amx-int8", false, true, false},
    {"x86-64-v4", "+amx-tile,+amx-bf16", false, false, true},
};

class Maker {
public:
  explicit Maker(const CpuTarget &target) : target_(target) {}

  Status add(const ContractionSpec &spec) {
    TENON_ASSIGN_OR_RETURN(matmul::ContractionPlan plan,
                           matmul::planContraction(spec, matmulTarget(target_), "kernel"));
    llvm::LLVMContext context;
    context.setDiscardValueNames(true);
    llvm::Module module("kernel", context);
    target_.prepareModule(module);
    matmul::emitContraction(plan, module);
    for (const Routine &routine : takeRoutines(module, target_)) {
      std::string &object = objects_[routine.symbol];
      if (!object.empty() || !routine.features)
        continue;
      TENON_ASSIGN_OR_RETURN(object, compileModule(*routine.module, *routine.targetFor(&target_)));
    }
    return {};
  }

  // Every layout of two operands, and windows of convolutions. The sizes are such that each register tile is needed,
  // and each that is left at an edge.
  Status addAll(Types types) {
    for (int64_t m : {4, 5, 6, 7, 8, 1024})
      for (int64_t n : {4, 8, 12, 16, 24, 32, 40, 48, 64, 720, 1000, 1024, 1040, 1056})
        for (int64_t k : {96, 1023}) {
          for (int layout = 0; layout < 4; ++layout)
            TENON_RETURN_IF_ERROR(add(product(types, m, n, k, layout & 1, layout & 2)));
        }
    for (int64_t n : {16, 32, 48, 64, 128, 1000, 1040, 1056})
      for (int64_t channels : {3, 16, 64, 256, 384, 512, 2048, 4096})
        TENON_RETURN_IF_ERROR(add(windows(types, n, channels)));
    return {};
  }

  std::map<std::string, std::string> take() {
    std::erase_if(objects_, [](const auto &entry) { return entry.second.empty(); });
    return std::move(objects_);
  }

private:
  static ContractionSpec product(Types types, int64_t m, int64_t n, int64_t k, bool lhsIsTransposed,
                                 bool rhsIsTransposed) {
    ContractionSpec spec;
    spec.lhs = spec.rhs = types.factor;
    spec.out = types.out;
    spec.m.push_back({m, lhsIsTransposed ? 1 : k, 0, n});
    spec.n.push_back({n, 0, rhsIsTransposed ? k : 1, 1});
    spec.k.push_back({k, lhsIsTransposed ? m : 1, rhsIsTransposed ? 1 : n, 0});
    return spec;
  }

  // 3x3 windows of images of 16x16, channels last.
  static ContractionSpec windows(Types types, int64_t n, int64_t channels) {
    ContractionSpec spec;
    spec.lhs = spec.rhs = types.factor;
    spec.out = types.out;
    for (auto [size, stride] : {std::pair<int64_t, int64_t>{4, 324}, {16, 18}, {16, 1}})
      spec.m.push_back({size, stride * channels, 0, 0});
    for (size_t i = 3, stride = size_t(n); i-- > 0; stride *= 16)
      spec.m[i].outStride = int64_t(stride);
    spec.n.push_back({n, 0, 1, 1});
    spec.k.push_back({3, 18 * channels, 3 * channels * n, 0});
    spec.k.push_back({3, channels, channels * n, 0});
    spec.k.push_back({channels, 1, n, 0});
    return spec;
  }

  const CpuTarget &target_;
  std::map<std::string, std::string> objects_;
};

struct Task {
  Level level;
  Types types;
};

std::vector<Task> allTasks(mlir::MLIRContext &context) {
  mlir::Builder b(&context);
  mlir::Type f32 = b.getF32Type(), f16 = b.getF16Type(), bf16 = b.getBF16Type();
  std::vector<Task> tasks;
  if (!CpuTarget::host().isX86()) // other architectures have no levels
    return tasks;
  for (const Level &level : kLevels) {
    if (level.ofFloats)
      for (Types types : {Types{f32, f32},
                          {b.getF64Type(), b.getF64Type()},
                          {f16, f16},
                          {f16, f32},
                          {mlir::ComplexType::get(f32), mlir::ComplexType::get(f32)}})
        tasks.push_back({level, types});
    if (level.ofIntegers)
      tasks.push_back({level, {b.getIntegerType(8), b.getI32Type()}});
    if (level.ofBf16)
      for (mlir::Type out : {bf16, f32})
        tasks.push_back({level, {bf16, out}});
  }
  return tasks;
}

Status make(llvm::StringRef path) {
  mlir::MLIRContext context;
  std::vector<Task> tasks = allTasks(context);
  std::vector<Status> statuses(tasks.size());
  std::map<std::string, std::string> objects;
  std::mutex mutex;
  forEachInParallel(tasks.size(), 0, [&](size_t i) {
    CpuTargetOptions options;
    options.cpu = tasks[i].level.cpu;
    options.features = tasks[i].level.features;
    StatusOr<CpuTarget> target = CpuTarget::create(options);
    if (!target.ok()) {
      statuses[i] = target.status();
      return;
    }
    Maker maker(*target);
    statuses[i] = maker.addAll(tasks[i].types);
    std::lock_guard lock(mutex);
    objects.merge(maker.take());
  });
  for (const Status &status : statuses)
    TENON_RETURN_IF_ERROR(status);
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << makeRoutineArchive(objects);
  file.close();
  return error || file.has_error() ? internalError("cannot write '" + path.str() + "'") : Status();
}

} // namespace
} // namespace tenon::codegen

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: tenon_make_routines ARCHIVE\n";
    return 2;
  }
  if (tenon::Status status = tenon::codegen::make(argv[1]); !status.ok()) {
    llvm::errs() << status.message() << '\n';
    return 1;
  }
  return 0;
}
