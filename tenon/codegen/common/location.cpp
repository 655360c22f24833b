#include "tenon/codegen/common/location.h"

#include "tenon/ir/tenon.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tenon::codegen {

std::string locationText(Location location) {
  if (auto file = dyn_cast<FileLineColRange>(location))
    return (file.getFilename().getValue() + ":" + std::to_string(file.getStartLine()) + ":" +
            std::to_string(file.getStartColumn()))
        .str();
  if (auto named = dyn_cast<NameLoc>(location))
    return locationText(named.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    // Functions of a library need not tell where they are; then their call does.
    std::string inner = locationText(call.getCallee());
    return inner.empty() ? locationText(call.getCaller()) : inner;
  }
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (std::string text = locationText(part); !text.empty())
        return text;
  return "";
}

// Below a NameLoc are the names of Python functions, which are not asked for.
std::string locationName(Location location) {
  if (auto named = dyn_cast<NameLoc>(location))
    return named.getName().getValue().rtrim(':').str();
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    std::string inner = locationName(call.getCallee()), outer = locationName(call.getCaller());
    return outer.empty() || inner.empty() ? outer + inner : outer + "/" + inner;
  }
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (std::string name = locationName(part); !name.empty())
        return name;
  return "";
}

Operation *namedOp(Operation *op) {
  if (auto fusion = dyn_cast<ir::FusionOp>(op))
    if (Operation *last = fusion.getYield()->getOperand(0).getDefiningOp())
      return namedOp(last);
  return op;
}

std::vector<std::string> sourceLocations(Operation *op) {
  constexpr size_t kMaxLocations = 16;
  std::vector<std::string> all;
  auto add = [&](Location location) {
    if (std::string text = locationText(location); !text.empty() && !llvm::is_contained(all, text))
      all.push_back(std::move(text));
  };
  add(namedOp(op)->getLoc());
  if (auto fusion = dyn_cast<ir::FusionOp>(op))
    fusion.getBlock().walk([&](Operation *inner) {
      if (all.size() < kMaxLocations && !isa<ir::FusionOp, ir::YieldOp>(inner))
        add(inner->getLoc());
    });
  return all;
}

} // namespace tenon::codegen
