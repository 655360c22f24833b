#include "tenon/aot/glue.h"

#include "tenon/aot/glue_compiler.h"
#include "tenon/program/attributes.h"
#include "tenon/program/serialization.h"
#include "tenon/runtime/core/abi.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/cpu/library.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <map>
#include <set>

namespace tenon::aot {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kContextBytes = 64;
constexpr int64_t kMessageBytes = 256; // behind the context, where the program has what may fail

// The functions of abi.h as one thread's program needs them, each under its name. A context is where the arena begins;
// its first members say whether the run is traced, and whether it is to stop: never.
//
// %Context: trace, stop, scratch memory of the first worker, bytes from one worker's to the next, the caller's threads,
// the first error. %Threads is the header's TenonThreads.
constexpr const char *kTypes = R"(
%Context = type { ptr, i64, ptr, i64, ptr, ptr }
%Threads = type { ptr, i32 }
%Work = type { ptr, ptr, ptr, i64 }
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
)";

constexpr const char *kParallelFor = R"(
define void @tenon_parallel_for(ptr %context, ptr %kernel, ptr %buffers, i64 %extent) {
  %work = alloca %Work, align 8
  %scratch.at = getelementptr %Context, ptr %context, i32 0, i32 2
  %scratch = load ptr, ptr %scratch.at, align 8
  %threads.at = getelementptr %Context, ptr %context, i32 0, i32 4
  %threads = load ptr, ptr %threads.at, align 8
  %alone = icmp eq ptr %threads, null
  br i1 %alone, label %here, label %spread
here:
  call void %kernel(ptr %buffers, i64 0, i64 %extent, ptr %scratch)
  ret void
spread:
  %stride.at = getelementptr %Context, ptr %context, i32 0, i32 3
  %stride = load i64, ptr %stride.at, align 8
  %buffers.at = getelementptr %Work, ptr %work, i32 0, i32 1
  %work.scratch = getelementptr %Work, ptr %work, i32 0, i32 2
  %work.stride = getelementptr %Work, ptr %work, i32 0, i32 3
  store ptr %kernel, ptr %work, align 8
  store ptr %buffers, ptr %buffers.at, align 8
  store ptr %scratch, ptr %work.scratch, align 8
  store i64 %stride, ptr %work.stride, align 8
  %run = load ptr, ptr %threads, align 8
  call void %run(ptr %threads, ptr @task, ptr %work, i64 %extent)
  ret void
}
define internal void @task(ptr %work, i64 %begin, i64 %end, i32 %worker) {
  %kernel = load ptr, ptr %work, align 8
  %buffers.at = getelementptr %Work, ptr %work, i32 0, i32 1
  %buffers = load ptr, ptr %buffers.at, align 8
  %scratch.at = getelementptr %Work, ptr %work, i32 0, i32 2
  %scratch = load ptr, ptr %scratch.at, align 8
  %stride.at = getelementptr %Work, ptr %work, i32 0, i32 3
  %stride = load i64, ptr %stride.at, align 8
  %number = sext i32 %worker to i64
  %offset = mul i64 %number, %stride
  %own = getelementptr i8, ptr %scratch, i64 %offset
  call void %kernel(ptr %buffers, i64 %begin, i64 %end, ptr %own)
  ret void
}
)";

// No run is traced.
constexpr const char *kCallKernel = R"(
define void @tenon_call_kernel(ptr %context, i32 %call, ptr %kernel, ptr %buffers, i64 %extent, i32 %parallel) {
  %isParallel = icmp ne i32 %parallel, 0
  br i1 %isParallel, label %spread, label %here
spread:
  call void @tenon_parallel_for(ptr %context, ptr %kernel, ptr %buffers, i64 %extent)
  ret void
here:
  %at = getelementptr %Context, ptr %context, i32 0, i32 2
  %scratch = load ptr, ptr %at, align 8
  call void %kernel(ptr %buffers, i64 0, i64 %extent, ptr %scratch)
  ret void
}
)";

