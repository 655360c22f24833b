// Register tiles of AMX: up to two by two tile registers of 16 by 16 accumulators, two of the lhs and two of the rhs.
// A register of an operand holds 16 units of k: rows of the lhs, packed or in place, and 16 rows of a packed panel of
// the rhs, which is laid out as these instructions want it. Passes are padded with zeros to whole registers.
#include "tenon/codegen/kernel/matmul/tiled.h"
#include "tenon/codegen/llvm/routines.h"

#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

constexpr uint64_t kConfigurationBytes = 64;
constexpr unsigned kFirstLhs = 4, kFirstRhs = 6; // accumulators are the registers before

// The runtime's: every register has 16 rows of 64 bytes.
Constant *configuration(Module &module) {
  return module.getOrInsertGlobal("tenon_tile_configuration",
                                  ArrayType::get(Type::getInt8Ty(module.getContext()), kConfigurationBytes));
}

Intrinsic::ID product(const Arithmetic &arithmetic) {
  if (arithmetic.compute == Compute::kBf16Tiles)
    return Intrinsic::x86_tdpbf16ps;
  if (arithmetic.lhsUnsigned)
    return arithmetic.rhsUnsigned ? Intrinsic::x86_tdpbuud : Intrinsic::x86_tdpbusd;
  return arithmetic.rhsUnsigned ? Intrinsic::x86_tdpbsud : Intrinsic::x86_tdpbssd;
}

class AmxTileWriter {
public:
  AmxTileWriter(const TiledKernel &kernel, unsigned vectors)
      : kernel_(kernel), rowTiles_(unsigned(kernel.plan.mr / kAmxRows)),
        columnTiles_(unsigned((int64_t(vectors) * kernel.plan.lanes + kAmxColumns - 1) / kAmxColumns)),
        e_(kernel.module, "tenon.amx",
           {kernel.pointer(), kernel.pointer(), kernel.pointer(), kernel.i64(), kernel.i64(), kernel.pointer(),
            kernel.i64(), Type::getInt1Ty(kernel.context()), kernel.pointer(), kernel.pointer()},
           true),
        sizes_(e_, kernel.sizes, e_.arg(9)) {}

  TiledRoutine write() {
    lhsRowBytes_ = sizes_(lhsRowBytes());
    for (unsigned i = 0; i < rowTiles_; ++i)
      for (unsigned j = 0; j < columnTiles_; ++j)
        call(Intrinsic::x86_tilezero, {number(accumulator(i, j))});
    Value *units = e_.sub(e_.arg(4), e_.arg(3));
    Value *steps = e_.udiv(e_.add(units, kAmxUnits - 1), kAmxUnits);
    e_.countDown(steps, {firstLhs(), e_.arg(2)}, [&](ArrayRef<Value *> at) {
      step(at[0], at[1]);
      return Values{e_.gep(unit(), at[0], kAmxUnits), e_.gep(unit(), at[1], kAmxUnits * panelColumns())};
    });
    finish();
    e_.ret();
    std::string shape = std::to_string(rowTiles_) + "x" + std::to_string(columnTiles_);
    // A product of four registers takes as long as 64 instructions.
    markRoutine(*e_.function, "amx." + shape, 4 * double(kernel_.layout.blockUnits));
    return {e_.function, sizes_.first()};
  }

private:
  Type *unit() { return kernel_.unit(); }
  int64_t panelColumns() const { return kernel_.layout.panelColumns; }
  unsigned accumulator(unsigned i, unsigned j) const { return i * 2 + j; }
  Value *number(unsigned tile) { return e_.b.getInt8(uint8_t(tile)); }
  void call(Intrinsic::ID id, ArrayRef<Value *> operands) { e_.b.CreateIntrinsic(id, {}, operands); }

  // Where the pass's units of the first row are.
  Value *firstLhs() {
    if (kernel_.plan.packLhs)
      return e_.arg(0);
    Value *offset = e_.load(e_.b.getInt64Ty(), e_.arg(1));
    return e_.gep(kernel_.unitElement(), e_.arg(0), e_.add(offset, e_.mul(e_.arg(3), kernel_.layout.groupK)));
  }

