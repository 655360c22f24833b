// A program says in which order its values are written down, which need not be the order in which they are best
// computed: 25 sorted arrays, all made before the first is added to a sum; a training step whose new weights are all
// computed at its end, until when every layer's derivatives are kept.
//
// Two list schedules of each block are tried. The one goes forwards and takes, of the ops whose operands are there, the
// one after which the fewest bytes are alive; the other goes backwards in the same way, from what is returned, so that
// nothing is made long before it is used. Ties go to the order of the program. Counted are the bytes that are alive
// when each op runs; the order with the fewest is proposed, if these are clearly fewer than in the program's own order.
//
// Not every order is allowed: values are made before they are used, ops with effects stay in order, and whatever
// updates an array in place in the program's order stays behind the other readers of that array.
//
// The work is that of sorting: each array's liveness changes the price of each of its users once.

#include "tenon/codegen/common/memory/schedule.h"

#include "tenon/ir/stablehlo.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <queue>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

// An order is taken if it saves as much, and one part in so many of what is alive at a time.
constexpr int64_t kMinSavedBytes = 1 << 20;
constexpr int64_t kMinSavedParts = 16;

// Memory that some values share: that of an op's result and whatever is it under another type.
struct Array {
  int64_t bytes = 0;         // in the arena
  int producer = -1;         // node
  SmallVector<int, 2> users; // nodes, in order
  bool isReturned = false;
};

struct Node {
  Operation *op = nullptr;
  SmallVector<int, 2> reads, makes; // arrays
  SmallVector<int, 2> successors;
  int predecessors = 0;
  int64_t temporaryBytes = 0; // while it runs
  // Arrays of the same size that it may read and make in one place.
  SmallVector<std::pair<int, int>, 1> sharing;
};

class BlockSchedule {
public:
  BlockSchedule(Block &block, const ProgramInstructions &instructions,
                const llvm::DenseMap<Operation *, int64_t> &inside)
      : instructions_(instructions), isMain_(isa<func::FuncOp>(block.getParentOp())) {
    for (Operation &op : block.without_terminator())
      addNode(op, inside.lookup(&op));
    for (Value value : block.getTerminator()->getOperands())
      if (int array = arrayOf(value); array >= 0) {
        arrays_[array].isReturned = true;
        if (isMain_) // the caller's memory
          arrays_[array].bytes = 0;
      }
    connect();
  }

  // Whoever makes `next` may do so where `value`, an argument of the block, was, if it is no longer read then.
  void keepInPlace(Value value, Value next) {
    int from = arrayOf(value), to = arrayOf(next);
    if (from < 0 || to < 0 || arrays_[to].producer < 0)
      return;
    int producer = arrays_[to].producer;
    if (arrays_[from].users.empty() || arrays_[from].users.back() > producer)
      return;
    for (int reader : arrays_[from].users)
      addEdge(reader, producer);
  }

