// Functions that the framework cuts for the devices of a mesh itself (jax.experimental.custom_partitioning): its
// callbacks, which get and give serialized messages of XLA's.
#include "tenon/pjrt/custom_partitioner.h"
#include "tenon/pjrt/error.h"
#include "tenon/pjrt/extensions.h"
#include "tenon/pjrt/types.h"
#include "tenon/program/call_partitioner.h"
#include "tenon/program/sharding.h"
#include "tenon/support/proto.h"

namespace tenon::pjrt {
namespace {

using program::LocalCall;
using program::PlacedArray;
using program::PlacedCall;
using program::Shape;
using program::Sharding;

std::string shapeProto(const Shape &shape) {
  constexpr uint32_t kElementType = 2, kDimensions = 3, kIsDynamic = 6;
  ProtoWriter writer;
  writer.integer(kElementType, primitiveType(shape.type));
  writer.packed(kDimensions, shape.dims);
  writer.packed(kIsDynamic, std::vector<int64_t>(shape.dims.size(), 0));
  return writer.take();
}

std::string tupleProto(const std::vector<PlacedArray> &arrays) {
  constexpr uint32_t kElementType = 2, kParts = 4;
  constexpr int64_t kTuple = 13; // of xla.PrimitiveType
  ProtoWriter writer;
  writer.integer(kElementType, kTuple);
  for (const PlacedArray &array : arrays)
    writer.bytes(kParts, shapeProto(array.shape));
  return writer.take();
}

Partitioner_Bytes bytesOf(const std::string &text) { return {text.data(), text.size()}; }
std::string_view viewOf(const Partitioner_Bytes &bytes) { return {bytes.data, bytes.size}; }

// The messages of a call's arrays, for as long as a callback reads them.
struct Messages {
  explicit Messages(const PlacedCall &call) {
    for (const PlacedArray &operand : call.operands) {
      operandShapes.push_back(shapeProto(operand.shape));
      operandShardings.push_back(program::toProto(operand.sharding));
    }
    for (size_t i = 0; i < operandShapes.size(); ++i)
      operands.push_back({bytesOf(operandShapes[i]), true, bytesOf(operandShardings[i])});
    if (call.results.size() == 1) {
      resultShape = shapeProto(call.results[0].shape);
      resultSharding = program::toProto(call.results[0].sharding);
      return;
    }
    std::vector<Sharding> shardings;
    for (const PlacedArray &result : call.results)
      shardings.push_back(result.sharding);
    resultShape = tupleProto(call.results);
    resultSharding = program::toProto(shardings);
  }

  std::vector<std::string> operandShapes, operandShardings;
  std::vector<Partitioner_Array> operands;
  std::string resultShape, resultSharding;
};

StatusOr<std::vector<Sharding>> readShardings(const Partitioner_Bytes &bytes, size_t count) {
  TENON_ASSIGN_OR_RETURN(auto annotated, program::parseShardingProto(viewOf(bytes)));
  if (annotated.size() != count)
    return invalidArgument("shardings of " + std::to_string(annotated.size()) + " arrays are given for " +
                           std::to_string(count));
  std::vector<Sharding> shardings;
  for (program::AnnotatedSharding &one : annotated)
    shardings.push_back(std::move(one.sharding));
  return shardings;
}

// Lets go of what a callback has given.
class Cleanup {
public:
  explicit Cleanup(Partitioner_Header &header) : header_(header) {}
  Cleanup(const Cleanup &) = delete;
  Cleanup &operator=(const Cleanup &) = delete;
  ~Cleanup() {
    if (header_.cleanup)
      header_.cleanup(header_.data);
  }

private:
  Partitioner_Header &header_;
};

Status statusOf(const Partitioner_Header &header) {
  return header.has_error ? toStatus(header.code, header.message.data, header.message.size) : Status();
}

class Callbacks : public program::CallPartitioner {
public:
  explicit Callbacks(Partitioner_Callbacks *callbacks) : callbacks_(callbacks) {}
  Callbacks(const Callbacks &) = delete;
  Callbacks &operator=(const Callbacks &) = delete;
  ~Callbacks() override { callbacks_->destroy(callbacks_); }

