#include "tenon/aot/abi_functions.h"

#include "tenon/aot/text.h"
#include "tenon/aot/weights_check.h"
#include "tenon/runtime/core/abi.h"

#include <map>

namespace tenon::aot {
namespace {

// The functions of abi.h as one thread's program needs them, each under its name. A context is where the arena begins;
// its first members say whether the run is traced, and whether it is to stop: never.
//
// %Context: trace, stop, scratch memory of the first worker, bytes from one worker's to the next, the caller's threads,
// the first error. %Threads is the header's TenonThreads.
constexpr const char *kTypes = R"(
%Context = type { ptr, i32, ptr, i64, ptr, ptr }
%Threads = type { ptr, i32 }
%Call = type { ptr, i64, i32, i32, i32, i32 }
%Work = type { ptr, ptr, ptr, i64 }
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
)";

constexpr const char *kParallelFor = R"(
define void @tenon_parallel_for(ptr %context, ptr %kernel, ptr %buffers, i64 %extent, i32 %isLong) {
  %work = alloca %Work
  %scratch.at = getelementptr %Context, ptr %context, i32 0, i32 2
  %scratch = load ptr, ptr %scratch.at
  %threads.at = getelementptr %Context, ptr %context, i32 0, i32 4
  %threads = load ptr, ptr %threads.at
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
  store ptr %kernel, ptr %work
  store ptr %buffers, ptr %buffers.at
  store ptr %scratch, ptr %work.scratch
  store i64 %stride, ptr %work.stride, align 8
  %run = load ptr, ptr %threads
  call void %run(ptr %threads, ptr @task, ptr %work, i64 %extent)
  ret void
}
define internal void @task(ptr %work, i64 %begin, i64 %end, i32 %worker) {
  %kernel = load ptr, ptr %work
  %buffers.at = getelementptr %Work, ptr %work, i32 0, i32 1
  %buffers = load ptr, ptr %buffers.at
  %scratch.at = getelementptr %Work, ptr %work, i32 0, i32 2
  %scratch = load ptr, ptr %scratch.at
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
define void @tenon_call_kernel(ptr %context, i32 %call, ptr %kernel, ptr %buffers, i64 %extent, i32 %sharing) {
  %isParallel = icmp ne i32 %sharing, 0
  br i1 %isParallel, label %spread, label %here
spread:
  call void @tenon_parallel_for(ptr %context, ptr %kernel, ptr %buffers, i64 %extent, i32 0)
  ret void
here:
  %at = getelementptr %Context, ptr %context, i32 0, i32 2
  %scratch = load ptr, ptr %at
  call void %kernel(ptr %buffers, i64 0, i64 %extent, ptr %scratch)
  ret void
}
)";

// %Call is a TenonKernelCall. The table is filled for all calls that are made together, if some are.
constexpr const char *kCallKernels = R"(
define void @$SYMBOL(ptr %context, ptr %calls, i64 %count, ptr %places, ptr %bases, ptr %buffers) {
start:
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %i.after, %called ]
  %first = phi ptr [ %places, %start ], [ %first.after, %called ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %done
one:
  %call = getelementptr %Call, ptr %calls, i64 %i
  %together.at = getelementptr %Call, ptr %call, i32 0, i32 5
  %together32 = $TOGETHER
  %together = sext i32 %together32 to i64
  %i.after = add i64 %i, %together
  br label %count.places
count.places:
  %k = phi i64 [ %i, %one ], [ %k.after, %count.places ]
  %sum = phi i64 [ 0, %one ], [ %number, %count.places ]
  %number.at = getelementptr %Call, ptr %calls, i64 %k, i32 4
  %own32 = load i32, ptr %number.at, align 4
  %own = sext i32 %own32 to i64
  %number = add i64 %sum, %own
  %k.after = add i64 %k, 1
  %isCounted = icmp slt i64 %k.after, %i.after
  br i1 %isCounted, label %count.places, label %fill
fill:
  %j = phi i64 [ 0, %count.places ], [ %j.after, %found ]
  %isOpen = icmp slt i64 %j, %number
  br i1 %isOpen, label %find, label %filled
find:
  %place.at = getelementptr i64, ptr %first, i64 %j
  %place = load i64, ptr %place.at, align 8
  %kind = and i64 %place, 7
  %index = ashr i64 %place, 3
  %base.at = getelementptr ptr, ptr %bases, i64 %kind
  %base = load ptr, ptr %base.at
  %isArena = icmp eq i64 %kind, 0
  br i1 %isArena, label %inside, label %listed
inside:
  %byte = getelementptr i8, ptr %base, i64 %index
  br label %found
listed:
  %entry.at = getelementptr ptr, ptr %base, i64 %index
  %entry = load ptr, ptr %entry.at
  br label %found
found:
  %buffer = phi ptr [ %byte, %inside ], [ %entry, %listed ]
  %buffer.at = getelementptr ptr, ptr %buffers, i64 %j
  store ptr %buffer, ptr %buffer.at
  %j.after = add i64 %j, 1
  br label %fill
filled:
  %first.after = getelementptr i64, ptr %first, i64 %number
  %isOne = icmp eq i32 %together32, 1
  br i1 %isOne, label %alone, label %several
several:
  $SEVERAL
alone:
  %kernel = load ptr, ptr %call
  %extent.at = getelementptr %Call, ptr %call, i32 0, i32 1
  %extent = load i64, ptr %extent.at, align 8
  %sharing.at = getelementptr %Call, ptr %call, i32 0, i32 3
  %sharing = load i32, ptr %sharing.at, align 4
  call void @tenon_call_kernel(ptr %context, i32 0, ptr %kernel, ptr %buffers, i64 %extent, i32 %sharing)
  br label %called
called:
  br label %next
done:
  ret void
}

)";

