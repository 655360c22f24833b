#include "tenon/runtime/cpu/lapack.h"

#include <limits>

namespace tenon::runtime {
namespace lapack {

StatusOr<Setup> Setup::create(const program::RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(const LapackLibrary *library, LapackLibrary::get());
  Setup setup(runtimeCall);
  setup.library_ = library;
  return setup;
}

int64_t Setup::fromEnd(size_t operand, size_t distance) const {
  if (operand >= runtimeCall_.operands.size() || runtimeCall_.operands[operand].dims.size() < distance)
    return 0;
  return runtimeCall_.operands[operand].dims[runtimeCall_.operands[operand].dims.size() - distance];
}

void Setup::fail(std::string message) {
  if (status_.ok())
    status_ = invalidArgument(std::move(message));
}

void Setup::expectCounts(size_t operands, size_t results) {
  if (runtimeCall_.operands.size() != operands || runtimeCall_.results.size() != results)
    fail("expected " + std::to_string(operands) + " operands and " + std::to_string(results) + " results, got " +
         std::to_string(runtimeCall_.operands.size()) + " and " + std::to_string(runtimeCall_.results.size()));
}

void Setup::expectShape(const char *what, size_t i, const std::vector<program::Shape> &shapes,
                        program::ElementType type, const std::vector<int64_t> &core) {
  if (!status_.ok())
    return;
  auto mismatch = [&] {
    program::Shape expected{type, core};
    fail(std::string(what) + " " + std::to_string(i) + " is " + shapes[i].toString() + "; expected " +
         expected.toString() + " after the batch dimensions");
  };
  const program::Shape &shape = shapes[i];
  if (shape.type != type || shape.dims.size() < core.size() ||
      !std::equal(core.rbegin(), core.rend(), shape.dims.rbegin()))
    return mismatch();
  int64_t batch = 1;
  for (size_t k = 0; k + core.size() < shape.dims.size(); ++k)
    batch *= shape.dims[k];
  if (batch_ < 0)
    batch_ = batch;
  else if (batch != batch_)
    mismatch();
}

void Setup::expectOperand(size_t i, program::ElementType type, const std::vector<int64_t> &core) {
  expectShape("operand", i, runtimeCall_.operands, type, core);
}

void Setup::expectResult(size_t i, program::ElementType type, const std::vector<int64_t> &core) {
  expectShape("result", i, runtimeCall_.results, type, core);
}

char Setup::letter(std::string_view attribute, std::string_view allowed) {
  StatusOr<int64_t> value = integerAttribute(runtimeCall_.attributes, attribute);
  if (!value.ok())
    fail(value.status().message());
  else if (*value < 0 || *value > 127 || allowed.find(char(*value)) == std::string_view::npos)
    fail("attribute '" + std::string(attribute) + "' is " + std::to_string(*value) + ", not the code of one of " +
         std::string(allowed));
  return status_.ok() ? char(*value) : allowed.front();
}

int64_t Setup::integer(std::string_view attribute) {
  StatusOr<int64_t> value = integerAttribute(runtimeCall_.attributes, attribute);
  if (!value.ok())
    fail(value.status().message());
  return value.ok() ? *value : 0;
}

bool Setup::boolean(std::string_view attribute) { return integer(attribute) != 0; }

void *Setup::routine(const std::string &name) {
  void *found = library_->find(name);
  if (!found)
    fail("the LAPACK library " + library_->path() + " lacks " + name);
  return found;
}

int32_t Setup::size(int64_t value) {
  if (value > std::numeric_limits<int32_t>::max())
    fail("a dimension of " + std::to_string(value) + " is too large for LAPACK");
  return int32_t(value);
}

} // namespace lapack

void registerLapack() {
  // jaxlib's handlers of these names work only after Python has initialised them, which deserialised programs skip.
  auto add = [](const std::string &name, RuntimeCallFactory factory) {
    registerBuiltInCustomCall(name, std::move(factory), [] { return LapackLibrary::get().ok(); });
  };
  lapack::registerFactorizations(add);
  lapack::registerReductions(add);
  lapack::registerSpectral(add);
}

} // namespace tenon::runtime
