// Map kernels with transposed reads. Vectors run along the results' innermost dimension, v; some array is contiguous
// along another dimension, u. Loading it lane by lane would touch a cache line for each lane. Instead the kernel goes
// over square tiles of (u, v): each transposed array's tile is first copied to scratch memory, transposed in registers
// block by block, and then the tile is computed with contiguous loads only. The tile stays in the L1 cache, and the
// element-wise code is emitted once. Where there is none, blocks go to the results at once, unless rows of these lie so
// that the L1 cache has place for few of them (MapPlan::copiesBlocks).
#include "tenon/codegen/llvm/loop/map.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::codegen::loop {

namespace {

// Transposes as many rows as each has lanes, in registers, by shuffles for which processors have instructions without a
// table of lanes, and for which LLVM finds them soon.
class SquareTransposition {
public:
  SquareTransposition(llvm::IRBuilder<> &builder, LLVMValues &rows, bool mergesShuffles)
      : b_(builder), rows_(rows), lanes_(int64_t(rows.size())), mergesShuffles_(mergesShuffles) {}

  // First units of 128 bits: rows 2^i apart are interleaved by groups of 2^i lanes, which takes a bit of the row's
  // number into the lane's each time, and the lane's highest one out of it. Then the units are dealt out.
  void run(int64_t elementBytes) {
    int64_t unit = std::clamp<int64_t>(16 / elementBytes, 1, lanes_);
    for (int64_t distance = 1; distance < lanes_; distance *= 2) {
      if (distance < unit)
        interleave(distance, unit);
      else
        deal(distance, unit);
      if (lanes_ == 16 && distance == 2)
        hideRows();
    }
    // What bits left the lanes' numbers came to those of the rows from the other end.
    LLVMValues shuffled = rows_;
    for (int64_t k = 0; k < lanes_; ++k) {
      int64_t row = k / unit;
      for (int64_t bit = 1; bit < unit; bit *= 2)
        row = 2 * row + (k & bit ? 1 : 0);
      rows_[row] = shuffled[k];
    }
  }

private:
  void interleave(int64_t distance, int64_t unit) {
    shufflePairs(distance, [&](int64_t lane, bool isSecond) {
      int64_t group = lane % unit / distance, half = isSecond ? unit / 2 : 0;
      return lane / unit * unit + half + group / 2 * distance + lane % distance + group % 2 * lanes_;
    });
  }

  // The first of two rows gets the even units of both, the second the odd ones.
  void deal(int64_t distance, int64_t unit) {
    shufflePairs(distance, [&](int64_t lane, bool isSecond) {
      int64_t inHalf = lane % (lanes_ / 2);
      return (2 * (inHalf / unit) + isSecond) * unit + inHalf % unit + (lane >= lanes_ / 2 ? lanes_ : 0);
    });
  }

  // Shuffles each pair of rows that are `distance` apart. `source(lane, isSecond)` is the lane of the two rows, one
  // behind the other, that comes to a lane of the first or second.
  void shufflePairs(int64_t distance, llvm::function_ref<int64_t(int64_t, bool)> source) {
    llvm::SmallVector<int> masks[2];
    for (bool isSecond : {false, true})
      for (int64_t lane = 0; lane < lanes_; ++lane)
        masks[isSecond].push_back(int(source(lane, isSecond)));
    for (int64_t k = 0; k < lanes_; ++k) {
      if (k & distance)
        continue;
      llvm::Value *a = rows_[k], *c = rows_[k + distance];
      rows_[k] = b_.CreateShuffleVector(a, c, masks[0]);
      rows_[k + distance] = b_.CreateShuffleVector(a, c, masks[1]);
    }
  }

  // The shuffles of a chain, which LLVM may try to merge: half of a kernel's compile time for four. It cannot see
  // through this.
  void hideRows() {
    if (!mergesShuffles_)
      return;
    llvm::Type *vector = rows_.front()->getType();
    auto *type = llvm::FunctionType::get(vector, {vector}, false);
    for (llvm::Value *&row : rows_)
      row = b_.CreateCall(llvm::InlineAsm::get(type, "", "=v,0", false), {row});
  }

  llvm::IRBuilder<> &b_;
  LLVMValues &rows_;
  int64_t lanes_;
  bool mergesShuffles_;
};

class TransposedMap {
public:
  TransposedMap(LoopEvaluator &evaluator, const MapPlan &plan)
      : evaluator_(evaluator), plan_(plan), b_(evaluator.builder()), u_(plan.transposedDim), v_(plan.vectorDim),
        tile_(plan.tileSize) {}

