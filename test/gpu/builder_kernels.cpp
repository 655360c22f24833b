#include "test/gpu/machine.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace tenon::testing {
namespace {

using codegen::GpuBuilder;
using llvm::Value;

constexpr unsigned kThreads = 128, kWarp = 32;

// Words that all differ.
std::string words(size_t count) {
  std::string bytes;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t word = i * 2654435761u ^ 0x5bd1e995u;
    bytes.append(reinterpret_cast<const char *>(&word), sizeof(word));
  }
  return bytes;
}

// Begins the kernel: from here on code reads and writes i32s at places of the input and output.
struct Words {
  Words(llvm::Module &module, GpuBuilder &gpu, unsigned threads) : gpu(gpu), b(gpu.b) {
    gpu.startKernel(module, "tested", {gpu.globalPointerType(), gpu.globalPointerType()}, int(threads));
  }
  Value *load(Value *place, llvm::Type *type = nullptr) {
    type = type ? type : b.getInt32Ty();
    return b.CreateLoad(type, b.CreateGEP(type, gpu.parameter(0), place));
  }
  void store(Value *value, Value *place) {
    b.CreateStore(value, b.CreateGEP(value->getType(), gpu.parameter(1), place));
  }
  // `count` places of each thread of the grid.
  Value *own(unsigned count, unsigned number) {
    return b.CreateAdd(b.CreateMul(gpu.threadInGrid(), b.getInt64(count)), b.getInt64(number));
  }

  GpuBuilder &gpu;
  llvm::IRBuilder<> &b;
};

TestedKernel numbers() {
  constexpr unsigned kBlocks = 3, kNumbers = 4;
  return {"numbers of threads and blocks",
          [](llvm::Module &module, GpuBuilder &gpu) {
            Words code(module, gpu, kThreads);
            using Number = GpuBuilder::Number;
            unsigned place = 0;
            for (Number which : {Number::kThread, Number::kBlock, Number::kThreads, Number::kBlocks})
              code.store(gpu.number(which), code.own(kNumbers, place++));
            gpu.b.CreateRetVoid();
          },
          "",
          sizeof(uint32_t) * kNumbers * kThreads * kBlocks,
          kBlocks,
          kThreads};
}

// Each thread has another's word by way of the last ones of so much shared memory, across warps.
TestedKernel exchange(const std::string &name, unsigned sharedBytes) {
  return {name,
          [sharedBytes](llvm::Module &module, GpuBuilder &gpu) {
            Words code(module, gpu, kThreads);
            llvm::IRBuilder<> &b = gpu.b;
            Value *shared = b.CreateConstGEP1_32(b.getInt32Ty(), gpu.sharedMemory(), sharedBytes / 4 - kThreads);
            Value *thread = gpu.number(GpuBuilder::Number::kThread);
            auto at = [&](Value *place) { return b.CreateGEP(b.getInt32Ty(), shared, place); };
            b.CreateStore(code.load(thread), at(thread));
            gpu.emitBarrier();
            Value *other = b.CreateURem(b.CreateAdd(thread, b.getInt32(kWarp + 1)), b.getInt32(kThreads));
            code.store(b.CreateLoad(b.getInt32Ty(), at(other)), thread);
            b.CreateRetVoid();
          },
          words(kThreads),
          sizeof(uint32_t) * kThreads,
          1,
          kThreads,
          sharedBytes};
}

TestedKernel shuffle(unsigned bits) {
  constexpr unsigned kSteps = 5;
  return {"shuffle of " + std::to_string(bits) + " bits",
          [bits](llvm::Module &module, GpuBuilder &gpu) {
            Words code(module, gpu, kThreads);
            Value *brought = code.load(gpu.threadInGrid(), gpu.b.getIntNTy(bits));
            for (unsigned step = 0; step < kSteps; ++step)
              code.store(gpu.shuffleXor(brought, 1u << step), code.own(kSteps, step));
            gpu.b.CreateRetVoid();
          },
          words(kThreads * bits / 32),
          bits / 8 * kSteps * kThreads,
          1,
          kThreads};
}

