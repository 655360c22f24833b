#include "tenon/runtime/jit/loader.h"
#include "tenon/runtime/jit/test/loader_testing.h"
#include "tenon/support/tile_permission.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

namespace tenon::runtime {
namespace {

using program::ElementType;
using program::Program;
using testing::HasSubstr;

// Triples through the workers, then copies the arena to the result.
const char *entryText = R"(
declare void @triple(ptr, i64, i64, ptr)
declare void @tenon_parallel_for(ptr, ptr, ptr, i64, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i32 @tenon_main(ptr %context, ptr %arguments, ptr %results, ptr %arena, ptr %constants) {
  %buffers = alloca [2 x ptr]
  %x = load ptr, ptr %arguments
  %out = load ptr, ptr %results
  store ptr %x, ptr %buffers
  %slot = getelementptr ptr, ptr %buffers, i64 1
  store ptr %arena, ptr %slot
  call void @tenon_parallel_for(ptr %context, ptr @triple, ptr %buffers, i64 5000, i32 0)
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %arena, i64 20000, i1 false)
  ret i32 0
}
)";

Program tripleProgram() {
  Program program;
  program.name = "triple";
  cpuCode(program).entrySymbol = "tenon_main";
  program.arguments.emplace_back().shape = {ElementType::kF32, {5000}};
  program.results.emplace_back().shape = {ElementType::kF32, {5000}};
  program.arenaBytes = 20000;
  static const auto *objects =
      new std::vector<program::ObjectCode>{assemble("entry", entryText), assemble("kernel", kernelText)};
  cpuCode(program).objects = *objects;
  return program;
}

void expectTriples(LoadedProgram &program) {
  std::vector<float> in(5000), out(5000);
  for (int i = 0; i < 5000; ++i)
    in[i] = float(i);
  const void *arguments[] = {in.data()};
  void *results[] = {out.data()};
  Status status = program.run(arguments, results);
  ASSERT_TRUE(status.ok()) << status.message();
  for (int i = 0; i < 5000; ++i)
    ASSERT_EQ(out[i], 3.0f * float(i));
}

TEST(Loader, LinksObjectsThatCallEachOther) {
  auto loaded = loadProgram(tripleProgram());
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  expectTriples(**loaded);
  EXPECT_TRUE(cpuCode((*loaded)->program()).objects[0].bytes.empty());
}

TEST(Loader, KeepsObjectsWhenAsked) {
  LoadOptions options;
  options.keepObjects = true;
  auto loaded = loadProgram(tripleProgram(), options);
  ASSERT_TRUE(loaded.ok());
  auto again = loadProgram((*loaded)->program());
  ASSERT_TRUE(again.ok());
  expectTriples(**again);
}

TEST(Loader, ConcurrentLoadsAndRuns) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 10; ++i) {
        auto loaded = loadProgram(tripleProgram());
        ASSERT_TRUE(loaded.ok());
        expectTriples(**loaded);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Loader, UnresolvedSymbolsAreErrors) {
  Program program = tripleProgram();
  cpuCode(program).objects.pop_back();
  auto loaded = loadProgram(std::move(program));
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.status().message(), HasSubstr("refers to 'triple', which the runtime does not provide"));

  // Functions of the process do not resolve.
  program = tripleProgram();
  cpuCode(program).objects.push_back(assemble("evil", "declare i32 @system(ptr)\ndefine i32 @f(ptr %p) {\n"
                                                      "%r = call i32 @system(ptr %p)\nret i32 %r\n}\n"));
  loaded = loadProgram(std::move(program));
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.status().message(), HasSubstr("'system'"));
}

TEST(Loader, BadProgramsAreErrors) {
  Program program = tripleProgram();
  cpuCode(program).entrySymbol = "nowhere";
  auto loaded = loadProgram(program);
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.status().message(), HasSubstr("does not define its entry 'nowhere'"));

  program = tripleProgram();
  cpuCode(program).objects.push_back(cpuCode(program).objects.back());
  loaded = loadProgram(program);
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.status().message(), HasSubstr("defined twice"));

  program = tripleProgram();
  cpuCode(program).objects[0].bytes.resize(100);
  EXPECT_FALSE(loadProgram(program).ok());
  cpuCode(program).objects[0].bytes = "not an object";
  EXPECT_FALSE(loadProgram(program).ok());
}