// %Call is a TenonKernelCall.
constexpr const char *kCallKernels = R"(
%Call = type { ptr, i64, i32, i32, i64 }
define void @tenon_call_kernels(ptr %context, ptr %calls, i64 %count, ptr %places, ptr %bases, ptr %buffers) {
start:
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %i.after, %call ]
  %first = phi ptr [ %places, %start ], [ %first.after, %call ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %done
one:
  %number.at = getelementptr %Call, ptr %calls, i64 %i, i32 4
  %number = load i64, ptr %number.at, align 8
  br label %fill
fill:
  %j = phi i64 [ 0, %one ], [ %j.after, %found ]
  %isOpen = icmp slt i64 %j, %number
  br i1 %isOpen, label %find, label %call
find:
  %place.at = getelementptr i64, ptr %first, i64 %j
  %place = load i64, ptr %place.at, align 8
  %kind = and i64 %place, 7
  %index = ashr i64 %place, 3
  %base.at = getelementptr ptr, ptr %bases, i64 %kind
  %base = load ptr, ptr %base.at, align 8
  %isArena = icmp eq i64 %kind, 0
  br i1 %isArena, label %inside, label %listed
inside:
  %byte = getelementptr i8, ptr %base, i64 %index
  br label %found
listed:
  %entry.at = getelementptr ptr, ptr %base, i64 %index
  %entry = load ptr, ptr %entry.at, align 8
  br label %found
found:
  %buffer = phi ptr [ %byte, %inside ], [ %entry, %listed ]
  %buffer.at = getelementptr ptr, ptr %buffers, i64 %j
  store ptr %buffer, ptr %buffer.at, align 8
  %j.after = add i64 %j, 1
  br label %fill
call:
  %kernel.at = getelementptr %Call, ptr %calls, i64 %i, i32 0
  %kernel = load ptr, ptr %kernel.at, align 8
  %extent.at = getelementptr %Call, ptr %calls, i64 %i, i32 1
  %extent = load i64, ptr %extent.at, align 8
  %parallel.at = getelementptr %Call, ptr %calls, i64 %i, i32 3
  %parallel = load i32, ptr %parallel.at, align 4
  call void @tenon_call_kernel(ptr %context, i32 0, ptr %kernel, ptr %buffers, i64 %extent, i32 %parallel)
  %first.after = getelementptr i64, ptr %first, i64 %number
  %i.after = add i64 %i, 1
  br label %next
done:
  ret void
}
)";

constexpr const char *kCopy = R"(
define void @tenon_copy(ptr %context, ptr %to, ptr %from, i64 %bytes) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %bytes, i1 false)
  ret void
}
)";

constexpr const char *kScratch = R"(
define ptr @tenon_scratch(ptr %context) {
  %at = getelementptr %Context, ptr %context, i32 0, i32 2
  %scratch = load ptr, ptr %at, align 8
  ret ptr %scratch
}
)";

constexpr const char *kStopped = R"(
define i32 @tenon_stopped() {
  ret i32 0
}
)";

constexpr const char *kFail = R"(
@failed = private constant [19 x i8] c"the program failed\00"
define void @tenon_fail(ptr %context, ptr %message) {
  %at = getelementptr %Context, ptr %context, i32 0, i32 5
  %before = load ptr, ptr %at, align 8
  %isFirst = icmp eq ptr %before, null
  br i1 %isFirst, label %set, label %done
set:
  %isSilent = icmp eq ptr %message, null
  %text = select i1 %isSilent, ptr @failed, ptr %message
  store ptr %text, ptr %at, align 8
  br label %done
done:
  ret void
}
)";

constexpr const char *kTiles = "tenon_tile_configuration";

// Linux's number of arch_prctl, of ARCH_REQ_XCOMP_PERM, and of the state of AMX's tile registers (XFEATURE_XTILEDATA).
constexpr const char *kTileConfiguration = R"(
@tenon_tile_configuration = constant [64 x i8] c"$TILES", align 64
@refused = private constant [57 x i8] c"the system does not let this process use AMX's registers\00"
define internal i64 @request_tiles() {
  %error = call i64 asm sideeffect "syscall", "={rax},{rax},{rdi},{rsi},~{rcx},~{r11},~{memory}"(i64 158, i64 4131, i64 18)
  ret i64 %error
}
)";

