#include "tenon/passes/partition/redistribute/plan.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace tenon::passes::redistribution {

using ir::Atom;
using ir::Axes;

SmallVector<int64_t> localSizes(ArrayRef<int64_t> sizes, const Cut &cut) {
  SmallVector<int64_t> local;
  for (auto [size, axes] : llvm::zip_equal(sizes, cut.dims)) {
    int64_t tiles = ir::partsOf(axes);
    local.push_back((size + tiles - 1) / tiles);
  }
  return local;
}

Cut cutOf(const ir::Sharding &sharding) {
  Cut cut;
  for (const ir::DimCut &dim : sharding.dims)
    cut.dims.push_back(dim.axes);
  cut.unreduced = sharding.unreduced;
  return cut;
}

std::optional<Axes> partsOf(const ir::Mesh &mesh, ArrayRef<const Cut *> cuts) {
  SmallVector<ArrayRef<Atom>> lists;
  for (const Cut *cut : cuts) {
    llvm::append_range(lists, cut->dims);
    lists.push_back(cut->unreduced);
  }
  return ir::splitAxes(mesh, lists);
}

// The axes that count tiles, those that count summands, and those along which there are copies: a device is known by
// its number along all of these.
static SmallVector<Atom> orderOf(const Cut &cut, ArrayRef<Atom> all, ArrayRef<Atom> first = {}) {
  SmallVector<Atom> order(first);
  for (const Axes &axes : cut.dims)
    llvm::append_range(order, axes);
  llvm::append_range(order, cut.unreduced);
  size_t used = order.size();
  for (const Atom &part : all)
    if (!ir::overlapsAny(part, ArrayRef(order).take_front(used)))
      order.push_back(part);
  return order;
}

std::vector<int64_t> permutationOf(const Move &move) {
  const ir::Mesh &mesh = *move.mesh;
  Axes all = *partsOf(mesh, {&move.before, &move.after});
  auto numberOf = [&](ArrayRef<Atom> order, int64_t place) {
    int64_t number = 0;
    for (const Atom &atom : order)
      number = number * atom.size + ir::digitOf(mesh, atom, place);
    return number;
  };
  SmallVector<Atom> before = orderOf(move.before, all), after = orderOf(move.after, all);
  std::vector<int64_t> placeOf(mesh.size()), sources(mesh.size());
  for (int64_t place = 0; place < mesh.size(); ++place)
    placeOf[numberOf(before, place)] = place;
  for (int64_t place = 0; place < mesh.size(); ++place)
    sources[place] = placeOf[numberOf(after, place)];
  return sources;
}

static SmallVector<ir::ProcessAxis, 4> processAxesOf(const ir::Mesh &mesh, ArrayRef<Atom> atoms) {
  SmallVector<ir::ProcessAxis, 4> axes;
  for (const Atom &atom : atoms)
    if (atom.size > 1)
      axes.push_back({atom.size, ir::groupOf(mesh, atom, 0)[1]}); // the place whose digit is 1
  return axes;
}

std::optional<ir::GroupPermutation> permutationByAxes(const Move &move) {
  const ir::Mesh &mesh = *move.mesh;
  if (!mesh.ids.empty())
    return std::nullopt;
  Axes all = *partsOf(mesh, {&move.before, &move.after});
  ir::GroupPermutation permutation{processAxesOf(mesh, orderOf(move.after, all)),
                                   processAxesOf(mesh, orderOf(move.before, all))};
  // Devices that differ in what both begin or end with do not exchange anything.
  auto &targets = permutation.targets, &sources = permutation.sources;
  while (!targets.empty() && !sources.empty() && targets.back() == sources.back()) {
    targets.pop_back();
    sources.pop_back();
  }
  while (!targets.empty() && !sources.empty() && targets.front() == sources.front()) {
    targets.erase(targets.begin());
    sources.erase(sources.begin());
  }
  return permutation;
}

// Takes so many parts of a dimension's tiles from its minor end.
static Axes takeLast(Axes &axes, int64_t count) {
  Axes taken;
  for (; count > 1; axes.pop_back()) {
    Atom &last = axes.back();
    if (last.size > count) {
      taken.insert(taken.begin(), {last.axis, last.pre * (last.size / count), count});
      last.size /= count;
      return taken;
    }
    taken.insert(taken.begin(), last);
    count /= last.size;
  }
  return taken;
}

