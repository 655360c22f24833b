#include "tenon/ir/layouts.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace tenon::ir {

std::optional<std::vector<int64_t>> parseLayout(llvm::StringRef text, ElementType type) {
  if (!text.consume_front("{") || !text.consume_back("}"))
    return std::nullopt;
  if (isSubByteNumber(type))
    text.consume_back(":E(" + std::to_string(bitWidth(type)) + ")");
  std::vector<int64_t> order;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/!text.empty());
  for (llvm::StringRef part : parts)
    if (part.trim().getAsInteger(10, order.emplace_back()))
      return std::nullopt;
  return order;
}

} // namespace tenon::ir
