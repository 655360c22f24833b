#include "tenon/frontend/import/foreign.h"
#include "tenon/frontend/import/import.h"

#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::frontend {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

std::string field(int number, const std::string &bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}
std::string field(int number, int value) {
  return std::string(1, static_cast<char>(number << 3)) + static_cast<char>(value);
}

struct Form {
  const char *name; // a part of what is said
  std::string bytes;
};

std::vector<Form> forms() {
  std::string hlo = field(1, "jit_f") + field(2, "main.4") + field(3, field(1, "main.4"));
  std::string safetensors = "{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}"s;
  return {
      {"HLO text", "HloModule jit_f, entry_computation_layout={()->f32[]}\n"},
      {"HLO text", "\n// comment\nHloModule f\n"},
      {"HloModuleProto", hlo},
      {"(HloProto)", field(1, hlo)},
      {"ONNX model", field(1, 8) + field(2, "pytorch") + field(7, field(2, "graph")) + field(8, field(2, 17))},
      {"SavedModel", field(1, 1) + field(2, field(1, field(3, 1)))},
      {"GraphDef", field(1, field(1, "x") + field(2, "Placeholder"))},
      {"TFLite", "\x1c\0\0\0TFL3\0\0\0\0"s},
      {"ONNX Runtime's own form", "\x1c\0\0\0ORTM\0\0\0\0"s},
      {"ELF", "\x7f"
              "ELF\2\1\1\0"s},
      {"gzip", "\x1f\x8b\x08\0"s},
      {"tar archive", std::string(257, '\0') + "ustar\0"s + std::string(250, '\0')},
      {"HDF5", "\x89HDF\r\n\x1a\n\0"s},
      {"safetensors",
       std::string(1, static_cast<char>(safetensors.size())) + std::string(7, '\0') + safetensors + "1234"},
      {"checkpoint of PyTorch", "PK\3\4\0\0\0\0archive/data.pkl"s},
      {"TorchScript", "PK\3\4\0\0\0\0archive/data.pkl archive/code/__torch__.py"s},
      {"torch.export", "PK\3\4\0\0\0\0archive/models/model.json"s},
      {"Keras", "PK\3\4\0\0\0\0config.json model.weights.h5"s},
      {"(.npz)", "PK\3\4\0\0\0\0x.npy"s},
      {"zip archive", "PK\3\4\0\0\0\0x"s},
      {"pickle", "\x80\4\x95\0."s},
      {"array of NumPy's", "\x93NUMPY\1\0"s},
      {"no form that is known", "\1\2\3\xff"s},
  };
}

TEST(Foreign, FormsOfOthersAreNamed) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const Form &form : forms()) {
    std::string said;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) { said += diagnostic.str(); });
    EXPECT_FALSE(importModule(form.bytes, context)) << form.name;
    EXPECT_THAT(said, HasSubstr("not a StableHLO program: this is "));
    EXPECT_THAT(said, HasSubstr(form.name));
  }
}

TEST(Foreign, PartsOfFormsAreSurvived) {
  for (const Form &form : forms())
    for (size_t size = 0; size < form.bytes.size(); ++size)
      (void)nameForeignForm(form.bytes.substr(0, size));
}

TEST(Foreign, TextsAreNot) {
  for (const char *text : {"", " ", "func.func @main() { return }", "module @HloModule {}", "// HloModule f\nmodule {}",
                           "PK", "%0 = \"x\\01\"", "hello"})
    EXPECT_EQ(nameForeignForm(text), std::nullopt) << text;
  // Control characters within strings and comments are no sign.
  EXPECT_EQ(nameForeignForm("module attributes {a = \"\1\2\"} {} // \3"), std::nullopt);
}

} // namespace
} // namespace tenon::frontend
