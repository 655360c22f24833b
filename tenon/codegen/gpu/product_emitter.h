// The code of a product (product.h): what both ways to multiply have in common.
#pragma once

#include "tenon/codegen/gpu/product.h"
#include "tenon/codegen/kernel/matmul/problem.h"

namespace tenon::codegen {

// Where step k of a contraction is in an operand, from its first step on.
llvm::Value *offsetAlongK(Emitter &e, const matmul::Problem &p, bool isLhs, llvm::Value *k);

// One operand: what this thread copies of its tiles.
class TileCopier {
public:
  // `first`: the block's first row of the lhs, or column of the rhs.
  TileCopier(Emitter &e, const matmul::Problem &p, const ProductPlan &product, bool isLhs, llvm::Value *base,
             llvm::Value *first, llvm::Value *thread);

  // The elements of this thread in the tile that begins at k. Zero where there are none.
  Values load(llvm::Value *k);
  // Starts to copy them to the tile in shared memory.
  void copy(llvm::Value *tile, llvm::Value *k, GpuBuilder &gpu);
  // `tile`: where it is in shared memory.
  void store(llvm::Value *tile, llvm::ArrayRef<llvm::Value *> values);

private:
  // A vector, or an element, of each tile.
  struct Piece {
    llvm::Value *row, *k;  // in the tile
    llvm::Value *offset;   // of the row, in the operand
    llvm::Value *isThere;  // whether the row is one of the operand's; null: always
    llvm::Value *hasPlace; // whether the thread has this piece at all; null: always
  };

  void addPiece(llvm::Value *number, llvm::Value *first, bool isLast);
  llvm::Value *offsetOfK(llvm::Value *k) { return offsetAlongK(e_, p_, isLhs_, k); }
  llvm::Value *placeOf(llvm::Value *tile, const Piece &piece);
  llvm::Value *shuffledPlace(const Piece &piece);
  void storePiece(llvm::Value *tile, const Piece &piece, llvm::Value *value);
  bool isAlongK() const { return read_ == TileRead::kAlongK || read_ == TileRead::kElementsK; }

  Emitter &e_;
  const matmul::Problem &p_;
  const ProductPlan &product_;
  bool isLhs_;
  TileRead read_;
  llvm::Value *base_;
  int64_t rows_, extent_;
  unsigned lanes_ = 1;
  llvm::SmallVector<Piece> pieces_;
};

class ProductEmitter {
public:
  ProductEmitter(const ProductPlan &product, const matmul::Problem &problem, llvm::Module &module,
                 llvm::StringRef symbol, GpuBuilder &gpu);
  virtual ~ProductEmitter() = default;

  void emit();

protected:
  // The sums of this thread before the first step, after another one, and at the end.
  virtual Values start() = 0;
  virtual Values multiply(llvm::Value *lhsTile, llvm::Value *rhsTile, llvm::ArrayRef<llvm::Value *> sums) = 0;
  // The sums, when all steps have been begun.
  virtual Values finish(llvm::ArrayRef<llvm::Value *> sums) { return Values(sums.begin(), sums.end()); }
  virtual void store(llvm::ArrayRef<llvm::Value *> sums) = 0;

  // Whether so many sums that lie side by side can be stored as a vector.
  bool storesVectors(unsigned lanes) const;
  // What a thread has of a row of the block's tile: pairs of sums side by side, each with the column of the first.
  struct PairsOfRow {
    struct Pair {
      llvm::Value *column, *first, *second;
    };
    llvm::Value *row;
    llvm::SmallVector<Pair> pairs = {};
  };
  void storePairs(llvm::ArrayRef<PairsOfRow> rows);
  void storePair(llvm::Value *m, llvm::Value *n, llvm::Value *first, llvm::Value *second);
  void storeAt(llvm::Value *m, llvm::Value *n, unsigned lanes, llvm::Value *sum);
  void ifInside(llvm::Value *index, int64_t extent, int64_t block, llvm::function_ref<void()> then);

  const ProductPlan &product_;
  const matmul::Problem &p_;
  GpuBuilder &gpu_;
  Emitter e_;
  llvm::Type *unit_; // of an element in shared memory
  llvm::Value *batch_ = nullptr, *firstRow_ = nullptr, *firstColumn_ = nullptr, *thread_ = nullptr;
  llvm::Value *part_ = nullptr; // of k; null: there is one

private:
  void findPlace();
  void storeThroughShared(llvm::ArrayRef<PairsOfRow> rows);
  Values throughRegisters(TileCopier &lhs, TileCopier &rhs);
  Values byCopies(TileCopier &lhs, TileCopier &rhs);
  Values byBoxes();
  Values tileByTile();
  // The steps of k, in tiles, that the block goes through.
  std::pair<llvm::Value *, llvm::Value *> passes();
  void barrier();
  llvm::Value *tile(bool isLhs, llvm::Value *buffer);
};

// The temporary block.
llvm::Value *temporary(Emitter &e, const matmul::Problem &p, llvm::Value *table);
// Where in the temporary block a part's sum of an element of the result is.
llvm::Value *partialSum(Emitter &e, const matmul::Problem &p, llvm::Value *table, llvm::Value *part,
                        llvm::Value *element);
// The second phase of a product in parts of k, a thread for each vector of the result.
struct CombinedParts {
  int64_t parts;
  unsigned lanes;
};
void emitCombination(CombinedParts combined, const matmul::Problem &problem, llvm::Module &module,
                     llvm::StringRef symbol);

std::unique_ptr<ProductEmitter> makeThreadProduct(const ProductPlan &product, const matmul::Problem &problem,
                                                  llvm::Module &module, llvm::StringRef symbol, GpuBuilder &gpu);
std::unique_ptr<ProductEmitter> makeDoubleProduct(const ProductPlan &product, const matmul::Problem &problem,
                                                  llvm::Module &module, llvm::StringRef symbol, GpuBuilder &gpu);
std::unique_ptr<ProductEmitter> makeGroupProduct(const ProductPlan &product, const matmul::Problem &problem,
                                                 llvm::Module &module, llvm::StringRef symbol, GpuBuilder &gpu);
std::unique_ptr<ProductEmitter> makeWarpProduct(const ProductPlan &product, const matmul::Problem &problem,
                                                llvm::Module &module, llvm::StringRef symbol, GpuBuilder &gpu);

} // namespace tenon::codegen
