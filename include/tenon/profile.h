// Where the time of runs goes: each kernel with what it reaches of the machine's limits.
//
//   auto profiler = Profiler::Start().ConsumeValueOrDie();
//   client->Execute(...);                       // and whatever else runs in this process
//   Profile profile = profiler->Stop();
//   std::cout << profile.ToText();
#pragma once

#include "tenon/export.h"
#include "tenon/status.h"
#include "tenon/xla_namespace.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tenon::trace {
class Session;
} // namespace tenon::trace

namespace tenon::xla_2017 {

// What the machine can do, as short loops have measured it; the best of several rounds.
struct TENON_API MachineLimits {
  // Bytes read and written a second, of a working set of that many bytes: small ones are in caches.
  struct Bandwidth {
    std::int64_t working_set = 0;
    double one_thread = 0;
    double all_threads = 0;
  };
  // Arithmetic operations a second, of multiply-adds, which are two: of "f64" and "f32", and of products of "bf16" and
  // "i8" where the processor has instructions for them.
  struct Throughput {
    std::string type;
    double one_thread = 0;
    double all_threads = 0;
  };

  int threads = 0;                   // all threads: those of the process's pool
  std::vector<Bandwidth> bandwidths; // ascending working sets
  std::vector<Throughput> throughputs;

  // Bytes a second of all threads, of a kernel that accesses so many bytes. 0 where nothing was measured.
  double BandwidthOf(double bytes) const;
  // Operations a second of all threads: integers count as floats of their width, and products of narrow types as f32
  // where instructions of their own are no faster. 0 where nothing was measured.
  double ThroughputOf(const std::string &type) const;
};

// Calls of a kernel, or of what generated code leaves to the runtime (LAPACK, FFT, custom calls), for one line of the
// user's program.
struct TENON_API KernelProfile {
  std::string program;
  std::string name;          // as in the compile report
  std::string kind;          // "loop", "dot", ...; "library", "custom_call" for runtime calls
  std::string ops;           // that are inside, in order, separated by commas
  std::string op_name;       // what the framework calls the result: "jit(step)/layer1/dot_general"
  std::string source;        // "/home/me/train.py:41"
  std::string other_sources; // of other operations inside, separated by blanks
  // What a call computes and accesses, as the compiler counts it: 0 of runtime calls.
  double flops = 0;
  double bytes_accessed = 0;
  double transcendentals = 0;
  std::string arithmetic; // the type that most of the flops are done in; empty where there are none

  std::int64_t calls = 0;
  std::chrono::nanoseconds total{0};    // of all calls, from their begin to their end
  std::chrono::nanoseconds shortest{0}; // of one call
  // The sum over threads, and the most threads that took part in a call. 0 of runtime calls and copies, which share
  // their work among the threads themselves: that is not seen.
  std::chrono::nanoseconds busy{0};
  int threads = 0;
  // What a call would take at the machine's limits, and whether that is the memory's; 0: not known.
  std::chrono::duration<double, std::nano> limit{0};
  bool is_bound_by_memory = false;

  // Bytes accessed a second, on average over the calls.
  double BytesPerSecond() const;
  // Operations a second, likewise.
  double FlopsPerSecond() const;
  // What is reached of the limit, likewise; 0 where it is not known.
  double ShareOfLimit() const;
  // The share of the threads' time in which they have nothing to do while a call runs; 0 where it is not known.
  double Waiting(int all_threads) const;
};

// Something that a thread did.
struct ProfileEvent {
  int kernel = -1;                           // in Profile::kernels; -1: something else
  std::string name;                          // "dot_general (train.py:41)", "run jit_step", "compile", "host to device"
  std::chrono::nanoseconds begin{0}, end{0}; // since 1970
};
// What one thread did.
struct ProfileThread {
  std::int64_t id = 0; // the system's
  std::string name;
  std::vector<ProfileEvent> events; // in the order of their ends
};

// What was recorded, added up.
struct TENON_API Profile {
  MachineLimits machine;
  std::int64_t runs = 0;                // of programs
  std::chrono::nanoseconds run_time{0}; // in which one or more ran
  std::chrono::nanoseconds between{0};  // of that, in which no kernel or runtime call ran
  // The share of the threads' time in runs in which they had no part of a kernel, and no runtime call ran.
  double waiting = 0;
  std::vector<KernelProfile> kernels; // by time, the most first
  std::vector<ProfileThread> threads;
  std::int64_t dropped_events = 0; // beyond what a thread may record: they count nowhere

  // A table for people.
  std::string ToText() const;
  // All but the events.
  std::string ToJson() const;
  // A page for the browser that loads nothing: the roofline, the table, and when what ran.
  std::string ToHtml() const;
  // The events for Perfetto and chrome://tracing, as JSON.
  std::string ToTrace() const;
};

// Records what runs in this process, on all threads, from Start to Stop. Without one nothing is recorded and nothing
// becomes slower. What a server runs is not seen.
class TENON_API Profiler {
public:
  // kFailedPrecondition while another one, or one of JAX's, records.
  static tenon::StatusOr<std::unique_ptr<Profiler>> Start();
  // Ends the recording.
  ~Profiler();
  Profiler(const Profiler &) = delete;
  Profiler &operator=(const Profiler &) = delete;

  // Ends the recording. The machine's limits are measured by the first call in the process, with all threads; that
  // takes about half a second, and should not be disturbed. The same again when called again.
  Profile Stop();

private:
  explicit Profiler(std::shared_ptr<tenon::trace::Session> session);

  std::shared_ptr<tenon::trace::Session> session_;
};

// The machine's limits, measured when first asked for in the process.
TENON_API const MachineLimits &GetMachineLimits();

} // namespace tenon::xla_2017
