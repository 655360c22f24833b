#include "tenon/ir/permutation.h"

#include "llvm/Support/MathExtras.h"

using llvm::SmallVector;

namespace tenon::ir {
namespace {

// Each process's sender; -1 where it has none.
std::optional<SmallVector<int64_t>> sendersOf(const ProcessPairs &pairs, int64_t processes) {
  SmallVector<int64_t> senders(processes, -1);
  for (auto [source, target] : pairs) {
    if (source < 0 || target < 0 || source >= processes || target >= processes || senders[target] >= 0)
      return std::nullopt;
    senders[target] = source;
  }
  return senders;
}

bool isOf(const GroupPermutation &permutation, llvm::ArrayRef<int64_t> senders) {
  for (auto [process, sender] : llvm::enumerate(senders))
    if (sourceOf(permutation, static_cast<int64_t>(process)).value_or(-1) != sender)
      return false;
  return true;
}

} // namespace

std::optional<int64_t> sourceOf(const GroupPermutation &permutation, int64_t process) {
  int64_t number = 0, size = 1, source = process;
  for (const ProcessAxis &axis : permutation.targets) {
    int64_t digit = process / axis.stride % axis.size;
    number = number * axis.size + digit;
    source -= digit * axis.stride;
    size *= axis.size;
  }
  number = permutation.factor * number + permutation.offset;
  if (permutation.wraps)
    number = llvm::mod(number, size);
  if (number < 0 || number >= size)
    return std::nullopt;
  for (const ProcessAxis &axis : llvm::reverse(permutation.sources)) {
    source += number % axis.size * axis.stride;
    number /= axis.size;
  }
  return source;
}

std::optional<GroupPermutation> findPermutation(const ProcessPairs &pairs, int64_t processes) {
  std::optional<SmallVector<int64_t>> senders = sendersOf(pairs, processes);
  if (!senders || pairs.empty())
    return std::nullopt;
  auto [source, target] = pairs.front();
  for (int64_t stride = 1; stride < processes; ++stride)
    for (int64_t size = 2; processes % stride == 0 && size <= processes / stride; ++size) {
      if (processes / stride % size != 0)
        continue;
      int64_t from = source / stride % size, to = target / stride % size;
      for (int64_t factor : {1, -1, 0})
        for (bool wraps : {false, true}) {
          ProcessAxis axis{size, stride};
          GroupPermutation permutation{{axis}, {axis}, factor, from - factor * to, wraps};
          if (isOf(permutation, *senders))
            return permutation;
        }
    }
  return std::nullopt;
}

mlir::DictionaryAttr permutationAttributes(mlir::Builder &builder, const GroupPermutation &permutation) {
  auto list = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> numbers) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(numbers));
  };
  auto axes = [&](llvm::StringRef name, llvm::ArrayRef<ProcessAxis> own) {
    SmallVector<int64_t> numbers;
    for (const ProcessAxis &axis : own)
      numbers.append({axis.size, axis.stride});
    return list(name, numbers);
  };
  return builder.getDictionaryAttr({axes("axes", permutation.targets), axes("sources", permutation.sources),
                                    list("map", {permutation.factor, permutation.offset, int64_t(permutation.wraps)})});
}

std::optional<GroupPermutation> readPermutation(mlir::Attribute attributes) {
  auto given = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(attributes);
  auto list = [&](llvm::StringRef name) {
    auto numbers = given ? given.getAs<mlir::DenseI64ArrayAttr>(name) : mlir::DenseI64ArrayAttr();
    return numbers ? numbers.asArrayRef() : llvm::ArrayRef<int64_t>();
  };
  GroupPermutation permutation;
  auto isRead = [&](llvm::ArrayRef<int64_t> numbers, SmallVector<ProcessAxis, 4> &axes) {
    for (size_t i = 0; i + 1 < numbers.size(); i += 2)
      axes.push_back({numbers[i], numbers[i + 1]});
    return numbers.size() % 2 == 0 &&
           llvm::all_of(axes, [](const ProcessAxis &axis) { return axis.size > 0 && axis.stride > 0; });
  };
  llvm::ArrayRef<int64_t> map = list("map");
  if (map.size() != 3 || !isRead(list("axes"), permutation.targets) || !isRead(list("sources"), permutation.sources))
    return std::nullopt;
  permutation.factor = map[0];
  permutation.offset = map[1];
  permutation.wraps = map[2] != 0;
  return permutation;
}

ProcessPairs pairsOf(const GroupPermutation &permutation, int64_t processes) {
  ProcessPairs pairs;
  for (int64_t process = 0; process < processes; ++process)
    if (std::optional<int64_t> source = sourceOf(permutation, process))
      pairs.emplace_back(*source, process);
  return pairs;
}

} // namespace tenon::ir
