#include "tenon/aot/glue.h"

#include "tenon/aot/abi_functions.h"
#include "tenon/aot/runtime_calls.h"
#include "tenon/aot/text.h"
#include "tenon/aot/weights_check.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tenon::aot {
namespace {

constexpr int64_t kAlignment = 64;

// @start does a run; the public functions name its threads. $WEIGHTS and $PASS are there where weights are external.
constexpr const char *kRun = R"(
define internal i32 @start(ptr %arguments, ptr %results, $WEIGHTSptr %arena, ptr %threads) {
  %address = ptrtoint ptr %arena to i64
  %low = and i64 %address, 63
  %misaligned = icmp ne i64 %low, 0
  %missing = icmp eq ptr %arena, null
  %bad = or i1 %misaligned, %missing
  br i1 %bad, label %bad.arena, label %good.arena
bad.arena:
  ret i32 2
good.arena:
  %scratch = getelementptr i8, ptr %arena, i64 $SCRATCH
  %memory = getelementptr i8, ptr %arena, i64 $ARENA
  %stop.at = getelementptr %Context, ptr %arena, i32 0, i32 1
  %scratch.at = getelementptr %Context, ptr %arena, i32 0, i32 2
  %stride.at = getelementptr %Context, ptr %arena, i32 0, i32 3
  %threads.at = getelementptr %Context, ptr %arena, i32 0, i32 4
  %message.at = getelementptr %Context, ptr %arena, i32 0, i32 5
  store ptr null, ptr %arena
  store i32 0, ptr %stop.at
  store ptr %scratch, ptr %scratch.at
  store i64 $STRIDE, ptr %stride.at, align 8
  store ptr %threads, ptr %threads.at
  store ptr null, ptr %message.at
  $REQUEST
  $CONSTANTS
  %code = call i32 @$ENTRY(ptr %arena, ptr $ARGUMENTS, ptr %results, ptr %memory, ptr $TABLE)
  %failed = icmp ne i32 %code, 0
  %result = zext i1 %failed to i32
  ret i32 %result
}
declare i32 @$ENTRY(ptr, ptr, ptr, ptr, ptr)
define i32 @$NAME_run(ptr %arguments, ptr %results, $WEIGHTSptr %arena) {
  %code = call i32 @start(ptr %arguments, ptr %results, $PASSptr %arena, ptr null)
  ret i32 %code
}
define i32 @$NAME_run_parallel(ptr %arguments, ptr %results, $WEIGHTSptr %arena, ptr %threads) {
  %code = call i32 @start(ptr %arguments, ptr %results, $PASSptr %arena, ptr %threads)
  ret i32 %code
}
@nothing = private constant [1 x i8] zeroinitializer
define ptr @$NAME_error(ptr %arena) {
  %at = getelementptr %Context, ptr %arena, i32 0, i32 5
  %message = load ptr, ptr %at
  %none = icmp eq ptr %message, null
  %text = select i1 %none, ptr @nothing, ptr %message
  ret ptr %text
}
define $SIZE @$NAME_arena_bytes(i32 %threads) {
  %some = icmp sgt i32 %threads, 1
  %number = select i1 %some, i32 %threads, i32 1
  %wide = zext i32 %number to i64
  %scratch = mul i64 %wide, $STRIDE
  %bytes = add i64 %scratch, $SCRATCH
  $RETURN_SIZE
}
@$NAME_fingerprint = constant [$FINGERPRINT_BYTES x i8] c"$FINGERPRINT\00"
)";

// Where kernels use AMX: asks the system for its registers, which the process then has for good.
constexpr const char *kRequest = R"(%tiles.error = call i64 @tenon_request_tiles()
  %tiles.refused = icmp ne i64 %tiles.error, 0
  br i1 %tiles.refused, label %no.tiles, label %tiles
no.tiles:
  store ptr @refused, ptr %message.at
  ret i32 1
tiles:)";
constexpr const char *kRefused = R"(
declare i64 @tenon_request_tiles()
@refused = private constant [57 x i8] c"the system does not let this process use AMX's registers\00"
)";

