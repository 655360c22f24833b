#include "test/gpu/open_points.h"

#include "tenon/compiler/pipeline.h"
#include "tenon/runtime/cuda/cubin_maker.h"
#include "test/gpu/loop_programs.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace tenon::testing {
namespace {

using Clock = std::chrono::steady_clock;

double microsecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

std::string textOf(const char *form, double number) {
  char text[64];
  std::snprintf(text, sizeof(text), form, number);
  return text;
}

// A program of i32s, compiled and loaded, with one argument and one result of `count` elements. `loops` says what its
// loops are (GpuTargetOptions::loops).
class LoadedProgram {
public:
  using Change = std::function<Status(program::DeviceProgram &)>;

  static StatusOr<std::unique_ptr<LoadedProgram>> load(const Machine &machine, const std::string &source, size_t count,
                                                       const Change &change = {}, const std::string &loops = {}) {
    std::unique_ptr<LoadedProgram> made(new LoadedProgram(machine, count));
    program::DeviceProgram device;
    TENON_ASSIGN_OR_RETURN(
        codegen::GpuTarget target,
        machine.target([&](program::DeviceProgram received) { device = std::move(received); }, loops));
    TENON_ASSIGN_OR_RETURN(made->description_, compiler::compileFor(target, source, {}));
    if (change)
      TENON_RETURN_IF_ERROR(change(device));
    TENON_ASSIGN_OR_RETURN(made->argument_,
                           DeviceMemory::allocate(machine.driver(), count * sizeof(int32_t), machine.stream()));
    TENON_ASSIGN_OR_RETURN(made->result_,
                           DeviceMemory::allocate(machine.driver(), count * sizeof(int32_t), machine.stream()));
    TENON_ASSIGN_OR_RETURN(made->executable_, DeviceExecutable::load(machine.driver(), std::move(device),
                                                                     made->description_, machine.stream()));
    return made;
  }

  Status enqueue() {
    const DeviceAddress argument[] = {argument_.address()}, result[] = {result_.address()};
    return executable_->enqueue({argument, result, {}}, machine_.stream());
  }
  Status wait() { return statusOf(machine_.driver().streamSynchronize(machine_.stream()), "streamSynchronize"); }

  // The median of several runs, each waited for, in microseconds.
  StatusOr<double> time(int runs = 21) {
    std::vector<double> times;
    runs = machine_.isEmulated() ? 1 : runs;
    for (int run = 0; run < runs; ++run) {
      Clock::time_point begin = Clock::now();
      TENON_RETURN_IF_ERROR(enqueue());
      TENON_RETURN_IF_ERROR(wait());
      times.push_back(microsecondsSince(begin));
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[size_t(runs / 2)];
  }

  Status setArgument(const std::vector<int32_t> &values) {
    TENON_DRIVER(machine_.driver(), memcpyHtoDAsync, argument_.address(), values.data(),
                 values.size() * sizeof(int32_t), machine_.stream());
    return wait();
  }
  StatusOr<std::vector<int32_t>> results() {
    std::vector<int32_t> values(count_);
    TENON_DRIVER(machine_.driver(), memcpyDtoHAsync, values.data(), result_.address(), count_ * sizeof(int32_t),
                 machine_.stream());
    TENON_RETURN_IF_ERROR(wait());
    return values;
  }

private:
  LoadedProgram(const Machine &machine, size_t count) : machine_(machine), count_(count) {}

  const Machine &machine_;
  size_t count_;
  program::Program description_;
  DeviceMemory argument_, result_;
  std::unique_ptr<DeviceExecutable> executable_;
};

constexpr size_t kLength = 1024;

// Kernels that do not become one: each sums up what the one before has.
std::string chainProgram(int kernels) {
  std::string text = "func.func @main(%v0: tensor<1024xi32>) -> tensor<1024xi32> {\n"
                     "  %z = stablehlo.constant dense<0> : tensor<i32>\n";
  for (int i = 0; i < kernels; ++i) {
    std::string from = "%v" + std::to_string(i), to = "%v" + std::to_string(i + 1);
    text += "  " + to + " = \"stablehlo.reduce_window\"(" + from + R"(, %z) <{window_dimensions = array<i64: 1024>,
      padding = dense<[[1023, 0]]> : tensor<1x2xi64>}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %s = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) : (tensor<1024xi32>, tensor<i32>) -> tensor<1024xi32>
)";
  }
  return text + "  return %v" + std::to_string(kernels) + " : tensor<1024xi32>\n}\n";
}

// --- The points ---

struct TimedLoop {
  double microseconds; // of an iteration
  std::vector<int32_t> results;
};