// Each lane has the word of a lane that it names.
TestedKernel shuffleFrom() {
  return {"shuffle from a lane",
          [](llvm::Module &module, GpuBuilder &gpu) {
            Words code(module, gpu, kThreads);
            Value *brought = code.load(gpu.threadInGrid());
            Value *lane = gpu.b.CreateAnd(gpu.b.CreateLShr(brought, 7), gpu.b.getInt32(kWarp - 1));
            code.store(gpu.shuffleFrom(brought, lane), gpu.threadInGrid());
            gpu.b.CreateRetVoid();
          },
          words(kThreads),
          sizeof(uint32_t) * kThreads,
          1,
          kThreads};
}

// The lanes that have the same number as each, of more and more bits.
TestedKernel lanesWith() {
  constexpr unsigned kSteps = 5;
  return {"lanes with the same number",
          [](llvm::Module &module, GpuBuilder &gpu) {
            Words code(module, gpu, kThreads);
            Value *brought = code.load(gpu.threadInGrid());
            for (unsigned step = 0; step < kSteps; ++step)
              code.store(gpu.lanesWith(brought, 2 * step), code.own(kSteps, step));
            gpu.b.CreateRetVoid();
          },
          words(kThreads),
          sizeof(uint32_t) * kSteps * kThreads,
          1,
          kThreads};
}

// Blocks take numbers, and each gives the next one a word of its own: input words count them, and say who is done.
TestedKernel messages() {
  constexpr unsigned kBlocks = 40;
  return {"messages between blocks",
          [](llvm::Module &module, GpuBuilder &gpu) {
            Words code(module, gpu, 1);
            llvm::IRBuilder<> &b = gpu.b;
            llvm::Type *i32 = b.getInt32Ty();
            llvm::Function *kernel = b.GetInsertBlock()->getParent();
            auto block = [&](const char *label) { return llvm::BasicBlock::Create(b.getContext(), label, kernel); };
            llvm::BasicBlock *look = block("look"), *pause = block("pause"), *after = block("after");
            auto at = [&](unsigned parameter, Value *place) {
              return b.CreateGEP(i32, gpu.parameter(parameter), place);
            };
            Value *taken = gpu.emitAtomic(llvm::AtomicRMWInst::Add, gpu.parameter(0), b.getInt32(1));
            b.CreateBr(look);
            b.SetInsertPoint(look);
            Value *isDone = b.CreateICmpNE(gpu.loadAcquire(at(0, taken)), b.getInt32(0));
            b.CreateCondBr(isDone, after, pause); // the first word is not 0 once a number is taken
            b.SetInsertPoint(pause);
            gpu.emitPause();
            b.CreateBr(look);
            b.SetInsertPoint(after);
            Value *before =
                b.CreateSelect(b.CreateICmpEQ(taken, b.getInt32(0)), b.getInt32(0), b.CreateSub(taken, b.getInt32(1)));
            Value *word = b.CreateMul(b.CreateLoad(i32, at(1, before)), b.getInt32(2654435761u));
            Value *own = b.CreateSelect(b.CreateICmpEQ(taken, b.getInt32(0)), b.getInt32(1), b.CreateAdd(word, taken));
            code.store(own, taken);
            gpu.storeRelease(b.getInt32(1), at(0, b.CreateAdd(taken, b.getInt32(1))));
            b.CreateRetVoid();
          },
          std::string(sizeof(uint32_t) * (kBlocks + 1), 0),
          sizeof(uint32_t) * kBlocks,
          kBlocks,
          1};
}