Move exchangeOf(const Move &spread) {
  Move move = spread;
  move.kind = MoveKind::kAllToAll;
  move.after = spread.before;
  takeLast(move.after.dims[spread.dim], ir::partsOf(spread.axes));
  for (const Atom &atom : spread.axes)
    ir::append(move.after.dims[spread.to], atom);
  return move;
}

Move permutationAfterExchange(const Move &spread) {
  Move move = spread;
  move.kind = MoveKind::kPermute;
  move.before = exchangeOf(spread).after;
  move.axes.clear();
  return move;
}

// What an exchange along the axes leaves with a device is for the one that has the same number among the tiles
// afterwards. With what stands for the axes in these numbers in front of all else, devices that differ along the axes
// alone are n / count apart of n, and each turn goes that much farther around.
std::optional<Spread> spreadByAxes(const Move &move) {
  const ir::Mesh &mesh = *move.mesh;
  if (!mesh.ids.empty())
    return std::nullopt;
  const int64_t count = ir::partsOf(move.axes);
  Cut before = move.before, after = move.after;
  takeLast(before.dims[move.dim], count);
  Spread spread;
  spread.received = takeLast(after.dims[move.to], count);
  Cut receivers{{spread.received}, {}}, senders{{move.axes}, {}};
  Axes all = *partsOf(mesh, {&before, &after, &receivers, &senders});
  SmallVector<ir::ProcessAxis, 4> targets = processAxesOf(mesh, orderOf(after, all, spread.received)),
                                  sources = processAxesOf(mesh, orderOf(before, all, move.axes));
  int64_t devices = mesh.size();
  while (targets.size() > spread.received.size() && sources.size() > move.axes.size() &&
         targets.back() == sources.back()) {
    devices /= targets.pop_back_val().size;
    sources.pop_back();
  }
  for (int64_t turn = 0; turn < count; ++turn)
    spread.turns.push_back({targets, sources, 1, (count - turn) % count * (devices / count), /*wraps=*/turn > 0});
  return spread;
}

namespace {

//===- Meshes that differ ----------------------------------------------------------------------------------------===//

// By how much a device's number grows with each axis of the mesh; none if that is not the same for all devices.
std::optional<SmallVector<int64_t>> stridesOf(const ir::Mesh &mesh) {
  SmallVector<int64_t> strides(mesh.axes.size());
  int64_t minor = 1;
  for (size_t i = mesh.axes.size(); i-- > 0; minor *= mesh.axes[i].size)
    strides[i] = mesh.axes[i].size == 1 ? 1 : mesh.device(minor) - mesh.device(0);
  if (mesh.ids.empty())
    return strides;
  for (int64_t place = 0; place < minor; ++place) {
    int64_t id = 0;
    for (auto [i, stride] : llvm::enumerate(strides)) {
      int axis = static_cast<int>(i);
      id += stride * ir::digitOf(mesh, {axis, 1, mesh.axes[i].size}, place);
    }
    if (id != mesh.device(place))
      return std::nullopt;
  }
  return strides;
}

// The cut in terms of the numbers of devices, as a mesh of one axis.
std::optional<Cut> onLine(const ir::Mesh &mesh, const Cut &cut, const ir::Mesh &line) {
  std::optional<SmallVector<int64_t>> strides = stridesOf(mesh);
  if (!strides)
    return std::nullopt;
  bool isProduct = true;
  auto convert = [&](const Axes &axes) {
    Axes result;
    for (const Atom &atom : axes) {
      int64_t stride = (*strides)[atom.axis] * (mesh.axes[atom.axis].size / atom.end());
      std::optional<Axes> run = stride > 0 ? ir::axesOfRun(line, stride, atom.size) : std::nullopt;
      isProduct &= run.has_value();
      for (const Atom &part : run.value_or(Axes()))
        ir::append(result, part);
    }
    return result;
  };
  Cut converted;
  for (const Axes &axes : cut.dims)
    converted.dims.push_back(convert(axes));
  converted.unreduced = convert(cut.unreduced);
  return isProduct ? std::optional(converted) : std::nullopt;
}

//===- Parts -----------------------------------------------------------------------------------------------------===//

// The parts of a mesh that a search moves. The finer they are, the less moves; but there may not be too many: those of
// a large mesh are not split further than source and target split them, and those that are always together are one.
class Numbering {
public:
  Numbering(ArrayRef<Atom> parts, const Cut &from, const Cut &to) {
    for (const Atom &part : parts)
      splitIntoPrimes(part);
    if (parts_.size() <= kMaxPrimes)
      return;
    parts_.clear();
    for (const Atom &part : parts)
      if (part.size > 1)
        parts_.push_back({part});
    if (parts_.size() <= kMaxApart)
      return;
    for (size_t i = 0; i < parts_.size(); ++i)
      for (size_t j = 0; j < parts_.size(); ++j)
        if (i != j && areTogether(parts_[i], parts_[j], from) && areTogether(parts_[i], parts_[j], to)) {
          llvm::append_range(parts_[i], parts_[j]);
          parts_.erase(parts_.begin() + j);
          i = 0;
          j = static_cast<size_t>(-1);
        }
  }

