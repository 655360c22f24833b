// A relocatable object may have any number of sections of one name, so merging needs no layout: the sections are put
// side by side under new numbers. What changes is what refers to them: symbols name a section by its number,
// relocations name a symbol by its number. Contents and relocation offsets stay as LLVM wrote them, and so does the
// machine code.

#include "tenon/aot/elf_merge.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace tenon::aot {
namespace {

namespace ELF = llvm::ELF;
using File = llvm::object::ELF64LEFile;
using Section = File::Elf_Shdr;
using Symbol = File::Elf_Sym;

Status fromError(llvm::Error error) { return internalError("object code: " + llvm::toString(std::move(error))); }

struct Input {
  explicit Input(File file) : file(std::move(file)) {}

  File file;
  llvm::ArrayRef<Section> sections;
  llvm::ArrayRef<Symbol> symbols;
  llvm::StringRef symbolNames;
  // By the input's numbers; 0: not taken over, or not known yet.
  std::vector<uint32_t> sectionMap, symbolMap;
};

StatusOr<Input> readInput(std::string_view bytes) {
  auto file = File::create({bytes.data(), bytes.size()});
  if (!file)
    return fromError(file.takeError());
  Input input(std::move(*file));
  auto sections = input.file.sections();
  if (!sections)
    return fromError(sections.takeError());
  input.sections = *sections;
  input.sectionMap.resize(sections->size());
  for (const Section &section : *sections) {
    if (section.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto symbols = input.file.symbols(&section);
    if (!symbols)
      return fromError(symbols.takeError());
    auto names = input.file.getStringTableForSymtab(section);
    if (!names)
      return fromError(names.takeError());
    input.symbols = *symbols;
    input.symbolNames = *names;
  }
  input.symbolMap.resize(input.symbols.size());
  return input;
}

// A string table under construction.
class Strings {
public:
  uint32_t add(llvm::StringRef text) {
    auto [entry, isNew] = offsets_.try_emplace(text.str(), uint32_t(bytes_.size()));
    if (isNew)
      bytes_.append(text.begin(), text.end()).push_back('\0');
    return entry->second;
  }
  const std::string &bytes() const { return bytes_; }

private:
  std::string bytes_ = std::string(1, '\0');
  std::map<std::string, uint32_t> offsets_{{"", 0}};
};

struct OutputSection {
  ELF::Elf64_Shdr header{};
  std::string_view contents;
  std::string owned; // where `contents` is made here
};

class Merger {
public:
  explicit Merger(const std::function<bool(std::string_view)> &isPublic) : isPublic_(isPublic), sections_(1) {}

  StatusOr<MergedObject> run(const std::vector<std::string_view> &objects, const std::vector<DataBlob> &blobs) {
    for (std::string_view object : objects) {
      TENON_ASSIGN_OR_RETURN(Input input, readInput(object));
      inputs_.push_back(std::move(input));
    }
    for (Input &input : inputs_)
      TENON_RETURN_IF_ERROR(takeSections(input));
    for (const DataBlob &blob : blobs)
      takeBlob(blob);
    for (Input &input : inputs_)
      TENON_RETURN_IF_ERROR(takeDefinitions(input));
    for (Input &input : inputs_)
      bindReferences(input);
    numberSymbols();
    for (Input &input : inputs_)
      TENON_RETURN_IF_ERROR(takeRelocations(input));
    return write();
  }

private:
  // A symbol of the output, with its final number once numberSymbols has run.
  struct Out {
    ELF::Elf64_Sym symbol{};
    uint32_t number = 0;
  };

  // Whether the section's contents belong into the output. The others are made anew, or mean nothing any more.
  static bool isTaken(const Section &section) {
    return (section.sh_flags & ELF::SHF_ALLOC) &&
           (section.sh_type == ELF::SHT_PROGBITS || section.sh_type == ELF::SHT_NOBITS);
  }

  Status takeSections(Input &input) {
    for (auto [i, section] : llvm::enumerate(input.sections)) {
      if (section.sh_type == ELF::SHT_REL || section.sh_type == ELF::SHT_GROUP ||
          (isTaken(section) && (section.sh_flags & (ELF::SHF_LINK_ORDER | ELF::SHF_GROUP))))
        return internalError("object code has a section of a kind that cannot be merged");
      if (!isTaken(section)) // empty ones are taken: an address in them may be asked for
        continue;
      auto name = input.file.getSectionName(section);
      if (!name)
        return fromError(name.takeError());
      OutputSection output;
      output.header.sh_name = sectionNames_.add(*name);
      output.header.sh_type = section.sh_type;
      output.header.sh_flags = section.sh_flags;
      output.header.sh_size = section.sh_size;
      output.header.sh_addralign = section.sh_addralign;
      output.header.sh_entsize = section.sh_entsize;
      if (section.sh_type != ELF::SHT_NOBITS) {
        auto contents = input.file.getSectionContents(section);
        if (!contents)
          return fromError(contents.takeError());
        output.contents = {reinterpret_cast<const char *>(contents->data()), contents->size()};
      }
      (section.sh_flags & ELF::SHF_EXECINSTR ? result_.codeBytes
       : section.sh_flags & ELF::SHF_WRITE   ? result_.writableBytes
                                             : result_.readOnlyBytes) += int64_t(section.sh_size);
      input.sectionMap[i] = uint32_t(sections_.size());
      sections_.push_back(std::move(output));
    }
    machine_ = input.file.getHeader().e_machine;
    flags_ = input.file.getHeader().e_flags;
    return {};
  }

  void takeBlob(const DataBlob &blob) {
    OutputSection output;
    output.header.sh_name = sectionNames_.add(".rodata." + blob.symbol);
    output.header.sh_type = ELF::SHT_PROGBITS;
    output.header.sh_flags = ELF::SHF_ALLOC;
    output.header.sh_size = blob.bytes.size();
    output.header.sh_addralign = kBlobAlignment;
    output.contents = blob.bytes;
    Out &out = newSymbol(isPublic_(blob.symbol), blob.symbol);
    out.symbol.st_info |= ELF::STT_OBJECT;
    out.symbol.st_shndx = uint16_t(sections_.size());
    out.symbol.st_size = blob.bytes.size();
    named_[blob.symbol] = {&out, false};
    sections_.push_back(std::move(output));
  }

  Out &newSymbol(bool global, llvm::StringRef name) {
    std::deque<Out> &list = global ? globals_ : locals_;
    Out &out = list.emplace_back();
    out.symbol.st_name = symbolNames_.add(name);
    out.symbol.st_info = uint8_t((global ? ELF::STB_GLOBAL : ELF::STB_LOCAL) << 4);
    return out;
  }

  // Local symbols, and those that the objects define for each other.
  Status takeDefinitions(Input &input) {
    refs_.emplace_back(input.symbols.size(), nullptr);
    for (auto [i, symbol] : llvm::enumerate(input.symbols)) {
      if (i == 0 || symbol.st_shndx == ELF::SHN_UNDEF || symbol.getType() == ELF::STT_FILE)
        continue;
      if (symbol.st_shndx >= ELF::SHN_LORESERVE)
        return internalError("object code has a symbol of a kind that cannot be merged");
      uint32_t section = input.sectionMap[symbol.st_shndx];
      if (section == 0)
        continue; // in a section that is left out
      auto name = symbol.getName(input.symbolNames);
      if (!name)
        return fromError(name.takeError());
      bool weak = symbol.getBinding() == ELF::STB_WEAK;
      if (symbol.getBinding() != ELF::STB_LOCAL)
        if (auto known = named_.find(name->str()); known != named_.end()) {
          if (!weak && !known->second.isWeak)
            return internalError("object code defines '" + name->str() + "' twice");
          if (weak)
            continue; // the first one serves
        }
      bool global = symbol.getBinding() != ELF::STB_LOCAL && isPublic_({name->data(), name->size()});
      Out &out = newSymbol(global, symbol.getType() == ELF::STT_SECTION ? "" : *name);
      out.symbol.st_info |= symbol.getType();
      out.symbol.st_shndx = uint16_t(section);
      out.symbol.st_value = symbol.st_value;
      out.symbol.st_size = symbol.st_size;
      if (symbol.getBinding() == ELF::STB_LOCAL)
        refs_.back()[i] = &out;
      else
        named_[name->str()] = {&out, weak};
    }
    return {};
  }

  // Every other symbol goes by its name, to a definition or to what the final link has to bring.
  void bindReferences(Input &input) {
    std::vector<Out *> &refs = refs_[size_t(&input - inputs_.data())];
    for (auto [i, symbol] : llvm::enumerate(input.symbols)) {
      if (i == 0 || refs[i] || symbol.getBinding() == ELF::STB_LOCAL)
        continue;
      std::string name = llvm::cantFail(symbol.getName(input.symbolNames)).str();
      auto [entry, isNew] = named_.try_emplace(name);
      if (isNew) {
        entry->second = {&newSymbol(/*global=*/true, name), false};
        result_.undefined.push_back(name);
      }
      refs[i] = entry->second.out;
    }
  }

  void numberSymbols() {
    uint32_t number = 1;
    for (std::deque<Out> *list : {&locals_, &globals_})
      for (Out &out : *list)
        out.number = number++;
    for (auto [input, refs] : llvm::zip_equal(inputs_, refs_))
      for (auto [i, ref] : llvm::enumerate(refs))
        input.symbolMap[i] = ref ? ref->number : 0;
    std::sort(result_.undefined.begin(), result_.undefined.end());
  }

  Status takeRelocations(const Input &input) {
    for (const Section &section : input.sections) {
      if (section.sh_type != ELF::SHT_RELA)
        continue;
      uint32_t target = section.sh_info < input.sectionMap.size() ? input.sectionMap[section.sh_info] : 0;
      if (target == 0)
        continue;
      auto relocations = input.file.relas(section);
      if (!relocations)
        return fromError(relocations.takeError());
      OutputSection output;
      for (const auto &relocation : *relocations) {
        uint32_t symbol = relocation.getSymbol(/*isMips64EL=*/false);
        if (symbol >= input.symbolMap.size() || (symbol != 0 && input.symbolMap[symbol] == 0))
          return internalError("object code refers to a section that is not loaded");
        ELF::Elf64_Rela rela{};
        rela.r_offset = relocation.r_offset;
        rela.setSymbolAndType(input.symbolMap[symbol], relocation.getType(/*isMips64EL=*/false));
        rela.r_addend = relocation.r_addend;
        output.owned.append(reinterpret_cast<const char *>(&rela), sizeof rela);
      }
      auto name = input.file.getSectionName(section);
      if (!name)
        return fromError(name.takeError());
      output.header.sh_name = sectionNames_.add(*name);
      output.header.sh_type = ELF::SHT_RELA;
      output.header.sh_flags = ELF::SHF_INFO_LINK;
      output.header.sh_info = target;
      output.header.sh_addralign = 8;
      output.header.sh_entsize = sizeof(ELF::Elf64_Rela);
      relocationSections_.push_back(sections_.size());
      sections_.push_back(std::move(output));
    }
    return {};
  }

  // Sections that every object has: the promise that the stack need not be executable, symbols and strings.
  void addTables() {
    OutputSection stack;
    stack.header.sh_name = sectionNames_.add(".note.GNU-stack");
    stack.header.sh_type = ELF::SHT_PROGBITS;
    stack.header.sh_addralign = 1;
    sections_.push_back(std::move(stack));

    OutputSection symbols;
    symbols.header.sh_name = sectionNames_.add(".symtab");
    symbols.header.sh_type = ELF::SHT_SYMTAB;
    symbols.header.sh_link = uint32_t(sections_.size() + 1);
    symbols.header.sh_info = uint32_t(1 + locals_.size()); // of the first global one
    symbols.header.sh_addralign = 8;
    symbols.header.sh_entsize = sizeof(ELF::Elf64_Sym);
    symbols.owned.assign(sizeof(ELF::Elf64_Sym), '\0');
    for (const std::deque<Out> *list : {&locals_, &globals_})
      for (const Out &out : *list)
        symbols.owned.append(reinterpret_cast<const char *>(&out.symbol), sizeof out.symbol);
    for (size_t section : relocationSections_)
      sections_[section].header.sh_link = uint32_t(sections_.size());
    sections_.push_back(std::move(symbols));

    addStrings(".strtab", symbolNames_);
    addStrings(".shstrtab", sectionNames_);
  }

  void addStrings(const char *name, const Strings &strings) {
    OutputSection section;
    section.header.sh_name = sectionNames_.add(name); // before its bytes are taken, it may be the names' own
    section.header.sh_type = ELF::SHT_STRTAB;
    section.header.sh_addralign = 1;
    section.owned = strings.bytes();
    sections_.push_back(std::move(section));
  }

  StatusOr<MergedObject> write() {
    addTables();
    if (sections_.size() >= ELF::SHN_LORESERVE)
      return unimplemented("the program has too many kernels for one object file");
    uint64_t offset = sizeof(ELF::Elf64_Ehdr);
    for (OutputSection &section : llvm::drop_begin(sections_)) {
      if (!section.owned.empty()) {
        section.contents = section.owned;
        section.header.sh_size = section.owned.size();
      }
      offset = llvm::alignTo(offset, std::max<uint64_t>(1, section.header.sh_addralign));
      section.header.sh_offset = offset;
      offset += section.contents.size();
    }
    offset = llvm::alignTo(offset, 8);

    ELF::Elf64_Ehdr header{};
    std::copy_n(ELF::ElfMagic, 4, header.e_ident);
    header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
    header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
    header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
    header.e_type = ELF::ET_REL;
    header.e_machine = machine_;
    header.e_flags = flags_;
    header.e_version = ELF::EV_CURRENT;
    header.e_shoff = offset;
    header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof(ELF::Elf64_Shdr);
    header.e_shnum = uint16_t(sections_.size());
    header.e_shstrndx = uint16_t(sections_.size() - 1);

    std::string &bytes = result_.bytes;
    bytes.reserve(offset + sections_.size() * sizeof(ELF::Elf64_Shdr));
    bytes.append(reinterpret_cast<const char *>(&header), sizeof header);
    for (const OutputSection &section : llvm::drop_begin(sections_)) {
      bytes.resize(section.header.sh_offset, '\0');
      bytes.append(section.contents);
    }
    bytes.resize(offset, '\0');
    for (const OutputSection &section : sections_)
      bytes.append(reinterpret_cast<const char *>(&section.header), sizeof section.header);
    return std::move(result_);
  }

  struct Named {
    Out *out = nullptr;
    bool isWeak = false;
  };

  const std::function<bool(std::string_view)> &isPublic_;
  std::vector<Input> inputs_;
  std::vector<std::vector<Out *>> refs_; // by input and its symbol numbers
  std::vector<OutputSection> sections_;  // the first is the null section
  std::vector<size_t> relocationSections_;
  std::deque<Out> locals_, globals_;
  std::map<std::string, Named> named_;
  Strings sectionNames_, symbolNames_;
  uint16_t machine_ = 0;
  uint32_t flags_ = 0;
  MergedObject result_;
};

} // namespace

StatusOr<std::vector<std::string>> undefinedSymbols(const std::vector<std::string_view> &objects) {
  std::set<std::string> defined, used;
  for (std::string_view object : objects) {
    TENON_ASSIGN_OR_RETURN(Input input, readInput(object));
    for (const Symbol &symbol : llvm::drop_begin(input.symbols, input.symbols.empty() ? 0 : 1)) {
      if (symbol.getBinding() == ELF::STB_LOCAL)
        continue;
      auto name = symbol.getName(input.symbolNames);
      if (!name)
        return fromError(name.takeError());
      (symbol.st_shndx == ELF::SHN_UNDEF ? used : defined).insert(name->str());
    }
  }
  std::vector<std::string> undefined;
  std::set_difference(used.begin(), used.end(), defined.begin(), defined.end(), std::back_inserter(undefined));
  return undefined;
}

StatusOr<MergedObject> mergeObjects(const std::vector<std::string_view> &objects, const std::vector<DataBlob> &blobs,
                                    const std::function<bool(std::string_view)> &isPublic) {
  return Merger(isPublic).run(objects, blobs);
}

} // namespace tenon::aot
