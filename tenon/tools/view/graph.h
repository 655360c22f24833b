// A program as a tree of groups and the data that flows between their members: what `tenon view` shows.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tenon::tools {

struct GraphNode {
  enum class Kind {
    kOp, // may have members: the ops of its regions
    kFunction,
    kRegion,    // of an op that has several
    kScope,     // ops that a framework gave a common name: "layer1"
    kRun,       // ops that only stand together
    kArguments, // of a block
  };
  struct Result {
    std::string name, type; // "%12", "tensor<2xf32>"
    int64_t bytes = 0;
  };

  Kind kind = Kind::kOp;
  int parent = -1;             // the node that it is a member of
  std::string name;            // "stablehlo.add", "main", "body"
  std::string location, scope; // "train.py:41:10", "jit(step)/layer1/add"
  std::vector<Result> results;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<std::pair<int, int>> operands; // node and number of its result
  int callee = -1;                           // the function that is called
};

struct Graph {
  std::vector<GraphNode> nodes; // members after what they are members of
  llvm::DenseMap<mlir::Operation *, int> nodeOf;
};

// Groups have at most about maxMembers members: where a block has more, its ops are put together by the names that
// frameworks gave them, and else in runs.
Graph buildGraph(mlir::ModuleOp module, int maxMembers = 40);

} // namespace tenon::tools
