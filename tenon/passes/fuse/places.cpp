#include "tenon/passes/fuse/places.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/passes/fuse/rules.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// Ops that are computed at more places are as if at so many.
constexpr size_t kMostPlaces = 16;

// How many elements of an operand are read where so many of the user's result are computed, `atPoint` or at another
// place, at which other operands may be read than all that are joined: at least what the rest of the result does not
// make up for. What is repeated is counted once: broadcasts have a rule of their own.
double elementsRead(Operation *user, Value operand, double computed, bool atPoint) {
  auto elements = double(elementsOf(operand));
  auto results = double(std::max<int64_t>(1, elementsOf(user->getResult(0))));
  if (isa<sh::ConcatenateOp>(user) && !atPoint)
    return std::max(0.0, computed - (results - elements));
  if (isa<sh::PadOp, sh::ConcatenateOp>(user))
    computed *= elements / results;
  return std::min(computed, elements);
}

// Whether the user reads an operand where it is computed itself: each element by itself, or dimensions of size one more
// or less, and the indices of a gather.
bool readsAtPlace(OpOperand &use) {
  Operation *user = use.getOwner();
  auto reshape = dyn_cast<sh::ReshapeOp>(user);
  return user->hasTrait<ir::Elementwise>() || (isa<sh::GatherOp>(user) && use.getOperandNumber() == 1) ||
         (reshape && changesUnitDims(reshape));
}

// What the user does to places, of all such ops the same.
llvm::hash_code moveBy(Operation *user, OpOperand &use) {
  llvm::hash_code others = llvm::hash_combine(user->getName(), user->hashProperties(), user->getResult(0).getType());
  for (OpOperand &operand : user->getOpOperands())
    others = llvm::hash_combine(others, &operand == &use ? Value() : operand.get());
  return others;
}

} // namespace

FusionPlaces::Places FusionPlaces::placesOf(Operation *op) const {
  Places result;
  auto add = [&](Place place) {
    bool isKnown = llvm::any_of(result, [&](const Place &other) { return other.path == place.path; });
    if (!isKnown && result.size() < kMostPlaces)
      result.push_back(place);
  };
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    auto found = places_.find(user);
    if (found == places_.end())
      continue;
    if (isa<sh::ReduceOp>(user)) { // whose operand's elements are points of the space
      add({0, double(elementsOf(use.get()))});
      continue;
    }
    for (Place place : found->second) {
      if (!readsAtPlace(use))
        place = {llvm::hash_combine(place.path, moveBy(user, use)),
                 elementsRead(user, use.get(), place.elements, place.path == 0)};
      add(place);
    }
  }
  return result;
}

void FusionPlaces::add(Operation *op, bool isRoot) {
  Places places = placesOf(op);
  bool isAtPoint = llvm::any_of(places, [](const Place &place) { return place.path == 0; });
  if (isRoot && !isAtPoint)
    places.push_back({0, double(elementsOf(op->getResult(0)))});
  places_[op] = std::move(places);
}

void FusionPlaces::merge(FusionPlaces &&other) {
  for (auto &[op, places] : other.places_) {
    Places &own = places_[op];
    for (const Place &place : places)
      if (llvm::none_of(own, [&](const Place &known) { return known.path == place.path; }))
        own.push_back(place);
  }
  other.places_.clear();
}

double FusionPlaces::evaluations(Operation *op) const {
  double sum = 0;
  for (const Place &place : placesOf(op))
    sum += place.elements;
  return sum;
}

} // namespace tenon::passes
