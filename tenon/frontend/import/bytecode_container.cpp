#include "tenon/frontend/import/bytecode_container.h"

#include "mlir/Bytecode/Encoding.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

namespace tenon::frontend {

using llvm::failed;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;
namespace Section = mlir::bytecode::Section;

namespace {

class ContainerReader {
public:
  ContainerReader(BytecodeContainer &container, BytecodeStream file) : container_(container), file_(file) {}

  LogicalResult read() {
    llvm::ArrayRef<uint8_t> magic;
    llvm::StringRef producer;
    if (failed(file_.readBytes(4, magic)) || failed(file_.readVarInt(container_.version)))
      return failure();
    if (container_.version > mlir::bytecode::kVersion)
      return file_.fail("format version " + llvm::Twine(container_.version) + " is newer than " +
                        llvm::Twine(unsigned(mlir::bytecode::kVersion)) + ", the newest known");
    if (failed(file_.readNullTerminated(producer)) || failed(splitSections()))
      return failure();
    if (failed(readStrings()) || failed(readDialects()) || failed(readEntries()) || failed(readProperties()) ||
        failed(readResources()))
      return failure();
    container_.ir = sections_[Section::kIR];
    return success();
  }

private:
  LogicalResult splitSections() {
    while (!file_.empty()) {
      uint8_t id;
      BytecodeStream contents = file_;
      if (failed(file_.readSection(id, contents)))
        return failure();
      if (id >= Section::kNumSections)
        return file_.fail("unknown section " + llvm::Twine(unsigned(id)));
      if (sections_[id])
        return file_.fail("section " + llvm::Twine(unsigned(id)) + " is there twice");
      sections_[id] = contents;
    }
    for (uint8_t id : {Section::kString, Section::kDialect, Section::kAttrType, Section::kAttrTypeOffset, Section::kIR})
      if (!sections_[id])
        return file_.fail("section " + llvm::Twine(unsigned(id)) + " is missing");
    return success();
  }

  // Sizes, from the last string to the first, then the characters. Each string ends in a null.
  LogicalResult readStrings() {
    BytecodeStream stream = *sections_[Section::kString];
    llvm::ArrayRef<uint8_t> all = stream.rest();
    uint64_t count;
    if (failed(stream.readCount(count)))
      return failure();
    container_.strings.resize(count);
    size_t end = all.size();
    for (llvm::StringRef &string : llvm::reverse(container_.strings)) {
      uint64_t size;
      if (failed(stream.readVarInt(size)))
        return failure();
      if (size == 0 || size > end || all[end - 1] != 0)
        return stream.fail("a string of bad size");
      end -= size;
      string = llvm::StringRef(reinterpret_cast<const char *>(all.data()) + end, size - 1);
    }
    return end == all.size() - stream.remaining() ? success() : stream.fail("string sizes do not add up");
  }

  LogicalResult readString(BytecodeStream &stream, uint64_t index, llvm::StringRef &string) {
    if (index >= container_.strings.size())
      return stream.fail("string number " + llvm::Twine(index) + " of " + llvm::Twine(container_.strings.size()));
    string = container_.strings[index];
    return success();
  }

  LogicalResult readDialects() {
    BytecodeStream stream = *sections_[Section::kDialect];
    uint64_t count;
    if (failed(stream.readCount(count)))
      return failure();
    container_.dialects.resize(count);
    for (llvm::StringRef &dialect : container_.dialects)
      if (failed(readDialect(stream, dialect)))
        return failure();
    if (container_.version >= mlir::bytecode::kElideUnknownBlockArgLocation && failed(stream.readVarInt(count)))
      return failure();
    while (!stream.empty())
      if (failed(readGroup(stream, [&](unsigned dialect) { return readOpName(stream, dialect); })))
        return failure();
    return success();
  }

  LogicalResult readDialect(BytecodeStream &stream, llvm::StringRef &dialect) {
    uint64_t name;
    bool hasVersion = false;
    bool canHaveVersion = container_.version >= mlir::bytecode::kDialectVersioning;
    if (canHaveVersion ? failed(stream.readVarIntWithFlag(name, hasVersion)) : failed(stream.readVarInt(name)))
      return failure();
    // The dialects we know put nothing there that matters.
    uint8_t id;
    BytecodeStream versionData = stream;
    if (hasVersion && failed(stream.readSection(id, versionData)))
      return failure();
    return readString(stream, name, dialect);
  }

  LogicalResult readOpName(BytecodeStream &stream, unsigned dialect) {
    BytecodeOpName op{dialect, "", true};
    uint64_t name;
    bool hasFlag = container_.version >= mlir::bytecode::kNativePropertiesEncoding;
    if (hasFlag ? failed(stream.readVarIntWithFlag(name, op.wasRegistered)) : failed(stream.readVarInt(name)))
      return failure();
    if (failed(readString(stream, name, op.name)))
      return failure();
    container_.opNames.push_back(op);
    return success();
  }

