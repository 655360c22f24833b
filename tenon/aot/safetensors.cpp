#include "tenon/aot/safetensors.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

#include <limits>
#include <set>

namespace tenon::aot {
namespace {

using program::ElementType;

// The file format's limit of its header.
constexpr uint64_t kMostHeaderBytes = 100'000'000;

ElementType typeNamed(llvm::StringRef name) {
  static const std::map<std::string, ElementType> types = {
      {"BOOL", ElementType::kI1},       {"U8", ElementType::kUI8},           {"I8", ElementType::kI8},
      {"U16", ElementType::kUI16},      {"I16", ElementType::kI16},          {"U32", ElementType::kUI32},
      {"I32", ElementType::kI32},       {"U64", ElementType::kUI64},         {"I64", ElementType::kI64},
      {"F16", ElementType::kF16},       {"BF16", ElementType::kBF16},        {"F32", ElementType::kF32},
      {"F64", ElementType::kF64},       {"F8_E4M3", ElementType::kF8E4M3FN}, {"F8_E5M2", ElementType::kF8E5M2},
      {"C64", ElementType::kComplexF32}};
  auto found = types.find(name.str());
  return found == types.end() ? ElementType::kInvalid : found->second;
}

std::string textOf(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return "[" + text + "]";
}

class Reader {
public:
  Reader(const std::string &name, std::string_view bytes) : name_(name), bytes_(bytes) {}

  StatusOr<std::map<std::string, StoredTensor>> read() {
    uint64_t length = bytes_.size() < 8 ? 0 : llvm::support::endian::read64le(bytes_.data());
    if (bytes_.size() < 9 || length > kMostHeaderBytes || bytes_[8] != '{')
      return error("is no safetensors file");
    if (length > bytes_.size() - 8)
      return error("is truncated: its header takes " + std::to_string(8 + length) + " bytes, and there are " +
                   std::to_string(bytes_.size()));
    data_ = int64_t(8 + length);
    llvm::Expected<llvm::json::Value> header = llvm::json::parse({bytes_.data() + 8, size_t(length)});
    if (!header)
      return error("has a header that is no JSON: " + llvm::toString(header.takeError()));
    const llvm::json::Object *object = header->getAsObject();
    if (!object)
      return error("has a header that is no JSON object");
    std::map<std::string, StoredTensor> tensors;
    for (const auto &[key, value] : *object)
      if (std::string name = key.str(); name != "__metadata__")
        TENON_RETURN_IF_ERROR(readTensor(name, value, tensors[name]));
    return tensors;
  }

private:
  Status error(const std::string &what) const { return invalidArgument(name_ + " " + what); }

  // Non-negative integers under a key.
  static bool readNumbers(const llvm::json::Object &object, llvm::StringRef key, std::vector<int64_t> &numbers) {
    const llvm::json::Array *array = object.getArray(key);
    if (!array)
      return false;
    for (const llvm::json::Value &value : *array) {
      std::optional<int64_t> number = value.getAsInteger();
      if (!number || *number < 0)
        return false;
      numbers.push_back(*number);
    }
    return true;
  }

  Status readTensor(const std::string &tensor, const llvm::json::Value &value, StoredTensor &stored) {
    const std::string what = "says nothing that makes sense of tensor '" + tensor + "'";
    const llvm::json::Object *object = value.getAsObject();
    std::vector<int64_t> places;
    if (!object || !object->getString("dtype") || !readNumbers(*object, "shape", stored.shape.dims) ||
        !readNumbers(*object, "data_offsets", places) || places.size() != 2 || places[0] > places[1])
      return error(what);
    stored.typeName = object->getString("dtype")->str();
    stored.shape.type = typeNamed(stored.typeName);
    stored.offset = data_ + places[0];
    if (places[1] > int64_t(bytes_.size()) - data_)
      return error("is truncated: tensor '" + tensor + "' ends at byte " + std::to_string(data_ + places[1]) +
                   ", and there are " + std::to_string(bytes_.size()));
    if (stored.shape.type == ElementType::kInvalid)
      return {}; // of no type that arguments have
    int64_t left = places[1] - places[0], bytes = program::byteSize(stored.shape.type);
    for (int64_t size : stored.shape.dims) {
      if (size != 0 && bytes > std::numeric_limits<int64_t>::max() / size)
        return error(what);
      bytes *= size;
    }
    return bytes == left ? Status()
                         : error(what + ": its shape takes " + std::to_string(bytes) + " bytes, its place " +
                                 std::to_string(left));
  }