  void emit(llvm::function_ref<void()> body) {
    llvm::Function *function = b_.GetInsertBlock()->getParent();
    scratch_ = function->getArg(3);
    int64_t tiles = 1;
    for (unsigned d = 0; d < plan_.dims.size(); ++d)
      tiles *= tileCount(d);
    llvm::Value *chunk = number(plan_.taskChunk);
    llvm::Value *begin = b_.CreateNSWMul(function->getArg(1), chunk),
                *end = b_.CreateNSWMul(function->getArg(2), chunk);
    end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, number(tiles));
    evaluator_.forLoop(begin, end, 1, [&](llvm::Value *tile) {
      bindTile(tile);
      for (unsigned i = 0; i < plan_.transposed.size(); ++i)
        copyTile(i);
      if (!plan_.copiesBlocks)
        computeTile(body);
    });
  }

private:
  const PlanAccess &access(unsigned number) const { return plan_.use.accesses[number]; }
  llvm::Value *number(int64_t value) { return evaluator_.constant(value); }

  int64_t tileCount(unsigned dim) const {
    bool tiled = dim == u_ || dim == v_;
    return tiled ? llvm::divideCeil(plan_.dims[dim].extent, tile_) : plan_.dims[dim].extent;
  }

  // Tiles in row-major order of the dimensions: neighbours in the results come one after the other.
  void bindTile(llvm::Value *tile) {
    for (unsigned d = plan_.dims.size(); d-- > 0;) {
      llvm::Value *position = tile;
      if (d > 0) {
        llvm::Value *count = number(tileCount(d));
        llvm::Value *rest = b_.CreateUDiv(tile, count);
        position = b_.CreateSub(tile, b_.CreateNSWMul(rest, count));
        tile = rest;
      }
      if (d != u_ && d != v_) {
        evaluator_.bindDim(d, position, 0);
        continue;
      }
      llvm::Value *first = b_.CreateNSWMul(position, number(tile_));
      llvm::Value *last = b_.CreateNSWAdd(first, number(tile_));
      if (plan_.dims[d].extent % tile_ != 0)
        last = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, last, number(plan_.dims[d].extent));
      (d == u_ ? uBegin_ : vBegin_) = first;
      (d == u_ ? uEnd_ : vEnd_) = last;
    }
  }

  // Where a block goes: into the tile, or into the results. Its rows are `targetStride()` elements apart.
  llvm::Value *targetAddress(unsigned i, llvm::Value *u, llvm::Value *v) {
    if (!plan_.copiesBlocks)
      return tileAddress(i, u, v);
    evaluator_.bindDim(u_, u, 0);
    evaluator_.bindDim(v_, v, 0);
    return elementAddress(b_, elementTypeOf(plan_.outputs[0].value), evaluator_.outputPointer(0),
                          evaluator_.uniformIndex(plan_.outputs[0].store));
  }

  int64_t targetStride() const { return plan_.copiesBlocks ? strideOf(plan_.outputs[0].store, u_) : tile_; }

  int64_t strideOf(mlir::AffineExpr position, unsigned dim) const {
    return IndexSpace::linearForm(position).coefficient(plan_.space().dim(dim));
  }

  llvm::Value *tileAddress(unsigned i, llvm::Value *u, llvm::Value *v) {
    llvm::Value *base = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), scratch_, plan_.tileOffsets[i]);
    llvm::Value *row = b_.CreateNSWMul(b_.CreateSub(u, uBegin_), number(tile_));
    llvm::Value *position = b_.CreateAdd(row, b_.CreateSub(v, vBegin_));
    return elementAddress(b_, elementTypeOf(access(plan_.transposed[i]).value), base, position);
  }

  // Elements as integers of their storage size.
  llvm::Type *bitsType(unsigned i) {
    return b_.getIntNTy(8 * storageBytes(elementTypeOf(access(plan_.transposed[i]).value)));
  }

  // Blocks that fill a register, or as much of it as both dimensions have.
  int64_t blockSize(unsigned i) {
    int64_t bytes = storageBytes(elementTypeOf(access(plan_.transposed[i]).value));
    int64_t lanes = std::clamp<int64_t>(evaluator_.target()->vectorBits() / 8 / bytes, 2, 16);
    auto extent = static_cast<uint64_t>(std::min(plan_.dims[u_].extent, plan_.dims[v_].extent));
    return std::min<int64_t>(lanes, llvm::bit_floor(extent));
  }

  // Whether each tile is at least as long as a block.
  bool hasBlocks(unsigned dim, int64_t block) const {
    int64_t last = plan_.dims[dim].extent % tile_;
    return last == 0 || last >= block;
  }

  void copyTile(unsigned i) {
    int64_t block = blockSize(i);
    if (hasBlocks(u_, block) && hasBlocks(v_, block))
      return copyBlocks(i, block);
    auto fits = [&](llvm::Value *begin, llvm::Value *end) {
      return b_.CreateICmpSGE(b_.CreateSub(end, begin), number(block));
    };
    auto blocks = [&] {
      copyBlocks(i, block);
      return LLVMValues();
    };
    auto elements = [&] {
      copyElements(i);
      return LLVMValues();
    };
    evaluator_.ifElse(b_.CreateAnd(fits(uBegin_, uEnd_), fits(vBegin_, vEnd_)), blocks, elements);
  }

  // The last block along a dimension ends with the tile, and copies again what the one before has in common with it.
  void copyBlocks(unsigned i, int64_t block) {
    auto within = [&](unsigned dim, llvm::Value *begin, llvm::Value *end) -> llvm::Value * {
      if (plan_.dims[dim].extent % block == 0)
        return begin;
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, begin, b_.CreateSub(end, number(block)));
    };
    evaluator_.forLoop(vBegin_, vEnd_, block, [&](llvm::Value *vBlock) {
      llvm::Value *v = within(v_, vBlock, vEnd_);
      evaluator_.forLoop(uBegin_, uEnd_, block, [&](llvm::Value *uBlock) {
        llvm::Value *u = within(u_, uBlock, uEnd_);
        copyBlock(i, sourceAddress(i, u, v), u, v, block);
      });
    });
  }

  llvm::Value *sourceAddress(unsigned i, llvm::Value *u, llvm::Value *v) {
    const PlanAccess &from = access(plan_.transposed[i]);
    evaluator_.bindDim(u_, u, 0);
    evaluator_.bindDim(v_, v, 0);
    return elementAddress(b_, elementTypeOf(from.value), evaluator_.arrayPointer(from.value),
                          evaluator_.uniformIndex(from.position));
  }

  int64_t sourceStride(unsigned i) const { return strideOf(access(plan_.transposed[i]).position, v_); }

  // block x block elements: loads along u, stores along v.
  void copyBlock(unsigned i, llvm::Value *source, llvm::Value *u, llvm::Value *v, int64_t block) {
    llvm::Type *bits = bitsType(i), *vector = llvm::FixedVectorType::get(bits, block);
    int64_t bytes = storageBytes(elementTypeOf(access(plan_.transposed[i]).value));
    llvm::Align align(std::min<int64_t>(bytes, 4));
    LLVMValues rows;
    for (int64_t k = 0; k < block; ++k)
      rows.push_back(
          b_.CreateAlignedLoad(vector, b_.CreateInBoundsGEP(bits, source, number(k * sourceStride(i))), align));
    SquareTransposition(b_, rows, evaluator_.target()->mergesShuffles()).run(bytes);
    llvm::Value *target = targetAddress(i, u, v);
    for (int64_t k = 0; k < block; ++k)
      b_.CreateAlignedStore(rows[k], b_.CreateInBoundsGEP(bits, target, number(k * targetStride())), align);
  }

  // A tile that is shorter than a block.
  void copyElements(unsigned i) {
    llvm::Type *bits = bitsType(i);
    llvm::Align align(std::min<int64_t>(storageBytes(elementTypeOf(access(plan_.transposed[i]).value)), 4));
    llvm::Value *source = sourceAddress(i, uBegin_, vBegin_), *target = targetAddress(i, uBegin_, vBegin_);
    evaluator_.forLoop(number(0), b_.CreateSub(vEnd_, vBegin_), 1, [&](llvm::Value *k) {
      evaluator_.forLoop(number(0), b_.CreateSub(uEnd_, uBegin_), 1, [&](llvm::Value *l) {
        llvm::Value *from = b_.CreateAdd(b_.CreateNSWMul(k, number(sourceStride(i))), l);
        llvm::Value *to = b_.CreateAdd(b_.CreateNSWMul(l, number(targetStride())), k);
        llvm::Value *element = b_.CreateAlignedLoad(bits, b_.CreateInBoundsGEP(bits, source, from), align);
        b_.CreateAlignedStore(element, b_.CreateInBoundsGEP(bits, target, to), align);
      });
    });
  }

  void computeTile(llvm::function_ref<void()> body) {
    LoopNest nest(evaluator_, plan_);
    bool whole = plan_.dims[v_].extent % tile_ == 0 && tile_ % plan_.lanes == 0;
    evaluator_.forLoop(uBegin_, uEnd_, 1, [&](llvm::Value *u) {
      evaluator_.bindDim(u_, u, 0);
      nest.overVector(v_, plan_.lanes, vBegin_, vEnd_, whole, {}, [&](auto) {
        for (unsigned i = 0; i < plan_.transposed.size(); ++i) {
          const PlanAccess &from = access(plan_.transposed[i]);
          llvm::Value *v = evaluator_.uniformIndex(mlir::getAffineDimExpr(v_, plan_.space().context()));
          evaluator_.bind(
              from.value, from.index,
              loadElements(b_, elementTypeOf(from.value), tileAddress(i, u, v), evaluator_.lanes(), evaluator_.mask()));
        }
        body();
        return LLVMValues();
      });
    });
  }

  LoopEvaluator &evaluator_;
  const MapPlan &plan_;
  llvm::IRBuilder<> &b_;
  unsigned u_, v_;
  int64_t tile_;
  llvm::Value *scratch_ = nullptr;
  llvm::Value *uBegin_ = nullptr, *uEnd_ = nullptr, *vBegin_ = nullptr, *vEnd_ = nullptr;
};

} // namespace

void emitTransposedMap(LoopEvaluator &evaluator, const MapPlan &plan, llvm::function_ref<void()> body) {
  TransposedMap(evaluator, plan).emit(body);
}

} // namespace tenon::codegen::loop
