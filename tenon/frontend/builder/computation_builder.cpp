// Builders themselves: parameters, constants, results. The operations are in the files beside this one.
#include "tenon/frontend/builder/call.h"
#include "tenon/frontend/builder/program.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon::xla_2017 {

using internal::BuilderState;
using internal::Call;
using internal::Node;
using Handle = ComputationDataHandle;

ComputationBuilder::ComputationBuilder(Client *client, const string &computation_name)
    : ComputationBuilder(client, computation_name, nullptr) {}

ComputationBuilder::ComputationBuilder(Client *client, const string &computation_name, BuilderState *parent)
    : client_(client), name_(computation_name), state_(std::make_unique<BuilderState>(computation_name, parent)) {
  if (!client)
    tenon::dieBecauseOf(tenon::invalidArgument(computation_name + ": a builder needs a client"));
}

ComputationBuilder::~ComputationBuilder() = default;

void ComputationBuilder::set_die_immediately_on_error(bool enabled) { state_->graph.dieImmediately = enabled; }

Status ComputationBuilder::first_error() const { return state_->program.status(); }

Handle ComputationBuilder::Fail(const char *method, const string &message, At at) {
  return Call(*state_, method, at).fail(message);
}

Handle ComputationBuilder::Parameter(int64 parameter_number, const Shape &shape, const string &name, At at) {
  Call call(*state_, "Parameter", at);
  if (call.failed() || !call.checkShape(shape, "shape"))
    return {};
  if (parameter_number < 0)
    return call.fail("there is no parameter " + std::to_string(parameter_number));
  if (state_->parameters.contains(parameter_number))
    return call.fail("parameter " + std::to_string(parameter_number) + " is there already");
  std::vector<Type> types = call.types(shape, "shape");
  if (call.failed())
    return {};
  Node node;
  node.shape = ShapeUtil::WithoutLayout(shape);
  node.usesParameter = true;
  node.call = call.place();
  for (const Type &type : types)
    node.leaves.push_back(state_->program.parameter(type, name));
  Handle handle = state_->add(std::move(node));
  state_->parameters[parameter_number] = {state_->indexOf(handle), name, shape};
  return handle;
}

StatusOr<std::unique_ptr<Shape>> ComputationBuilder::GetShape(const Handle &operand) {
  if (const Node *node = state_->find(operand))
    return std::make_unique<Shape>(node->shape);
  if (state_->graph.failed())
    return *state_->graph.error;
  return tenon::invalidArgument(name_ + ": GetShape: operand is not a value of this builder");
}

Handle ComputationBuilder::CheckShape(const Handle &operand, const Shape &expected_shape, At at) {
  const Node *node = state_->find(operand);
  if (node && ShapeUtil::Compatible(node->shape, expected_shape))
    return operand;
  tenon::dieBecauseOf(
      tenon::invalidArgument(name_ + ": CheckShape at " + at.file + ":" + std::to_string(at.line) + ": the shape is " +
                             (node ? ShapeUtil::HumanString(node->shape) : "that of no value of this builder") +
                             ", and not " + ShapeUtil::HumanString(expected_shape)));
}

void ComputationBuilder::CheckSameShape(const Handle &lhs, const Handle &rhs, At at) {
  const Node *node = state_->find(rhs);
  if (!node)
    tenon::dieBecauseOf(tenon::invalidArgument(name_ + ": CheckSameShape: rhs is not a value of this builder"));
  CheckShape(lhs, node->shape, at);
}

std::unique_ptr<ComputationBuilder> ComputationBuilder::CreateSubBuilder(const string &computation_name) {
  return std::unique_ptr<ComputationBuilder>(new ComputationBuilder(client_, computation_name, state_.get()));
}

Status ComputationBuilder::SetReturnValue(const Handle &operand, At at) {
  Call call(*state_, "SetReturnValue", at);
  if (call.value(operand, "operand"))
    state_->root = {state_->indexOf(operand), static_cast<int64>(state_->nodes.size()),
                    state_->block().empty() ? nullptr : &state_->block().back()};
  return first_error();
}

StatusOr<std::unique_ptr<Computation>> ComputationBuilder::Build() {
  TENON_ASSIGN_OR_RETURN(auto built, internal::buildProgram(*state_));
  return std::make_unique<Computation>(std::move(built));
}

std::unique_ptr<Computation> ComputationBuilder::BuildAndNoteError() {
  auto built = internal::buildProgram(*state_);
  if (built.ok())
    return std::make_unique<Computation>(*std::move(built));
  (state_->parent ? state_->parent : state_.get())->graph.fail(built.status());
  return std::make_unique<Computation>();
}

} // namespace tenon::xla_2017