// Each block adds to a word when it has written its own: who sees that all have adds up what they have written.
TestedKernel additions() {
  constexpr unsigned kBlocks = 40;
  return {"additions that release",
          [](llvm::Module &module, GpuBuilder &gpu) {
            Words code(module, gpu, 1);
            llvm::IRBuilder<> &b = gpu.b;
            llvm::Function *kernel = b.GetInsertBlock()->getParent();
            auto block = [&](const char *label) { return llvm::BasicBlock::Create(b.getContext(), label, kernel); };
            llvm::BasicBlock *sum = block("sum"), *after = block("after");
            Value *own = gpu.number(GpuBuilder::Number::kBlock);
            code.store(b.CreateAdd(b.CreateMul(own, b.getInt32(2654435761u)), b.getInt32(1)), own);
            gpu.addRelease(b.getInt32(1), gpu.parameter(0));
            Value *arrived = gpu.loadAcquire(gpu.parameter(0));
            b.CreateCondBr(b.CreateICmpEQ(arrived, b.getInt32(kBlocks)), sum, after);
            b.SetInsertPoint(sum);
            Value *all = b.getInt32(0);
            for (uint32_t i = 0; i < kBlocks; ++i)
              all = b.CreateAdd(
                  all, b.CreateLoad(b.getInt32Ty(), b.CreateGEP(b.getInt32Ty(), gpu.parameter(1), b.getInt32(i))));
            code.store(all, b.getInt32(kBlocks));
            b.CreateBr(after);
            b.SetInsertPoint(after);
            b.CreateRetVoid();
          },
          std::string(sizeof(uint32_t), 0),
          sizeof(uint32_t) * (kBlocks + 1),
          kBlocks,
          1};
}

// Whether the clock goes on: each thread waits until it has.
TestedKernel clock() {
  return {"clock",
          [](llvm::Module &module, GpuBuilder &gpu) {
            constexpr unsigned kWaited = 10'000; // nanoseconds
            Words code(module, gpu, kThreads);
            llvm::IRBuilder<> &b = gpu.b;
            llvm::Function *kernel = b.GetInsertBlock()->getParent();
            auto block = [&](const char *label) { return llvm::BasicBlock::Create(b.getContext(), label, kernel); };
            llvm::BasicBlock *look = block("look"), *after = block("after");
            Value *begin = gpu.nanoseconds();
            b.CreateBr(look);
            b.SetInsertPoint(look);
            Value *passed = b.CreateSub(gpu.nanoseconds(), begin);
            b.CreateCondBr(b.CreateICmpUGE(passed, b.getInt64(kWaited)), after, look);
            b.SetInsertPoint(after);
            code.store(b.CreateZExt(b.CreateICmpNE(begin, b.getInt64(0)), b.getInt32Ty()), gpu.threadInGrid());
            b.CreateRetVoid();
          },
          "",
          sizeof(uint32_t) * kThreads,
          1,
          kThreads};
}

// Small whole numbers, whose products and sums every type here has exactly: -4 to 3, or 0 to 7.
std::string factors(GpuBuilder::Matrix kind, size_t words) {
  const bool isWide = kind == GpuBuilder::Matrix::kBf16 || kind == GpuBuilder::Matrix::kF16;
  std::string bytes;
  for (uint32_t i = 0; i < words * (isWide ? 2 : 4); ++i) {
    const int number = int(i * 2654435761u >> 29) - (kind == GpuBuilder::Matrix::kUint8 ? 0 : 4);
    if (!isWide) {
      bytes.push_back(char(number));
      continue;
    }
    const auto whole = llvm::bit_cast<uint32_t>(float(number));
    // The bits of bf16 are the upper half; f16 has an exponent of 5 bits and the same mantissa, as far as it goes.
    const uint32_t half = (whole >> 31 << 15) | (((whole >> 23 & 0xff) - 112) << 10) | (whole >> 13 & 0x3ff);
    const auto bits = uint16_t(kind == GpuBuilder::Matrix::kBf16 ? whole >> 16 : number == 0 ? 0 : half);
    bytes.append(reinterpret_cast<const char *>(&bits), sizeof(bits));
  }
  return bytes;
}

