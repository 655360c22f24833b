// Random shardings of small meshes, for tests of what moves arrays between them.
#pragma once

#include "tenon/passes/partition/redistribute/plan.h"

#include "llvm/ADT/STLExtras.h"

#include <random>

namespace tenon::passes::redistribution {

inline ir::Mesh meshOf(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> ids = {}) {
  ir::Mesh mesh;
  for (auto [i, size] : llvm::enumerate(sizes))
    mesh.axes.push_back({std::string(1, static_cast<char>('a' + i)), size});
  mesh.ids.assign(ids.begin(), ids.end());
  return mesh;
}

/// Which of the parts along the axes the device at a place has.
inline int64_t numberOf(const ir::Mesh &mesh, llvm::ArrayRef<ir::Atom> axes, int64_t place) {
  int64_t number = 0;
  for (const ir::Atom &atom : axes)
    number = number * atom.size + ir::digitOf(mesh, atom, place);
  return number;
}

class RandomShardings {
public:
  explicit RandomShardings(uint32_t seed) : random_(seed) {}

  size_t below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }

  ir::Sharding on(const ir::Mesh &mesh, int64_t rank) {
    llvm::SmallVector<ir::Atom> atoms;
    for (auto [i, axis] : llvm::enumerate(mesh.axes)) {
      int64_t part = axis.size % 2 == 0 && below(3) == 0 ? 2 : axis.size;
      atoms.push_back({static_cast<int>(i), 1, part});
      if (part < axis.size)
        atoms.push_back({static_cast<int>(i), part, axis.size / part});
    }
    std::shuffle(atoms.begin(), atoms.end(), random_);
    ir::Sharding sharding = ir::Sharding::whole(&mesh, rank, true);
    for (const ir::Atom &atom : atoms)
      if (size_t at = below(rank + 2); at < static_cast<size_t>(rank))
        ir::append(sharding.dims[at].axes, atom);
      else if (at == static_cast<size_t>(rank) && below(3) == 0)
        ir::append(sharding.unreduced, atom);
    return sharding;
  }
  llvm::SmallVector<int64_t> sizes(int64_t rank) {
    llvm::SmallVector<int64_t> sizes;
    for (int64_t i = 0; i < rank; ++i)
      sizes.push_back(below(4) == 0 ? 8 : static_cast<int64_t>(1 + below(9)));
    return sizes;
  }

private:
  std::mt19937 random_;
};

} // namespace tenon::passes::redistribution