constexpr const char *kCallTogether = R"(
%Together = type { ptr, ptr, ptr, i64, i32 }
define internal void @tenon_call_together(ptr %context, ptr %calls, i32 %count, ptr %buffers) {
start:
  %work = alloca %Together
  %scratch.at = getelementptr %Context, ptr %context, i32 0, i32 2
  %scratch = load ptr, ptr %scratch.at
  %stride.at = getelementptr %Context, ptr %context, i32 0, i32 3
  %stride = load i64, ptr %stride.at, align 8
  %threads.at = getelementptr %Context, ptr %context, i32 0, i32 4
  %threads = load ptr, ptr %threads.at
  %buffers.at = getelementptr %Together, ptr %work, i32 0, i32 1
  %work.scratch = getelementptr %Together, ptr %work, i32 0, i32 2
  %work.stride = getelementptr %Together, ptr %work, i32 0, i32 3
  %count.at = getelementptr %Together, ptr %work, i32 0, i32 4
  store ptr %calls, ptr %work
  store ptr %buffers, ptr %buffers.at
  store ptr %scratch, ptr %work.scratch
  store i64 %stride, ptr %work.stride, align 8
  store i32 %count, ptr %count.at
  br label %add
add:
  %i = phi i32 [ 0, %start ], [ %i.after, %add ]
  %sum = phi i64 [ 0, %start ], [ %tasks, %add ]
  %extent.at = getelementptr %Call, ptr %calls, i32 %i, i32 1
  %extent = load i64, ptr %extent.at, align 8
  %tasks = add i64 %sum, %extent
  %i.after = add i32 %i, 1
  %more = icmp slt i32 %i.after, %count
  br i1 %more, label %add, label %added
added:
  %alone = icmp eq ptr %threads, null
  br i1 %alone, label %here, label %spread
here:
  call void @tenon_tasks_together(ptr %work, i64 0, i64 %tasks, i32 0)
  ret void
spread:
  %run = load ptr, ptr %threads
  call void %run(ptr %threads, ptr @tenon_tasks_together, ptr %work, i64 %tasks)
  ret void
}