TestedKernel product(GpuBuilder::Matrix kind, const std::string &name) {
  constexpr unsigned kLhs = 4, kRhs = 2, kSums = 4, kGiven = kLhs + kRhs;
  return {"product of matrices of " + name,
          [kind](llvm::Module &module, GpuBuilder &gpu) {
            Words code(module, gpu, kWarp);
            const bool isFloat = kind == GpuBuilder::Matrix::kBf16 || kind == GpuBuilder::Matrix::kF16;
            llvm::Type *type = isFloat ? gpu.b.getFloatTy() : gpu.b.getInt32Ty();
            llvm::SmallVector<Value *> given, sums;
            for (unsigned i = 0; i < kGiven; ++i)
              given.push_back(code.load(code.own(kGiven, i)));
            for (unsigned i = 0; i < kSums; ++i)
              sums.push_back(isFloat ? llvm::ConstantFP::get(type, double(i))
                                     : static_cast<Value *>(gpu.b.getInt32(i)));
            auto lhs = llvm::ArrayRef<Value *>(given).take_front(kLhs),
                 rhs = llvm::ArrayRef<Value *>(given).take_back(kRhs);
            unsigned place = 0;
            for (Value *sum : gpu.multiplyMatrices(kind, lhs, rhs, sums))
              code.store(sum, code.own(kSums, place++));
            gpu.b.CreateRetVoid();
          },
          factors(kind, size_t{kGiven} * kWarp),
          sizeof(uint32_t) * kSums * kWarp,
          1,
          kWarp};
}

// Whether approximations of an argument are as near as they have to be: a fraction of the value off at most. The
// approximations themselves may be others on every chip. Each thread is given an argument and its value.
TestedKernel approximations(const char *name, double mostError, const std::vector<std::pair<float, float>> &given,
                            const std::function<Value *(GpuBuilder &gpu, Value *argument)> &approximate) {
  std::string bytes;
  for (auto [argument, value] : given) {
    const float numbers[] = {argument, std::fpclassify(value) == FP_SUBNORMAL ? 0 : value};
    bytes.append(reinterpret_cast<const char *>(numbers), sizeof(numbers));
  }
  return {name,
          [=](llvm::Module &module, GpuBuilder &gpu) {
            Words code(module, gpu, kThreads);
            llvm::IRBuilder<> &b = gpu.b;
            llvm::Type *f32 = b.getFloatTy();
            Value *found = approximate(gpu, code.load(code.own(2, 0), f32)), *right = code.load(code.own(2, 1), f32);
            auto magnitude = [&](Value *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); };
            Value *error = magnitude(b.CreateFSub(found, right));
            Value *most = b.CreateFMul(magnitude(right), llvm::ConstantFP::get(f32, mostError));
            Value *isNear = b.CreateOr(b.CreateFCmpOEQ(found, right), b.CreateFCmpOLE(error, most));
            code.store(b.CreateZExt(isNear, b.getInt32Ty()), code.own(1, 0));
            b.CreateRetVoid();
          },
          bytes,
          sizeof(uint32_t) * kThreads,
          1,
          kThreads};
}

// Exponents go from -130 on.
TestedKernel exp2() {
  constexpr float kStep = 2.06F, kFirst = -130;
  std::vector<std::pair<float, float>> given;
  for (unsigned i = 0; i < kThreads; ++i) {
    const float exponent = kFirst + kStep * float(i);
    given.emplace_back(exponent, std::exp2(exponent));
  }
  return approximations("powers of two", 4e-7, given,
                        [](GpuBuilder &gpu, Value *exponent) { return gpu.approximateExp2(exponent); });
}

// Divisors are of both signs and of all magnitudes, and both zeros.
TestedKernel reciprocal() {
  std::vector<std::pair<float, float>> given;
  for (unsigned i = 0; i < kThreads; ++i) {
    const float divisor = i < 2 ? 0 : std::ldexp(1 + 0.77F * float(i) / kThreads, int(i) - int(kThreads) / 2);
    given.emplace_back(i % 2 ? -divisor : divisor, 1 / (i % 2 ? -divisor : divisor));
  }
  return approximations("reciprocals", 1.2e-7, given,
                        [](GpuBuilder &gpu, Value *divisor) { return gpu.approximateReciprocal(divisor); });
}

