// Running programs on grids of processes, for tests.
#pragma once

#include "tenon/backend/grid.h"
#include "tenon/backend/registry.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tenon {

struct GridShape {
  int32_t replicas = 1, partitions = 1;

  int64_t size() const { return int64_t(replicas) * partitions; }
};

// The elements of an array of f32.
using Array = std::vector<float>;

// A grid of processes on a target. Arguments and results are arrays of f32.
class Grid {
public:
  // One program for all processes, or one for each.
  Grid(const std::string &target, GridShape shape, const std::vector<std::string> &programs) : shape(shape) {
    backend::CompileOptions options;
    options.numReplicas = shape.replicas;
    options.numPartitions = shape.partitions;
    for (const std::string &program : programs) {
      auto compiled = (*backend::backendOf(target))->compile(program, options);
      if (!compiled.ok()) {
        status = compiled.status();
        return;
      }
      executables.push_back(*compiled);
    }
  }

  // The first result of each process for its arguments; the status is that of the run.
  std::vector<Array> run(const std::vector<std::vector<Array>> &arguments, const runtime::RunOptions &options = {}) {
    if (!status.ok())
      return {};
    std::vector<std::vector<const void *>> argumentPointers;
    std::vector<Array> results;
    std::vector<std::vector<void *>> resultPointers;
    for (int64_t process = 0; process < shape.size(); ++process) {
      const program::Program &program = executableOf(process).program();
      argumentPointers.emplace_back();
      if (!arguments.empty())
        for (const Array &argument : arguments[process])
          argumentPointers.back().push_back(argument.data());
      results.emplace_back(program.results[0].shape.elementCount());
    }
    std::vector<backend::GridProcess> processes;
    for (Array &result : results)
      resultPointers.push_back({result.data()});
    for (int64_t process = 0; process < shape.size(); ++process)
      processes.push_back({&executableOf(process), argumentPointers[process], resultPointers[process]});
    status = backend::executeGrid(shape.replicas, shape.partitions, processes, options);
    return results;
  }

  const backend::Executable &executableOf(int64_t process) const {
    return *executables[executables.size() == 1 ? 0 : process];
  }

  GridShape shape;
  Status status;
  std::vector<std::shared_ptr<backend::Executable>> executables;
};

inline constexpr const char *kTargets[] = {"cpu", "reference"};

inline std::vector<Array> runOn(const std::string &target, GridShape shape, const std::string &program,
                                const std::vector<std::vector<Array>> &arguments) {
  Grid grid(target, shape, {program});
  std::vector<Array> results = grid.run(arguments);
  EXPECT_TRUE(grid.status.ok()) << target << ": " << grid.status.message() << "\n" << program;
  return results;
}

// Pairs of neighbours, pairs of pairs, and so on; what has no neighbour goes on as it is.
inline float asTree(std::vector<float> values, const std::function<float(float, float)> &combine) {
  while (values.size() > 1) {
    std::vector<float> pairs;
    for (size_t i = 0; i < values.size(); i += 2)
      pairs.push_back(i + 1 < values.size() ? combine(values[i], values[i + 1]) : values[i]);
    values = pairs;
  }
  return values[0];
}

// a, b => 2 a + b: order and association show.
inline constexpr const char *kCombine = R"(({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %a : tensor<f32>
    %s = stablehlo.add %t, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }))";

// A program that sums up arrays of so many elements over the groups.
inline std::string sumOf(int64_t elements, const std::string &groups) {
  std::string type = "tensor<" + std::to_string(elements) + "xf32>";
  return "func.func @main(%x: " + type + ") -> " + type + R"( {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {replica_groups = )" +
         groups + "} : (" + type + ") -> " + type + "\n  return %0 : " + type + "\n}";
}

} // namespace tenon