  const std::string &name_;
  std::string_view bytes_;
  int64_t data_ = 0; // where tensors begin
};

// The names that an argument may have as a tensor: "params['a']['b']" is "params['a']['b']", "params.a.b" or "a.b".
std::vector<std::string> tensorNames(const std::string &argument) {
  std::vector<std::string> names = {argument};
  std::string whole, keys;
  for (size_t at = 0; at < argument.size();) {
    size_t end = argument.find('[', at);
    if (at == 0) {
      whole = argument.substr(0, end);
    } else {
      size_t close = argument.find(']', at);
      if (argument[at] != '[' || close == std::string::npos)
        return names;
      llvm::StringRef key = llvm::StringRef(argument).slice(at + 1, close).trim("'\"");
      whole += "." + key.str();
      keys += (keys.empty() ? "" : ".") + key.str();
      end = close + 1;
    }
    at = std::min(end, argument.size());
  }
  names.push_back(whole);
  if (!keys.empty())
    names.push_back(keys);
  return names;
}

} // namespace

StatusOr<std::map<std::string, StoredTensor>> readSafetensors(const std::string &name, std::string_view bytes) {
  return Reader(name, bytes).read();
}

// The tensor that the argument is; the end where it is none.
static StatusOr<std::map<std::string, StoredTensor>::const_iterator>
findTensor(const std::string &argument, const std::string &file, const std::map<std::string, StoredTensor> &tensors,
           const std::map<std::string, std::string> &bindings) {
  if (auto chosen = bindings.find(argument); chosen != bindings.end()) {
    auto found = tensors.find(chosen->second);
    if (found == tensors.end())
      return invalidArgument(file + " has no tensor '" + chosen->second + "' for argument '" + argument + "'");
    return found;
  }
  for (const std::string &name : tensorNames(argument))
    if (auto found = tensors.find(name); found != tensors.end())
      return found;
  return tensors.end();
}

StatusOr<std::vector<int64_t>> bindArguments(const program::Program &program, const std::string &name,
                                             const std::map<std::string, StoredTensor> &tensors,
                                             const std::map<std::string, std::string> &bindings) {
  std::vector<int64_t> offsets;
  std::set<std::string> names;
  bool any = false;
  for (const program::Argument &argument : program.arguments) {
    names.insert(argument.name);
    TENON_ASSIGN_OR_RETURN(auto found, findTensor(argument.name, name, tensors, bindings));
    offsets.push_back(-1);
    if (found == tensors.end())
      continue;
    const StoredTensor &tensor = found->second;
    std::string what = "tensor '" + found->first + "' of " + name;
    if (tensor.shape != argument.shape)
      return invalidArgument(what + " is " + tensor.typeName + textOf(tensor.shape.dims) + ", and argument '" +
                             argument.name + "' " + argument.shape.toString());
    if (!argument.stored.minorToMajor.empty())
      return invalidArgument(what + " is row-major, and argument '" + argument.name + "' is not");
    if (tensor.offset % program::byteSize(tensor.shape.type) != 0)
      return invalidArgument(
          what + " begins at byte " + std::to_string(tensor.offset) +
          ", which is no multiple of its elements' size: write the file anew, with its header padded");
    offsets.back() = tensor.offset;
    any = true;
  }
  for (const auto &[argument, tensor] : bindings)
    if (!names.contains(argument))
      return invalidArgument("the program has no argument '" + argument + "' for tensor '" + tensor + "'");
  if (!any)
    return invalidArgument("no argument of the program has the name of a tensor of " + name +
                           (tensors.empty() ? "" : ", as '" + tensors.begin()->first + "'"));
  return offsets;
}

} // namespace tenon::aot
