// Calls of what the program does not have, and transfers to and from the host. Those with effects (callbacks, prints,
// infeed) and those that are said to be for one device run there, on whole operands, and their results go to all:
//
//   %0 = custom_call @f(%x) {maximal sharding on device 1}
//     =>  %w = all_gather %x;  %f = if (partition_id == 1) { custom_call @f(%w) } else { zeros }
//         %0 = collective_broadcast %f from device 1
//
// No collective is inside. In a computation for single devices each of them has its own call.
#include "tenon/ir/types.h"
#include "tenon/passes/partition/cutter.h"
#include "tenon/passes/partition/local/collectives.h"
#include "tenon/passes/partition/redistribute.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// What the first one's array is for all others.
Attribute groupFrom(MLIRContext *context, const ir::Mesh &mesh, int64_t device) {
  if (device == 0 && mesh.ids.empty()) {
    ir::Axes axes;
    for (auto [i, axis] : llvm::enumerate(mesh.axes))
      axes.push_back({static_cast<int>(i), 1, axis.size});
    return groupsAlong(context, mesh, axes);
  }
  SmallVector<int64_t> ids = {device};
  for (int64_t other = 0; other < mesh.size(); ++other)
    if (other != device)
      ids.push_back(other);
  return DenseIntElementsAttr::get(RankedTensorType::get({1, mesh.size()}, IntegerType::get(context, 64)),
                                   ArrayRef<int64_t>(ids));
}

// One that is there already, so that what is behind the call comes behind what is before it.
Value tokenOf(ArrayBuilder &builder, ArrayRef<Value> operands) {
  const Value *token = llvm::find_if(operands, [](Value value) { return isa<sh::TokenType>(value.getType()); });
  return token != operands.end() ? *token
                                 : sh::CreateTokenOp::create(builder.builder, builder.loc,
                                                             sh::TokenType::get(builder.builder.getContext()));
}

} // namespace

// The device that the program names for an op.
std::optional<int64_t> Cutter::deviceOf(Operation *op) {
  auto perValue = op->getAttrOfType<sdy::TensorShardingPerValueAttr>("sdy.sharding");
  if (!perValue || perValue.getShardings().empty())
    return std::nullopt;
  sdy::MeshAttr mesh = sdy::meshOf(main_, perValue.getShardings().front());
  if (!mesh || !mesh.getAxes().empty() || mesh.getDeviceIds().size() != 1)
    return std::nullopt;
  return mesh.getDeviceIds().front();
}

void Cutter::cutCall(sh::CustomCallOp call) {
  std::optional<int64_t> device = deviceOf(call);
  bool isOfEach = call->getParentOfType<sdy::ManualComputationOp>() && call.getHasSideEffect();
  if (!isOfEach && call.getCallTargetName() == kPartitionedCallback && call->getNumResults() == 0)
    callOnParts(call);
  else if (call.getHasSideEffect())
    cutEffect(call);
  else if (device)
    doOnDevice(call, *device);
  else
    computeWhole(call);
}

// In a computation for single devices each of them does it.
void Cutter::cutEffect(Operation *op) {
  if (!op->getParentOfType<sdy::ManualComputationOp>())
    return doOnDevice(op, deviceOf(op).value_or(0));
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(localOf(operand, whole(operand.getType())));
  copyWith(op, operands);
}

// Each device on its part of the operands; all of them along dimensions that cannot be cut evenly.
void Cutter::callOnParts(sh::CustomCallOp call) {
  auto perValue = call->getAttrOfType<sdy::TensorShardingPerValueAttr>(kOperandShardings);
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(call->getOperands())) {
    ir::Sharding wanted = perValue ? read(perValue.getShardings()[i], operand.getType()) : whole(operand.getType());
    for (int64_t dimension = 0; dimension < ir::typeOf(operand).getRank(); ++dimension)
      if (isUneven(ir::typeOf(operand), wanted, dimension))
        wanted.dims[dimension].axes.clear();
    operands.push_back(localOf(operand, wanted));
  }
  copyWith(call, operands);
}

void Cutter::doOnDevice(Operation *op, int64_t device) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(localOf(operand, whole(operand.getType())));
  ArrayBuilder builder(builder_, op->getLoc());
  auto scalar = RankedTensorType::get({}, builder_.getIntegerType(32, /*isSigned=*/false));
  Value id = sh::PartitionIdOp::create(builder_, op->getLoc(), scalar);
  Value isThere = builder.compare(id, sh::ComparisonDirection::EQ,
                                  builder.fill(scalar.getElementType(), {}, static_cast<double>(device)));
  auto choice = sh::IfOp::create(builder_, op->getLoc(), op->getResultTypes(), isThere);
  {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.createBlock(&choice.getTrueBranch());
    IRMapping mapping = capturesOf(op);
    mapping.map(op->getOperands(), operands);
    Operation *own = builder_.clone(*op, mapping);
    own->removeAttr("sdy.sharding");
    sh::ReturnOp::create(builder_, op->getLoc(), own->getResults());
    builder_.createBlock(&choice.getFalseBranch());
    SmallVector<Value> nothing;
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      nothing.push_back(tensor ? builder.fill(tensor.getElementType(), tensor.getShape(), 0)
                               : tokenOf(builder, operands));
    }
    sh::ReturnOp::create(builder_, op->getLoc(), nothing);
  }
  SmallVector<Value> given(choice->result_begin(), choice->result_end()), arrays;
  llvm::copy_if(given, std::back_inserter(arrays), [](Value value) { return isa<RankedTensorType>(value.getType()); });
  if (!arrays.empty()) {
    auto known = sh::CollectiveBroadcastOp::create(builder_, op->getLoc(), ValueRange(arrays).getTypes(), arrays,
                                                   groupFrom(builder_.getContext(), *mesh_, device),
                                                   sh::ChannelHandleAttr::get(builder_.getContext(), 1, 1));
    for (auto [array, value] : llvm::zip_equal(arrays, known->getResults()))
      *llvm::find(given, array) = value;
  }
  for (auto [result, value, wanted] : llvm::zip_equal(op->getResults(), given, resultShardings(op)))
    defineWhole(result, value, wanted);
}

} // namespace tenon::passes::partition
