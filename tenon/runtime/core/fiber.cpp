#include "tenon/runtime/core/fiber.h"

#include <cassert>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__linux__)

// Puts onto the stack what a function keeps for its caller, stores where the stack ends, and takes the same from the
// other stack. A signal mask is not part of it, which swapcontext asks the system to change each time.
asm(R"(
  .text
  .p2align 4
  .hidden tenon_switch_stack
  .globl tenon_switch_stack
  .type tenon_switch_stack, @function
tenon_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size tenon_switch_stack, .-tenon_switch_stack
)");

extern "C" void tenon_switch_stack(void **own, void *other);

namespace tenon::runtime {
namespace {

// A stack that a function runs on, or has stopped on.
class Stack {
public:
  // The first switch to it calls `begin` with `argument`, which never returns.
  void prepare(char *end, void (*begin)(void *), void *argument);
  void switchTo(Stack &other) { tenon_switch_stack(&top_, other.top_); }

private:
  void *top_ = nullptr;
};

// What the first function on a stack finds: its argument in a register that it was not given it in.
[[gnu::naked]] void callFirst() {
  asm(R"(
    movq %r12, %rdi
    xorl %ebp, %ebp
    callq *%r13
    ud2
  )");
}

void Stack::prepare(char *end, void (*begin)(void *), void *argument) {
  auto *top = reinterpret_cast<uint64_t *>(reinterpret_cast<uintptr_t>(end) & ~uintptr_t{63});
  *--top = reinterpret_cast<uint64_t>(&callFirst);
  *--top = 0;                                    // rbp
  *--top = 0;                                    // rbx
  *--top = reinterpret_cast<uint64_t>(argument); // r12
  *--top = reinterpret_cast<uint64_t>(begin);    // r13
  *--top = 0;                                    // r14
  *--top = 0;                                    // r15
  uint32_t vectorControl;
  uint16_t floatControl;
  asm volatile("stmxcsr %0" : "=m"(vectorControl));
  asm volatile("fnstcw %0" : "=m"(floatControl));
  *--top = vectorControl | uint64_t{floatControl} << 32;
  top_ = top;
}

} // namespace
} // namespace tenon::runtime

#else

#include <ucontext.h>

namespace tenon::runtime {
namespace {

class Stack {
public:
  void prepare(char *end, void (*begin)(void *), void *argument);
  void switchTo(Stack &other) { swapcontext(&context_, &other.context_); }

private:
  static constexpr size_t kLeastBytes = size_t(64) << 10;
  ucontext_t context_;
};

// makecontext passes integers.
void callFirst(unsigned beginHigh, unsigned beginLow, unsigned argumentHigh, unsigned argumentLow) {
  auto join = [](unsigned high, unsigned low) { return (uintptr_t{high} << 32) | low; };
  auto begin = reinterpret_cast<void (*)(void *)>(join(beginHigh, beginLow));
  begin(reinterpret_cast<void *>(join(argumentHigh, argumentLow)));
}

// The function never returns, so that the size of the stack, of which only the end is known here, is of no matter.
void Stack::prepare(char *end, void (*begin)(void *), void *argument) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = end - kLeastBytes;
  context_.uc_stack.ss_size = kLeastBytes;
  context_.uc_link = nullptr;
  auto function = reinterpret_cast<uintptr_t>(begin), data = reinterpret_cast<uintptr_t>(argument);
  makecontext(&context_, reinterpret_cast<void (*)()>(&callFirst), 4, unsigned(function >> 32), unsigned(function),
              unsigned(data >> 32), unsigned(data));
}

} // namespace
} // namespace tenon::runtime

#endif

namespace tenon::runtime {

struct Fiber::State {
  Stack own, caller;
  std::function<void()> body;
  char *mapping = nullptr;
  size_t mapped = 0;
  bool hasEnded = true;

  static void begin(void *state) {
    auto &self = *static_cast<State *>(state);
    self.body();
    self.hasEnded = true;
    self.own.switchTo(self.caller);
  }
};

Fiber::Fiber(std::unique_ptr<State> state) : state_(std::move(state)) {}

Fiber::~Fiber() { munmap(state_->mapping, state_->mapped); }

// Below the stack is a page that nobody may touch; pages that nobody touches cost nothing.
std::unique_ptr<Fiber> Fiber::create(size_t stackBytes) {
  auto page = size_t(sysconf(_SC_PAGESIZE));
  auto state = std::make_unique<State>();
  state->mapped = (stackBytes + page - 1) / page * page + page;
  void *mapping = mmap(nullptr, state->mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED)
    return nullptr;
  state->mapping = static_cast<char *>(mapping);
  std::unique_ptr<Fiber> fiber(new Fiber(std::move(state)));
#if defined(MADV_NOHUGEPAGE)
  madvise(mapping, fiber->state_->mapped, MADV_NOHUGEPAGE); // of which one would be touched whole
#endif
  return mprotect(mapping, page, PROT_NONE) == 0 ? std::move(fiber) : nullptr;
}

void Fiber::start(std::function<void()> body) {
  assert(state_->hasEnded && "a fiber has one body at a time");
  State &state = *state_;
  state.hasEnded = false;
  state.body = std::move(body);
  state.own.prepare(state.mapping + state.mapped, &State::begin, &state);
}

void Fiber::resume() { state_->caller.switchTo(state_->own); }
void Fiber::suspend() { state_->own.switchTo(state_->caller); }
bool Fiber::hasEnded() const { return state_->hasEnded; }

bool Fiber::isOnStack(const void *address) const {
  const auto *at = static_cast<const char *>(address);
  return at >= state_->mapping && at < state_->mapping + state_->mapped;
}

} // namespace tenon::runtime
