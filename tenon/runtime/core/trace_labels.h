// How the events of a program's runs are called in traces.
#pragma once

#include "tenon/program/program.h"
#include "tenon/support/trace.h"

#include <vector>

namespace tenon::runtime {

class TraceLabels {
public:
  explicit TraceLabels(const program::Program &program);

  // The label of the copies of large arrays, in any program.
  static const trace::Label &copy();

  const trace::Label &run() const { return run_; }
  // The labels of the numbers that generated code passes. A number that does not exist has the label of the run.
  const trace::Label &call(int32_t number) const { return at(calls_, number); }
  const trace::Label &runtimeCall(int32_t number) const { return at(runtimeCalls_, number); }

private:
  const trace::Label &at(const std::vector<trace::Label> &labels, int32_t number) const {
    return number >= 0 && size_t(number) < labels.size() ? labels[size_t(number)] : run_;
  }

  trace::Label run_;
  std::vector<trace::Label> calls_, runtimeCalls_;
};

} // namespace tenon::runtime
