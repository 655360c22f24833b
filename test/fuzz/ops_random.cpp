// Random numbers, the same in every run.
#include "test/fuzz/generator.h"

#include "tenon/ir/stablehlo.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

void rng(Generator &g) {
  if (!g.inMain()) // the numbers depend on how many such ops ran before
    return;
  bool normal = g.chance(40);
  Type element = g.element([&](Type type) { return isReal(type) || (!normal && !ir::isComplex(type)); });
  Sizes sizes = g.shape();
  auto distribution = normal ? stablehlo::RngDistribution::NORMAL : stablehlo::RngDistribution::UNIFORM;
  Value low = g.valueOf(g.scalar(element));
  g.emit("stablehlo.rng", {low, g.valueOf(g.scalar(element)), g.vector(sizes)},
         g.named("rng_distribution", stablehlo::RngDistributionAttr::get(g.builder.getContext(), distribution)),
         g.tensor(sizes, element));
}

void rngBitGenerator(Generator &g) {
  auto algorithm = static_cast<stablehlo::RngAlgorithm>(g.pick(3));
  bool wide = algorithm == stablehlo::RngAlgorithm::PHILOX && g.chance(50);
  Value state = g.valueOf(g.tensor({wide ? 3 : 2}, g.builder.getIntegerType(64, /*isSigned=*/false)));
  Type element = g.element([](Type type) { return isReal(type) || isInteger(type); });
  g.emit("stablehlo.rng_bit_generator", state,
         g.named("rng_algorithm", stablehlo::RngAlgorithmAttr::get(g.builder.getContext(), algorithm)),
         {state.getType(), g.tensor(g.shape(), element)});
}

} // namespace

void addRandom(std::vector<Entry> &entries) {
  entries.push_back({"stablehlo.rng", 3, rng});
  entries.push_back({"stablehlo.rng_bit_generator", 3, rngBitGenerator});
}

} // namespace tenon::fuzz
