// Control flow, tokens, tuples, communication with the host.
#include "tenon/ir/annotations.h"
#include "tenon/ir/checks.h"
#include "tenon/ir/infer.h"

#include "llvm/ADT/StringExtras.h"

namespace tenon::stablehlo {

//===- Control flow ----------------------------------------------------------------------------------------------===//

LogicalResult ReturnOp::verify() { return success(); }

/// A branch takes nothing, and returns what the first one does.
static LogicalResult checkBranch(const Rules &r, int inputRule, int outputRule, Name name, mlir::Region &branch,
                                 mlir::Region &first) {
  if (branch.empty())
    return r.broken(outputRule) << name << " has no body to take the result types from";
  if (branch.front().getNumArguments() != 0)
    return r.broken(inputRule) << name << " must have 0 inputs, got " << branch.front().getNumArguments();
  SmallVector<Type> results(returnedTypes(first));
  return checkBody(r, outputRule, name, branch, {}, results);
}

/// For each result, the most specific of the branches' types.
static void inferFromBranches(ArrayRef<mlir::Region *> branches, SmallVectorImpl<Type> &types) {
  for (auto [i, type] : llvm::enumerate(returnedTypes(*branches.front()))) {
    SmallVector<RankedTensorType> tensors;
    for (mlir::Region *branch : branches)
      if (auto tensor = llvm::dyn_cast<RankedTensorType>(returnedTypes(*branch)[i]))
        tensors.push_back(tensor);
    types.push_back(tensors.empty() ? type : mostSpecific(tensors));
  }
}

static LogicalResult infer(const Rules &r, IfOp::Adaptor op, SmallVectorImpl<Type> &types) {
  if (failed(checkBranch(r, 1, 2, "true_branch", op.getTrueBranch(), op.getTrueBranch())) ||
      failed(checkBranch(r, 1, 2, "false_branch", op.getFalseBranch(), op.getTrueBranch())))
    return failure();
  inferFromBranches({&op.getTrueBranch(), &op.getFalseBranch()}, types);
  return success();
}
TENON_INFERRED(IfOp, 3, 3)

static LogicalResult infer(const Rules &r, CaseOp::Adaptor op, SmallVectorImpl<Type> &types) {
  if (op.getBranches().empty())
    return r.broken("case_c1") << "there must be at least one branch, got none";
  SmallVector<mlir::Region *> branches;
  for (mlir::Region *branch : op.getBranches()) {
    branches.push_back(branch);
    std::string name = "branch " + std::to_string(branches.size() - 1);
    if (failed(checkBranch(r, 2, 3, name, *branch, *branches.front())))
      return failure();
  }
  inferFromBranches(branches, types);
  return success();
}
TENON_INFERRED(CaseOp, 4, 4)

static LogicalResult infer(const Rules &r, WhileOp::Adaptor op, SmallVectorImpl<Type> &types) {
  SmallVector<Type> carried(op.getOperand().getTypes());
  mlir::MLIRContext *context = op.getCond().getContext();
  if (failed(checkBody(r, 1, "cond", op.getCond(), carried, op.getCond().empty() ? Type() : boolScalar(context))) ||
      failed(checkBody(r, 2, "body", op.getBody(), carried, carried)))
    return failure();
  llvm::append_range(types, carried);
  return success();
}
TENON_INFERRED(WhileOp, 3, 3)

static LogicalResult infer(const Rules &, OptimizationBarrierOp::Adaptor op, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, op.getOperand().getTypes());
  return success();
}

LogicalResult OptimizationBarrierOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                                      Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return infer(Rules(location, getOperationName()), adaptor, types);
}

LogicalResult OptimizationBarrierOp::verify() {
  Rules r(*this);
  if (getOperand().size() != getResult().size())
    return r.broken("optimization_barrier_c1")
           << "there must be as many results as operands, got " << getResult().size() << " and " << getOperand().size();
  return checkResults(r, *this, SmallVector<Type>(getOperand().getTypes()), 2, 2);
}

