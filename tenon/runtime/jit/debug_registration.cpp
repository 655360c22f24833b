#include "tenon/runtime/jit/debug_registration.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <elf.h>
#include <unistd.h>

// GDB's JIT interface: the debugger puts a breakpoint in the function and reads the descriptor. Weak, since LLVM's
// own JITs in the same process use the same names.
extern "C" {
struct jit_code_entry {
  jit_code_entry *next_entry;
  jit_code_entry *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;
  jit_code_entry *relevant_entry;
  jit_code_entry *first_entry;
};
// NOLINTBEGIN(bugprone-reserved-identifier): the names that debuggers look for
[[gnu::weak, gnu::visibility("default")]] jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
[[gnu::weak, gnu::noinline, gnu::visibility("default")]] void __jit_debug_register_code() {
  asm volatile("" ::: "memory");
}
// NOLINTEND(bugprone-reserved-identifier)
}

namespace tenon::runtime {
namespace {

enum GdbAction : uint32_t { kRegister = 1, kUnregister = 2 };

std::mutex &registrationMutex() {
  static std::mutex *mutex = new std::mutex();
  return *mutex;
}

bool enabled(const char *variable) {
  const char *text = std::getenv(variable);
  return text && *text && std::strcmp(text, "0") != 0;
}

void writePerfMap(const std::vector<CodeSymbol> &symbols) {
  std::lock_guard lock(registrationMutex());
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::FILE *file = std::fopen(path.c_str(), "a");
  if (!file)
    return;
  for (const CodeSymbol &symbol : symbols)
    std::fprintf(file, "%lx %lx %s\n", reinterpret_cast<unsigned long>(symbol.address), (unsigned long)symbol.size,
                 symbol.name.c_str());
  std::fclose(file);
}

// A section header of the symbol file.
Elf64_Shdr section(uint32_t name, uint32_t type, size_t offset, size_t size) {
  Elf64_Shdr header = {};
  header.sh_name = name;
  header.sh_type = type;
  header.sh_offset = offset;
  header.sh_size = size;
  header.sh_addralign = 8;
  return header;
}

// An ELF file that holds nothing but a symbol table, with absolute addresses, and the section they point into.
std::string symbolFile(const std::vector<CodeSymbol> &symbols) {
  constexpr char sectionNames[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
  std::string names(1, '\0');
  std::vector<Elf64_Sym> table(1);
  uintptr_t low = UINTPTR_MAX, high = 0;
  for (const CodeSymbol &symbol : symbols) {
    auto address = reinterpret_cast<uintptr_t>(symbol.address);
    low = std::min(low, address);
    high = std::max(high, address + symbol.size);
  }
  for (const CodeSymbol &symbol : symbols) {
    Elf64_Sym entry = {};
    entry.st_name = uint32_t(names.size());
    entry.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    entry.st_shndx = 1;
    entry.st_value = reinterpret_cast<uintptr_t>(symbol.address) - low;
    entry.st_size = symbol.size;
    table.push_back(entry);
    names += symbol.name + '\0';
  }
  size_t tableOffset = sizeof(Elf64_Ehdr) + 5 * sizeof(Elf64_Shdr);
  size_t tableBytes = table.size() * sizeof(Elf64_Sym);
  size_t namesOffset = tableOffset + tableBytes;
  Elf64_Shdr headers[5] = {section(0, SHT_NULL, 0, 0), section(1, SHT_NOBITS, 0, high - low),
                           section(7, SHT_SYMTAB, tableOffset, tableBytes),
                           section(15, SHT_STRTAB, namesOffset, names.size()),
                           section(23, SHT_STRTAB, namesOffset + names.size(), sizeof sectionNames)};
  headers[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  headers[1].sh_addr = low;
  headers[2].sh_link = 3;
  headers[2].sh_info = 1;
  headers[2].sh_entsize = sizeof(Elf64_Sym);

  Elf64_Ehdr file = {};
  std::memcpy(file.e_ident, ELFMAG, SELFMAG);
  file.e_ident[EI_CLASS] = ELFCLASS64;
  file.e_ident[EI_DATA] = ELFDATA2LSB;
  file.e_ident[EI_VERSION] = EV_CURRENT;
  file.e_type = ET_REL;
#if defined(__aarch64__)
  file.e_machine = EM_AARCH64;
#else
  file.e_machine = EM_X86_64;
#endif
  file.e_version = EV_CURRENT;
  file.e_shoff = sizeof(Elf64_Ehdr);
  file.e_ehsize = sizeof(Elf64_Ehdr);
  file.e_shentsize = sizeof(Elf64_Shdr);
  file.e_shnum = 5;
  file.e_shstrndx = 4;

  std::string bytes(reinterpret_cast<const char *>(&file), sizeof file);
  bytes.append(reinterpret_cast<const char *>(headers), sizeof headers);
  bytes.append(reinterpret_cast<const char *>(table.data()), tableBytes);
  bytes += names;
  bytes.append(sectionNames, sizeof sectionNames);
  return bytes;
}

void notifyGdb(jit_code_entry *entry, GdbAction action) {
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = 0;
}

} // namespace

struct DebugRegistration::GdbEntry {
  jit_code_entry entry;
  std::string file;
};

std::unique_ptr<DebugRegistration> DebugRegistration::create(const std::string &program,
                                                             const std::vector<CodeSymbol> &symbols) {
  static const bool perf = enabled("TENON_PERF_MAP"), gdb = enabled("TENON_GDB");
  if (perf)
    writePerfMap(symbols);
  if (!gdb || symbols.empty())
    return nullptr;
  std::unique_ptr<DebugRegistration> registration(new DebugRegistration());
  registration->gdb_ = new GdbEntry{{}, symbolFile(symbols)};
  GdbEntry &gdbEntry = *registration->gdb_;
  gdbEntry.entry.symfile_addr = gdbEntry.file.data();
  gdbEntry.entry.symfile_size = gdbEntry.file.size();
  std::lock_guard lock(registrationMutex());
  jit_code_entry *first = __jit_debug_descriptor.first_entry;
  gdbEntry.entry.next_entry = first;
  if (first)
    first->prev_entry = &gdbEntry.entry;
  __jit_debug_descriptor.first_entry = &gdbEntry.entry;
  notifyGdb(&gdbEntry.entry, kRegister);
  return registration;
}

DebugRegistration::~DebugRegistration() {
  if (!gdb_)
    return;
  std::lock_guard lock(registrationMutex());
  jit_code_entry &entry = gdb_->entry;
  if (entry.prev_entry)
    entry.prev_entry->next_entry = entry.next_entry;
  else
    __jit_debug_descriptor.first_entry = entry.next_entry;
  if (entry.next_entry)
    entry.next_entry->prev_entry = entry.prev_entry;
  notifyGdb(&entry, kUnregister);
  delete gdb_;
}

} // namespace tenon::runtime
