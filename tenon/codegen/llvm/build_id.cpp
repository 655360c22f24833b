#include "tenon/codegen/llvm/build_id.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <elf.h>
#include <link.h>

namespace tenon::codegen {
namespace {

constexpr char kAnchor = 0; // an address in this image

struct Search {
  std::string id;
};

bool contains(const dl_phdr_info &image, const void *address) {
  auto at = reinterpret_cast<uintptr_t>(address);
  for (int i = 0; i < image.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = image.dlpi_phdr[i];
    uintptr_t begin = image.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && at >= begin && at < begin + segment.p_memsz)
      return true;
  }
  return false;
}

// The build ID among the notes of a segment; empty if it is not there.
std::string findNote(const char *notes, size_t bytes, size_t alignment) {
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof(note));
    size_t name = at + sizeof(note), contents = llvm::alignTo(name + note.n_namesz, alignment);
    if (contents + note.n_descsz > bytes)
      return "";
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0)
      return std::string(notes + contents, note.n_descsz);
    at = llvm::alignTo(contents + note.n_descsz, alignment);
  }
  return "";
}

int visitImage(dl_phdr_info *image, size_t /*size*/, void *data) {
  if (!contains(*image, &kAnchor))
    return 0;
  auto &search = *static_cast<Search *>(data);
  for (int i = 0; i < image->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr) &segment = image->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      search.id = findNote(reinterpret_cast<const char *>(image->dlpi_addr + segment.p_vaddr), segment.p_memsz,
                           segment.p_align == 8 ? 8 : 4);
  }
  return 1;
}

} // namespace

const std::string &buildId() {
  static const auto *id = [] {
    Search search;
    dl_iterate_phdr(visitImage, &search);
    return new std::string(std::move(search.id));
  }();
  return *id;
}

} // namespace tenon::codegen
