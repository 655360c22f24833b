#include "tenon/frontend/builder/builder_state.h"

#include <atomic>

namespace tenon::xla_2017::internal {

namespace {
uint64 nextId() {
  static std::atomic<uint64> last{0};
  return ++last;
}
} // namespace

BuilderState::BuilderState(std::string name, BuilderState *parent)
    : ProgramState(parent ? parent->ir : std::make_shared<IrContext>(), std::move(name)), parent(parent),
      functions(mlir::ModuleOp::create(mlir::UnknownLoc::get(&ir->context))),
      function(mlir::func::FuncOp::create(mlir::UnknownLoc::get(&ir->context), "main",
                                          mlir::FunctionType::get(&ir->context, {}, {}))),
      block(function->getBody().emplaceBlock()), id_(nextId()) {
  dieImmediately = parent && parent->dieImmediately;
}

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

} // namespace tenon::xla_2017::internal