// Looks whether the weights are those of this model, by their first bytes.
constexpr const char *kWeightsCheck = R"(%weights.address = ptrtoint ptr %weights to i64
  %weights.low = and i64 %weights.address, 63
  %weights.misaligned = icmp ne i64 %weights.low, 0
  %weights.missing = icmp eq ptr %weights, null
  %weights.unusable = or i1 %weights.misaligned, %weights.missing
  br i1 %weights.unusable, label %bad.weights, label %check
bad.weights:
  ret i32 3
check:
  %difference = call i32 @memcmp(ptr %weights, ptr @weights.header, $SIZE $HEAD)
  %other = icmp ne i32 %difference, 0
  br i1 %other, label %bad.weights, label %good.weights
good.weights:
  )";

// Fills the table of constants in the arena.
constexpr const char *kExternalTable = R"(br label %fill.start
fill.start:
  %table = getelementptr i8, ptr %arena, i64 $TABLE_OFFSET
  br label %fill
fill:
  %i = phi i64 [ 0, %fill.start ], [ %next, %fill ]
  %offset.at = getelementptr i64, ptr @offsets, i64 %i
  %offset = load i64, ptr %offset.at, align 8
  %constant = getelementptr i8, ptr %weights, i64 %offset
  %entry.at = getelementptr ptr, ptr %table, i64 %i
  store ptr %constant, ptr %entry.at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, $COUNT
  br i1 %more, label %fill, label %filled
filled:
  )";

// Fills the table of arguments in the arena: @bound has for each its place in the weights or, as -1 - i, that it is
// number i of the caller's.
constexpr const char *kBoundArguments = R"(br label %bind.start
bind.start:
  %bound = getelementptr i8, ptr %arena, i64 $BOUND_OFFSET
  br label %bind
bind:
  %j = phi i64 [ 0, %bind.start ], [ %j.next, %bind.on ]
  %place.at = getelementptr i64, ptr @bound, i64 %j
  %place = load i64, ptr %place.at, align 8
  %isGiven = icmp slt i64 %place, 0
  br i1 %isGiven, label %bind.given, label %bind.stored
bind.given:
  %number = sub i64 -1, %place
  %given.at = getelementptr ptr, ptr %arguments, i64 %number
  %given = load ptr, ptr %given.at
  br label %bind.on
bind.stored:
  %stored = getelementptr i8, ptr %weights, i64 %place
  br label %bind.on
bind.on:
  %argument = phi ptr [ %given, %bind.given ], [ %stored, %bind.stored ]
  %argument.at = getelementptr ptr, ptr %bound, i64 %j
  store ptr %argument, ptr %argument.at
  %j.next = add i64 %j, 1
  %isOpen = icmp ult i64 %j.next, $ARGUMENT_COUNT
  br i1 %isOpen, label %bind, label %bind.done
bind.done:
  )";

std::string numbersText(const std::vector<int64_t> &offsets) {
  std::string text;
  for (int64_t offset : offsets)
    text += (text.empty() ? "i64 " : ", i64 ") + std::to_string(offset);
  return text;
}

// What kBoundArguments takes: those that the caller gives are numbered in their order.
std::vector<int64_t> placesOf(const std::vector<int64_t> &bound) {
  std::vector<int64_t> places;
  int64_t given = 0;
  for (int64_t offset : bound)
    places.push_back(offset >= 0 ? offset : -1 - given++);
  return places;
}

std::string tableText(const std::vector<int64_t> &offsets, const std::string &symbol) {
  std::string text;
  for (int64_t offset : offsets)
    text += std::string(text.empty() ? "" : ", ") + "ptr getelementptr (i8, ptr @" + symbol + ", i64 " +
            std::to_string(offset) + ")";
  return text;
}

} // namespace