// `loops`: GpuTargetOptions::loops.
StatusOr<TimedLoop> timeLoop(const Machine &machine, const LoopProgram &loop, const std::string &loops) {
  constexpr int kRuns = 5; // of a loop of many iterations
  const int32_t few = machine.isEmulated() ? 1 : 200, many = machine.isEmulated() ? 3 : 2200;
  TENON_ASSIGN_OR_RETURN(auto program, LoadedProgram::load(machine, loop.source, loop.elements, {}, loops));
  std::vector<int32_t> values(loop.elements);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int32_t(uint32_t(i) * 2654435761u >> 3);
  double times[2] = {};
  for (int longer : {0, 1}) {
    values[0] = longer ? many : few;
    TENON_RETURN_IF_ERROR(program->setArgument(values));
    TENON_ASSIGN_OR_RETURN(times[longer], program->time(kRuns));
  }
  TENON_ASSIGN_OR_RETURN(std::vector<int32_t> results, program->results());
  return TimedLoop{(times[1] - times[0]) / (many - few), std::move(results)};
}

// The same results in each form.
StatusOr<std::string> timesOf(const Machine &machine, const LoopProgram &loop, llvm::ArrayRef<const char *> forms) {
  std::string text;
  std::vector<int32_t> expected;
  for (const char *form : forms) {
    const std::string name = *form ? form : "chosen";
    TENON_ASSIGN_OR_RETURN(TimedLoop timed, timeLoop(machine, loop, form));
    if (expected.empty())
      expected = timed.results;
    else if (expected != timed.results)
      return internalError(loop.name + " has other results by " + name);
    text += (text.empty() ? "" : ", ") + name + textOf(" %.3f us", timed.microseconds);
  }
  return text;
}

LoopProgram elementwise(int elements) { return {"elementwise", elementwiseLoop(elements), size_t(elements)}; }

StatusOr<std::string> nodeIteration(const Machine &machine) {
  return timesOf(machine, elementwise(kLength), {"nodes"});
}

// By the barriers of all teams.
StatusOr<std::string> teamIterations(const Machine &machine) {
  constexpr int kElements = 8192;
  return timesOf(machine, elementwise(kElements), {"block", "cluster2", "cluster4", "cluster8", "grid"});
}

StatusOr<std::string> nodeTime(const Machine &machine) {
  const int few = machine.isEmulated() ? 2 : 50, many = few * 4;
  TENON_ASSIGN_OR_RETURN(auto shorter, LoadedProgram::load(machine, chainProgram(few), kLength));
  TENON_ASSIGN_OR_RETURN(auto longer, LoadedProgram::load(machine, chainProgram(many), kLength));
  TENON_ASSIGN_OR_RETURN(double less, shorter->time());
  TENON_ASSIGN_OR_RETURN(double more, longer->time());
  return textOf("%.2f us", (more - less) / (many - few));
}

StatusOr<std::string> runTime(const Machine &machine) {
  TENON_ASSIGN_OR_RETURN(auto program, LoadedProgram::load(machine, chainProgram(1), kLength));
  TENON_ASSIGN_OR_RETURN(double time, program->time());
  return textOf("%.1f us", time);
}

// What the host takes to start a run, the change of the bind node included, while others are under way.
StatusOr<std::string> enqueueTime(const Machine &machine) {
  TENON_ASSIGN_OR_RETURN(auto program, LoadedProgram::load(machine, chainProgram(1), kLength));
  TENON_RETURN_IF_ERROR(program->time().status());
  const int runs = machine.isEmulated() ? 4 : 200;
  Clock::time_point begin = Clock::now();
  for (int run = 0; run < runs; ++run)
    TENON_RETURN_IF_ERROR(program->enqueue());
  double time = microsecondsSince(begin) / runs;
  TENON_RETURN_IF_ERROR(program->wait());
  return textOf("%.2f us", time);
}

StatusOr<std::string> copyRate(const Machine &machine) {
  const size_t bytes = machine.isEmulated() ? size_t{1} << 20 : size_t{1} << 30;
  const Driver &driver = machine.driver();
  TENON_ASSIGN_OR_RETURN(DeviceMemory from, DeviceMemory::allocate(driver, bytes, machine.stream()));
  TENON_ASSIGN_OR_RETURN(DeviceMemory to, DeviceMemory::allocate(driver, bytes, machine.stream()));
  TENON_DRIVER(driver, memsetD8Async, from.address(), 1, bytes, machine.stream());
  constexpr int kRuns = 10;
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    TENON_DRIVER(driver, streamSynchronize, machine.stream());
    Clock::time_point begin = Clock::now();
    TENON_DRIVER(driver, memcpyDtoDAsync, to.address(), from.address(), bytes, machine.stream());
    TENON_DRIVER(driver, streamSynchronize, machine.stream());
    best = std::max(best, 2 * double(bytes) / microsecondsSince(begin));
  }
  return textOf("%.0f GB/s, read and written", best / 1e3);
}