/// `namespace.name`, which begins with a letter, and maybe more names behind points.
static bool isNamespaced(StringRef name) {
  auto [space, names] = name.split('.');
  auto isIdentifier = [](StringRef word) {
    return llvm::all_of(word, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  };
  auto isName = [](StringRef word) {
    return !word.empty() && llvm::all_of(word, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
  };
  return !space.empty() && !names.empty() && llvm::isAlpha(space.front()) && isIdentifier(space) &&
         llvm::all_of(llvm::split(names, '.'), isName);
}

LogicalResult CompositeOp::verify() {
  if (!isNamespaced(getName()))
    return Rules(*this).broken(1) << "name must be of the form 'namespace.name', got '" << getName() << "'";
  return success();
}

// A layout lists the dimensions of its tensor, minor to major; that of a token is empty.
static LogicalResult checkLayouts(CustomCallOp call, Name name, mlir::ArrayAttr layouts, mlir::TypeRange types) {
  for (auto [i, layout, type] : llvm::enumerate(layouts.getAsRange<mlir::DenseIntElementsAttr>(), types)) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    int64_t rank = tensor ? tensor.getRank() : 0;
    if (!isPermutation(llvm::to_vector(layout.getValues<int64_t>()), rank))
      return call.emitOpError() << "custom_call: " << name << ": layout " << i << " must be a permutation of [0, "
                                << rank << "), got " << layout;
  }
  return success();
}

/// The calling conventions before the typed one take a string.
static LogicalResult checkBackendConfig(CustomCallOp call) {
  mlir::Attribute config = call.getBackendConfigAttr();
  bool isTyped = call.getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  if (!config || llvm::isa<mlir::DictionaryAttr>(config) == isTyped)
    return success();
  return call.emitOpError() << "custom_call: backend_config of " << stringifyCustomCallApiVersion(call.getApiVersion())
                            << " must be a " << (isTyped ? "dictionary" : "string") << ", got " << config;
}

/// The part of a type that indices into nested tuples name; null when there is none.
static Type partOf(Type type, ArrayRef<int64_t> indices) {
  for (int64_t index : indices) {
    auto tuple = llvm::dyn_cast<mlir::TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size()))
      return {};
    type = tuple.getType(index);
  }
  return type;
}

/// An output and an operand that share memory are of one type.
static LogicalResult checkAliases(CustomCallOp call) {
  auto broken = [&] { return call.emitOpError() << "custom_call: output_operand_aliases: "; };
  // Several results count as the parts of a tuple.
  Type output = call.getNumResults() == 1
                    ? call.getResult(0).getType()
                    : Type(mlir::TupleType::get(call.getContext(), SmallVector<Type>(call.getResultTypes())));
  for (auto alias : call.getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>()) {
    int64_t operand = alias.getOperandIndex();
    if (operand < 0 || operand >= static_cast<int64_t>(call.getInputs().size()))
      return broken() << "operand_index must be in [0, " << call.getInputs().size() << "), got " << operand;
    Type from = partOf(call.getInputs()[operand].getType(), alias.getOperandTupleIndices());
    Type to = partOf(output, alias.getOutputTupleIndices());
    if (!from || !to)
      return broken() << "there is no such part of the " << (from ? "output" : "operand") << ", got " << alias;
    if (!compatibleTypes(from, to))
      return broken() << "the operand's part has type " << from << " and the output's " << to;
  }
  return success();
}

LogicalResult CustomCallOp::verify() {
  if ((ir::isCheck(*this) && failed(ir::verifyCheck(*this))) ||
      (ir::isAnnotation(*this) && failed(ir::verifyAnnotation(*this))))
    return failure();
  if (failed(checkBackendConfig(*this)) || failed(checkAliases(*this)))
    return failure();
  if (getOperandLayouts().has_value() != getResultLayouts().has_value())
    return emitOpError() << "custom_call: operand_layouts and result_layouts must be given together";
  if (getOperandLayouts() && getOperandLayouts()->size() != getInputs().size())
    return emitOpError() << "custom_call: there must be a layout for each of " << getInputs().size()
                         << " operands, got " << getOperandLayouts()->size();
  if (!getOperandLayouts())
    return success();
  // The results' layouts may be those of the parts of one tuple.
  mlir::TypeRange results = getResultTypes();
  if (results.size() == 1)
    if (auto tuple = llvm::dyn_cast<mlir::TupleType>(results.front()))
      results = tuple.getTypes();
  if (getResultLayouts()->size() != results.size())
    return emitOpError() << "custom_call: there must be a layout for each of " << results.size() << " results, got "
                         << getResultLayouts()->size();
  if (failed(checkLayouts(*this, "operand_layouts", *getOperandLayouts(), getInputs().getTypes())))
    return failure();
  return checkLayouts(*this, "result_layouts", *getResultLayouts(), results);
}

//===- Tokens and tuples -----------------------------------------------------------------------------------------===//

#define TENON_GIVES_TOKEN(Op)                                                                                          \
  LogicalResult Op::inferReturnTypes(mlir::MLIRContext *context, std::optional<mlir::Location>, Adaptor,               \
                                     SmallVectorImpl<Type> &types) {                                                   \
    types.push_back(TokenType::get(context));                                                                          \
    return success();                                                                                                  \
  }

