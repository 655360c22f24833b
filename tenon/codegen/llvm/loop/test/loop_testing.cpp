#include "tenon/codegen/llvm/loop/test/loop_testing.h"

#include "tenon/codegen/kernel/kernel_emitter.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/codegen/llvm/testing/guarded_memory.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>

namespace tenon::codegen::testing {

using KernelFunction = void(void *const *, int64_t, int64_t, void *);

struct LoopKernel::Code {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<KernelFunction *> phases;
};

mlir::MLIRContext &testContext() {
  static auto *context = [] {
    auto *created = new mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
    loadAllDialects(*created);
    return created;
  }();
  return *context;
}

static double milliseconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
}

mlir::Operation *kernelOf(mlir::ModuleOp module) {
  mlir::Operation *op = nullptr;
  module->walk([&](mlir::Operation *candidate) {
    llvm::StringRef name = candidate->getName().getStringRef();
    if (!op && candidate->getNumResults() > 0 && name != "stablehlo.constant" && candidate->getParentOp() &&
        candidate->getParentOp()->getName().getStringRef() == "func.func")
      op = candidate;
  });
  return op;
}

LoopKernel::~LoopKernel() = default;

std::string fusionProgram(const std::string &kind, const std::vector<std::string> &types, const std::string &body,
                          const std::string &yielded, const std::string &results) {
  std::string arguments, bound, inputTypes;
  for (size_t i = 0; i < types.size(); ++i) {
    std::string comma = i ? ", " : "", name(1, static_cast<char>('a' + i));
    arguments += comma + "%arg" + std::to_string(i) + ": tensor<" + types[i] + ">";
    bound += comma + "%" + name + " = %arg" + std::to_string(i);
    inputTypes += comma + "tensor<" + types[i] + ">";
  }
  size_t count = 1 + std::count(yielded.begin(), yielded.end(), ',');
  std::string returned;
  for (size_t i = 0; i < count; ++i)
    returned += (i ? ", " : "") + (count == 1 ? std::string("%r") : "%r#" + std::to_string(i));
  return "func.func @main(" + arguments + ") -> (" + results + ") {\n" +
         (count == 1 ? std::string("%r") : "%r:" + std::to_string(count)) + " = tenon.fusion " + kind + "(" + bound +
         ") : (" + inputTypes + ") -> (" + results + ") {\n" + body + "\ntenon.yield " + yielded + " : " + results +
         "\n}\nreturn " + returned + " : " + results + "\n}";
}

LoopKernel::LoopKernel(const std::string &text, const CpuTarget &target) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  module = mlir::parseSourceString<mlir::ModuleOp>(text, &testContext());
  if (!module) {
    error = "does not parse";
    return;
  }
  op = kernelOf(*module);
  auto start = std::chrono::steady_clock::now();
  llvm::LLVMContext context;
  llvm::Module emitted("kernel", context);
  target.prepareModule(emitted);
  auto plan = planKernel(op, "kernel", target);
  if (llvm::failed(plan) || llvm::failed(emitKernel(*plan, emitted, target))) {
    error = "not emitted";
    return;
  }
  kernel = plan->kernel;
  emitMilliseconds = milliseconds(start);
  if (std::getenv("TENON_TEST_DUMP")) {
    llvm::raw_string_ostream stream(ir);
    emitted.print(stream, nullptr);
  }
  start = std::chrono::steady_clock::now();
  CompileOptions options;
  options.verify = true;
  auto object = compileModule(emitted, target, options);
  if (!object.ok()) {
    llvm::raw_string_ostream stream(ir);
    emitted.print(stream, nullptr);
    error = object.status().message() + "\n" + ir;
    return;
  }
  compileMilliseconds = milliseconds(start);
  if (std::getenv("TENON_TEST_DUMP"))
    if (auto text = compileToAssembly(emitted, target); text.ok())
      assembly = *text;
  code_ = std::make_unique<Code>();
  code_->jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  llvm::cantFail(code_->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(*object)));
  for (const KernelPhase &phase : kernel.phases) {
    auto address = code_->jit->lookup(phase.symbol);
    if (!address) {
      error = llvm::toString(address.takeError());
      return;
    }
    code_->phases.push_back(address->toPtr<KernelFunction *>());
  }
}

static mlir::Type elementOf(mlir::Type type) { return llvm::cast<mlir::ShapedType>(type).getElementType(); }

static int64_t byteCount(mlir::Type type) {
  return llvm::cast<mlir::ShapedType>(type).getNumElements() * storageBytes(elementOf(type));
}

static Bytes randomArray(mlir::Type type, std::mt19937 &random) {
  Bytes bytes(byteCount(type));
  mlir::Type element = elementOf(type);
  mlir::Type part = element;
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
    part = complex.getElementType();
  int64_t size = storageBytes(part);
  std::normal_distribution<double> normal;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint64_t bits = 0;
    if (auto floating = llvm::dyn_cast<mlir::FloatType>(part)) {
      llvm::APFloat value(normal(random));
      bool lost;
      value.convert(floating.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lost);
      bits = value.bitcastToAPInt().getZExtValue();
    } else {
      auto integer = llvm::cast<mlir::IntegerType>(part);
      bool narrow = integer.getWidth() < 8, isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
      int64_t range = narrow ? (int64_t(1) << integer.getWidth()) : 100;
      int64_t value = static_cast<int64_t>(random() % range) - (isSigned ? range / 2 : 0);
      bits = value;
    }
    std::memcpy(&bytes[at], &bits, size);
  }
  return bytes;
}