  // Entries of one dialect: its number, how many there are, the entries.
  LogicalResult readGroup(BytecodeStream &stream, llvm::function_ref<LogicalResult(unsigned)> readEntry) {
    uint64_t dialect, count;
    if (failed(stream.readVarInt(dialect)) || failed(stream.readCount(count)))
      return failure();
    if (dialect >= container_.dialects.size())
      return stream.fail("dialect number " + llvm::Twine(dialect) + " of " + llvm::Twine(container_.dialects.size()));
    for (; count; --count)
      if (failed(readEntry(dialect)))
        return failure();
    return success();
  }

  LogicalResult readEntries() {
    BytecodeStream offsets = *sections_[Section::kAttrTypeOffset], data = *sections_[Section::kAttrType];
    uint64_t numAttributes, numTypes;
    if (failed(offsets.readCount(numAttributes)) || failed(offsets.readCount(numTypes)))
      return failure();
    auto readTable = [&](std::vector<BytecodeEntry> &table, uint64_t count) -> LogicalResult {
      while (table.size() < count) {
        auto readEntry = [&](unsigned dialect) -> LogicalResult {
          uint64_t size;
          bool customEncoding;
          size_t start = data.position();
          llvm::ArrayRef<uint8_t> bytes;
          if (failed(offsets.readVarIntWithFlag(size, customEncoding)) || failed(data.readBytes(size, bytes)))
            return failure();
          table.push_back({dialect, customEncoding, BytecodeStream(bytes, start, data.getErrors())});
          return success();
        };
        if (failed(readGroup(offsets, readEntry)))
          return failure();
      }
      return table.size() == count ? success() : offsets.fail("more attributes or types than announced");
    };
    if (failed(readTable(container_.attributes, numAttributes)) || failed(readTable(container_.types, numTypes)))
      return failure();
    return offsets.empty() && data.empty() ? success() : offsets.fail("data behind the attributes and types");
  }

  LogicalResult readProperties() {
    if (!sections_[Section::kProperties])
      return success();
    BytecodeStream stream = *sections_[Section::kProperties];
    uint64_t count, size;
    if (failed(stream.readCount(count)))
      return failure();
    for (; count; --count) {
      if (failed(stream.readVarInt(size)))
        return failure();
      size_t start = stream.position();
      llvm::ArrayRef<uint8_t> bytes;
      if (failed(stream.readBytes(size, bytes)))
        return failure();
      container_.properties.emplace_back(bytes, start, stream.getErrors());
    }
    return stream.empty() ? success() : stream.fail("data behind the properties");
  }

  // Groups of named entries, first those of tools (which mean nothing to a program), then those of dialects.
  LogicalResult readResources() {
    if (!sections_[Section::kResource] || !sections_[Section::kResourceOffset])
      return success();
    BytecodeStream offsets = *sections_[Section::kResourceOffset], data = *sections_[Section::kResource];
    uint64_t numToolGroups, owner;
    if (failed(offsets.readCount(numToolGroups)))
      return failure();
    for (; !offsets.empty(); numToolGroups -= numToolGroups != 0)
      if (failed(offsets.readVarInt(owner)) || failed(readResourceGroup(offsets, data, /*keep=*/numToolGroups == 0)))
        return failure();
    return success();
  }

  LogicalResult readResourceGroup(BytecodeStream &offsets, BytecodeStream &data, bool keep) {
    uint64_t count, nameIndex, size;
    if (failed(offsets.readCount(count)))
      return failure();
    for (; count; --count) {
      uint8_t kind;
      BytecodeResource resource;
      size_t start = data.position();
      llvm::ArrayRef<uint8_t> bytes;
      if (failed(offsets.readVarInt(nameIndex)) || failed(offsets.readVarInt(size)) || failed(offsets.readByte(kind)) ||
          failed(readString(offsets, nameIndex, resource.name)) || failed(data.readBytes(size, bytes)))
        return failure();
      if (!keep)
        continue;
      // An entry without data only declares the name.
      constexpr uint8_t kBlob = 0;
      BytecodeStream entry(bytes, start, data.getErrors());
      if (size && kind == kBlob && failed(readBlob(entry, resource.blob)))
        return failure();
      container_.resources.push_back(resource);
    }
    return success();
  }

  static LogicalResult readBlob(BytecodeStream &stream, llvm::ArrayRef<uint8_t> &blob) {
    uint64_t alignment, size;
    if (failed(stream.readVarInt(alignment)) || failed(stream.readVarInt(size)) || failed(stream.align(alignment)))
      return failure();
    return stream.readBytes(size, blob);
  }

  BytecodeContainer &container_;
  BytecodeStream file_;
  std::array<std::optional<BytecodeStream>, Section::kNumSections> sections_;
};

} // namespace

LogicalResult readContainer(llvm::StringRef bytes, BytecodeErrors &errors, BytecodeContainer &container) {
  return ContainerReader(container, BytecodeStream(llvm::arrayRefFromStringRef(bytes), 0, errors)).read();
}

} // namespace tenon::frontend