define internal void @tenon_tasks_together(ptr %work, i64 %begin, i64 %end, i32 %worker) {
start:
  %calls = load ptr, ptr %work
  %buffers.at = getelementptr %Together, ptr %work, i32 0, i32 1
  %buffers = load ptr, ptr %buffers.at
  %scratch.at = getelementptr %Together, ptr %work, i32 0, i32 2
  %scratch = load ptr, ptr %scratch.at
  %stride.at = getelementptr %Together, ptr %work, i32 0, i32 3
  %stride = load i64, ptr %stride.at, align 8
  %count.at = getelementptr %Together, ptr %work, i32 0, i32 4
  %count = load i32, ptr %count.at
  %number = sext i32 %worker to i64
  %offset = mul i64 %number, %stride
  %own = getelementptr i8, ptr %scratch, i64 %offset
  br label %next
next:
  %i = phi i32 [ 0, %start ], [ %i.after, %after ]
  %from = phi i64 [ %begin, %start ], [ %from.after, %after ]
  %to = phi i64 [ %end, %start ], [ %to.after, %after ]
  %table = phi ptr [ %buffers, %start ], [ %table.after, %after ]
  %isLeft = icmp slt i32 %i, %count
  %isOpen = icmp sgt i64 %to, 0
  %more = and i1 %isLeft, %isOpen
  br i1 %more, label %one, label %done
one:
  %call = getelementptr %Call, ptr %calls, i32 %i
  %extent.at = getelementptr %Call, ptr %call, i32 0, i32 1
  %extent = load i64, ptr %extent.at, align 8
  %isReached = icmp slt i64 %from, %extent
  br i1 %isReached, label %compute, label %after
compute:
  %kernel = load ptr, ptr %call
  %isBefore = icmp slt i64 %from, 0
  %first = select i1 %isBefore, i64 0, i64 %from
  %isBeyond = icmp slt i64 %extent, %to
  %last = select i1 %isBeyond, i64 %extent, i64 %to
  call void %kernel(ptr %table, i64 %first, i64 %last, ptr %own)
  br label %after
after:
  %from.after = sub i64 %from, %extent
  %to.after = sub i64 %to, %extent
  %places.at = getelementptr %Call, ptr %call, i32 0, i32 4
  %places = load i32, ptr %places.at, align 4
  %table.after = getelementptr ptr, ptr %table, i32 %places
  %i.after = add i32 %i, 1
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
  %scratch = load ptr, ptr %at
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
  %before = load ptr, ptr %at
  %isFirst = icmp eq ptr %before, null
  br i1 %isFirst, label %set, label %done
set:
  %isSilent = icmp eq ptr %message, null
  %text = select i1 %isSilent, ptr @failed, ptr %message
  store ptr %text, ptr %at
  br label %done
done:
  ret void
}
)";

// Linux's number of arch_prctl, of ARCH_REQ_XCOMP_PERM, and of the state of AMX's tile registers (XFEATURE_XTILEDATA).
constexpr const char *kTileConfiguration = R"(
@tenon_tile_configuration = constant [64 x i8] c"$TILES", align 64
define i64 @tenon_request_tiles() {
  %error = call i64 asm sideeffect "syscall", "={rax},{rax},{rdi},{rsi},~{rcx},~{r11},~{memory}"(i64 158, i64 4131, i64 18)
  ret i64 %error
}
)";

// What messages are made of: bytes behind those that are there, as many as there is room for, and a number. Both return
// the length, and end the text.
constexpr const char *kAppend = R"(
define i64 @tenon_append(ptr %to, i64 %at, ptr %text, i64 %bytes) {
start:
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %i.after, %byte ]
  %place = add i64 %at, %i
  %isOpen = icmp ult i64 %i, %bytes
  %fits = icmp ult i64 %place, $ROOM
  %goes = and i1 %isOpen, %fits
  br i1 %goes, label %byte, label %done
