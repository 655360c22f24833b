// Every method of the builder that enqueues an operation, with operands that it takes.
#pragma once

#include "tenon/computation_builder.h"

#include <functional>
#include <random>
#include <vector>

namespace tenon::xla_2017 {

// The computations that methods take.
struct Computations {
  std::unique_ptr<Computation> add, select, condition, body;
};
Computations MakeComputations(Client *client);

struct Method {
  const char *name;
  std::vector<Shape> operands;
  std::function<ComputationDataHandle(ComputationBuilder &, const std::vector<ComputationDataHandle> &,
                                      const Computations &)>
      enqueue;
};

// The custom call among them is registered.
std::vector<Method> AllMethods();

// Small whole numbers, so that every order of a sum gives the same; indices stay inside.
Literal SomeValue(const Shape &shape, std::mt19937 &random);

// The shape in column-major layouts; padded: in a larger block as well, with the type's highest value where the array
// is not.
Shape Turned(Shape shape, bool padded);

} // namespace tenon::xla_2017
