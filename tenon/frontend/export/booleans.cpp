#include "tenon/frontend/export/booleans.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tenon::frontend {

using llvm::StringRef;

namespace {

constexpr llvm::StringLiteral kBegin = "dense<\"0x", kType = "\"> : tensor<";

// A constant as MLIR prints it: `dense<"0x05..."> : tensor<4x5xi1>`.
struct Printed {
  StringRef digits;
  llvm::SmallVector<int64_t> shape;
  size_t size; // of what is between the brackets of dense<>
};

// The constant at the beginning of the text, if it is of booleans.
std::optional<Printed> booleansAt(StringRef text) {
  StringRef rest = text.drop_front(kBegin.size());
  Printed printed{rest.take_while(llvm::isHexDigit), {}, 0};
  rest = rest.drop_front(printed.digits.size());
  printed.size = kBegin.size() - StringRef("dense<").size() + printed.digits.size() + 1;
  if (!rest.consume_front(kType))
    return std::nullopt;
  for (int64_t size; !rest.consumeInteger(10, size) && rest.consume_front("x");)
    printed.shape.push_back(size);
  if (!rest.starts_with("i1>") && !rest.starts_with("i1,"))
    return std::nullopt;
  int64_t count = 1;
  for (int64_t size : printed.shape)
    count *= size;
  bool isPacked = static_cast<int64_t>(printed.digits.size()) == (count + 7) / 8 * 2;
  return isPacked ? std::optional(printed) : std::nullopt;
}

// The elements from number `next` on, lowest bit of each byte first.
void list(StringRef digits, llvm::ArrayRef<int64_t> shape, int64_t &next, std::string &out) {
  if (shape.empty()) {
    uint8_t byte = llvm::hexFromNibbles(digits[next / 8 * 2], digits[next / 8 * 2 + 1]);
    out += byte >> next % 8 & 1 ? "true" : "false";
    ++next;
    return;
  }
  out += '[';
  for (int64_t i = 0; i < shape.front(); ++i) {
    out += i ? ", " : "";
    list(digits, shape.drop_front(), next, out);
  }
  out += ']';
}

} // namespace

std::string listBooleans(std::string text) {
  std::string out;
  size_t copied = 0;
  for (size_t at = 0; (at = StringRef(text).find(kBegin, at)) != StringRef::npos; ++at) {
    std::optional<Printed> printed = booleansAt(StringRef(text).substr(at));
    if (!printed)
      continue;
    size_t begin = text.find('<', at) + 1;
    out.append(text, copied, begin - copied);
    int64_t next = 0;
    list(printed->digits, printed->shape, next, out);
    copied = begin + printed->size;
  }
  if (copied == 0)
    return text;
  return out.append(text, copied);
}

} // namespace tenon::frontend
