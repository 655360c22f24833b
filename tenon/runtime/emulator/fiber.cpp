#include "tenon/runtime/emulator/fiber.h"

#include <cassert>
#include <cstdint>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace tenon::runtime::emulator {

struct Fiber::State {
  ucontext_t own, caller;
  std::function<void()> body;
  char *mapping = nullptr;
  size_t mapped = 0;
  bool hasEnded = true;
};

// makecontext passes integers.
static void enter(unsigned high, unsigned low) {
  auto address = (uintptr_t{high} << 32) | low;
  (*reinterpret_cast<std::function<void()> *>(address))();
}

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
  return mprotect(mapping, page, PROT_NONE) == 0 ? std::move(fiber) : nullptr;
}

void Fiber::start(std::function<void()> body) {
  assert(state_->hasEnded && "a fiber has one body at a time");
  State &state = *state_;
  state.hasEnded = false;
  state.body = [&state, body = std::move(body)] {
    body();
    state.hasEnded = true;
  };
  getcontext(&state.own);
  state.own.uc_stack.ss_sp = state.mapping;
  state.own.uc_stack.ss_size = state.mapped;
  state.own.uc_link = &state.caller;
  auto address = reinterpret_cast<uintptr_t>(&state.body);
  makecontext(&state.own, reinterpret_cast<void (*)()>(&enter), 2, unsigned(address >> 32), unsigned(address));
}

void Fiber::resume() { swapcontext(&state_->caller, &state_->own); }
void Fiber::suspend() { swapcontext(&state_->own, &state_->caller); }
bool Fiber::hasEnded() const { return state_->hasEnded; }

bool Fiber::isOnStack(const void *address) const {
  const auto *at = static_cast<const char *>(address);
  return at >= state_->mapping && at < state_->mapping + state_->mapped;
}

} // namespace tenon::runtime::emulator
