// Each form by the marks that its own specification gives it: magic numbers where it has some, the fields of its first
// message where it is a protobuf.
#include "tenon/frontend/import/foreign.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

namespace tenon::frontend {

using llvm::StringRef;

namespace {

// Advice for the user, for the end of a message.
constexpr StringRef kFromOnnx = "tenon import makes StableHLO of it (docs/import.md)";
constexpr StringRef kFromOnnxRuntime =
    "tenon import makes StableHLO of the ONNX model that it came from (docs/import.md)";
constexpr StringRef kFromTorchExport = "tenon import makes StableHLO of it (docs/frameworks.md)";
constexpr StringRef kFromTorch = "docs/frameworks.md says how torchax or torch-mlir makes StableHLO of a model";
constexpr StringRef kFromOthers = "docs/frameworks.md says how a model becomes StableHLO";
constexpr StringRef kFromHlo = "write the program as StableHLO: in JAX, jax.jit(f).lower(...).as_text()";
constexpr StringRef kUnpack = "unpack it first";
constexpr StringRef kNotAProgram = "it holds no program";

struct Magic {
  size_t offset;
  StringRef bytes;
  StringRef name, help;
};

constexpr Magic kMagics[] = {
    {0,
     {"\x7f"
      "ELF"},
     "an ELF file (an object, a library or a command)",
     kNotAProgram},
    {0, "\x1f\x8b", "compressed by gzip", kUnpack},
    {0, "\x28\xb5\x2f\xfd", "compressed by zstd", kUnpack},
    {0, "BZh", "compressed by bzip2", kUnpack},
    {0,
     {"\xfd"
      "7zXZ"},
     "compressed by xz",
     kUnpack},
    {257, "ustar", "a tar archive", kUnpack},
    {0, "\x89HDF\r\n\x1a\n", "an HDF5 file (as Keras writes models and weights)", kFromOthers},
    {0, "\x93NUMPY", "an array of NumPy's", "arrays are given as --args"},
    {4, "TFL3", "a TFLite model", kFromOthers},
    {4, "ORTM", "a model in ONNX Runtime's own form", kFromOnnxRuntime},
    {4, "IREE", "a module of IREE's virtual machine, which is compiled", "compile the StableHLO that it came from"},
    {0, "GGUF", "weights in the GGUF form", kNotAProgram},
    {0, "BC\xc0\xde", "LLVM bitcode", kNotAProgram},
    {0, "\x89PNG\r\n\x1a\n", "a PNG image", kNotAProgram},
    {0, "%PDF-", "a PDF document", kNotAProgram},
};

std::string describe(StringRef name, StringRef help) { return (name + "; " + help).str(); }

// A zip archive, by the names of what is in it, which stand there uncompressed.
std::string nameZip(StringRef bytes) {
  struct {
    StringRef inside, name, help;
  } constexpr kArchives[] = {
      {"models/model.json", "a program of torch.export (.pt2)", kFromTorchExport},
      {"serialized_exported_program.json", "a program of torch.export (.pt2)", kFromTorchExport},
      {"code/__torch__", "a TorchScript program", kFromTorch},
      {"/data.pkl", "a checkpoint of PyTorch's", kFromTorch},
      {"model.weights.h5", "a Keras model", kFromOthers},
      {".npy", "arrays of NumPy's (.npz)", "arrays are given as --args, each in a .npy file"},
  };
  for (const auto &archive : kArchives)
    if (bytes.contains(archive.inside))
      return describe(archive.name, archive.help);
  return describe("a zip archive", kUnpack);
}

// The fields of a protobuf message, in order: numbers, and what those of bytes hold.
struct ProtoField {
  uint64_t number;
  bool isBytes;
  StringRef bytes;
};

std::optional<uint64_t> takeVarint(StringRef &bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(bytes.front());
    bytes = bytes.drop_front();
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80)
      return value;
  }
  return std::nullopt;
}

// The fields of a protobuf message. None if the bytes are not one to their end, which hardly any other file is.
std::optional<llvm::SmallVector<ProtoField>> protoFields(StringRef bytes) {
  constexpr size_t kMost = 100000;
  llvm::SmallVector<ProtoField> fields;
  while (!bytes.empty() && fields.size() < kMost) {
    auto tag = takeVarint(bytes);
    if (!tag || *tag >> 3 == 0)
      return std::nullopt;
    ProtoField field{*tag >> 3, (*tag & 7) == 2, {}};
    size_t skipped = 0;
    switch (*tag & 7) {
    case 0:
      if (!takeVarint(bytes))
        return std::nullopt;
      break;
    case 1:
      skipped = 8;
      break;
    case 2: {
      auto length = takeVarint(bytes);
      if (!length || *length > bytes.size())
        return std::nullopt;
      field.bytes = bytes.take_front(*length);
      skipped = *length;
      break;
    }
    case 5:
      skipped = 4;
      break;
    default:
      return std::nullopt;
    }
    if (skipped > bytes.size())
      return std::nullopt;
    bytes = bytes.drop_front(skipped);
    fields.push_back(field);
  }
  if (fields.empty() || !bytes.empty())
    return std::nullopt;
  return fields;
}