// Four products, one after the other, of 64 rows by 128 columns: of each operand two, of the rhs two chunks of rows
// where k is not dense there; or an lhs in registers.
TestedKernel groupProduct(GpuBuilder::Matrix kind, bool isTransposed, const std::string &name,
                          bool isInRegisters = false) {
  constexpr unsigned kChunkBytes = 8192, kVectorBytes = 16, kColumns = 128, kSums = kColumns / 2, kProducts = 4,
                     kWords = 4;
  constexpr unsigned kTileBytes = 3 * kChunkBytes; // of both
  auto emit = [=](llvm::Module &module, GpuBuilder &gpu) {
    Words code(module, gpu, kThreads);
    llvm::IRBuilder<> &b = gpu.b;
    const bool isFloat = kind == GpuBuilder::Matrix::kBf16 || kind == GpuBuilder::Matrix::kF16;
    llvm::Type *type = isFloat ? b.getFloatTy() : b.getInt32Ty();
    auto *vector = llvm::FixedVectorType::get(b.getInt32Ty(), kVectorBytes / 4);
    Value *shared = gpu.sharedMemory(1024), *thread = gpu.number(GpuBuilder::Number::kThread);
    for (unsigned i = 0; i < kTileBytes / kVectorBytes / kThreads; ++i) {
      Value *place = b.CreateAdd(thread, b.getInt32(i * kThreads));
      b.CreateStore(code.load(place, vector), b.CreateGEP(vector, shared, place));
    }
    gpu.emitFenceForGroups();
    gpu.emitBarrier();
    llvm::SmallVector<Value *> sums(kSums, llvm::Constant::getNullValue(type));
    gpu.emitStartOfProducts();
    for (unsigned i = 0; i < kProducts; ++i) {
      auto tile = [&](unsigned begin) -> GpuBuilder::GroupTile {
        const unsigned at = begin + i * (isTransposed ? kChunkBytes / kProducts : 32);
        return {b.CreateConstGEP1_32(b.getInt8Ty(), shared, at), isTransposed ? kChunkBytes : 0};
      };
      GpuBuilder::GroupTile lhs = tile(0);
      for (unsigned word = 0; isInRegisters && word < kWords; ++word)
        lhs.words.push_back(code.load(code.own(kProducts * kWords, i * kWords + word)));
      sums = gpu.multiplyInGroup(kind, kColumns, lhs, tile(kChunkBytes), sums);
    }
    gpu.emitEndOfProducts();
    unsigned place = 0;
    for (Value *sum : gpu.waitForProducts(0, sums))
      code.store(sum, code.own(kSums, place++));
    b.CreateRetVoid();
  };
  return {"product of a warp group of " + name + (isTransposed ? ", transposed" : "") +
              (isInRegisters ? ", from registers" : ""),
          emit,
          factors(kind, kTileBytes / 4),
          sizeof(uint32_t) * kSums * kThreads,
          1,
          kThreads,
          kTileBytes};
}

// A box that has elements outside of the array in two dimensions, of the second of two batches. The map is behind the
// array.
TestedKernel boxCopy(int64_t elementBytes, const std::string &name) {
  constexpr unsigned kRow = 208, kRows = 40, kBoxRows = 64, kBoxBytes = 128 * kBoxRows, kVectorBytes = 16;
  constexpr unsigned kArrayBytes = 2 * kRow * kRows;
  static_assert(kArrayBytes % 64 == 0);
  auto emit = [=](llvm::Module &module, GpuBuilder &gpu) {
    Words code(module, gpu, kThreads);
    llvm::IRBuilder<> &b = gpu.b;
    Value *shared = gpu.sharedMemory(1024), *thread = gpu.number(GpuBuilder::Number::kThread);
    Value *barrier = b.CreateConstGEP1_32(b.getInt8Ty(), shared, kBoxBytes);
    Value *map = b.CreateConstGEP1_32(b.getInt8Ty(), gpu.parameter(0), kArrayBytes);
    auto byOne = [&](llvm::function_ref<void()> what) {
      auto *one = llvm::BasicBlock::Create(module.getContext(), "one", b.GetInsertBlock()->getParent());
      auto *all = llvm::BasicBlock::Create(module.getContext(), "all", b.GetInsertBlock()->getParent());
      b.CreateCondBr(b.CreateIsNull(thread), one, all);
      b.SetInsertPoint(one);
      what();
      b.CreateBr(all);
      b.SetInsertPoint(all);
    };
    byOne([&] {
      gpu.emitMap(map, {gpu.parameter(0),
                        elementBytes,
                        {200 / elementBytes, kRows, 2},
                        {128 / elementBytes, kBoxRows, 1},
                        {kRow, kRow * kRows}});
      gpu.emitStartOfPhases(barrier);
    });
    gpu.emitBarrier();
    byOne([&] {
      gpu.emitUseOfMap(map);
      gpu.emitExpectedBytes(barrier, kBoxBytes);
      gpu.emitBoxCopy(shared, map, {b.getInt32(uint32_t(144 / elementBytes)), b.getInt32(-3), b.getInt32(1)}, barrier);
    });
    gpu.emitWaitForPhase(barrier, b.getInt32(0));
    gpu.emitBarrier();
    auto *vector = llvm::FixedVectorType::get(b.getInt32Ty(), kVectorBytes / 4);
    for (unsigned i = 0; i < kBoxBytes / kVectorBytes / kThreads; ++i) {
      Value *place = b.CreateAdd(thread, b.getInt32(i * kThreads));
      code.store(b.CreateLoad(vector, b.CreateGEP(vector, shared, place)), place);
    }
    b.CreateRetVoid();
  };
  TestedKernel kernel{"copy of a box of " + name,
                      emit,
                      words((kArrayBytes + GpuBuilder::kMapBytes) / 4),
                      kBoxBytes,
                      1,
                      kThreads,
                      kBoxBytes + 8};
  kernel.usesMaps = true;
  return kernel;
}

