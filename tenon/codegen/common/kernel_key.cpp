#include "tenon/codegen/common/kernel_key.h"

#include "tenon/ir/captures.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon::codegen {

// What is not in the op but in its code: the constants around it that its regions use, in the order of their first
// uses.
static std::vector<Attribute> capturedConstants(Operation *op) {
  std::vector<Attribute> values;
  for (Value value : ir::capturedValues(op)) {
    Attribute constant;
    (void)matchPattern(value, m_Constant(&constant));
    values.push_back(constant);
  }
  return values;
}

static void appendKey(Operation *op, llvm::DenseMap<Value, uintptr_t> &numbers, std::vector<uintptr_t> &key) {
  auto add = [&](const void *pointer) { key.push_back(reinterpret_cast<uintptr_t>(pointer)); };
  auto define = [&](Value value) {
    numbers.try_emplace(value, numbers.size());
    add(value.getType().getAsOpaquePointer());
  };
  add(op->getName().getAsOpaquePointer());
  add(op->getAttrDictionary().getAsOpaquePointer());
  key.push_back(op->getNumOperands());
  for (Value operand : op->getOperands()) {
    auto [entry, isNew] = numbers.try_emplace(operand, numbers.size());
    key.push_back(entry->second);
    if (isNew)
      add(operand.getType().getAsOpaquePointer());
  }
  key.push_back(op->getNumResults());
  for (Value result : op->getResults())
    define(result);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      key.push_back(block.getNumArguments());
      for (Value argument : block.getArguments())
        define(argument);
      for (Operation &inner : block)
        appendKey(&inner, numbers, key);
    }
}

std::vector<uintptr_t> kernelKey(Operation *op) {
  llvm::DenseMap<Value, uintptr_t> numbers;
  std::vector<uintptr_t> key;
  // Which values the operands are differs from call to call, and does not matter; that two are the same value does: the
  // emitter may read such a value once.
  key.push_back(op->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    key.push_back(reinterpret_cast<uintptr_t>(operand.getType().getAsOpaquePointer()));
    key.push_back(llvm::find(op->getOperands(), operand).getIndex());
  }
  key.push_back(reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer()));
  key.push_back(reinterpret_cast<uintptr_t>(op->getAttrDictionary().getAsOpaquePointer()));
  for (Value result : op->getResults())
    key.push_back(reinterpret_cast<uintptr_t>(result.getType().getAsOpaquePointer()));
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      key.push_back(block.getNumArguments());
      for (Value argument : block.getArguments())
        numbers.try_emplace(argument, numbers.size());
      for (Operation &inner : block)
        appendKey(&inner, numbers, key);
    }
  for (Attribute constant : capturedConstants(op))
    key.push_back(reinterpret_cast<uintptr_t>(constant.getAsOpaquePointer()));
  return key;
}

static bool hasResources(Operation *op) {
  bool found = false;
  AttrTypeWalker walker;
  walker.addWalk([&](DenseResourceElementsAttr) { found = true; });
  op->walk([&](Operation *inner) { walker.walk(inner->getAttrDictionary()); });
  for (Attribute constant : capturedConstants(op))
    walker.walk(constant);
  return found;
}

// An op that is in nothing prints values from around it as unknown, and its own by numbers that begin with 0: wherever
// it is. So which operands are the same stands before it, and which constants its regions use.
std::string kernelDigest(Operation *op) {
  if (hasResources(op))
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (Value operand : op->getOperands())
    stream << llvm::find(op->getOperands(), operand).getIndex() << ' ';
  for (Attribute constant : capturedConstants(op))
    stream << constant << ' ';
  Operation *apart = op->clone();
  apart->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope().elideLargeElementsAttrs(INT64_MAX));
  apart->destroy();
  return llvm::toHex(llvm::BLAKE3::hash<32>(llvm::arrayRefFromStringRef(text)), /*LowerCase=*/true);
}

} // namespace tenon::codegen