const ProtoField *find(const llvm::SmallVector<ProtoField> &fields, uint64_t number, bool isBytes) {
  const auto *field =
      llvm::find_if(fields, [&](const ProtoField &f) { return f.number == number && f.isBytes == isBytes; });
  return field == fields.end() ? nullptr : field;
}

bool isName(StringRef text) {
  return !text.empty() && llvm::all_of(text, [](char c) { return c > ' ' && llvm::isPrint(c); });
}

// xla.HloModuleProto: name = 1, entry_computation_name = 2, computations = 3.
bool isHloModule(const llvm::SmallVector<ProtoField> &fields) {
  const ProtoField *name = find(fields, 1, true), *entry = find(fields, 2, true);
  return name && entry && isName(name->bytes) && isName(entry->bytes) && find(fields, 3, true);
}

std::optional<std::string> nameProto(StringRef bytes) {
  auto fields = protoFields(bytes);
  if (!fields)
    return std::nullopt;
  // onnx.ModelProto: ir_version = 1, producer_name = 2, graph = 7, opset_import = 8.
  if (fields->front().number == 1 && find(*fields, 1, false) && find(*fields, 7, true) && find(*fields, 8, true))
    return describe("an ONNX model", kFromOnnx);
  // tensorflow.SavedModel: saved_model_schema_version = 1, meta_graphs = 2, and nothing else.
  if (find(*fields, 1, false) && find(*fields, 2, true) &&
      llvm::all_of(*fields, [](const ProtoField &field) { return field.number <= 2; }))
    return describe("a SavedModel of TensorFlow's", kFromOthers);
  if (isHloModule(*fields))
    return describe("an HLO module of XLA's (HloModuleProto)", kFromHlo);
  const ProtoField *first = find(*fields, 1, true);
  auto inner = first ? protoFields(first->bytes) : std::nullopt;
  if (!inner)
    return std::nullopt;
  // xla.HloProto: hlo_module = 1.
  if (isHloModule(*inner))
    return describe("an HLO module of XLA's (HloProto)", kFromHlo);
  // tensorflow.GraphDef: node = 1, of name = 1 and op = 2.
  const ProtoField *name = find(*inner, 1, true), *op = find(*inner, 2, true);
  if (name && op && isName(name->bytes) && isName(op->bytes))
    return describe("a graph of TensorFlow's (GraphDef)", kFromOthers);
  return std::nullopt;
}

bool isSafetensors(StringRef bytes) {
  if (bytes.size() < 10)
    return false;
  uint64_t header = llvm::support::endian::read64le(bytes.data());
  return header >= 2 && header <= bytes.size() - 8 && bytes[8] == '{' &&
         bytes.substr(8, header).rtrim(' ').back() == '}';
}

bool isPickle(StringRef bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5 && bytes.back() == '.';
}

// Text without the blanks and comments in front of it.
StringRef firstWords(StringRef text) {
  for (text = text.ltrim(); text.starts_with("//"); text = text.ltrim())
    text = text.drop_until([](char c) { return c == '\n'; });
  return text;
}

} // namespace

std::optional<std::string> nameForeignForm(StringRef bytes) {
  if (firstWords(bytes).starts_with("HloModule "))
    return describe("HLO text of XLA's", kFromHlo);
  for (const Magic &magic : kMagics)
    if (bytes.substr(magic.offset).starts_with(magic.bytes))
      return describe(magic.name, magic.help);
  if (bytes.starts_with("PK\x03\x04"))
    return nameZip(bytes);
  if (isSafetensors(bytes))
    return describe("weights in the safetensors form", kNotAProgram);
  if (isPickle(bytes))
    return describe("a pickle of Python's (as PyTorch's older checkpoints are)", kFromTorch);
  // A text has no control characters, unless in strings and comments.
  StringRef bare = bytes.take_front(4096).take_until([](char c) { return c == '"' || c == '/'; });
  if (llvm::none_of(bare, [](char c) { return (c >= 0 && c < '\t') || (c > '\r' && c < ' '); }))
    return std::nullopt;
  if (auto name = nameProto(bytes))
    return name;
  return "binary data of no form that is known; a program is StableHLO as text, bytecode, a portable artifact or what "
         "jax.export writes";
}

} // namespace tenon::frontend
