// Ends a compilation whose program nobody wants any more. Whoever compiles says by what; the compiler looks before each
// stage and each kernel.
//
//   CompileStop stop(processes.stop());                         // the caller
//   if (CompileStop::ofThread().stop_requested()) return ...    // the compiler
#pragma once

#include <stop_token>

namespace tenon {

// While this object lives, a request by the token ends with kCancelled what the calling thread compiles.
class CompileStop {
public:
  explicit CompileStop(std::stop_token token);
  ~CompileStop();
  CompileStop(const CompileStop &) = delete;
  CompileStop &operator=(const CompileStop &) = delete;

  // That token; without one, a token by which nobody can ask. Threads that work for another one are to be given its.
  static std::stop_token ofThread();

private:
  std::stop_token before_;
};

} // namespace tenon