byte:
  %from = getelementptr i8, ptr %text, i64 %i
  %character = load i8, ptr %from
  %there = getelementptr i8, ptr %to, i64 %place
  store i8 %character, ptr %there
  %i.after = add i64 %i, 1
  br label %next
done:
  %end = getelementptr i8, ptr %to, i64 %place
  store i8 0, ptr %end
  ret i64 %place
}
define i64 @tenon_append_number(ptr %to, i64 %at, i64 %value) {
start:
  %digits = alloca [20 x i8]
  %isNegative = icmp slt i64 %value, 0
  %opposite = sub i64 0, %value
  %magnitude = select i1 %isNegative, i64 %opposite, i64 %value
  br label %digit
digit:
  %at.digit = phi i64 [ 19, %start ], [ %before, %digit ]
  %rest = phi i64 [ %magnitude, %start ], [ %quotient, %digit ]
  %quotient = udiv i64 %rest, 10
  %tens = mul i64 %quotient, 10
  %remainder = sub i64 %rest, %tens
  %value.digit = trunc i64 %remainder to i8
  %character = add i8 %value.digit, 48
  %there = getelementptr i8, ptr %digits, i64 %at.digit
  store i8 %character, ptr %there
  %before = sub i64 %at.digit, 1
  %more = icmp ne i64 %quotient, 0
  br i1 %more, label %digit, label %sign
sign:
  br i1 %isNegative, label %minus, label %done
minus:
  %minus.at = getelementptr i8, ptr %digits, i64 %before
  store i8 45, ptr %minus.at
  br label %done
done:
  %first = phi i64 [ %at.digit, %sign ], [ %before, %minus ]
  %text = getelementptr i8, ptr %digits, i64 %first
  %bytes = sub i64 20, %first
  %length = call i64 @tenon_append(ptr %to, i64 %at, ptr %text, i64 %bytes)
  ret i64 %length
}
)";

const std::map<std::string, const char *> &abiFunctions() {
  static const std::map<std::string, const char *> functions = {
      {"tenon_parallel_for", kParallelFor},
      {"tenon_call_kernel", kCallKernel},
      {"tenon_copy", kCopy},
      {"tenon_scratch", kScratch},
      {"tenon_fail", kFail},
      {"tenon_stopped", kStopped},
      {kTileSymbol, kTileConfiguration},
      {"tenon_append", kAppend},
  };
  return functions;
}

} // namespace

const char *contextType() { return kTypes; }

std::string abiFunctionsText(std::set<std::string> wanted) {
  const bool isOneByOne = wanted.contains("tenon_call_kernels");
  const bool isTogether = wanted.contains("tenon_call_kernels_together");
  if (isOneByOne || isTogether)
    wanted.insert("tenon_call_kernel");
  if (wanted.contains("tenon_call_kernel"))
    wanted.insert("tenon_parallel_for");
  std::string_view tiles(reinterpret_cast<const char *>(tenon_tile_configuration), sizeof tenon_tile_configuration);
  std::string text = kTypes;
  for (const std::string &symbol : wanted)
    if (auto known = abiFunctions().find(symbol); known != abiFunctions().end())
      text += fillIn(known->second, {{"$TILES", escaped(tiles)}, {"$ROOM", std::to_string(kMessageBytes - 1)}});
  if (isOneByOne)
    text += fillIn(kCallKernels,
                   {{"$SYMBOL", "tenon_call_kernels"}, {"$TOGETHER", "add i32 0, 1"}, {"$SEVERAL", "unreachable"}});
  if (isTogether)
    text += fillIn(kCallKernels, {{"$SYMBOL", "tenon_call_kernels_together"},
                                  {"$TOGETHER", "load i32, ptr %together.at, align 4"},
                                  {"$SEVERAL", "call void @tenon_call_together(ptr %context, ptr %call, i32 "
                                               "%together32, ptr %buffers)\n  br label %called"}}) +
            kCallTogether;
  if (wanted.contains("tenon_weights_digest"))
    text += weightsDigestText();
  return text;
}

} // namespace tenon::aot