const std::map<std::string, const char *> &abiFunctions() {
  static const std::map<std::string, const char *> functions = {
      {"tenon_parallel_for", kParallelFor}, {"tenon_call_kernel", kCallKernel},
      {"tenon_call_kernels", kCallKernels}, {"tenon_copy", kCopy},
      {"tenon_scratch", kScratch},          {"tenon_fail", kFail},
      {"tenon_stopped", kStopped},          {kTiles, kTileConfiguration},
  };
  return functions;
}

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
  store ptr null, ptr %arena, align 8
  store i64 0, ptr %stop.at, align 8
  store ptr %scratch, ptr %scratch.at, align 8
  store i64 $STRIDE, ptr %stride.at, align 8
  store ptr %threads, ptr %threads.at, align 8
  store ptr null, ptr %message.at, align 8
  $REQUEST
  $CONSTANTS
  %code = call i32 @$ENTRY(ptr %arena, ptr %arguments, ptr %results, ptr %memory, ptr $TABLE)
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
  %message = load ptr, ptr %at, align 8
  %none = icmp eq ptr %message, null
  %text = select i1 %none, ptr @nothing, ptr %message
  ret ptr %text
}
define i64 @$NAME_arena_bytes(i32 %threads) {
  %some = icmp sgt i32 %threads, 1
  %number = select i1 %some, i32 %threads, i32 1
  %wide = zext i32 %number to i64
  %scratch = mul i64 %wide, $STRIDE
  %bytes = add i64 %scratch, $SCRATCH
  ret i64 %bytes
}
@$NAME_fingerprint = constant [$FINGERPRINT_BYTES x i8] c"$FINGERPRINT\00"
)";

// Where kernels use AMX: asks the system for its registers, which the process then has for good.
constexpr const char *kRequest = R"(%tiles.error = call i64 @request_tiles()
  %tiles.refused = icmp ne i64 %tiles.error, 0
  br i1 %tiles.refused, label %no.tiles, label %tiles
no.tiles:
  store ptr @refused, ptr %message.at, align 8
  ret i32 1
tiles:)";

// Fills the table of constants in the arena, once the weights are known to be this model's.
constexpr const char *kExternalTable = R"(%weights.address = ptrtoint ptr %weights to i64
  %weights.low = and i64 %weights.address, 63
  %weights.misaligned = icmp ne i64 %weights.low, 0
  %weights.missing = icmp eq ptr %weights, null
  %weights.unusable = or i1 %weights.misaligned, %weights.missing
  br i1 %weights.unusable, label %bad.weights, label %check
bad.weights:
  ret i32 3
check:
  %difference = call i32 @memcmp(ptr %weights, ptr @weights.header, i64 64)
  %other = icmp ne i32 %difference, 0
  br i1 %other, label %bad.weights, label %good.weights
good.weights:
  %table = getelementptr i8, ptr %arena, i64 $TABLE_OFFSET
  br label %fill
fill:
  %i = phi i64 [ 0, %good.weights ], [ %next, %fill ]
  %offset.at = getelementptr i64, ptr @offsets, i64 %i
  %offset = load i64, ptr %offset.at, align 8
  %constant = getelementptr i8, ptr %weights, i64 %offset
  %entry.at = getelementptr ptr, ptr %table, i64 %i
  store ptr %constant, ptr %entry.at, align 8
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, $COUNT
  br i1 %more, label %fill, label %filled
filled:)";

// A string in LLVM's form, without the quotes.
std::string escaped(std::string_view bytes) {
  static const char digits[] = "0123456789ABCDEF";
  std::string text;
  for (unsigned char c : bytes) {
    text += '\\';
    text += digits[c >> 4];
    text += digits[c & 15];
  }
  return text;
}

// tenon_runtime_call, with a block for each runtime call.
class RuntimeCalls {
public:
  Status add(const program::RuntimeCall &runtimeCall) {
    number_ = std::to_string(count_++);
    cases_ += " i32 " + number_ + ", label %call" + number_;
    blocks_ += "call" + number_ + ":\n";
    if (isLapack(runtimeCall))
      addLapackCall(runtimeCall);
    else if (runtimeCall.kind == program::RuntimeCall::Kind::kCustomCall)
      addCustomCall(runtimeCall);
    else if (isRunSeed(runtimeCall))
      addRunSeed();
    else
      return addAssertion(runtimeCall);
    return {};
  }

  std::string text() const {
    return "define i32 @tenon_runtime_call(ptr %context, i32 %call, ptr %operands, ptr %results) {\n"
           "  switch i32 %call, label %none [" +
           cases_ + " ]\nnone:\n  unreachable\n" + blocks_ + "}\n" + globals_;
  }

private:
  // The value of this name in the block of this runtime call.
  std::string local(const std::string &name) const { return "%s" + number_ + "." + name; }