  // The better of the two schedules, or nothing. Then `peak` is what it keeps alive, otherwise what the block's own
  // order does.
  BlockOrder findBetter(int64_t &peak) {
    std::vector<int> order(nodes_.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<int>(i);
    peak = peakOf(order);
    BlockOrder better;
    int64_t before = peak;
    if (!isClearlyLess(leastBytes(), before))
      return better;
    for (bool forwards : {true, false}) {
      order = forwards ? scheduleForwards() : scheduleBackwards();
      int64_t bytes = peakOf(order);
      if (bytes >= peak || !isClearlyLess(bytes, before))
        continue;
      peak = bytes;
      better.clear();
      for (int node : order)
        better.push_back(nodes_[node].op);
    }
    return better;
  }

private:
  // --- What there is ---

  int arrayOf(Value value) const {
    auto found = arrayOfValue_.find(value);
    return found == arrayOfValue_.end() ? -1 : found->second;
  }

  int newArray(Value value, int64_t bytes, int producer) {
    arrays_.push_back({bytes, producer, {}, false});
    return arrayOfValue_[value] = static_cast<int>(arrays_.size()) - 1;
  }

  // Every op's node has its position as number.
  void addNode(Operation &op, int64_t bytesInside) {
    int index = static_cast<int>(nodes_.size());
    Node &node = nodes_.emplace_back();
    node.op = &op;
    node.temporaryBytes = bytesInside;
    nodeOf_[&op] = index;
    llvm::SmallSetVector<int, 4> reads;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (isToken(operand.getType()) || op.isAncestor(operand.getParentBlock()->getParentOp()))
          continue;
        int array = arrayOf(operand); // of what comes from outside the block it only matters who reads it
        reads.insert(array < 0 ? newArray(operand, 0, -1) : array);
      }
    });
    node.reads.assign(reads.begin(), reads.end());
    for (int array : node.reads)
      arrays_[array].users.push_back(index);
    InstructionKind kind = instructions_.kindOf(&op);
    if (kind == InstructionKind::kAlias) {
      arrayOfValue_[op.getResult(0)] = arrayOf(op.getOperand(0));
      return;
    }
    bool inArena = kind == InstructionKind::kKernel || kind == InstructionKind::kRuntimeCall ||
                   kind == InstructionKind::kWhile || kind == InstructionKind::kBranch;
    for (Value result : op.getResults())
      if (!isToken(result.getType()))
        node.makes.push_back(newArray(result, inArena ? tensorBytes(result.getType()) : 0, index));
    addSharing(node, kind);
  }

  void addSharing(Node &node, InstructionKind kind) {
    auto share = [&](int operand, int result) {
      int from = arrayOf(node.op->getOperand(operand)), to = arrayOf(node.op->getResult(result));
      if (from >= 0 && to >= 0 && arrays_[from].bytes == arrays_[to].bytes)
        node.sharing.emplace_back(from, to);
    };
    if (kind == InstructionKind::kWhile)
      for (unsigned i = 0; i < node.op->getNumOperands(); ++i)
        share(i, i);
    if (kind != InstructionKind::kKernel)
      return;
    const Kernel &kernel = *instructions_.kernels.at(node.op);
    node.temporaryBytes += kernel.tempBytes;
    for (auto [result, operand] : llvm::enumerate(kernel.resultInit))
      if (operand >= 0)
        share(operand, static_cast<int>(result));
    for (auto [operand, result] : kernel.mayAlias)
      share(operand, result);
  }

  // --- What has to come before what ---

  void addEdge(int from, int to) {
    if (from == to)
      return;
    nodes_[from].successors.push_back(to);
    ++nodes_[to].predecessors;
  }

  void connect() {
    int effect = -1;
    for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
      Operation *op = nodes_[i].op;
      for (int array : nodes_[i].reads)
        if (arrays_[array].producer >= 0)
          addEdge(arrays_[array].producer, i);
      for (Value operand : op->getOperands()) // also tokens, and what is another's memory
        if (auto found = nodeOf_.find(operand.getDefiningOp()); operand.getDefiningOp() && found != nodeOf_.end())
          addEdge(found->second, i);
      if (!isMemoryEffectFree(op)) {
        if (effect >= 0)
          addEdge(effect, i);
        effect = i;
      }
    }
    for (const Array &array : arrays_)
      if (!array.users.empty() && mayOverwrite(array.users.back(), array))
        for (int reader : ArrayRef(array.users).drop_back())
          addEdge(reader, array.users.back());
  }

  // Whether the node may update the array, which it reads last, in place.
  bool mayOverwrite(int node, const Array &array) {
    Operation *op = nodes_[node].op;
    InstructionKind kind = instructions_.kindOf(op);
    if (kind == InstructionKind::kWhile || kind == InstructionKind::kBranch)
      return true;
    if (kind != InstructionKind::kKernel)
      return false;
    return llvm::any_of(instructions_.kernels.at(op)->resultInit, [&](int operand) {
      return operand >= 0 && &arrays_[arrayOf(op->getOperand(operand))] == &array;
    });
  }

  // --- How much is alive ---

  // What any order keeps alive at some time.
  int64_t leastBytes() const {
    int64_t least = 0;
    for (const Node &node : nodes_) {
      int64_t reads = 0, makes = 0;
      for (int array : node.reads)
        reads += arrays_[array].bytes;
      for (int array : node.makes)
        makes += arrays_[array].bytes;
      least = std::max(least, std::max(reads, makes) + node.temporaryBytes);
    }
    return least;
  }

  int64_t peakOf(ArrayRef<int> order) const {
    std::vector<int> unread(arrays_.size());
    for (auto [i, array] : llvm::enumerate(arrays_))
      unread[i] = static_cast<int>(array.users.size()) + array.isReturned;
    int64_t live = 0, peak = 0;
    for (int index : order) {
      const Node &node = nodes_[index];
      int64_t freed = 0, shared = 0;
      for (int array : node.makes)
        live += arrays_[array].bytes;
      for (int array : node.reads)
        if (--unread[array] == 0)
          freed += arrays_[array].bytes;
      for (auto [i, pair] : llvm::enumerate(node.sharing)) {
        auto isEarlier = [&, own = pair](const std::pair<int, int> &other) {
          return own.first == other.first || own.second == other.second;
        };
        if (unread[pair.first] == 0 && llvm::none_of(ArrayRef(node.sharing).take_front(i), isEarlier))
          shared += arrays_[pair.first].bytes;
      }
      peak = std::max(peak, live - shared + node.temporaryBytes);
      for (int array : node.makes)
        if (unread[array] == 0)
          freed += arrays_[array].bytes;
      live -= freed;
    }
    return peak;
  }

  // --- Schedules ---

  // Takes nodes one after the other, of those that wait for nobody the one with the lowest price: what it adds to the
  // bytes that are alive. A node whose price falls is put in again; what is found there of it later is passed over.
  class ListScheduler {
  public:
    // `waiting`: for how many others each node waits. Of one price the first node is taken, or the last.
    ListScheduler(std::vector<int> waiting, bool lastFirst)
        : price(waiting.size()), waiting_(std::move(waiting)), done_(price.size()), lastFirst_(lastFirst) {}

    void offer(int node) {
      if (waiting_[node] == 0 && !done_[node])
        queue_.push({price[node], lastFirst_ ? -node : node, node});
    }

    // `take` is told of each node, and lowers and offers others; `behind` has the nodes that wait for each.
    template <typename Behind, typename Take> std::vector<int> run(Behind behind, Take take) {
      for (size_t i = 0; i < waiting_.size(); ++i)
        offer(static_cast<int>(i));
      std::vector<int> order;
      while (!queue_.empty()) {
        int node = queue_.top().node;
        queue_.pop();
        if (done_[node])
          continue;
        done_[node] = true;
        order.push_back(node);
        take(node);
        for (int next : behind(node)) {
          --waiting_[next];
          offer(next);
        }
      }
      return order;
    }

    std::vector<int64_t> price;

  private:
    struct Ready {
      int64_t price;
      int rank, node;
      bool operator>(const Ready &other) const { return std::tie(price, rank) > std::tie(other.price, other.rank); }
    };

    std::vector<int> waiting_;
    std::vector<bool> done_;
    bool lastFirst_;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> queue_;
  };

  std::vector<int> scheduleForwards() const {
    std::vector<int> waiting;
    for (const Node &node : nodes_)
      waiting.push_back(node.predecessors);
    ListScheduler scheduler(std::move(waiting), /*lastFirst=*/false);
    std::vector<int> unread(arrays_.size());
    std::vector<int64_t> readers(arrays_.size()); // the sum of those that have not run
    for (auto [i, array] : llvm::enumerate(arrays_)) {
      unread[i] = static_cast<int>(array.users.size()) + array.isReturned;
      for (int user : array.users)
        readers[i] += user;
      if (unread[i] == 1 && !array.isReturned)
        scheduler.price[array.users.front()] -= array.bytes;
      if (unread[i] > 0 && array.producer >= 0)
        scheduler.price[array.producer] += array.bytes;
    }
    auto take = [&](int node) {
      for (int array : nodes_[node].reads) {
        readers[array] -= node;
        if (--unread[array] != 1 || arrays_[array].isReturned || arrays_[array].bytes == 0)
          continue;
        int last = static_cast<int>(readers[array]);
        scheduler.price[last] -= arrays_[array].bytes;
        scheduler.offer(last);
      }
    };
    return scheduler.run([&](int node) { return ArrayRef(nodes_[node].successors); }, take);
  }

  // From the end: there an op makes its operands alive and ends its results.
  std::vector<int> scheduleBackwards() const {
    std::vector<int> waiting;
    std::vector<SmallVector<int, 2>> predecessors(nodes_.size());
    for (auto [i, node] : llvm::enumerate(nodes_)) {
      waiting.push_back(static_cast<int>(node.successors.size()));
      for (int successor : node.successors)
        predecessors[successor].push_back(static_cast<int>(i));
    }
    ListScheduler scheduler(std::move(waiting), /*lastFirst=*/true);
    std::vector<bool> alive(arrays_.size());
    for (auto [i, array] : llvm::enumerate(arrays_)) {
      alive[i] = array.isReturned;
      if (array.isReturned && array.producer >= 0)
        scheduler.price[array.producer] -= array.bytes;
      if (!array.isReturned)
        for (int user : array.users)
          scheduler.price[user] += array.bytes;
    }
    auto take = [&](int node) {
      for (int array : nodes_[node].reads) {
        if (alive[array] || arrays_[array].bytes == 0)
          continue;
        alive[array] = true;
        scheduler.price[arrays_[array].producer] -= arrays_[array].bytes;
        for (int user : arrays_[array].users) {
          scheduler.price[user] -= arrays_[array].bytes;
          scheduler.offer(user);
        }
      }
    };
    std::vector<int> order = scheduler.run([&](int node) { return ArrayRef(predecessors[node]); }, take);
    std::reverse(order.begin(), order.end());
    return order;
  }

  const ProgramInstructions &instructions_;
  bool isMain_;
  std::vector<Node> nodes_;
  std::vector<Array> arrays_;
  llvm::DenseMap<Value, int> arrayOfValue_;
  llvm::DenseMap<Operation *, int> nodeOf_;
};

