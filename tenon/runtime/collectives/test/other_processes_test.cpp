// Collectives of processes that are spread over several OS processes, which a transport in this one stands for.
#include "tenon/runtime/collectives/other_processes.h"

#include "tenon/program/attributes.h"
#include "tenon/runtime/collectives/collectives.h"
#include "tenon/runtime/collectives/groups.h"
#include "tenon/runtime/collectives/test/spread_grid_testing.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/core/thread_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

namespace tenon::runtime {
namespace {

using program::ElementType;
using program::RuntimeCall;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using Numbers = std::vector<int64_t>;

constexpr int64_t kProcesses = 8;

constexpr int64_t kBlock = 64; // elements

void add(void *const *buffers, int64_t begin, int64_t end, void *) {
  const auto *left = static_cast<const float *>(buffers[0]), *right = static_cast<const float *>(buffers[1]);
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(buffers[2])[i] = left[i] + right[i];
}

program::Attribute list(const Numbers &numbers) { return {program::IntegerArrayAttribute{ElementType::kI64, numbers}}; }

RuntimeCall callOf(const std::string &target, std::vector<program::Shape> operands, std::vector<program::Shape> results,
                   const std::vector<std::pair<std::string, Numbers>> &lists) {
  RuntimeCall call;
  call.target = target;
  call.operands = std::move(operands);
  call.results = std::move(results);
  call.location = "train.py:31";
  for (const auto &[name, numbers] : lists)
    call.attributes.push_back({name, list(numbers)});
  call.attributes.push_back({"op", {target}});
  return call;
}

// All collectives, over groups of several kinds, of arrays that are copied, that one process folds, and that are
// divided.
std::vector<RuntimeCall> manyCalls() {
  constexpr ElementType kF32 = ElementType::kF32;
  std::vector<RuntimeCall> calls;
  for (int64_t n : {6, 700, 20'000}) {
    for (const std::pair<std::string, Numbers> &groups : {std::pair<std::string, Numbers>{"axes", {8, 1}},
                                                          {"axes", {4, 2}},
                                                          {"axes", {2, 4}},
                                                          {"axes", {2, 1, 2, 4}}}) {
      int64_t size = 1;
      for (size_t i = 0; i < groups.second.size(); i += 2)
        size *= groups.second[i];
      program::Shape one{kF32, {n}}, part{kF32, {size, n}}, parts{kF32, {3, size * n}}, third{kF32, {3, n}};
      RuntimeCall fold = callOf("fold_group", {one, one}, {one, one}, {groups});
      fold.attributes.push_back({"block", {program::IntegerAttribute{ElementType::kI64, kBlock}}});
      calls.push_back(fold);
      RuntimeCall scatter = callOf("fold_group", {parts}, {third}, {groups});
      scatter.attributes.push_back({"block", {program::IntegerAttribute{ElementType::kI64, kBlock}}});
      scatter.attributes.push_back({"dimension", {program::IntegerAttribute{ElementType::kI64, 1}}});
      calls.push_back(scatter);
      RuntimeCall leading = scatter; // each process's part is one piece
      leading.operands = {{kF32, {size * 2, n}}, {kF32, {size, n}}};
      leading.results = {{kF32, {2, n}}, {kF32, {1, n}}};
      leading.attributes.back() = {"dimension", {program::IntegerAttribute{ElementType::kI64, 0}}};
      calls.push_back(leading);
      calls.push_back(callOf("gather_group", {one, third}, {part, {kF32, {size, 3, n}}}, {groups}));
      RuntimeCall joining =
          callOf("gather_group", {third, parts}, {{kF32, {3, size * n}}, {kF32, {3, size * size * n}}}, {groups});
      joining.attributes.push_back({"dimension", {program::IntegerAttribute{ElementType::kI64, 1}}});
      calls.push_back(joining);
      calls.push_back(callOf("exchange_group", {part, part}, {part, part}, {groups}));
    }
    program::Shape one{kF32, {n}};
    calls.push_back(callOf("fold_group", {one}, {one}, {{"groups", {7, 0, 5, 2, 3, 1, 4, 6}}, {"sizes", {5, 3}}}));
    calls.back().attributes.push_back({"block", {program::IntegerAttribute{ElementType::kI64, kBlock}}});
    calls.push_back(callOf("permute", {one, one}, {one, one}, {{"pairs", {0, 5, 5, 1, 1, 2, 6, 7, 7, 6, 3, 3}}}));
    calls.push_back(
        callOf("permute", {one, one}, {one, one}, {{"axes", {4, 2}}, {"map", {1, 1, 0}}, {"sources", {4, 2}}}));
  }
  // Row i of each goes to process i, behind those of the processes before.
  program::Shape rows{kF32, {8, 50}}, numbers{ElementType::kI64, {8}};
  calls.push_back(
      callOf("exchange_rows", {rows, rows, numbers, numbers, numbers, numbers}, {rows}, {{"axes", {8, 1}}}));
  return calls;
}

// The arrays that a process gives, and space for what it gets.
struct Arrays {
  std::vector<std::vector<char>> operands, results;

  Arrays(const RuntimeCall &call, int64_t process) {
    for (size_t i = 0; i < call.operands.size(); ++i) {
      std::vector<char> &bytes = operands.emplace_back(static_cast<size_t>(call.operands[i].byteSize()));
      if (call.operands[i].type == ElementType::kI64) { // first, count, at, and how many come
        auto *numbers = reinterpret_cast<int64_t *>(bytes.data());
        for (int64_t j = 0; j < 8; ++j)
          numbers[j] = i == 2 ? j : i == 4 ? process : 1;
        continue;
      }
      auto *numbers = reinterpret_cast<float *>(bytes.data());
      for (size_t j = 0; j < bytes.size() / sizeof(float); ++j)
        numbers[j] = std::sin(static_cast<float>(j * 13 + i) + static_cast<float>(process) * 0.37f) * 1e3f;
    }
    for (const program::Shape &shape : call.results)
      results.emplace_back(static_cast<size_t>(shape.byteSize()), char(0x55));
  }
};

// What each call gives to each process.
std::vector<std::vector<std::vector<char>>> resultsOf(SpreadGrid &grid, const std::vector<RuntimeCall> &calls) {
  static const bool isRegistered = (registerCollectives(), true);
  EXPECT_TRUE(isRegistered);
  std::vector<std::unique_ptr<RuntimeCallInstance>> instances;
  for (const RuntimeCall &call : calls) {
    auto instance = instantiateRuntimeCall(call);
    EXPECT_TRUE(instance.ok()) << instance.status().message();
    instances.push_back(std::move(*instance));
  }
  std::vector<std::vector<std::vector<char>>> all(kProcesses);
  auto outcomes = grid.run([&](const RunOptions &options) -> Status {
    for (size_t i = 0; i < calls.size(); ++i) {
      Arrays arrays(calls[i], options.process());
      std::vector<void *> operands, results;
      for (auto &array : arrays.operands)
        operands.push_back(array.data());
      for (auto &array : arrays.results)
        results.push_back(array.data());
      TENON_RETURN_IF_ERROR(instances[i]->call({operands, results, options, ThreadPool::global(), {add, kBlock}}));
      for (auto &array : arrays.results)
        all[static_cast<size_t>(options.process())].push_back(std::move(array));
    }
    return {};
  });
  for (const Status &outcome : outcomes)
    EXPECT_TRUE(outcome.ok()) << outcome.message();
  return all;
}

TEST(OtherProcesses, GiveTheSameBitsHoweverTheDevicesAreSpread) {
  std::vector<RuntimeCall> calls = manyCalls();
  SpreadGrid one(Spread(kProcesses, 0));
  auto expected = resultsOf(one, calls);
  for (const Spread &spread :
       {Spread{0, 0, 0, 0, 1, 1, 1, 1}, Spread{0, 1, 0, 1, 0, 1, 0, 1}, Spread{0, 1, 1, 1, 1, 1, 1, 1},
        Spread{1, 0, 0, 2, 2, 2, 0, 1}, Spread{0, 0, 1, 1, 2, 2, 3, 3}, Spread{0, 1, 2, 3, 4, 5, 6, 7}}) {
    SpreadGrid grid(spread);
    auto results = resultsOf(grid, calls);
    for (size_t process = 0; process < results.size(); ++process) {
      ASSERT_EQ(results[process].size(), expected[process].size());
      for (size_t i = 0; i < results[process].size(); ++i)
        ASSERT_EQ(results[process][i], expected[process][i])
            << "result " << i << " of process " << process << " of " << testing::PrintToString(spread);
    }
  }
}

// Sums and gathers of arrays that are copied, folded by one process, and divided, whose results a group shares.
std::vector<RuntimeCall> callsThatShareResults() {
  std::vector<RuntimeCall> calls;
  for (RuntimeCall call : manyCalls()) {
    bool isScatter = call.target == "fold_group" && program::findAttribute(call.attributes, "dimension");
    bool isJoining = call.target == "gather_group" && program::findAttribute(call.attributes, "dimension");
    if ((call.target != "fold_group" || isScatter) && !isJoining)
      continue;
    call.attributes.push_back({std::string(program::kProgramResults), list({0, 1})});
    calls.push_back(std::move(call));
  }
  return calls;
}

TEST(OtherProcesses, MayHaveOneMemoryForTheResultsOfAGroup) {
  std::vector<RuntimeCall> calls = callsThatShareResults();
  std::vector<std::unique_ptr<RuntimeCallInstance>> instances;
  for (const RuntimeCall &call : calls)
    instances.push_back(*instantiateRuntimeCall(call));
  SpreadGrid one(Spread(kProcesses, 0));
  auto expected = resultsOf(one, calls);
  for (const Spread &spread : {Spread(kProcesses, 0), Spread{0, 0, 0, 0, 1, 1, 1, 1}, Spread{1, 0, 0, 2, 2, 2, 0, 1}}) {
    std::mutex mutex;
    // By the call, the first process of the group, and the OS process.
    std::map<std::tuple<size_t, int64_t, Peer>, std::vector<std::vector<char>>> memory;
    auto memoryOf = [&](size_t call, int64_t process) -> std::vector<std::vector<char>> & {
      int64_t first = Groups::of(calls[call])->ofProcess(process)->front();
      std::lock_guard lock(mutex);
      auto &results = memory[{call, first, spread[static_cast<size_t>(process)]}];
      if (results.empty())
        results = Arrays(calls[call], process).results;
      return results;
    };
    SpreadGrid grid(spread);
    auto outcomes = grid.run([&](const RunOptions &options) -> Status {
      for (size_t i = 0; i < calls.size(); ++i) {
        Arrays arrays(calls[i], options.process());
        std::vector<void *> operands, results;
        for (auto &array : arrays.operands)
          operands.push_back(array.data());
        for (auto &array : memoryOf(i, options.process()))
          results.push_back(array.data());
        TENON_RETURN_IF_ERROR(instances[i]->call({operands, results, options, ThreadPool::global(), {add, kBlock}}));
      }
      return {};
    });
    EXPECT_THAT(messagesOf(outcomes), Each(testing::IsEmpty()));
    for (int64_t process = 0; process < kProcesses; ++process)
      for (size_t i = 0, at = 0; i < calls.size(); ++i)
        for (const std::vector<char> &result : memoryOf(i, process))
          EXPECT_EQ(result, expected[static_cast<size_t>(process)][at++])
              << calls[i].target << " " << i << " of process " << process << " of " << testing::PrintToString(spread);
  }
}

TEST(OtherProcesses, AreSentNoMoreThanTheyNeed) {
  constexpr int64_t kElements = 32 << 10;
  constexpr size_t kBytes = kElements * sizeof(float);
  program::Shape one{ElementType::kF32, {kElements}};
  RuntimeCall fold = callOf("fold_group", {one}, {one}, {{"axes", {8, 1}}});
  fold.attributes.push_back({"block", {program::IntegerAttribute{ElementType::kI64, kBlock}}});
  RuntimeCall scatter = callOf("fold_group", {{ElementType::kF32, {8 * kElements}}}, {one}, {{"axes", {8, 1}}});
  scatter.attributes.push_back(fold.attributes.back());
  scatter.attributes.push_back({"dimension", {program::IntegerAttribute{ElementType::kI64, 0}}});
  RuntimeCall exchange = callOf("exchange_group", {{ElementType::kF32, {8, kElements}}},
                                {{ElementType::kF32, {8, kElements}}}, {{"axes", {8, 1}}});
  RuntimeCall permute = callOf("permute", {one}, {one}, {{"pairs", {0, 1, 1, 2, 3, 4}}});
  RuntimeCall shift = callOf("permute", {one}, {one}, {{"axes", {8, 1}}, {"map", {1, -1, 1}}, {"sources", {8, 1}}});
  program::Shape table{ElementType::kF32, {8, 50}}, numbers{ElementType::kI64, {8}};
  RuntimeCall rows =
      callOf("exchange_rows", {table, table, numbers, numbers, numbers, numbers}, {table}, {{"axes", {8, 1}}});
  const size_t padded = 256; // a row of 50 numbers
  struct {
    RuntimeCall call;
    Spread spread;
    size_t fromFirst; // bytes
  } cases[] = {{fold, {0, 0, 0, 0, 1, 1, 1, 1}, kBytes},
               {fold, {0, 0, 1, 1, 2, 2, 3, 3}, 2 * 3 * kBytes / 4},
               {fold, {0, 1, 0, 1, 0, 1, 0, 1}, 4 * kBytes},
               {scatter, {0, 0, 0, 0, 1, 1, 1, 1}, 4 * kBytes},
               {exchange, {0, 0, 1, 1, 2, 2, 3, 3}, 2 * 6 * kBytes},
               {permute, {0, 0, 1, 1, 1, 1, 1, 1}, kBytes},
               {shift, {0, 0, 0, 1, 1, 1, 1, 1}, kBytes},
               // Each of four processes sends its numbers, padded, and a row to each of four others.
               {rows, {0, 0, 0, 0, 1, 1, 1, 1}, 4 * (4 * 64 + 4 * padded)}};
  for (const auto &[call, spread, fromFirst] : cases) {
    SpreadGrid grid(spread);
    resultsOf(grid, {call});
    EXPECT_EQ(grid.bytesFrom(0), fromFirst) << call.target << " of " << testing::PrintToString(spread);
  }
}

// Shows one number to all.
Status meetAll(const RunOptions &options, const Purpose &purpose) {
  Numbers members(static_cast<size_t>(options.numPartitions));
  std::iota(members.begin(), members.end(), 0);
  int64_t mine = options.process();
  auto read = [](std::span<const Rendezvous::Part>) { return Status(); };
  return options.rendezvous->meet(members, options.process(), {.purpose = &purpose, .content = &mine, .copied = 8},
                                  read, options.wait);
}

TEST(OtherProcesses, MustDoTheSame) {
  SpreadGrid grid({0, 0, 1, 1});
  Purpose sum("all_reduce of f32[2]", "train.py:31"), gather("all_gather of f32[2]", "train.py:7");
  auto outcomes =
      grid.run([&](const RunOptions &options) { return meetAll(options, options.process() < 2 ? sum : gather); });
  EXPECT_THAT(messagesOf(outcomes),
              Each(AllOf(HasSubstr("processes do different things"), HasSubstr("all_reduce of f32[2] at train.py:31"),
                         HasSubstr("all_gather of f32[2] at train.py:7"))));
}

TEST(OtherProcesses, MustRunTheSameProgram) {
  SpreadGrid grid({0, 1}, {" of program 'step' (1a)", " of program 'step' (2b)"});
  Purpose sum("all_reduce of f32[2]");
  auto outcomes = grid.run([&](const RunOptions &options) { return meetAll(options, sum); });
  EXPECT_THAT(messagesOf(outcomes), Each(AllOf(HasSubstr("'step' (1a)"), HasSubstr("'step' (2b)"))));
}

TEST(OtherProcesses, LearnThatOneHasFailed) {
  SpreadGrid grid({0, 0, 1, 1});
  Purpose sum("all_reduce of f32[2]");
  auto outcomes = grid.run([&](const RunOptions &options) {
    return options.process() == 3 ? invalidArgument("no such number") : meetAll(options, sum);
  });
  EXPECT_THAT(messagesOf(outcomes), Each(HasSubstr("no such number")));
}

TEST(OtherProcesses, AreNotWaitedForWhereThoseHereWaitForEachOther) {
  SpreadGrid grid({0, 0, 1});
  Purpose sum("sum");
  auto outcomes = grid.run([&](const RunOptions &options) -> Status {
    if (options.process() == 2)
      return {};
    Numbers members = options.process() == 0 ? Numbers{0, 1, 2} : Numbers{1, 0};
    return options.rendezvous->meet(members, options.process(), {&sum, &sum, 1},
                                    [](std::span<const Rendezvous::Part>) { return Status(); });
  });
  EXPECT_THAT(outcomes[0].message(), HasSubstr("all processes wait for each other"));
  EXPECT_THAT(outcomes[1].message(), HasSubstr("all processes wait for each other"));
}

TEST(OtherProcesses, CannotReadWhatNobodyDescribes) {
  SpreadGrid grid({0, 1});
  Purpose sum("sum");
  auto outcomes = grid.run([&](const RunOptions &options) {
    const int64_t members[] = {0, 1};
    return options.rendezvous->meet(members, options.process(), {.purpose = &sum, .content = &sum},
                                    [](std::span<const Rendezvous::Part>) { return Status(); });
  });
  EXPECT_THAT(messagesOf(outcomes), Each(HasSubstr("must say what they send")));
}

} // namespace
} // namespace tenon::runtime