  std::string loadPointer(const std::string &name, const char *table, int64_t index) {
    blocks_ += "  " + local(name) + ".at = getelementptr ptr, ptr " + table + ", i64 " + std::to_string(index) + "\n";
    blocks_ += "  " + local(name) + " = load ptr, ptr " + local(name) + ".at, align 8\n";
    return local(name);
  }

  void declare(const std::string &symbol, const std::string &declaration) {
    if (declared_.insert(symbol).second)
      globals_ += declaration;
  }

  // A C function, `void fn(void *out, const void **in)`. `out` is the result or, of calls with none, several, or a
  // tuple for their result, the table of results.
  void addCustomCall(const program::RuntimeCall &runtimeCall) {
    for (auto [result, operand] : runtimeCall.aliases) {
      std::string suffix = std::to_string(operand);
      std::string to = loadPointer("to" + suffix, "%results", result);
      std::string from = loadPointer("from" + suffix, "%operands", operand);
      blocks_ += "  call void @llvm.memcpy.p0.p0.i64(ptr " + to + ", ptr " + from + ", i64 " +
                 std::to_string(runtimeCall.operands[size_t(operand)].byteSize()) + ", i1 false)\n";
      blocks_ += "  store ptr " + to + ", ptr " + from + ".at, align 8\n";
    }
    bool isOneResult = runtimeCall.results.size() == 1 && !runtimeCall.isTupleResult;
    std::string out = isOneResult ? loadPointer("out", "%results", 0) : "%results";
    blocks_ += "  call void @" + runtimeCall.target + "(ptr " + out + ", ptr %operands)\n  ret i32 0\n";
    declare(runtimeCall.target, "declare void @" + runtimeCall.target + "(ptr, ptr)\n");
  }

  // The runtime call goes along as a program of its own.
  void addLapackCall(const program::RuntimeCall &runtimeCall) {
    program::Program program;
    program.runtimeCalls.push_back(runtimeCall);
    std::string bytes = program::serialize(program), size = std::to_string(bytes.size());
    globals_ += "@routine" + number_ + " = private constant [" + size + " x i8] c\"" + escaped(bytes) + "\"\n";
    declare(kLapackFunction, "declare i32 @" + std::string(kLapackFunction) + "(ptr, i64, ptr, ptr, ptr, i64)\n");
    blocks_ += messageSpace() + "  " + local("code") + " = call i32 @" + kLapackFunction + "(ptr @routine" + number_ +
               ", i64 " + size + ", ptr %operands, ptr %results, ptr " + local("text") + ", i64 " +
               std::to_string(kMessageBytes) + ")\n  " + local("failed") + " = icmp ne i32 " + local("code") +
               ", 0\n  br i1 " + local("failed") + ", label %fails" + number_ + ", label %holds" + number_ + "\nholds" +
               number_ + ":\n  ret i32 0\nfails" + number_ + ":\n" + failure();
  }

  // Where a message goes, and the end of a block that has written one.
  std::string messageSpace() const {
    return "  " + local("text") + " = getelementptr i8, ptr %context, i64 " + std::to_string(kContextBytes) + "\n";
  }
  std::string failure() const {
    return "  " + local("message") + " = getelementptr %Context, ptr %context, i32 0, i32 5\n  store ptr " +
           local("text") + ", ptr " + local("message") + ", align 8\n  ret i32 1\n";
  }

  // A run ahead of time has nobody who would give it a seed.
  void addRunSeed() {
    std::string seed = loadPointer("seed", "%results", 0);
    blocks_ += "  store i64 0, ptr " + seed + ", align 8\n  ret i32 0\n";
  }