class Scheduler {
public:
  Scheduler(func::FuncOp main, const ProgramInstructions &instructions, ArrayRef<int32_t> donations)
      : main_(main), instructions_(instructions), donations_(donations) {}

  std::vector<BlockOrder> run() {
    visit(main_.getBody().front());
    return std::move(orders_);
  }

private:
  // What is inside first: it counts where it stands. Returns the most bytes that are alive at a time.
  int64_t visit(Block &block) {
    llvm::DenseMap<Operation *, int64_t> inside;
    for (Operation &op : block)
      if (InstructionKind kind = instructions_.kindOf(&op);
          kind == InstructionKind::kWhile || kind == InstructionKind::kBranch)
        for (Region &region : op.getRegions())
          if (!region.empty())
            inside[&op] = std::max(inside[&op], visit(region.front()));
    BlockSchedule schedule(block, instructions_, inside);
    ValueRange returned = block.getTerminator()->getOperands();
    if (auto loop = dyn_cast<sh::WhileOp>(block.getParentOp()); loop && &block == &loop.getBody().front())
      for (auto [argument, next] : llvm::zip(block.getArguments(), returned))
        schedule.keepInPlace(argument, next);
    if (block.getParentOp() == main_)
      for (auto [argument, result] : llvm::zip(block.getArguments(), donations_))
        if (result >= 0)
          schedule.keepInPlace(argument, returned[result]);
    int64_t peak = 0;
    if (BlockOrder order = schedule.findBetter(peak); !order.empty())
      orders_.push_back(std::move(order));
    return peak;
  }

  func::FuncOp main_;
  const ProgramInstructions &instructions_;
  ArrayRef<int32_t> donations_;
  std::vector<BlockOrder> orders_;
};

} // namespace

std::vector<BlockOrder> findBetterOrders(func::FuncOp main, const ProgramInstructions &instructions,
                                         ArrayRef<int32_t> donations) {
  return Scheduler(main, instructions, donations).run();
}

bool isClearlyLess(int64_t bytes, int64_t before) {
  return before - bytes >= std::max(kMinSavedBytes, before / kMinSavedParts);
}

BlockOrder orderOf(Block &block) {
  BlockOrder order;
  for (Operation &op : block.without_terminator())
    order.push_back(&op);
  return order;
}

void putInOrder(const BlockOrder &order) {
  for (Operation *op : order)
    op->moveBefore(op->getBlock()->getTerminator());
}

} // namespace tenon::codegen