  Problem problem(ArrayRef<int64_t> sizes, const Cut &from, const Cut &to) const {
    Problem problem;
    for (const auto &part : parts_)
      problem.partSizes.push_back(ir::partsOf(part));
    problem.sizes.assign(sizes.begin(), sizes.end());
    problem.source = placement(from);
    problem.target = placement(to);
    return problem;
  }
  Axes axes(ArrayRef<uint8_t> numbers) const {
    Axes axes;
    for (uint8_t number : numbers)
      for (const Atom &atom : parts_[number])
        ir::append(axes, atom);
    return axes;
  }
  Cut cut(const Placement &placement) const {
    Cut cut;
    for (const Parts &numbers : placement.dims)
      cut.dims.push_back(axes(numbers));
    cut.unreduced = axes(placement.unreduced);
    return cut;
  }

private:
  static constexpr size_t kMaxPrimes = 5, kMaxApart = 6;

  void splitIntoPrimes(Atom atom) {
    for (int64_t prime = 2; atom.size > 1; ++prime)
      for (; atom.size % prime == 0; atom = {atom.axis, atom.pre * prime, atom.size / prime})
        parts_.push_back({Atom{atom.axis, atom.pre, prime}});
  }

  // Where an atom's end is in axes: in the one of them that contains it, as digits that are before.
  static bool isBefore(const Atom &first, const Atom &second, ArrayRef<Atom> axes) {
    for (auto [i, axis] : llvm::enumerate(axes)) {
      if (!axis.contains(first))
        continue;
      if (first.end() < axis.end())
        return second.axis == first.axis && second.pre == first.end();
      return i + 1 < axes.size() && axes[i + 1].axis == second.axis && axes[i + 1].pre == second.pre;
    }
    return false;
  }
  static bool isIn(const Atom &atom, ArrayRef<Atom> axes) {
    return llvm::any_of(axes, [&](const Atom &axis) { return axis.contains(atom); });
  }

  static bool areTogether(ArrayRef<Atom> first, ArrayRef<Atom> second, const Cut &cut) {
    if (isIn(first.front(), cut.unreduced) && isIn(second.front(), cut.unreduced))
      return true;
    auto isUsed = [&](const Atom &atom) {
      return isIn(atom, cut.unreduced) || llvm::any_of(cut.dims, [&](const Axes &axes) { return isIn(atom, axes); });
    };
    if (!isUsed(first.front()) && !isUsed(second.front()))
      return true;
    return llvm::any_of(cut.dims, [&](const Axes &axes) { return isBefore(first.back(), second.front(), axes); });
  }

