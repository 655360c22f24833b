#include "tenon/tools/view/graph.h"

#include "tenon/codegen/common/location.h"
#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <optional>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::tools {
namespace {

// Constants may hold megabytes.
constexpr int64_t kMaxElements = 16;
constexpr size_t kMaxText = 2000;

// Equal stretches of a sequence, `count` of them one behind the other.
struct Repeat {
  size_t begin = 0, period = 0, count = 0;
  size_t covered() const { return period * count; }
};

// The repeat that covers most: three stretches at least, of four elements at least, and a tenth of the sequence.
std::optional<Repeat> findRepeat(ArrayRef<unsigned> sequence) {
  constexpr size_t kLeastCount = 3, kLeastPeriod = 4, kLongestPeriod = 3000;
  Repeat best;
  for (size_t period = 1; period <= std::min(kLongestPeriod, sequence.size() / kLeastCount); ++period) {
    size_t equal = 0; // elements in a row that are those a period later
    for (size_t i = 0; i + period <= sequence.size(); ++i) {
      if (i + period < sequence.size() && sequence[i] == sequence[i + period]) {
        ++equal;
        continue;
      }
      Repeat repeat{i - equal, period, equal / period + 1};
      // Multiples of a period cover a little more by chance.
      if (repeat.count >= kLeastCount && repeat.covered() > best.covered() + 2 * best.period)
        best = repeat;
      equal = 0;
    }
  }
  if (best.period < kLeastPeriod || best.covered() * 10 < sequence.size())
    return std::nullopt;
  return best;
}

class GraphBuilder {
public:
  GraphBuilder(ModuleOp module, size_t maxMembers)
      : module_(module), maxMembers_(maxMembers),
        state_(module, OpPrintingFlags().elideLargeElementsAttrs(kMaxElements).elideLargeResourceString(kMaxElements)) {
  }

  Graph run() {
    for (auto function : module_.getOps<func::FuncOp>()) {
      int node = add(GraphNode::Kind::kFunction, -1, function.getSymName().str(), function);
      describeAttributes(function, node);
      functions_[function.getSymName()] = node;
      for (Block &block : function.getBody())
        addBlock(block, node);
    }
    connect();
    return std::move(graph_);
  }

private:
  GraphNode &at(int node) { return graph_.nodes[node]; }

  int add(GraphNode::Kind kind, int parent, std::string name, Operation *op) {
    GraphNode node;
    node.kind = kind;
    node.parent = parent;
    node.name = std::move(name);
    if (op) {
      node.location = codegen::locationText(op->getLoc());
      node.scope = codegen::locationName(op->getLoc());
    }
    graph_.nodes.push_back(std::move(node));
    return int(graph_.nodes.size()) - 1;
  }

  // --- Ops and what is in them ---

  void addBlock(Block &block, int parent) {
    if (block.getNumArguments() > 0) {
      int node = add(GraphNode::Kind::kArguments, parent, "arguments", nullptr);
      for (BlockArgument argument : block.getArguments())
        addResult(argument, node);
    }
    std::vector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    addMembers(ops, parent, 0);
  }

  void addOp(Operation *op, int parent) {
    int node = add(GraphNode::Kind::kOp, parent, op->getName().getStringRef().str(), op);
    graph_.nodeOf[op] = node;
    operations_.emplace_back(op, node);
    for (Value result : op->getResults())
      addResult(result, node);
    describeAttributes(op, node);
    bool isAlone = llvm::count_if(op->getRegions(), [](Region &region) { return !region.empty(); }) == 1;
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      int group = node;
      if (!isAlone)
        group = add(GraphNode::Kind::kRegion, node, regionName(op, region.getRegionNumber()), nullptr);
      for (Block &block : region)
        addBlock(block, group);
    }
  }

  static std::string regionName(Operation *op, unsigned number) {
    if (isa<sh::WhileOp>(op))
      return number == 0 ? "cond" : "body";
    if (isa<sh::IfOp>(op))
      return number == 0 ? "true" : "false";
    return (isa<sh::CaseOp>(op) ? "branch " : "region ") + std::to_string(number);
  }

  void addResult(Value value, int node) {
    std::string name;
    llvm::raw_string_ostream nameStream(name);
    value.printAsOperand(nameStream, state_);
    resultOf_[value] = {node, int(at(node).results.size())};
    at(node).results.push_back(
        {std::move(name), shortened(debugString(value.getType())), codegen::tensorBytes(value.getType())});
  }

