// Calls whose function the framework itself cuts for the devices of a mesh (jax.experimental.custom_partitioning).
// While a program is compiled it is asked how the arrays of such a call are to lie, and for what each device computes.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::program {

struct PlacedArray {
  Shape shape;
  Sharding sharding;
};

struct PlacedCall {
  std::string config; // the call's backend_config, by which the framework knows the function
  std::vector<PlacedArray> operands, results;
};

// What each device computes of a call.
struct LocalCall {
  std::string module; // a StableHLO program in any form; its main takes the operands' parts and gives the results'
  std::vector<Sharding> operands, results;
};

class CallPartitioner {
public:
  virtual ~CallPartitioner() = default;

  virtual StatusOr<LocalCall> partition(const PlacedCall &call) const = 0;
  // How the results are to lie, from how the operands do, and from how those who take the results want them. For
  // programs in XLA's notation: others have a sharding rule.
  virtual StatusOr<std::vector<Sharding>> inferFromOperands(const PlacedCall &call) const = 0;
  virtual StatusOr<std::vector<Sharding>> inferFromUsers(const PlacedCall &call) const = 0;
};

// For all calls of that target in this process, in place of another. Thread-safe.
void registerCallPartitioner(std::string target, std::shared_ptr<const CallPartitioner> partitioner);
// Null if there is none.
std::shared_ptr<const CallPartitioner> findCallPartitioner(std::string_view target);

} // namespace tenon::program