  // Nothing, if its condition holds; otherwise the message, with the numbers that it names, goes to the arena.
  Status addAssertion(const program::RuntimeCall &runtimeCall) {
    StatusOr<std::string> given = program::stringAttribute(runtimeCall.attributes, "error_message");
    std::string message = runtimeCall.location + (runtimeCall.location.empty() ? "" : ": ") +
                          (given.ok() ? *given : "a shape assertion does not hold");
    std::string condition = loadPointer("condition", "%operands", 0);
    blocks_ += "  " + local("byte") + " = load i8, ptr " + condition + ", align 1\n  " + local("holds") +
               " = icmp ne i8 " + local("byte") + ", 0\n  br i1 " + local("holds") + ", label %holds" + number_ +
               ", label %fails" + number_ + "\nholds" + number_ + ":\n  ret i32 0\nfails" + number_ + ":\n";
    std::string values;
    for (size_t i = 1; i < runtimeCall.operands.size(); ++i) {
      program::ElementType type = runtimeCall.operands[i].type;
      std::string name = "value" + std::to_string(i - 1), bits = std::to_string(8 * program::byteSize(type));
      std::string pointer = loadPointer(name, "%operands", int64_t(i)), value = local(name + ".number");
      blocks_ += "  " + value + " = load i" + bits + ", ptr " + pointer + ", align 1\n";
      if (bits != "64") {
        bool isUnsigned = type == program::ElementType::kUI32;
        blocks_ += "  " + value + ".wide = " + (isUnsigned ? "zext" : "sext") + " i" + bits + " " + value + " to i64\n";
        value += ".wide";
      }
      values += ", i64 " + value;
    }
    std::string format = printfFormat(message, runtimeCall.operands.size() - 1);
    globals_ += "@format" + number_ + " = private constant [" + std::to_string(format.size() + 1) + " x i8] c\"" +
                escaped(format) + "\\00\"\n";
    declare("snprintf", "declare i32 @snprintf(ptr, i64, ptr, ...)\n");
    blocks_ += messageSpace() + "  call i32 (ptr, i64, ptr, ...) @snprintf(ptr " + local("text") + ", i64 " +
               std::to_string(kMessageBytes) + ", ptr @format" + number_ + values + ")\n" + failure();
    return {};
  }

  // Each "{N}" by a conversion of argument number N; what names none stays as it is.
  static std::string printfFormat(const std::string &message, size_t count) {
    std::vector<std::pair<std::string, std::string>> values = {{"%", "%%"}};
    for (size_t i = 0; i < count; ++i)
      values.emplace_back("{" + std::to_string(i) + "}", "%" + std::to_string(i + 1) + "$lld");
    return fillIn(message, values);
  }

  int count_ = 0;
  std::string number_, cases_, blocks_, globals_;
  std::set<std::string> declared_;
};

std::string offsetsText(const Weights &weights) {
  std::string text;
  for (int64_t offset : weights.offsets)
    text += (text.empty() ? "i64 " : ", i64 ") + std::to_string(offset);
  return text;
}

std::string tableText(const Weights &weights, const std::string &symbol) {
  std::string text;
  for (int64_t offset : weights.offsets)
    text += std::string(text.empty() ? "" : ", ") + "ptr getelementptr (i8, ptr @" + symbol + ", i64 " +
            std::to_string(offset) + ")";
  return text;
}

} // namespace

bool isAssertion(const program::RuntimeCall &runtimeCall) {
  return runtimeCall.kind == program::RuntimeCall::Kind::kLibrary && runtimeCall.target == "shape_assertion";
}

bool isLapack(const program::RuntimeCall &runtimeCall) {
  runtime::registerCpuLibrary();
  std::string_view target = runtimeCall.target;
  return runtimeCall.kind == program::RuntimeCall::Kind::kCustomCall && runtimeCall.apiVersion == 4 &&
         target.starts_with("lapack_") && runtime::isBuiltInCustomCall(target);
}

bool isRunSeed(const program::RuntimeCall &runtimeCall) {
  return runtimeCall.kind == program::RuntimeCall::Kind::kLibrary && runtimeCall.target == "run_seed";
}

ArenaPlan planArena(const program::Program &program, bool externalWeights) {
  ArenaPlan plan;
  bool mayFail = llvm::any_of(program.runtimeCalls, isAssertion) || llvm::any_of(program.runtimeCalls, isLapack);
  plan.tableOffset = kContextBytes + (mayFail ? kMessageBytes : 0);
  int64_t table = externalWeights ? int64_t(program.constants.size()) * 8 : 0;
  plan.arenaOffset = plan.tableOffset + int64_t(llvm::alignTo(uint64_t(table), kAlignment));
  plan.scratchOffset = plan.arenaOffset + int64_t(llvm::alignTo(uint64_t(program.arenaBytes), kAlignment));
  plan.scratchStride = int64_t(llvm::alignTo(uint64_t(cpuCode(program).scratchBytes), kAlignment));
  return plan;
}

