#include "tenon/pjrt/module_text.h"

#include <algorithm>

namespace tenon::pjrt {
namespace {

std::string joined(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string layoutAttribute(const std::vector<BufferTypeRef> &types) {
  std::vector<std::string> layouts;
  for (const BufferTypeRef &type : types) {
    std::vector<std::string> dims;
    for (int64_t dim : type->minorToMajor)
      dims.push_back(std::to_string(dim));
    std::string values = dims.empty() ? "" : "[" + joined(dims) + "]";
    layouts.push_back("dense<" + values + "> : tensor<" + std::to_string(dims.size()) + "xindex>");
  }
  return "[" + joined(layouts) + "]";
}

bool areRowMajor(const std::vector<BufferTypeRef> &types) {
  return std::all_of(types.begin(), types.end(), [](const BufferTypeRef &type) { return type->isRowMajor; });
}

std::vector<std::string> attributesOf(const CompiledProgram &compiled) {
  std::vector<std::string> attributes;
  // Sizes of others that are results, too, have no types here.
  if (compiled.executable->program().results.size() == compiled.resultTypes.size() &&
      !(areRowMajor(compiled.argumentTypes) && areRowMajor(compiled.resultTypes))) {
    attributes.push_back("mhlo.xla_entry_computation_parameter_layouts = " + layoutAttribute(compiled.argumentTypes));
    attributes.push_back("mhlo.xla_entry_computation_result_layout = " + layoutAttribute(compiled.resultTypes));
  }
  return attributes;
}

// Where the module's name ends.
size_t endOfName(const std::string &text, size_t at) {
  if (text.compare(at, 2, " @") != 0)
    return at;
  at += 2;
  if (text[at] != '"')
    return text.find_first_of(" \n", at);
  for (++at; at < text.size() && text[at] != '"'; ++at)
    at += text[at] == '\\';
  return at + 1;
}

} // namespace

std::string withLayouts(std::string text, const CompiledProgram &compiled) {
  std::vector<std::string> attributes = attributesOf(compiled);
  constexpr std::string_view kModule = "module", kAttributes = " attributes {";
  size_t start = text.starts_with(kModule) ? 0 : text.find("\nmodule") + 1;
  if (attributes.empty() || (start == 0 && !text.starts_with(kModule)))
    return text;
  size_t at = std::min(endOfName(text, start + kModule.size()), text.size());
  if (text.compare(at, kAttributes.size(), kAttributes) == 0)
    text.insert(at + kAttributes.size(), joined(attributes) + ", ");
  else
    text.insert(at, std::string(kAttributes) + joined(attributes) + "}");
  return text;
}

} // namespace tenon::pjrt
