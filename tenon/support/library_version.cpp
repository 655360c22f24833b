#include "tenon/support/library_version.h"

#include <cstdint>
#include <cstring>
#include <link.h>

namespace tenon {
namespace {

const int anchor = 0; // lies in this library

struct Search {
  uintptr_t address = reinterpret_cast<uintptr_t>(&anchor);
  std::string id;
};

bool contains(const dl_phdr_info &info, uintptr_t address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info.dlpi_phdr[i];
    uintptr_t start = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start && address < start + segment.p_memsz)
      return true;
  }
  return false;
}

// Reads NT_GNU_BUILD_ID from a note segment.
std::string findBuildId(const char *note, size_t size) {
  auto padded = [](size_t n) { return (n + 3) & ~size_t{3}; };
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) header;
    std::memcpy(&header, note + at, sizeof(header));
    const char *name = note + at + sizeof(header);
    const char *value = name + padded(header.n_namesz);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      static const char digits[] = "0123456789abcdef";
      std::string id;
      for (size_t i = 0; i < header.n_descsz; ++i) {
        id += digits[static_cast<uint8_t>(value[i]) >> 4];
        id += digits[static_cast<uint8_t>(value[i]) & 15];
      }
      return id;
    }
    at += sizeof(header) + padded(header.n_namesz) + padded(header.n_descsz);
  }
  return {};
}

int visit(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  if (!contains(*info, search.address))
    return 0;
  for (int i = 0; i < info->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      search.id = findBuildId(reinterpret_cast<const char *>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz);
  }
  return 1;
}

} // namespace

std::string libraryVersion() {
  Search search;
  dl_iterate_phdr(visit, &search);
  std::string text = "tenon " TENON_VERSION;
  return search.id.empty() ? text : text + ", build " + search.id;
}

} // namespace tenon
