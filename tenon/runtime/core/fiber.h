// A function with a stack of its own, which stops in the middle and goes on later: a thread of a GPU, played by a
// thread of the host.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace tenon::runtime {

class Fiber {
public:
  // Null if there is no memory for the stack.
  static std::unique_ptr<Fiber> create(size_t stackBytes);
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  // Only if it has none, or has come to its end.
  void start(std::function<void()> body);
  // Runs the body on until it suspends itself or ends. Always the same thread of the host.
  void resume();
  bool hasEnded() const;
  bool isOnStack(const void *address) const;

  // From within the body: back to who resumed it.
  void suspend();

private:
  struct State;
  explicit Fiber(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

} // namespace tenon::runtime
