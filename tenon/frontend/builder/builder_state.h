// The state of a ComputationBuilder: the operations enqueued so far, what handles stand for, the first error.
#pragma once

#include "tenon/computation_builder.h"
#include "tenon/frontend/builder/program_graph.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <map>

namespace tenon::xla_2017::internal {

// The value that a handle refers to. Tuples exist here only: a program has the arrays inside them.
struct Node {
  Shape shape;
  Values leaves;                      // the arrays, depth first
  llvm::SmallVector<int64, 3> inputs; // the nodes that it is made of
  bool usesParameter = false;         // it, or what it is made of
  bool readsInfeed = false;           // itself
  std::string call;                   // of the builder's method that made it: "Add at main.cpp:12"
};

class BuilderState {
public:
  BuilderState(std::string name, BuilderState *parent);

  // Makes a node the last expression.
  ComputationDataHandle add(Node node);
  // Null of a handle that is not this builder's.
  const Node *find(const ComputationDataHandle &handle) const;
  int64 indexOf(const ComputationDataHandle &handle) const { return handle.index_; }
  // What the main function does.
  mlir::Block &block() { return graph.main.getBody().front(); }

  BuilderState *parent;
  // Makes the operations. The functions of its module are those that embedded computations call.
  ProgramBuilder program;
  // What is behind it: names, the first error.
  ProgramBuilder::Graph &graph;

  struct Parameter {
    int64 node;
    std::string name;
    Shape shape; // as it was given, with its layout; the node's is row-major
  };
  std::map<int64, Parameter> parameters;
  std::deque<Node> nodes;
  Value token; // the last of the infeed's order; none before the first

  // The result, and what counted when it was chosen: so many nodes, the operations up to one (null: none). Unset: the
  // last node, and everything.
  struct Root {
    int64 node;
    int64 nodeCount;
    mlir::Operation *lastOperation;
  };
  std::optional<Root> root;

private:
  uint64 id_;
};

} // namespace tenon::xla_2017::internal