  StatusOr<LocalCall> partition(const PlacedCall &call) const override {
    TENON_RETURN_IF_ERROR(checkVersion());
    Messages messages(call);
    Partitioner_Partition_Args args{};
    args.num_operands = messages.operands.size();
    args.operands = messages.operands.data();
    args.result = {bytesOf(messages.resultShape), true, bytesOf(messages.resultSharding)};
    args.config = bytesOf(call.config);
    callbacks_->partition(callbacks_, &args);
    Cleanup cleanup(args.header);
    TENON_RETURN_IF_ERROR(statusOf(args.header));
    LocalCall local{std::string(viewOf(args.module)), {}, {}};
    for (size_t i = 0; i < call.operands.size(); ++i) {
      TENON_ASSIGN_OR_RETURN(auto sharding, readShardings(args.operand_shardings[i], 1));
      local.operands.push_back(std::move(sharding[0]));
    }
    TENON_ASSIGN_OR_RETURN(local.results, readShardings(args.result_sharding, call.results.size()));
    return local;
  }

  StatusOr<std::vector<Sharding>> inferFromOperands(const PlacedCall &call) const override {
    TENON_RETURN_IF_ERROR(checkVersion());
    Messages messages(call);
    Partitioner_InferFromOperands_Args args{};
    args.num_operands = messages.operands.size();
    args.operands = messages.operands.data();
    args.result_shape = bytesOf(messages.resultShape);
    args.config = bytesOf(call.config);
    callbacks_->infer_from_operands(callbacks_, &args);
    Cleanup cleanup(args.header);
    TENON_RETURN_IF_ERROR(statusOf(args.header));
    if (!args.has_result_sharding)
      return std::vector<Sharding>(call.results.size(), Sharding{.kind = Sharding::Kind::kUnknown});
    return readShardings(args.result_sharding, call.results.size());
  }

  StatusOr<std::vector<Sharding>> inferFromUsers(const PlacedCall &call) const override {
    TENON_RETURN_IF_ERROR(checkVersion());
    Messages messages(call);
    Partitioner_InferFromUsers_Args args{};
    args.config = bytesOf(call.config);
    args.result_shape = bytesOf(messages.resultShape);
    args.result_sharding = bytesOf(messages.resultSharding);
    callbacks_->infer_from_users(callbacks_, &args);
    Cleanup cleanup(args.header);
    TENON_RETURN_IF_ERROR(statusOf(args.header));
    return readShardings(args.result_sharding, call.results.size());
  }

private:
  // Only who uses such a function is told: frameworks register theirs when they start.
  Status checkVersion() const {
    if (callbacks_->version == 0)
      return {};
    return unimplemented("the framework's callbacks are of version " + std::to_string(callbacks_->version) +
                         ", only 0 is known");
  }

  Partitioner_Callbacks *callbacks_;
};

Status registerPartitioner(Partitioner_Register_Args &args) {
  if (!args.callbacks)
    return invalidArgument("the partitioner of '" + std::string(args.name, args.name_size) + "' has no callbacks");
  program::registerCallPartitioner({args.name, args.name_size}, std::make_shared<Callbacks>(args.callbacks));
  return {};
}

Partitioner_Extension makeExtension() {
  Partitioner_Extension extension{};
  extension.base = {sizeof(Partitioner_Extension), PJRT_Extension_Type_Custom_Partitioner, nullptr};
  extension.register_partitioner = [](Partitioner_Register_Args *args) -> PJRT_Error * {
    return callSlot("PJRT_Register_Custom_Partitioner", sizeof(Partitioner_Register_Args), args, registerPartitioner);
  };
  // Which of a call's dimensions are those of a batch, the calls themselves say, by a sharding rule.
  extension.register_batch_partitionable = [](Partitioner_RegisterBatchPartitionable_Args *) -> PJRT_Error * {
    return nullptr;
  };
  return extension;
}

} // namespace

PJRT_Extension_Base *customPartitionerExtension(PJRT_Extension_Base *next) {
  static Partitioner_Extension extension = makeExtension();
  extension.base.next = next;
  return &extension.base;
}

} // namespace tenon::pjrt