  Parts numbersOf(ArrayRef<Atom> axes) const {
    Parts numbers;
    for (const Atom &axis : axes) {
      // A part begins where the axis does, or where the part before it ends.
      for (auto at = axis.pre; at < axis.end();) {
        size_t number = 0;
        Atom inside;
        for (; number < parts_.size(); ++number) {
          const auto *found =
              llvm::find_if(parts_[number], [&](const Atom &atom) { return atom.axis == axis.axis && atom.pre == at; });
          if (found == parts_[number].end())
            continue;
          inside = *found;
          if (found == parts_[number].begin())
            numbers.push_back(static_cast<uint8_t>(number));
          break;
        }
        at = inside.end();
      }
    }
    return numbers;
  }
  Placement placement(const Cut &cut) const {
    Placement placement;
    for (const Axes &axes : cut.dims)
      placement.dims.push_back(numbersOf(axes));
    placement.unreduced = numbersOf(cut.unreduced);
    llvm::sort(placement.unreduced);
    return placement;
  }

  SmallVector<SmallVector<Atom, 2>> parts_;
};

void addMoves(Plan &plan, const Route &route, const Problem &problem, const Numbering &numbering,
              const ir::Mesh *mesh) {
  const Placement *before = &problem.source;
  for (const Step &step : route.steps) {
    Move move{step.kind,
              step.dim,
              step.to,
              numbering.axes(step.parts),
              mesh,
              numbering.cut(*before),
              numbering.cut(step.after),
              problem.received(*before, step)};
    plan.received += move.received;
    plan.moves.push_back(std::move(move));
    before = &step.after;
  }
}

// What distinguishes problems of which one has other steps than the other.
std::string patternOf(const Problem &problem) {
  std::string pattern;
  int64_t all = 1;
  for (int64_t size : problem.partSizes) {
    all *= size;
    pattern += std::to_string(size) + ' ';
  }
  for (int64_t size : problem.sizes)
    pattern += size > 0 && size % all == 0 ? "* " : std::to_string(size) + ' ';
  return pattern + keyOf(problem.source) + '\xff' + keyOf(problem.target);
}

} // namespace

//===- Plans -----------------------------------------------------------------------------------------------------===//

Route Planner::route(const Problem &problem) {
  auto [found, isNew] = routes_.try_emplace(patternOf(problem));
  Route route = isNew ? findRoute(problem) : found->second;
  if (isNew) {
    found->second = route;
    found->second.visited = 0;
  }
  return route;
}

Plan Planner::plan(const ir::Sharding &from, const ir::Sharding &to, ArrayRef<int64_t> sizes) {
  Plan plan;
  Cut source = cutOf(from), target = cutOf(to);
  auto add = [&](const ir::Mesh *mesh, ArrayRef<Atom> parts, const Cut &begin, const Cut &end) {
    Numbering numbering(parts, begin, end);
    Problem problem = numbering.problem(sizes, begin, end);
    Route found = route(problem);
    addMoves(plan, found, problem, numbering, mesh);
    plan.isExact &= found.isExact;
    plan.memoryFactor = found.memoryFactor == 0 ? 0 : std::max(plan.memoryFactor, found.memoryFactor);
    plan.visited += found.visited;
  };
  if (*from.mesh == *to.mesh) {
    if (std::optional<Axes> parts = partsOf(*from.mesh, {&source, &target})) {
      add(from.mesh, *parts, source, target);
      return plan;
    }
  } else {
    ir::Mesh line;
    line.axes.push_back({"devices", from.mesh->size()});
    std::optional<Cut> begin = onLine(*from.mesh, source, line), end = onLine(*to.mesh, target, line);
    if (begin && end)
      if (std::optional<Axes> parts = partsOf(line, {&*begin, &*end})) {
        plan.line = std::make_shared<ir::Mesh>(std::move(line));
        add(plan.line.get(), *parts, *begin, *end);
        return plan;
      }
  }
  // Nothing less than the whole array is cut by both.
  Cut whole;
  whole.dims.resize(sizes.size());
  std::optional<Axes> begin = partsOf(*from.mesh, {&source}), end = partsOf(*to.mesh, {&target});
  assert(begin && end && "parts of an axis that do not fit together");
  add(from.mesh, *begin, source, whole);
  add(to.mesh, *end, whole, target);
  plan.isExact = false;
  plan.memoryFactor = 0;
  return plan;
}

} // namespace tenon::passes::redistribution
