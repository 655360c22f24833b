#include "tenon/frontend/builder/builder_state.h"

#include <atomic>

namespace xla::internal {

namespace {
uint64 nextId() {
  static std::atomic<uint64> last{0};
  return ++last;
}
} // namespace

BuilderState::BuilderState(std::string name, BuilderState *parent)
    : ir(parent ? parent->ir : std::make_shared<IrContext>()), name(std::move(name)), parent(parent),
      dieImmediately(parent && parent->dieImmediately),
      functions(mlir::ModuleOp::create(mlir::UnknownLoc::get(&ir->context))),
      function(mlir::func::FuncOp::create(mlir::UnknownLoc::get(&ir->context), "main",
                                          mlir::FunctionType::get(&ir->context, {}, {}))),
      block(function->getBody().emplaceBlock()), id_(nextId()) {}

ComputationDataHandle BuilderState::add(Node node) {
  ComputationDataHandle handle;
  handle.builder_ = id_;
  handle.index_ = static_cast<int64>(nodes.size());
  nodes.push_back(std::move(node));
  return handle;
}

const Node *BuilderState::find(const ComputationDataHandle &handle) const {
  if (handle.builder_ != id_ || handle.index_ < 0)
    return nullptr;
  return &nodes[handle.index_];
}

void BuilderState::fail(Status status) {
  if (dieImmediately)
    tenon::dieBecauseOf(status);
  if (!error)
    error = std::move(status);
}

} // namespace xla::internal