  std::string printed(Attribute attribute) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    attribute.print(stream, state_);
    return shortened(std::move(text));
  }
  static std::string shortened(std::string text) {
    return text.size() > kMaxText ? text.substr(0, kMaxText) + "..." : text;
  }

  void describeAttributes(Operation *op, int node) {
    for (NamedAttribute attribute : op->getAttrs())
      at(node).attributes.emplace_back(attribute.getName().str(), printed(attribute.getValue()));
  }

  // --- Groups ---

  // The ops of a block, in groups if they are many; `depth` parts of their names are those of the groups around.
  void addMembers(ArrayRef<Operation *> ops, int parent, size_t depth) {
    if (ops.size() <= maxMembers_) {
      for (Operation *op : ops)
        addOp(op, parent);
      return;
    }
    llvm::MapVector<StringRef, std::vector<Operation *>> byName;
    while (true) {
      byName.clear();
      bool isNamed = false;
      for (Operation *op : ops) {
        StringRef part = partOf(op, depth);
        isNamed |= !part.empty();
        byName[part].push_back(op);
      }
      if (!isNamed && addRepeats(ops, parent, depth))
        return;
      if (!isNamed)
        return addRuns(ops, parent, depth);
      if (byName.size() > 1)
        break;
      ++depth;
    }
    // Names that come again and again, as those of functions, say less than what is repeated.
    if (isInterleaved(ops, byName.size(), depth) && addRepeats(ops, parent, depth))
      return;
    addNamed(byName.takeVector(), parent, depth);
  }

  // Whether the names of the ops change more often than groups of them would.
  bool isInterleaved(ArrayRef<Operation *> ops, size_t names, size_t depth) {
    size_t changes = 0;
    StringRef last;
    for (Operation *op : ops) {
      StringRef part = partOf(op, depth);
      changes += part != last;
      last = part;
    }
    return changes > 2 * names;
  }

  // Equal stretches, one behind the other, in groups of their own: the layers of a network. Whether there are such.
  bool addRepeats(ArrayRef<Operation *> ops, int parent, size_t depth) {
    llvm::DenseMap<Operation *, size_t> positions; // of those that are no constants
    llvm::StringMap<unsigned> known;
    std::vector<unsigned> signs;
    for (Operation *op : ops)
      if (op == placeOf(op)) {
        positions[op] = signs.size();
        signs.push_back(known.try_emplace(signOf(op), known.size()).first->second);
      }
    std::optional<Repeat> repeat = findRepeat(signs);
    if (!repeat)
      return false;
    // What is before, each of the stretches, and what is behind.
    std::vector<std::vector<Operation *>> parts(repeat->count + 2);
    for (Operation *op : ops) {
      auto found = positions.find(placeOf(op));
      size_t position = found == positions.end() ? 0 : found->second;
      size_t part = position < repeat->begin ? 0 : 1 + (position - repeat->begin) / repeat->period;
      parts[std::min(part, repeat->count + 1)].push_back(op);
    }
    addMembers(parts.front(), parent, depth);
    addStretches(ArrayRef(parts).drop_front().drop_back(), 0, repeat->count, parent, depth);
    addMembers(parts.back(), parent, depth);
    return true;
  }

  // `first` is the number of the first of them.
  void addStretches(ArrayRef<std::vector<Operation *>> stretches, size_t first, size_t count, int parent,
                    size_t depth) {
    std::string of = " of " + std::to_string(count);
    if (stretches.size() > maxMembers_) {
      size_t length = runLength(stretches.size());
      for (size_t begin = 0; begin < stretches.size(); begin += length) {
        ArrayRef<std::vector<Operation *>> some = stretches.slice(begin, std::min(length, stretches.size() - begin));
        std::string name =
            std::to_string(first + begin + 1) + " to " + std::to_string(first + begin + some.size()) + of;
        addStretches(some, first + begin, count, add(GraphNode::Kind::kRun, parent, std::move(name), nullptr), depth);
      }
      return;
    }
    for (auto [i, stretch] : llvm::enumerate(stretches)) {
      std::string name = std::to_string(first + i + 1) + of + ": " + runName(stretch);
      int group = add(GraphNode::Kind::kRun, parent, std::move(name), nullptr);
      at(group).location = codegen::locationText(stretch.front()->getLoc());
      addMembers(stretch, group, depth);
    }
  }

  // What an op must have in common with that of another layer.
  static std::string signOf(Operation *op) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << codegen::namedOp(op)->getName() << op->getNumOperands();
    for (Type type : op->getResultTypes())
      stream << type;
    return text;
  }

  using Named = std::pair<StringRef, std::vector<Operation *>>;

  void addNamed(llvm::SmallVector<Named, 0> groups, int parent, size_t depth) {
    // Those that stand in no group of their own, too.
    auto membersOf = [](const Named &group) { return group.first.empty() ? group.second.size() : 1; };
    size_t total = 0;
    for (const Named &group : groups)
      total += membersOf(group);
    if (groups.size() > maxMembers_) {
      size_t length = runLength(groups.size());
      for (size_t begin = 0; begin < groups.size(); begin += length) {
        llvm::SmallVector<Named, 0> run(groups.begin() + begin,
                                        groups.begin() + std::min(begin + length, groups.size()));
        std::string name = (run.front().first + " ... " + run.back().first).str();
        addNamed(std::move(run), add(GraphNode::Kind::kRun, parent, std::move(name), nullptr), depth);
      }
      return;
    }
    for (Named &group : groups) {
      if (group.second.size() == 1)
        addOp(group.second.front(), parent);
      else if (!group.first.empty())
        addMembers(group.second, add(GraphNode::Kind::kScope, parent, group.first.str(), nullptr), depth + 1);
      else if (total <= maxMembers_)
        for (Operation *op : group.second)
          addOp(op, parent);
      else
        addRuns(group.second, parent, depth);
    }
  }

  size_t runLength(size_t count) const {
    return std::min<size_t>(maxMembers_, std::max<size_t>(8, size_t(std::ceil(std::sqrt(double(count))))));
  }

  void addRuns(ArrayRef<Operation *> ops, int parent, size_t depth) {
    // So many that the runs themselves are not too many.
    size_t length = runLength(ops.size());
    while (length * maxMembers_ < ops.size())
      length *= maxMembers_;
    for (; !ops.empty(); ops = ops.drop_front(std::min(length, ops.size()))) {
      ArrayRef<Operation *> run = ops.take_front(length);
      int group = add(GraphNode::Kind::kRun, parent, runName(run), nullptr);
      at(group).location = codegen::locationText(run.front()->getLoc());
      if (run.size() > maxMembers_)
        addRuns(run, group, depth);
      else
        addMembers(run, group, depth);
    }
  }

  // "dot_general, add (3), ...": what there is most of, first what is dearest.
  static std::string runName(ArrayRef<Operation *> ops) {
    llvm::MapVector<StringRef, int> counts;
    for (Operation *op : ops)
      if (!op->hasTrait<OpTrait::ConstantLike>() && !op->hasTrait<OpTrait::IsTerminator>())
        ++counts[nameInRun(op)];
    auto sorted = counts.takeVector();
    llvm::sort(sorted,
               [](auto &a, auto &b) { return std::tuple(-weight(a), a.first) < std::tuple(-weight(b), b.first); });
    std::string name;
    for (auto &[op, count] : ArrayRef(sorted).take_front(3))
      name += (name.empty() ? "" : ", ") + op.str() + (count > 1 ? " (" + std::to_string(count) + ")" : "");
    return name.empty() ? "constants" : name + (sorted.size() > 3 ? ", ..." : "");
  }
  static int weight(const std::pair<StringRef, int> &entry) {
    return entry.second + (isDear(entry.first) ? 1 << 20 : 0);
  }
  static bool isDear(StringRef name) { return name == "dot_general" || name == "convolution" || name == "while"; }

  // A kernel has the name of the product that it computes, if there is one, and else of what comes last.
  static StringRef nameInRun(Operation *op) {
    StringRef name = codegen::namedOp(op)->getName().stripDialect();
    if (isa<ir::FusionOp>(op))
      op->walk([&](Operation *inner) {
        if (isDear(inner->getName().stripDialect()))
          name = inner->getName().stripDialect();
      });
    return name;
  }

  // The op itself, or of a constant what uses it first.
  static Operation *placeOf(Operation *op) {
    if (!op->hasTrait<OpTrait::ConstantLike>())
      return op;
    Operation *first = nullptr;
    for (Operation *user : op->getUsers())
      if (Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
          here && (!first || here->isBeforeInBlock(first)))
        first = here;
    return first ? first : op;
  }

  // Part `depth` of the scope that the op is in, or "": of "jit(f)/layer1/add" the parts are "jit(f)" and "layer1".
  // Constants are where they are used first.
  StringRef partOf(Operation *op, size_t depth) {
    StringRef name = names_.save(codegen::locationName(placeOf(op)->getLoc()));
    for (size_t i = 0; i < depth; ++i)
      name = name.contains('/') ? name.split('/').second : "";
    return name.contains('/') ? name.split('/').first : "";
  }

  // --- Data flow ---

  void connect() {
    for (auto [op, node] : operations_) {
      for (Value operand : op->getOperands())
        at(node).operands.push_back(resultOf_.at(operand));
      if (auto call = dyn_cast<func::CallOp>(op))
        if (auto found = functions_.find(call.getCallee()); found != functions_.end())
          at(node).callee = found->second;
      // What a loop or a fusion is given is what its body sees.
      if (isa<sh::WhileOp, ir::FusionOp>(op))
        for (Region &region : op->getRegions())
          for (BlockArgument argument : region.getArguments())
            at(resultOf_.at(argument).first).operands.push_back(resultOf_.at(op->getOperand(argument.getArgNumber())));
    }
  }

  ModuleOp module_;
  size_t maxMembers_;
  AsmState state_;
  Graph graph_;
  llvm::DenseMap<Value, std::pair<int, int>> resultOf_;
  llvm::DenseMap<StringRef, int> functions_;
  llvm::BumpPtrAllocator memory_;
  llvm::UniqueStringSaver names_{memory_};
  std::vector<std::pair<Operation *, int>> operations_;
};

} // namespace

Graph buildGraph(ModuleOp module, int maxMembers) { return GraphBuilder(module, size_t(maxMembers)).run(); }

} // namespace tenon::tools