ArenaPlan planArena(const program::Program &program, bool externalWeights, bool bindsArguments) {
  ArenaPlan plan;
  bool mayFail = llvm::any_of(program.runtimeCalls, isAssertion) || llvm::any_of(program.runtimeCalls, isLapack);
  plan.tableOffset = kContextBytes + (mayFail ? kMessageBytes : 0);
  int64_t table = externalWeights ? int64_t(program.constants.size()) * 8 : 0;
  plan.boundOffset = plan.tableOffset + table;
  int64_t bound = bindsArguments ? int64_t(program.arguments.size()) * 8 : 0;
  plan.arenaOffset = plan.tableOffset + int64_t(llvm::alignTo(uint64_t(table + bound), kAlignment));
  plan.scratchOffset = plan.arenaOffset + int64_t(llvm::alignTo(uint64_t(program.arenaBytes), kAlignment));
  plan.scratchStride = int64_t(llvm::alignTo(uint64_t(cpuCode(program).scratchBytes), kAlignment));
  return plan;
}

StatusOr<std::string> glueText(const program::Program &program, const ArenaPlan &arena,
                               const std::vector<int64_t> &offsets, const GlueOptions &options) {
  std::string text = contextType();
  if (!program.runtimeCalls.empty()) {
    TENON_ASSIGN_OR_RETURN(std::string calls, runtimeCallsText(program));
    text += calls;
  }
  std::string count = std::to_string(offsets.size()), size = options.is32Bit ? "i32" : "i64";
  std::string tables, table = "null", arguments = "%arguments";
  if (options.weightsFile) {
    const WeightsFacts &file = *options.weightsFile;
    std::string head = std::to_string(file.head.size());
    text += "@weights.header = private constant [" + head + " x i8] c\"" + escaped(file.head) + "\"\n" +
            "declare i32 @memcmp(ptr, ptr, " + size + ")\n" + weightsCheckText(options.name, file, options.is32Bit);
    if (!options.bound.empty() || (options.externalWeights && !offsets.empty()))
      tables = fillIn(kWeightsCheck, {{"$HEAD", head}});
  }
  if (!offsets.empty() && options.externalWeights) {
    text += "@offsets = private constant [" + count + " x i64] [" + numbersText(offsets) + "]\n";
    tables += fillIn(kExternalTable, {{"$TABLE_OFFSET", std::to_string(arena.tableOffset)}, {"$COUNT", count}});
    table = "%table";
  } else if (!offsets.empty()) {
    text += "@" + options.weightsSymbol + " = external hidden constant i8\n" + "@constants = private constant [" +
            count + " x ptr] [" + tableText(offsets, options.weightsSymbol) + "]\n";
    table = "@constants";
  }
  if (!options.bound.empty()) {
    std::string bound = std::to_string(options.bound.size());
    text += "@bound = private constant [" + bound + " x i64] [" + numbersText(placesOf(options.bound)) + "]\n";
    tables +=
        fillIn(kBoundArguments, {{"$BOUND_OFFSET", std::to_string(arena.boundOffset)}, {"$ARGUMENT_COUNT", bound}});
    arguments = "%bound";
  }
  if (options.usesTiles)
    text += kRefused;
  return text + fillIn(kRun, {{"$WEIGHTS", options.weightsFile ? "ptr %weights, " : ""},
                              {"$PASS", options.weightsFile ? "ptr %weights, " : ""},
                              {"$SCRATCH", std::to_string(arena.scratchOffset)},
                              {"$ARENA", std::to_string(arena.arenaOffset)},
                              {"$STRIDE", std::to_string(arena.scratchStride)},
                              {"$REQUEST", options.usesTiles ? kRequest : ""},
                              {"$CONSTANTS", tables},
                              {"$ENTRY", cpuCode(program).entrySymbol},
                              {"$TABLE", table},
                              {"$ARGUMENTS", arguments},
                              {"$RETURN_SIZE",
                               options.is32Bit ? "%size = trunc i64 %bytes to i32\n  ret i32 %size" : "ret i64 %bytes"},
                              {"$SIZE", size},
                              {"$NAME", options.name},
                              {"$FINGERPRINT_BYTES", std::to_string(options.fingerprint.size() + 1)},
                              {"$FINGERPRINT", options.fingerprint}});
}

std::vector<std::string> publicSymbols(const std::string &name) {
  return {name + "_run",         name + "_run_parallel", name + "_error",
          name + "_arena_bytes", name + "_fingerprint",  name + "_check_weights"};
}

} // namespace tenon::aot
