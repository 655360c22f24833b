#include "tenon/codegen/gpu/ptx_module.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace tenon::codegen {
namespace {

constexpr StringRef kKernel = ".visible .entry ";

bool isHeader(StringRef line) {
  return line.starts_with(".version ") || line.starts_with(".target ") || line.starts_with(".address_size ");
}

// The name of a table with its contents, or of shared memory whose size the launch says.
std::optional<StringRef> nameOfVariable(StringRef line) {
  const bool isTable = line.starts_with(".global ") && line.contains(" = ");
  if ((!isTable && !line.starts_with(".extern .shared ")) || !line.ends_with(";"))
    return std::nullopt;
  StringRef declared = line.take_until([](char letter) { return letter == '[' || letter == '=' || letter == ';'; });
  return declared.rtrim().rsplit(' ').second;
}

} // namespace

std::optional<PtxModule> PtxModule::parse(StringRef text) {
  PtxModule module;
  module.text = text;
  for (StringRef rest = text; !rest.empty();) {
    const StringRef from = rest;
    StringRef line;
    std::tie(line, rest) = from.split('\n');
    if (line.trim().empty() || line.trim().starts_with("//"))
      continue;
    if (isHeader(line)) {
      module.header += line.str() + "\n";
    } else if (line.consume_front(kKernel)) {
      StringRef name = line.take_until([](char letter) { return letter == '('; });
      size_t end = from.find("\n}\n");
      if (end == StringRef::npos)
        return std::nullopt;
      module.parts.push_back({name, from.take_front(end + 2)});
      rest = from.drop_front(end + 3);
    } else if (std::optional<StringRef> name = nameOfVariable(line)) {
      module.parts.push_back({*name, line});
    } else {
      return std::nullopt;
    }
  }
  return module;
}

bool JoinedPtx::add(const PtxModule &module) {
  const bool isFirst = text_.empty();
  auto isOther = [&](const PtxModule::Part &part) {
    auto found = parts_.find(part.name);
    return found != parts_.end() && found->second != part.text;
  };
  if (!isFirst && (module.header != header_ || llvm::any_of(module.parts, isOther)))
    return false;
  header_ = module.header;
  if (isFirst)
    text_ = module.text.str();
  for (const PtxModule::Part &part : module.parts)
    if (parts_.try_emplace(part.name, part.text).second && !isFirst)
      text_ += part.text.str() + "\n";
  return true;
}

} // namespace tenon::codegen