std::string digestOf(std::string_view bytes) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  std::string digits;
  for (uint64_t half : {hash.high64, hash.low64})
    for (int shift = 60; shift >= 0; shift -= 4)
      digits += "0123456789abcdef"[half >> shift & 15];
  return digits;
}

static std::string weightsHeader(const std::string &digest) {
  std::string header = "TENONWTS" + digest;
  header.resize(kWeightsHeaderBytes, '\0');
  return header;
}

Weights layOutWeights(const program::Program &program) {
  Weights weights;
  size_t total = kWeightsHeaderBytes;
  for (const program::Constant &constant : program.constants)
    total += llvm::alignTo(constant.bytes.size(), kAlignment);
  weights.bytes.reserve(total);
  weights.bytes.resize(kWeightsHeaderBytes, '\0');
  for (const program::Constant &constant : program.constants) {
    weights.offsets.push_back(int64_t(weights.bytes.size()));
    weights.bytes.append(reinterpret_cast<const char *>(constant.bytes.data()), constant.bytes.size());
    weights.bytes.resize(llvm::alignTo(weights.bytes.size(), kAlignment), '\0');
  }
  weights.digest = digestOf(std::string_view(weights.bytes).substr(kWeightsHeaderBytes));
  weights.bytes.replace(0, kWeightsHeaderBytes, weightsHeader(weights.digest));
  return weights;
}

StatusOr<std::string> glueText(const program::Program &program, const ArenaPlan &arena, const Weights &weights,
                               const std::vector<std::string> &undefined, const GlueOptions &options) {
  std::string text = kTypes;
  std::set<std::string> wanted(undefined.begin(), undefined.end());
  if (wanted.contains("tenon_call_kernels"))
    wanted.insert("tenon_call_kernel");
  if (wanted.contains("tenon_call_kernel"))
    wanted.insert("tenon_parallel_for");
  std::string_view tileConfiguration(reinterpret_cast<const char *>(tenon_tile_configuration),
                                     sizeof tenon_tile_configuration);
  for (const std::string &symbol : wanted) {
    if (auto known = abiFunctions().find(symbol); known != abiFunctions().end())
      text += fillIn(known->second, {{"$TILES", escaped(tileConfiguration)}});
    if (symbol == "tenon_runtime_call") {
      RuntimeCalls calls;
      for (const program::RuntimeCall &runtimeCall : program.runtimeCalls)
        TENON_RETURN_IF_ERROR(calls.add(runtimeCall));
      text += calls.text();
    }
  }
  std::string count = std::to_string(weights.offsets.size());
  std::string constants, table = "null";
  if (!weights.offsets.empty() && options.externalWeights) {
    text += "@offsets = private constant [" + count + " x i64] [" + offsetsText(weights) + "]\n" +
            "@weights.header = private constant [64 x i8] c\"" + escaped(weightsHeader(weights.digest)) + "\"\n" +
            "declare i32 @memcmp(ptr, ptr, i64)\n";
    constants = fillIn(kExternalTable, {{"$TABLE_OFFSET", std::to_string(arena.tableOffset)}, {"$COUNT", count}});
    table = "%table";
  } else if (!weights.offsets.empty()) {
    text += "@" + options.weightsSymbol + " = external hidden constant i8\n" + "@constants = private constant [" +
            count + " x ptr] [" + tableText(weights, options.weightsSymbol) + "]\n";
    table = "@constants";
  }
  return text + fillIn(kRun, {{"$WEIGHTS", options.externalWeights ? "ptr %weights, " : ""},
                              {"$PASS", options.externalWeights ? "ptr %weights, " : ""},
                              {"$SCRATCH", std::to_string(arena.scratchOffset)},
                              {"$ARENA", std::to_string(arena.arenaOffset)},
                              {"$STRIDE", std::to_string(arena.scratchStride)},
                              {"$REQUEST", wanted.contains(kTiles) ? kRequest : ""},
                              {"$CONSTANTS", constants},
                              {"$ENTRY", cpuCode(program).entrySymbol},
                              {"$TABLE", table},
                              {"$NAME", options.name},
                              {"$FINGERPRINT_BYTES", std::to_string(options.fingerprint.size() + 1)},
                              {"$FINGERPRINT", options.fingerprint}});
}

std::vector<std::string> publicSymbols(const std::string &name) {
  return {name + "_run", name + "_run_parallel", name + "_error", name + "_arena_bytes", name + "_fingerprint"};
}

} // namespace tenon::aot
