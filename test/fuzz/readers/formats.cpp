// The readers that need no compiler.
#include "test/fuzz/readers/readers.h"

#include "tenon/literal/npy.h"
#include "tenon/pjrt/compile_options.h"
#include "tenon/pjrt/sharding.h"
#include "tenon/pjrt/types.h"
#include "tenon/program/serialization.h"
#include "tenon/program/sharding.h"

#include <algorithm>
#include <sstream>

namespace tenon::fuzz {

void fuzzExecutable(std::string_view bytes) {
  (void)program::deserialize(bytes);
  auto program = program::deserialize(program::sealed(bytes));
  if (!program.ok())
    return;
  if (program::serialize(*program) != program::sealed(bytes))
    fail("a program is stored in two ways");
  auto readArray = [&](const auto &array) {
    (void)pjrt::makeBufferType(array.shape, array.layout);
    (void)program::toProto(array.sharding);
    (void)pjrt::shardingTiling(array.sharding, array.shape.dims.size(), program->numPartitions);
  };
  std::for_each(program->arguments.begin(), program->arguments.end(), readArray);
  std::for_each(program->results.begin(), program->results.end(), readArray);
}

void fuzzCompileOptions(std::string_view bytes) {
  auto options = pjrt::parseCompileOptions(bytes);
  if (!options.ok() || options->deviceAssignment.empty())
    return;
  if (options->deviceAssignment.size() != static_cast<size_t>(options->numReplicas) * options->numPartitions)
    fail("a device assignment of the wrong size");
}

// An annotation of a program: its parts have a text and a message of their own, which say the same.
static void fuzzAnnotation(std::string_view bytes) {
  auto annotation = program::parseAnnotation(bytes);
  if (!annotation.ok())
    return;
  for (const program::AnnotatedSharding &part : *annotation)
    for (const std::string &again : {program::toString(part.sharding), program::toProto(part.sharding)}) {
      auto read = program::parseAnnotation(again);
      if (!read.ok() || read->size() != 1 || (*read)[0].sharding != part.sharding)
        fail("a part of an annotation reads back as another");
    }
}

void fuzzSharding(std::string_view text) {
  fuzzAnnotation(text);
  auto sharding = program::parseSharding(text);
  if (!sharding.ok())
    return;
  auto again = program::parseSharding(program::toString(*sharding));
  if (!again.ok() || program::toString(*again) != program::toString(*sharding))
    fail("a sharding reads back as another");
  for (size_t rank : {0, 1, 2, 5})
    for (int32_t partitions : {1, 2, 8}) {
      auto tiling = pjrt::shardingTiling(*sharding, rank, partitions);
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
