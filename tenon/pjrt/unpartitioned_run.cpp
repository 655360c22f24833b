#include "tenon/pjrt/unpartitioned_run.h"

#include "tenon/pjrt/work_queue.h"

#include <algorithm>
#include <cstring>

namespace tenon::pjrt {
namespace {

// The place of a tile in the whole array, without the tile's padding.
struct TilePlace {
  program::Shape shape;
  int64_t offset = 0; // in bytes
};

TilePlace placeOf(const program::Shape &whole, const program::Shape &part, const Tiling &tiling, int64_t tile) {
  TilePlace place{whole, 0};
  std::vector<int64_t> strides = rowMajorStrides(whole);
  for (size_t i = whole.dims.size(); i-- > 0;) {
    int64_t start = tile % tiling.tiles[i] * part.dims[i];
    tile /= tiling.tiles[i];
    place.shape.dims[i] = std::clamp<int64_t>(whole.dims[i] - start, 0, part.dims[i]);
    place.offset += start * strides[i];
  }
  return place;
}

// The whole argument: a part that is everything and in the program's order, or all parts copied together into `block`.
StatusOr<const void *> gather(const UnpartitionedRun &run, size_t index, Block &block) {
  const CompiledProgram &program = *run.program;
  const Tiling &tiling = program.argumentTilings[index];
  const std::vector<Ref<Value>> &parts = run.arguments[index];
  const BufferType &partType = *program.argumentTypes[index];
  if (tiling.isReplicated() && partType.isRowMajor)
    return static_cast<const void *>(parts[0]->block.data());
  const program::Shape &whole = program.wholeArgumentTypes[index]->shape;
  TENON_ASSIGN_OR_RETURN(block, Block::allocate(program.wholeArgumentTypes[index]->bytes));
  std::vector<bool> copied(std::max<size_t>(parts.size(), 1), false);
  for (size_t partition = 0; partition < parts.size(); ++partition) {
    int64_t tile = tiling.tileOf[partition];
    if (copied[tile])
      continue;
    copied[tile] = true;
    TilePlace place = placeOf(whole, partType.shape, tiling, tile);
    copyStrided(place.shape, parts[partition]->block.data(), partType.strides,
                static_cast<char *>(block.data()) + place.offset, rowMajorStrides(whole));
  }
  return static_cast<const void *>(block.data());
}

// One tile of a result. Padding is zero.
StatusOr<Block> cut(const CompiledProgram &program, size_t index, const Block &whole, int64_t tile) {
  const program::Shape &wholeShape = program.wholeResultTypes[index]->shape;
  const BufferType &part = *program.resultTypes[index];
  TENON_ASSIGN_OR_RETURN(Block block, Block::allocate(part.bytes));
  TilePlace place = placeOf(wholeShape, part.shape, program.resultTilings[index], tile);
  if (place.shape.dims != part.shape.dims)
    std::memset(block.data(), 0, static_cast<size_t>(block.bytes()));
  copyStrided(place.shape, static_cast<const char *>(whole.data()) + place.offset, rowMajorStrides(wholeShape),
              block.data(), part.strides);
  return block;
}

// Results that every partition holds in full share one block.
Status scatter(UnpartitionedRun &run, size_t index, Block whole) {
  const Tiling &tiling = run.program->resultTilings[index];
  std::vector<Ref<Value>> &parts = run.results[index];
  if (tiling.isReplicated()) {
    if (!run.program->resultTypes[index]->isRowMajor) {
      TENON_ASSIGN_OR_RETURN(whole, cut(*run.program, index, whole, 0));
    }
    auto shared = std::make_shared<const Block>(std::move(whole));
    for (Ref<Value> &part : parts)
      part->block = Block::share(shared);
    return {};
  }
  for (size_t partition = 0; partition < parts.size(); ++partition) {
    TENON_ASSIGN_OR_RETURN(parts[partition]->block, cut(*run.program, index, whole, tiling.tileOf[partition]));
  }
  return {};
}

Status compute(UnpartitionedRun &run) {
  for (const std::vector<Ref<Value>> &parts : run.arguments)
    for (const Ref<Value> &part : parts)
      TENON_RETURN_IF_ERROR(part->await());
  const CompiledProgram &program = *run.program;
  std::vector<Block> argumentBlocks(run.arguments.size()), resultBlocks;
  std::vector<const void *> arguments;
  for (size_t i = 0; i < run.arguments.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(const void *pointer, gather(run, i, argumentBlocks[i]));
    arguments.push_back(pointer);
  }
  std::vector<void *> results;
  for (const BufferTypeRef &type : program.wholeResultTypes) {
    TENON_ASSIGN_OR_RETURN(Block block, Block::allocate(type->bytes));
    results.push_back(block.data());
    resultBlocks.push_back(std::move(block));
  }
  run.options.userData = run.userData.get();
  run.options.enterThread = WorkQueue::joinTask();
  TENON_RETURN_IF_ERROR(program.executable->execute(arguments, results, run.options));
  for (size_t i = 0; i < resultBlocks.size(); ++i)
    TENON_RETURN_IF_ERROR(scatter(run, i, std::move(resultBlocks[i])));
  return {};
}

} // namespace

void runUnpartitioned(UnpartitionedRun &run) {
  Status status = compute(run);
  run.arguments.clear();
  for (std::vector<Ref<Value>> &parts : run.results)
    for (Ref<Value> &part : parts)
      part->complete(status);
  if (run.done)
    run.done->complete(status);
}

} // namespace tenon::pjrt