StatusOr<std::shared_ptr<const CubinMaker>> findMaker(const Machine &machine) {
  int version = 0;
  TENON_DRIVER(machine.driver(), driverGetVersion, &version);
  TENON_ASSIGN_OR_RETURN(auto maker, findCubinMaker(machine.isEmulated() ? 0 : version));
  if (!maker)
    return notFound("there is no assembler that the driver takes machine code of");
  return maker;
}

// Whether the driver resolves cudaGraphSetConditional in machine code, too.
StatusOr<std::string> conditionalCubin(const Machine &machine) {
  if (machine.isEmulated())
    return unimplemented("the emulation takes no machine code");
  TENON_ASSIGN_OR_RETURN(auto maker, findMaker(machine));
  auto assemble = [&](program::DeviceProgram &device) -> Status {
    TENON_ASSIGN_OR_RETURN(device.control.machineCode, makeMachineCode(*maker, device.control.code, device.chip));
    return {};
  };
  TENON_ASSIGN_OR_RETURN(auto program,
                         LoadedProgram::load(machine, elementwiseLoop(kLength), kLength, assemble, "nodes"));
  constexpr int32_t kIterations = 2, kExpected = (kIterations * 3 + 1) * 3 + 1;
  TENON_RETURN_IF_ERROR(program->setArgument(std::vector<int32_t>(kLength, kIterations)));
  TENON_RETURN_IF_ERROR(program->time().status());
  TENON_ASSIGN_OR_RETURN(std::vector<int32_t> found, program->results());
  return found == std::vector<int32_t>(kLength, kExpected) ? "yes, made by " + maker->version()
                                                           : "no: a loop has not run as often as it should";
}

// How much sooner eight modules are there if they are assembled at the same time.
StatusOr<std::string> parallelAssembly(const Machine &machine) {
  TENON_ASSIGN_OR_RETURN(auto maker, findMaker(machine));
  codegen::GpuTargetOptions options;
  program::DeviceProgram device;
  options.receive = [&](program::DeviceProgram received) { device = std::move(received); };
  TENON_ASSIGN_OR_RETURN(codegen::GpuTarget target, codegen::GpuTarget::create(options));
  TENON_RETURN_IF_ERROR(compiler::compileFor(target, chainProgram(1), {}).status());
  constexpr int kModules = 8;
  auto assemble = [&] { return maker->make(device.modules[0].code, options.chip).status(); };
  Clock::time_point begin = Clock::now();
  for (int i = 0; i < kModules; ++i)
    TENON_RETURN_IF_ERROR(assemble());
  double alone = microsecondsSince(begin);
  std::vector<Status> statuses(kModules);
  begin = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (Status &status : statuses)
      threads.emplace_back([&] { status = assemble(); });
  }
  double together = microsecondsSince(begin);
  for (const Status &status : statuses)
    TENON_RETURN_IF_ERROR(status);
  return textOf("%.1f times sooner on ", alone / together) + std::to_string(std::thread::hardware_concurrency()) +
         " processors, by " + maker->version();
}

} // namespace

std::vector<OpenPoint> openPoints(const Machine &machine) {
  using Point = StatusOr<std::string> (*)(const Machine &);
  const std::pair<const char *, Point> points[] = {
      {"rate of copies in the device's memory", copyRate},
      {"the driver resolves cudaGraphSetConditional in machine code", conditionalCubin},
      {"assembling 8 modules at the same time", parallelAssembly},
      {"an iteration of a loop node, with one kernel", nodeIteration},
      {"a kernel node more", nodeTime},
      {"a run of one kernel, waited for", runTime},
      {"a run of one kernel for the host, its bind node changed", enqueueTime},
      {"an iteration of a loop that is one kernel, by its team, with one step", teamIterations},
  };
  std::vector<OpenPoint> results;
  for (auto [what, point] : points) {
    StatusOr<std::string> value = point(machine);
    results.push_back({what, machine.explained(value.status()), value.ok() ? *value : ""});
  }
  return results;
}

std::vector<OpenPoint> loopTimes(const Machine &machine) {
  std::vector<LoopProgram> programs = loopPrograms();
  if (machine.isEmulated()) // whose times mean nothing
    programs.resize(1);
  std::vector<OpenPoint> results;
  for (const LoopProgram &loop : programs) {
    StatusOr<std::string> value =
        timesOf(machine, loop, {"nodes", "block", "cluster2", "cluster4", "cluster8", "grid", ""});
    results.push_back({"loop: " + loop.name, machine.explained(value.status()), value.ok() ? *value : ""});
  }
  return results;
}

} // namespace tenon::testing