TEST(Loader, RefusesOtherMachines) {
  Program program = tripleProgram();
  cpuCode(program).triple = llvm::sys::getProcessTriple();
  EXPECT_TRUE(loadProgram(program).ok());
  cpuCode(program).triple = "riscv64-unknown-linux-gnu";
  auto loaded = loadProgram(program);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code(), StatusCode::kFailedPrecondition);

  // A feature that is always absent here: one that the host reports as missing.
  cpuCode(program).triple = "";
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    cpuCode(program).features = "-" + feature.first().str();
    EXPECT_TRUE(loadProgram(program).ok()) << cpuCode(program).features;
    cpuCode(program).features = "+" + feature.first().str();
    bool isUsable = feature.second && (!feature.first().starts_with("amx-") || mayUseTiles());
    EXPECT_EQ(loadProgram(program).ok(), isUsable) << cpuCode(program).features;
  }
}

TEST(Loader, UnloadingFreesTheMapping) {
  auto mappedKilobytes = [] {
    std::ifstream file("/proc/self/statm");
    long pages = 0;
    file >> pages;
    return pages * 4;
  };
  {
    auto warm = loadProgram(tripleProgram());
  }
  long before = mappedKilobytes();
  for (int i = 0; i < 200; ++i)
    ASSERT_TRUE(loadProgram(tripleProgram()).ok());
  EXPECT_LT(mappedKilobytes() - before, 4000);
}

// Globals: data that is written, data that is zero, and addresses in data.
TEST(Loader, LinksData) {
  Program program;
  cpuCode(program).entrySymbol = "tenon_main";
  program.results.emplace_back().shape = {ElementType::kI32, {4}};
  cpuCode(program).objects.push_back(assemble("data", R"(
@counter = internal global i32 40
@zero = internal global [1000 x i32] zeroinitializer
@table = internal constant [2 x ptr] [ptr @counter, ptr @zero]
@value = private unnamed_addr constant i32 7
define i32 @tenon_main(ptr %context, ptr %arguments, ptr %results, ptr %arena, ptr %constants) {
  %out = load ptr, ptr %results
  %c = load volatile ptr, ptr @table
  %old = load i32, ptr %c
  %new = add i32 %old, 2
  store i32 %new, ptr %c
  store i32 %new, ptr %out
  %slot = getelementptr [2 x ptr], ptr @table, i64 0, i64 1
  %z = load volatile ptr, ptr %slot
  %last = getelementptr i32, ptr %z, i64 999
  %zv = load i32, ptr %last
  %out1 = getelementptr i32, ptr %out, i64 1
  store i32 %zv, ptr %out1
  %v = load volatile i32, ptr @value
  %out2 = getelementptr i32, ptr %out, i64 2
  store i32 %v, ptr %out2
  %out3 = getelementptr i32, ptr %out, i64 3
  store i32 0, ptr %out3
  ret i32 0
}
)"));
  auto loaded = loadProgram(std::move(program));
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  int32_t out[4] = {-1, -1, -1, -1};
  void *results[] = {out};
  ASSERT_TRUE((*loaded)->run({}, results).ok());
  EXPECT_THAT(out, testing::ElementsAre(42, 0, 7, 0));
}

// It has no end of its own: what ends it is that the loader sees the call.
TEST(Loader, LoopsThatAskEndAtTheDeadline) {
  Program program;
  cpuCode(program).entrySymbol = "tenon_main";
  cpuCode(program).objects.push_back(assemble("endless", R"(
declare i32 @tenon_stopped()
define i32 @tenon_main(ptr %context, ptr %arguments, ptr %results, ptr %arena, ptr %constants) {
  br label %loop
loop:
  %stopped = call i32 @tenon_stopped()
  %ends = icmp ne i32 %stopped, 0
  br i1 %ends, label %end, label %loop
end:
  ret i32 1
}
)"));
  auto loaded = loadProgram(std::move(program));
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  RunOptions options;
  options.wait.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  EXPECT_EQ((*loaded)->run({}, {}, options).code(), StatusCode::kDeadlineExceeded);
}

} // namespace
} // namespace tenon::runtime
