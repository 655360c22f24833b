#include "tenon/runtime/jit/debug_registration.h"

#include "llvm/Object/ELFObjectFile.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <unistd.h>

extern "C" {
struct jit_code_entry {
  jit_code_entry *next_entry, *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version, action_flag;
  jit_code_entry *relevant_entry, *first_entry;
};
extern jit_descriptor __jit_debug_descriptor; // NOLINT(bugprone-reserved-identifier): as debuggers know it
}

namespace tenon::runtime {
namespace {

// Read when the first program is registered.
const bool asked = setenv("TENON_PERF_MAP", "1", 1) == 0 && setenv("TENON_GDB", "1", 1) == 0;

char code[64];
const std::vector<CodeSymbol> symbols = {{"tenon_kernel_a", code, 16}, {"tenon_kernel_b", code + 16, 48}};

TEST(DebugRegistration, WritesPerfsMap) {
  ASSERT_TRUE(asked);
  auto registration = DebugRegistration::create("program", symbols);
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  char line[100];
  snprintf(line, sizeof line, "%lx 30 tenon_kernel_b\n", reinterpret_cast<unsigned long>(code + 16));
  EXPECT_THAT(text.str(), testing::HasSubstr(line));
  unlink(path.c_str());
}

TEST(DebugRegistration, RegistersASymbolFileWithGdb) {
  auto first = DebugRegistration::create("one", symbols);
  auto second = DebugRegistration::create("two", symbols);
  ASSERT_TRUE(first && second);
  jit_code_entry *entry = __jit_debug_descriptor.first_entry;
  ASSERT_NE(entry, nullptr);
  ASSERT_NE(entry->next_entry, nullptr);
  EXPECT_EQ(entry->next_entry->next_entry, nullptr);

  // LLVM's reader stands in for the debugger's.
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(entry->symfile_addr, entry->symfile_size), "symbols"));
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  std::vector<std::pair<std::string, uint64_t>> found;
  for (const llvm::object::ELFSymbolRef symbol : (*file)->symbols()) {
    auto section = llvm::cantFail(symbol.getSection());
    ASSERT_NE(section, (*file)->section_end());
    EXPECT_EQ(section->getAddress(), reinterpret_cast<uint64_t>(code));
    found.emplace_back(llvm::cantFail(symbol.getName()).str(), symbol.getSize());
  }
  EXPECT_THAT(found, testing::ElementsAre(std::pair("tenon_kernel_a", 16), std::pair("tenon_kernel_b", 48)));

  jit_code_entry *rest = entry->next_entry;
  second.reset();
  EXPECT_EQ(__jit_debug_descriptor.first_entry, rest);
  EXPECT_EQ(rest->prev_entry, nullptr);
  first.reset();
  EXPECT_EQ(__jit_debug_descriptor.first_entry, nullptr);
}

} // namespace
} // namespace tenon::runtime
