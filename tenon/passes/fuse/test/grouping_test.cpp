// What grouping's searches for cycles find, and how much work they are: it grows with the program, and not with its
// square.
#include "tenon/passes/fuse/grouping.h"

#include "tenon/ir/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tenon::passes {
namespace {

TEST(GroupSpans, LimitsFollowGroups) {
  GroupSpans spans(10);
  EXPECT_EQ(spans.limit(3), 3);
  spans.add(2, 5);
  EXPECT_EQ(spans.limit(1), 1);
  EXPECT_EQ(spans.limit(2), 5);
  spans.add(4, 8);
  EXPECT_EQ(spans.limit(2), 8);
  spans.add(9, 9);
  EXPECT_EQ(spans.limit(3), 8);
  EXPECT_EQ(spans.limit(9), 9);
}

// A program of `size` ops, of which number i computes `op(i)`.
template <typename Op> std::string program(int size, Op op) {
  std::string text = "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {\n";
  auto name = [](int i) { return i < 0 ? (i == -1 ? "%b" : "%a") : "%" + std::to_string(i); };
  for (int i = 0; i < size; ++i)
    text += name(i) + " = " + op(i, name) + "\n";
  return text + "return " + name(size - 1) + " : tensor<8xf32>\n}\n";
}

// Ops of random earlier operands in random groups, some in two, and a second way to say where paths lead.
class RandomGroups {
public:
  RandomGroups(mlir::Block &block, std::mt19937 &random) : graph_(block) {
    for (mlir::Operation &op : block.without_terminator())
      ops_.push_back(&op);
    constexpr int kGroups = 6;
    groups_.resize(kGroups);
    for (mlir::Operation *op : llvm::reverse(ops_))
      for (int i = random() % 3; i > 0; --i)
        if (int group = random() % kGroups; !graph_.contains(group, op)) {
          graph_.addMember(group, op);
          groups_[group].members.push_back(op);
          if (groups_[group].roots.empty() || random() % 3 == 0)
            groups_[group].roots.push_back(op);
        }
    for (auto [i, group] : llvm::enumerate(groups_))
      if (!group.roots.empty())
        graph_.setRoots(i, group.roots, group.members.front());
  }

  bool isEmpty(int group) const { return groups_[group].members.empty(); }
  const std::vector<mlir::Operation *> &ops() const { return ops_; }
  bool leadsBack(mlir::Operation *op, int group, int inside) {
    return graph_.leadsBack(op, group, groups_[group].members.front(), inside);
  }

  // By adding what is reached until nothing is added.
  bool leadsBackByClosure(mlir::Operation *op, int group, int inside) const {
    std::set<mlir::Operation *> reached;
    for (mlir::Operation *user : op->getUsers()) {
      if (!graph_.contains(group, user) && (inside < 0 || !graph_.contains(inside, user)))
        reached.insert(user);
      else
        for (int other : graph_.groupsOf(user))
          if (other != group && other != inside)
            reached.insert(groups_[other].roots.begin(), groups_[other].roots.end());
    }
    for (size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (mlir::Operation *from : std::set<mlir::Operation *>(reached)) {
        reached.insert(from->user_begin(), from->user_end());
        for (int other : graph_.groupsOf(from))
          for (mlir::Operation *root : groups_[other].roots)
            reached.insert(root->user_begin(), root->user_end());
      }
    }
    return std::any_of(reached.begin(), reached.end(),
                       [&](mlir::Operation *reach) { return graph_.contains(group, reach); });
  }

private:
  GroupGraph graph_;
  std::vector<mlir::Operation *> ops_;
  std::vector<FusionGroup> groups_;
};

TEST(GroupGraph, FindsThePathsThatLeadBack) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  std::mt19937 random(1);
  int back = 0, questions = 0;
  for (int i = 0; i < 200; ++i) {
    auto earlier = [&](int i, auto name) {
      auto operand = [&] { return name(static_cast<int>(random() % (i + 2)) - 2); };
      return "stablehlo.add " + operand() + ", " + operand() + " : tensor<8xf32>";
    };
    auto module = mlir::parseSourceString<mlir::ModuleOp>(program(30, earlier), &context);
    ASSERT_TRUE(module);
    RandomGroups groups(module->lookupSymbol<mlir::func::FuncOp>("main").front(), random);
    for (mlir::Operation *op : groups.ops()) {
      int group = random() % 6, inside = static_cast<int>(random() % 7) - 1;
      if (groups.isEmpty(group))
        continue;
      bool expected = groups.leadsBackByClosure(op, group, inside);
      ASSERT_EQ(groups.leadsBack(op, group, inside), expected) << "program " << i;
      back += expected;
      ++questions;
    }
  }
  // Both answers are there.
  EXPECT_GT(back, questions / 10);
  EXPECT_LT(back, questions * 9 / 10);
}

// What searches look at for each op of the program.
double searchedPerOp(const std::string &text, int size) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  mlir::Block &block = module->lookupSymbol<mlir::func::FuncOp>("main").front();
  FuseOptions options;
  options.canFuse = [](mlir::Operation *) { return true; };
  FusionGrouping grouping(block, options);
  EXPECT_FALSE(grouping.groups().empty());
  return double(grouping.searched()) / size;
}

constexpr int kFew = 2000, kMany = 20000;

TEST(FusionGrouping, ChainsTakeWorkInProportion) {
  // Each op has two users, which at a group's limits are in two groups.
  auto both = [](int i, auto name) { return "stablehlo.add " + name(i - 1) + ", " + name(i - 2) + " : tensor<8xf32>"; };
  double few = searchedPerOp(program(kFew, both), kFew), many = searchedPerOp(program(kMany, both), kMany);
  EXPECT_LE(many, 2 * few + 10);
}

TEST(FusionGrouping, LongReusesTakeWorkInProportion) {
  auto early = [](int i, auto name) {
    return "stablehlo.multiply " + name(i - 1) + ", " + name(i % 100 - 1) + " : tensor<8xf32>";
  };
  double few = searchedPerOp(program(kFew, early), kFew), many = searchedPerOp(program(kMany, early), kMany);
  EXPECT_LE(many, 2 * few + 10);
}

} // namespace
} // namespace tenon::passes