// Each thread has the word of a thread of the block before it in its cluster.
TestedKernel clusterExchange() {
  constexpr unsigned kBlocks = 8, kCluster = 4;
  return {"shared memory of a cluster",
          [](llvm::Module &module, GpuBuilder &gpu) {
            Words code(module, gpu, kThreads);
            llvm::IRBuilder<> &b = gpu.b;
            gpu.formClusters(*b.GetInsertBlock()->getParent(), kCluster);
            Value *own = b.CreateGEP(b.getInt32Ty(), gpu.sharedMemory(), gpu.number(GpuBuilder::Number::kThread));
            Value *next = b.CreateAdd(gpu.number(GpuBuilder::Number::kBlock), b.getInt32(1));
            gpu.emitClusterBarrier();
            b.CreateStore(code.load(gpu.threadInGrid()), gpu.sharedOf(own, b.CreateURem(next, b.getInt32(kCluster))));
            gpu.emitClusterBarrier();
            code.store(b.CreateLoad(b.getInt32Ty(), own), gpu.threadInGrid());
            b.CreateRetVoid();
          },
          words(size_t{kThreads} * kBlocks),
          sizeof(uint32_t) * kThreads * kBlocks,
          kBlocks,
          kThreads,
          sizeof(uint32_t) * kThreads};
}

} // namespace

std::vector<TestedKernel> builderKernels(const codegen::GpuChip &chip) {
  using Matrix = GpuBuilder::Matrix;
  std::vector<TestedKernel> kernels;
  if (chip.hasWarpGroups)
    kernels = {groupProduct(Matrix::kBf16, false, "bf16"),      groupProduct(Matrix::kBf16, true, "bf16"),
               groupProduct(Matrix::kF16, false, "f16"),        groupProduct(Matrix::kF16, true, "f16"),
               groupProduct(Matrix::kInt8, false, "i8"),        groupProduct(Matrix::kUint8, false, "ui8"),
               groupProduct(Matrix::kBf16, true, "bf16", true), groupProduct(Matrix::kF16, false, "f16", true)};
  if (chip.hasMaps()) {
    kernels.push_back(boxCopy(1, "8 bits"));
    kernels.push_back(boxCopy(2, "16 bits"));
  }
  if (chip.mostClusterBlocks > 1)
    kernels.push_back(clusterExchange());
  for (const TestedKernel &kernel :
       {numbers(), exchange("barrier and shared memory", sizeof(uint32_t) * kThreads),
        exchange("shared memory beyond 48 KiB", 160U << 10), shuffle(32), shuffle(64), shuffleFrom(), lanesWith(),
        messages(), additions(), clock(), exp2(), reciprocal(), product(Matrix::kBf16, "bf16"),
        product(Matrix::kF16, "f16"), product(Matrix::kInt8, "i8"), product(Matrix::kUint8, "ui8")})
    kernels.push_back(kernel);
  return kernels;
}

} // namespace tenon::testing
