// Attributes in StableHLO's syntax.
#include "tenon/program_builder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::attributes {

template <typename Values, typename Print> static std::string list(const Values &values, Print print) {
  std::string text;
  for (const auto &value : values)
    text += (text.empty() ? "" : ", ") + print(value);
  return text;
}

static std::string numbers(Span<std::int64_t> values) {
  return list(values, [](std::int64_t value) { return std::to_string(value); });
}

std::string i64(std::int64_t value) { return std::to_string(value) + " : i64"; }
std::string i32(std::int32_t value) { return std::to_string(value) + " : i32"; }

// By its bits, so that every value is itself.
std::string f32(float value) {
  return "0x" + llvm::utohexstr(llvm::bit_cast<std::uint32_t>(value), /*LowerCase=*/false, /*Width=*/8) + " : f32";
}

std::string boolean(bool value) { return value ? "true" : "false"; }
std::string unit(bool value) { return value ? "unit" : ""; }

std::string string(std::string_view value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '"';
  llvm::printEscapedString(llvm::StringRef(value), stream);
  stream << '"';
  return text;
}

std::string symbol(std::string_view function) { return "@" + string(function); }

std::string i64s(Span<std::int64_t> values) {
  return values.empty() ? "array<i64>" : "array<i64: " + numbers(values) + ">";
}

std::string booleans(const std::vector<bool> &values) {
  return values.empty() ? "array<i1>" : "array<i1: " + list(values, boolean) + ">";
}

std::string matrix(const std::vector<std::vector<std::int64_t>> &rows, std::int64_t columns) {
  std::string type = " : tensor<" + std::to_string(rows.size()) + "x" +
                     std::to_string(rows.empty() ? columns : static_cast<std::int64_t>(rows.front().size())) + "xi64>";
  if (rows.empty() || rows.front().empty())
    return "dense<>" + type;
  return "dense<[" + list(rows, [](const auto &row) { return "[" + numbers(row) + "]"; }) + "]>" + type;
}

std::string field(const char *name, const std::vector<std::int64_t> &values) {
  return values.empty() ? "" : std::string(name) + " = [" + numbers(values) + "], ";
}

std::string field(const char *name, std::int64_t value) {
  return value == 0 ? "" : std::string(name) + " = " + std::to_string(value) + ", ";
}

std::string fields(const char *attribute, std::string texts) {
  if (!texts.empty())
    texts.resize(texts.size() - 2);
  return std::string(attribute) + texts + ">";
}

} // namespace tenon::attributes