TENON_GIVES_TOKEN(AfterAllOp)
TENON_GIVES_TOKEN(CreateTokenOp)
TENON_GIVES_TOKEN(OutfeedOp)
TENON_GIVES_TOKEN(SendOp)

LogicalResult AfterAllOp::verify() { return success(); }
LogicalResult CreateTokenOp::verify() { return success(); }
LogicalResult OutfeedOp::verify() { return success(); }

LogicalResult TupleOp::inferReturnTypes(mlir::MLIRContext *context, std::optional<mlir::Location>, Adaptor op,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(mlir::TupleType::get(context, SmallVector<Type>(op.getVal().getTypes())));
  return success();
}

LogicalResult TupleOp::verify() {
  Rules r(*this);
  auto type = llvm::cast<mlir::TupleType>(getType());
  if (type.size() != getVal().size())
    return r.broken("tuple_c1") << "result must have " << getVal().size() << " elements, got " << type.size();
  for (auto [i, expected, actual] : llvm::enumerate(getVal().getTypes(), type.getTypes()))
    if (!compatibleTypes(expected, actual))
      return r.broken("tuple_c2") << "element " << i << " must have type " << expected << ", got " << actual;
  return success();
}

static LogicalResult infer(const Rules &r, GetTupleElementOp::Adaptor op, SmallVectorImpl<Type> &types) {
  auto type = llvm::cast<mlir::TupleType>(op.getOperand().getType());
  int32_t index = static_cast<int32_t>(op.getIndex());
  if (index < 0 || index >= static_cast<int32_t>(type.size()))
    return r.broken("get_tuple_element_c1") << "index must be in [0, " << type.size() << "), got " << index;
  types.push_back(type.getType(index));
  return success();
}
TENON_INFERRED(GetTupleElementOp, 2, 2)

//===- Host and channels -----------------------------------------------------------------------------------------===//

/// At least one result, the last of which, and no other, is a token.
static LogicalResult checkTokenLast(const Rules &r, int countRule, int tokenRule, mlir::ResultRange results) {
  if (results.empty())
    return r.broken(countRule) << "there must be at least one result, got none";
  if (!llvm::isa<TokenType>(results.back().getType()))
    return r.broken(tokenRule) << "the last result must be a token, got " << results.back().getType();
  for (Value result : results.drop_back())
    if (!llvm::isa<RankedTensorType>(result.getType()))
      return r.broken(r.mnemonic()) << "the results before the last must be tensors, got " << result.getType();
  return success();
}

LogicalResult InfeedOp::verify() {
  Rules r(*this);
  if (failed(checkTokenLast(r, 1, 2, getResults())))
    return failure();
  if (!getLayout())
    return success();
  mlir::ResultRange arrays = getResults().drop_back();
  if (getLayout()->size() != arrays.size())
    return r.broken("infeed") << "layout must have an array for each of " << arrays.size() << " tensors, got "
                              << getLayout()->size();
  for (auto [layout, array] : llvm::zip_equal(getLayout()->getAsRange<mlir::ArrayAttr>(), arrays)) {
    auto order = llvm::map_to_vector(layout.getAsRange<mlir::IntegerAttr>(),
                                     [](mlir::IntegerAttr dimension) { return dimension.getInt(); });
    if (!isPermutation(order, tensor(array).getRank()))
      return r.broken("infeed") << "layout must be a permutation of the dimensions of " << array.getType() << ", got "
                                << order;
  }
  return success();
}

namespace {
enum ChannelType : int64_t { Unspecified = 0, DeviceToDevice = 1, DeviceToHost = 2, HostToDevice = 3 };
} // namespace

/// Transfers with the host have one channel type, others are between devices. Type 0 leaves it open.
static LogicalResult checkChannelType(const Rules &r, ChannelHandleAttr channel, bool isHostTransfer,
                                      ChannelType hostType) {
  int64_t type = channel.getType();
  if (isHostTransfer ? type == hostType : type == DeviceToDevice || type == Unspecified)
    return success();
  return r.broken(1) << "channel type must be " << static_cast<int64_t>(isHostTransfer ? hostType : DeviceToDevice)
                     << " when is_host_transfer is " << (isHostTransfer ? "true" : "false") << ", got " << type;
}

LogicalResult SendOp::verify() {
  return checkChannelType(Rules(*this), getChannelHandle(), getIsHostTransfer(), DeviceToHost);
}

LogicalResult RecvOp::verify() {
  Rules r(*this);
  if (failed(checkChannelType(r, getChannelHandle(), getIsHostTransfer(), HostToDevice)))
    return failure();
  return checkTokenLast(r, 2, 3, getResults());
}

} // namespace tenon::stablehlo
