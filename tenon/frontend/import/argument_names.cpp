#include "tenon/frontend/import/argument_names.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

namespace tenon::frontend {

using llvm::StringRef;

namespace {

// Finds places in a text, in whose order they are mostly asked for.
class Places {
public:
  explicit Places(StringRef text) : text_(text) {}

  // What begins at a line and column, both from 1 on; empty where the text has no such place.
  StringRef at(unsigned line, unsigned column) {
    if (line < line_) {
      line_ = 1;
      begin_ = 0;
    }
    for (; line_ < line; ++line_) {
      size_t end = text_.find('\n', begin_);
      if (end == StringRef::npos)
        return {};
      begin_ = end + 1;
    }
    return column == 0 ? StringRef() : text_.substr(begin_ + column - 1);
  }

private:
  StringRef text_;
  unsigned line_ = 1;
  size_t begin_ = 0; // of the line
};

// The name of the value that the text begins with: "x" of "%x: tensor<f32>". Empty where it has none that says
// anything.
StringRef nameOf(StringRef text) {
  if (!text.consume_front("%"))
    return {};
  StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || StringRef("$._-").contains(c); });
  StringRef rest = name;
  rest.consume_front("arg");
  return rest.find_first_not_of("0123456789") == StringRef::npos ? StringRef() : name;
}

} // namespace

void nameArguments(mlir::ModuleOp module, StringRef text, StringRef fileName) {
  Places places(text);
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isPrivate() || function.isDeclaration())
      continue;
    for (mlir::BlockArgument argument : function.getArguments()) {
      auto place = llvm::dyn_cast<mlir::FileLineColLoc>(argument.getLoc());
      if (!place || place.getFilename() != fileName)
        continue;
      if (StringRef name = nameOf(places.at(place.getLine(), place.getColumn())); !name.empty())
        argument.setLoc(mlir::NameLoc::get(mlir::StringAttr::get(module.getContext(), name), place));
    }
  }
}

} // namespace tenon::frontend