  int64_t lhsRowBytes() const {
    if (kernel_.plan.packLhs)
      return 4 * kernel_.layout.lhsRowStride;
    return kernel_.p.mLhs.inner().stride * 4 / kernel_.layout.groupK;
  }

  void step(Value *a, Value *b) {
    for (unsigned j = 0; j < columnTiles_; ++j)
      call(Intrinsic::x86_tileloadd64,
           {number(kFirstRhs + j), e_.gep(unit(), b, int64_t(j) * kAmxColumns), e_.i64(4 * panelColumns())});
    for (unsigned i = 0; i < rowTiles_; ++i) {
      Value *rows = e_.gep(e_.b.getInt8Ty(), a, e_.mul(lhsRowBytes_, int64_t(i) * kAmxRows));
      call(Intrinsic::x86_tileloadd64, {number(kFirstLhs + i), rows, lhsRowBytes_});
      for (unsigned j = 0; j < columnTiles_; ++j)
        call(product(kernel_.p.arithmetic), {number(accumulator(i, j)), number(kFirstLhs + i), number(kFirstRhs + j)});
    }
  }

  void finish() {
    e_.ifElse(
        e_.arg(7),
        [&] {
          addTo(e_.arg(5), e_.arg(6));
          return Values();
        },
        [&] {
          store(e_.arg(5), e_.arg(6));
          return Values();
        });
  }

  // Rows of the block of accumulators are `stride` of them apart.
  void store(Value *block, Value *stride) {
    for (unsigned i = 0; i < rowTiles_; ++i)
      for (unsigned j = 0; j < columnTiles_; ++j) {
        Value *row = e_.gep(kernel_.accumulator(), block, e_.mul(stride, int64_t(i) * kAmxRows));
        call(Intrinsic::x86_tilestored64,
             {number(accumulator(i, j)), e_.gep(kernel_.accumulator(), row, int64_t(j) * kAmxColumns),
              e_.mul(stride, 4)});
      }
  }

  // A pass sums on its own and then adds what was there, as in the other register tile.
  void addTo(Value *block, Value *stride) {
    int64_t rows = rowTiles_ * kAmxRows, columns = columnTiles_ * kAmxColumns, lanes = kernel_.plan.lanes;
    IRBuilder<> entry(&e_.function->getEntryBlock(), e_.function->getEntryBlock().begin());
    AllocaInst *own = entry.CreateAlloca(ArrayType::get(kernel_.accumulator(), uint64_t(rows * columns)));
    own->setAlignment(Align(64));
    store(own, e_.i64(columns));
    Type *vector = e_.vec(kernel_.accumulator(), unsigned(lanes));
    e_.loop(e_.i64(0), e_.i64(rows), 1, [&](Value *i) {
      Value *from = e_.gep(kernel_.accumulator(), own, e_.mul(i, columns));
      Value *to = e_.gep(kernel_.accumulator(), block, e_.b.CreateMul(i, stride));
      for (int64_t j = 0; j < columns; j += lanes) {
        Value *at = e_.gep(kernel_.accumulator(), to, j);
        Value *sum = e_.load(vector, e_.gep(kernel_.accumulator(), from, j)), *before = e_.load(vector, at);
        e_.store(vector->isFPOrFPVectorTy() ? e_.b.CreateFAdd(before, sum) : e_.b.CreateAdd(before, sum), at);
      }
    });
  }

  const TiledKernel &kernel_;
  unsigned rowTiles_, columnTiles_;
  Emitter e_;
  Sizes sizes_;
  Value *lhsRowBytes_ = nullptr;
};

} // namespace

TiledRoutine emitAmxTile(const TiledKernel &kernel, unsigned vectors) { return AmxTileWriter(kernel, vectors).write(); }

void emitAmxBegin(Emitter &e, Module &module) {
  e.b.CreateIntrinsic(Intrinsic::x86_ldtilecfg, {}, {configuration(module)});
}

void emitAmxEnd(Emitter &e) { e.b.CreateIntrinsic(Intrinsic::x86_tilerelease, {}, ArrayRef<Value *>()); }

} // namespace tenon::codegen::matmul