std::vector<Bytes> LoopKernel::randomInputs(unsigned seed) const {
  std::mt19937 random(seed);
  std::vector<Bytes> inputs;
  for (mlir::Value operand : op->getOperands()) {
    inputs.push_back(randomArray(operand.getType(), random));
    auto constant = operand.getDefiningOp<stablehlo::ConstantOp>();
    auto dense = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue()) : nullptr;
    if (dense && dense.getRawData().size() == inputs.back().size())
      std::memcpy(inputs.back().data(), dense.getRawData().data(), inputs.back().size());
  }
  return inputs;
}

// Bytes before and after each result that a kernel must leave alone.
static constexpr int64_t kGuard = 256;

// The result inside its guarded buffer, on a cache line of its own.
static uint8_t *guardedStart(Bytes &buffer) {
  uintptr_t address = reinterpret_cast<uintptr_t>(buffer.data()) + kGuard;
  return reinterpret_cast<uint8_t *>((address + 63) & ~uintptr_t(63));
}

std::vector<Bytes> LoopKernel::run(const std::vector<Bytes> &inputs, int64_t piece,
                                   std::optional<int64_t> lastPiece) const {
  std::vector<Bytes> results, guarded;
  std::vector<void *> table;
  std::deque<testing::GuardedMemory> memory;
  for (const Bytes &input : inputs) {
    auto guard = piece > 0 ? testing::Guard::kBefore : testing::Guard::kBehind;
    llvm::copy(input, memory.emplace_back(input.size(), 64, guard).data());
    table.push_back(memory.back().data());
  }
  for (auto [number, type] : llvm::enumerate(op->getResultTypes())) {
    Bytes buffer(byteCount(type) + 2 * kGuard + 64, 0xAB);
    int init = number < kernel.resultInit.size() ? kernel.resultInit[number] : -1;
    if (init >= 0 && !kernel.copiesInit)
      std::memcpy(guardedStart(buffer), inputs[init].data(), inputs[init].size());
    guarded.push_back(std::move(buffer));
  }
  for (Bytes &buffer : guarded)
    table.push_back(guardedStart(buffer));
  auto guardedBlock = [&](int64_t bytes, uint8_t filling) {
    memory.emplace_back(bytes, 64, testing::Guard::kBehind);
    return static_cast<void *>(std::memset(memory.back().data(), filling, size_t(bytes)));
  };
  if (kernel.tempBytes > 0)
    table.push_back(guardedBlock(kernel.tempBytes, 0xCD));
  void *scratch = guardedBlock(kernel.scratchBytes, 0xEF);
  for (auto [phase, function] : llvm::zip(kernel.phases, code_->phases)) {
    int64_t given = function == code_->phases.back() ? lastPiece.value_or(piece) : piece;
    int64_t step = given > 0 ? given : std::max<int64_t>(phase.extent, 1);
    // The last pieces first: tasks may run in any order.
    for (int64_t begin = (phase.extent - 1) / step * step; begin >= 0; begin -= step)
      function(table.data(), begin, std::min(begin + step, phase.extent), scratch);
  }
  for (auto [number, buffer] : llvm::enumerate(guarded)) {
    int64_t bytes = byteCount(op->getResult(number).getType());
    const uint8_t *start = guardedStart(buffer);
    for (int64_t i = 0; i < kGuard; ++i)
      if (start[-i - 1] != 0xAB || start[bytes + i] != 0xAB)
        llvm::report_fatal_error("a kernel wrote outside its result");
    results.emplace_back(start, start + bytes);
  }
  return results;
}

double LoopKernel::benchmark(const std::vector<Bytes> &inputs, double seconds) const {
  std::vector<void *> table, blocks;
  auto allocate = [&](int64_t bytes) {
    blocks.push_back(std::aligned_alloc(64, (bytes + 127) / 64 * 64));
    std::memset(blocks.back(), 0, bytes);
    return blocks.back();
  };
  for (const Bytes &input : inputs)
    table.push_back(std::memcpy(allocate(input.size()), input.data(), input.size()));
  for (mlir::Type type : op->getResultTypes())
    table.push_back(allocate(byteCount(type)));
  if (kernel.tempBytes > 0)
    table.push_back(allocate(kernel.tempBytes));
  void *scratch = allocate(kernel.scratchBytes);
  double best = 1e30, total = 0;
  for (int run = 0; run < 3 || total < seconds * 1000; ++run) {
    auto start = std::chrono::steady_clock::now();
    for (auto [phase, function] : llvm::zip(kernel.phases, code_->phases))
      function(table.data(), 0, phase.extent, scratch);
    double time = milliseconds(start);
    best = std::min(best, time);
    total += time;
  }
  for (void *block : blocks)
    std::free(block);
  return best;
}

} // namespace tenon::codegen::testing
