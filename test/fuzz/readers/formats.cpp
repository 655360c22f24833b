// The readers that need no compiler.
#include "test/fuzz/readers/readers.h"

#include "tenon/literal/npy.h"
#include "tenon/pjrt/compile_options.h"
#include "tenon/pjrt/sharding.h"
#include "tenon/pjrt/types.h"
#include "tenon/program/serialization.h"

#include <sstream>

namespace tenon::fuzz {

void fuzzExecutable(std::string_view bytes) {
  (void)program::deserialize(bytes);
  auto program = program::deserialize(program::sealed(bytes));
  if (!program.ok())
    return;
  if (program::serialize(*program) != program::sealed(bytes))
    fail("a program is stored in two ways");
  auto readArray = [&](const program::Shape &shape, const std::string &sharding, const std::string &layout) {
    (void)pjrt::parseLayout(layout, shape);
    (void)pjrt::shardingToProto(sharding);
    (void)pjrt::shardingTiling(sharding, shape.dims.size(), program->numPartitions);
  };
  for (const program::Argument &argument : program->arguments)
    readArray(argument.shape, argument.sharding, argument.layout);
  for (const program::Result &result : program->results)
    readArray(result.shape, result.sharding, result.layout);
}

void fuzzCompileOptions(std::string_view bytes) {
  auto options = pjrt::parseCompileOptions(bytes);
  if (!options.ok() || options->deviceAssignment.empty())
    return;
  if (options->deviceAssignment.size() != static_cast<size_t>(options->numReplicas) * options->numPartitions)
    fail("a device assignment of the wrong size");
}

void fuzzSharding(std::string_view text) {
  (void)pjrt::shardingToProto(text);
  for (size_t rank : {0, 1, 2, 5})
    for (int32_t partitions : {1, 2, 8}) {
      auto tiling = pjrt::shardingTiling(text, rank, partitions);
      if (!tiling.ok())
        continue;
      int64_t count = 1;
      for (int64_t tiles : tiling->tiles)
        count *= tiles;
      if (tiling->tiles.size() != rank || tiling->tileOf.size() != static_cast<size_t>(partitions))
        fail("a tiling of another array");
      for (int64_t tile : tiling->tileOf)
        if (tile < 0 || tile >= count)
          fail("a tile that does not exist");
    }
}

static StatusOr<xla::Literal> readNpy(std::istream &file, xla::PrimitiveType type) {
  TENON_ASSIGN_OR_RETURN(auto header, xla::ReadNpyHeader(file, "file.npy"));
  TENON_ASSIGN_OR_RETURN(auto found, xla::NpyElementType(header, "file.npy", type));
  return xla::ReadNpyData(file, "file.npy", header, found);
}

void fuzzNpy(std::string_view bytes) {
  for (xla::PrimitiveType type : {xla::F32, xla::S8, xla::BF16, xla::C128, xla::PRED, xla::U4}) {
    std::stringstream given{std::string(bytes)}, written;
    auto array = readNpy(given, type);
    if (!array.ok())
      continue;
    if (array->shape().element_type() != type || array->size_bytes() != xla::ShapeUtil::ByteSizeOf(array->shape()))
      fail("an array of the wrong size");
    xla::WriteNpyTo(written, *array);
    auto again = readNpy(written, type);
    if (!again.ok() || *again != *array)
      fail("an array reads back as another");
  }
}

} // namespace tenon::fuzz
