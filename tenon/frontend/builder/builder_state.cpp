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
    : parent(parent), program(std::move(name), parent ? &parent->program : nullptr), graph(*program.graph_),
      id_(nextId()) {
  graph.dieImmediately = parent && parent->graph.dieImmediately;
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
