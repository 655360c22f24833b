#include "tenon/codegen/gpu/machine_code.h"

#include "tenon/codegen/gpu/ptx_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

namespace tenon::codegen {
namespace {

using ::testing::HasSubstr, ::testing::Not;

constexpr const char *kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";
constexpr const char *kShared = ".extern .shared .align 16 .b8 shared_memory[];\n";

std::string kernel(const std::string &name, const std::string &body = "") {
  return "// .globl " + name + "\n.visible .entry " + name + "(\n\t.param .u64 p\n)\n.maxntid 128\n{\n" + body +
         "\tret;\n}\n";
}

std::string module(const std::string &name, const std::string &declared = "") {
  return "//\n// Generated\n//\n\n" + std::string(kHeader) + declared + kernel(name) + "\n";
}

// --- Modules of PTX ---

std::string joined(const std::vector<std::string> &texts) {
  JoinedPtx result;
  for (const std::string &text : texts) {
    std::optional<PtxModule> parsed = PtxModule::parse(text);
    if (!parsed || !result.add(*parsed))
      return "";
  }
  return result.text();
}

int count(const std::string &text, const std::string &what) {
  int found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

TEST(PtxModules, HaveOneHeaderAndAllKernels) {
  const std::string table = ".global .align 4 .b8 table[4] = {1, 2, 3, 4};\n";
  std::string text = joined({module("a", kShared), module("b", table + kShared), module("c", table)});
  EXPECT_EQ(count(text, ".version"), 1);
  EXPECT_EQ(count(text, ".target"), 1);
  EXPECT_EQ(count(text, ".address_size"), 1);
  EXPECT_EQ(count(text, "shared_memory[];"), 1);
  EXPECT_EQ(count(text, "table[4]"), 1);
  EXPECT_LT(text.find("table[4]"), text.find(".entry b("));
  for (const char *name : {"a", "b", "c"})
    EXPECT_EQ(
        count(text, std::string(".visible .entry ") + name + "(\n\t.param .u64 p\n)\n.maxntid 128\n{\n\tret;\n}\n"), 1);
  EXPECT_EQ(joined({module("a", kShared)}), module("a", kShared)) << "alone, it keeps its text";
}

TEST(PtxModules, AreNotJoinedWhereNamesStandForOtherThings) {
  EXPECT_EQ(
      joined({module("a", ".global .align 4 .b8 t[1] = {1};\n"), module("b", ".global .align 4 .b8 t[1] = {2};\n")}),
      "");
  EXPECT_EQ(joined({module("a", kShared), module("b", ".extern .shared .align 128 .b8 shared_memory[];\n")}), "");
  EXPECT_EQ(joined({module("a"), kHeader + kernel("a", "\tbar.sync 0;\n")}), "");
  EXPECT_EQ(joined({module("a"), ".version 8.5\n.target sm_80\n.address_size 64\n" + kernel("b")}), "");
}

TEST(PtxModules, OfOtherThingsThanKernelsAreNotRead) {
  for (const char *declared : {".func (.param .b32 r) f()\n{\n\tret;\n}\n", ".extern .func g\n(\n)\n;\n",
                               ".global .align 8 .b8 state[8];\n", ".visible .global .align 8 .b8 table[1] = {1};\n",
                               ".shared .align 8 .b8 own[64];\n", ".section .debug_abbrev\n"})
    EXPECT_FALSE(PtxModule::parse(module("a", declared))) << declared;
  EXPECT_FALSE(PtxModule::parse(std::string(kHeader) + ".visible .entry a()\n{\n")) << "it does not end";
}

// --- Machine code ---

class MachineCodes : public ::testing::Test {
protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / "tenon_machine_code";
    std::filesystem::remove_all(folder_);
    cache_ = open();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<ObjectCache> open() {
    auto opened = ObjectCache::open(folder_, 1 << 20);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? std::move(*opened) : nullptr;
  }

  PtxAssembler assembler(const std::string &version = "ptxas 1") {
    return {version,
            [this, version](std::string_view text) -> StatusOr<std::string> {
              ++made_;
              if (text.find("bad") != std::string_view::npos)
                return internalError("syntax error");
              return version + std::string(text);
            },
            isReproducible_};
  }

  // The codes of these modules, each of which is to have its kernel.
  std::vector<std::string> make(std::vector<std::string> names, ObjectCache *cache, int threads = 1,
                                const std::string &chip = "sm_80", const std::string &version = "ptxas 1") {
    std::vector<std::string> texts;
    for (const std::string &name : names)
      texts.push_back(module(name));
    auto made = machineCodeOf(std::vector<llvm::StringRef>(texts.begin(), texts.end()), chip, assembler(version), cache,
                              threads);
    EXPECT_TRUE(made.ok()) << made.status().message();
    std::vector<std::string> codes;
    for (size_t i = 0; made.ok() && i < names.size(); ++i) {
      codes.push_back(made->codes.at(made->codeOf.at(i)));
      EXPECT_THAT(codes.back(), HasSubstr(".entry " + names[i] + "("));
    }
    number_ = made.ok() ? made->codes.size() : 0;
    return codes;
  }

  // The files of the cache, with those in it whose content is that of a place.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> paths;
    for (const auto &entry : std::filesystem::directory_iterator(folder_))
      if (entry.path().filename().string().starts_with("llvmcache-"))
        paths.push_back(entry.path());
    return paths;
  }

  std::filesystem::path folder_;
  std::unique_ptr<ObjectCache> cache_;
  std::atomic<int> made_ = 0;
  bool isReproducible_ = false;
  size_t number_ = 0; // of codes
};

TEST_F(MachineCodes, AreMadeOnceForAllProcesses) {
  std::vector<std::string> first = make({"a"}, cache_.get());
  EXPECT_EQ(first[0], "ptxas 1" + module("a"));
  EXPECT_EQ(make({"a"}, open().get()), first);
  EXPECT_EQ(made_, 1);
}

TEST_F(MachineCodes, AreOthersOfAnotherTextChipOrAssembler) {
  make({"a"}, cache_.get());
  make({"b"}, cache_.get());
  make({"a"}, cache_.get(), 1, "sm_90a");
  EXPECT_EQ(make({"a"}, cache_.get(), 1, "sm_80", "ptxas 2")[0], "ptxas 2" + module("a"));
  EXPECT_EQ(made_, 4);
}

TEST_F(MachineCodes, OfWhatFailsAreNotKept) {
  for (int i = 0; i < 2; ++i) {
    std::string text = module("a", "// bad\n");
    EXPECT_EQ(machineCodeOf({text}, "sm_80", assembler(), cache_.get(), 1).status().message(), "syntax error");
  }
  EXPECT_EQ(made_, 2);
}

TEST_F(MachineCodes, AreMadeEachTimeWithoutACache) {
  for (int i = 0; i < 2; ++i)
    make({"a", "b"}, nullptr);
  EXPECT_EQ(made_, 2);
}

TEST_F(MachineCodes, AreOneForSmallModules) {
  std::vector<std::string> codes = make({"a", "b", "c"}, cache_.get());
  EXPECT_EQ(number_, 1u);
  EXPECT_EQ(codes[0], codes[2]);
  EXPECT_EQ(made_, 1);
}

TEST_F(MachineCodes, LeaveWorkForAllThreads) {
  make({"a", "b", "c", "d"}, nullptr, 4);
  EXPECT_EQ(made_, 4);
  make({"a", "b", "c", "d"}, nullptr, 2);
  EXPECT_EQ(made_, 4 + 2);
  std::string large(40 << 10, ' ');
  std::string texts[] = {module("a"), module("b", "//" + large + "\n"), module("c")};
  auto made = machineCodeOf({texts[0], texts[1], texts[2]}, "sm_80", assembler(), nullptr, 1);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->codeOf[0], made->codeOf[2]);
  EXPECT_NE(made->codeOf[0], made->codeOf[1]);
}

// A program that has a kernel of another one's code takes that code, and those that are missing are made.
TEST_F(MachineCodes, AreSharedByKernel) {
  std::vector<std::string> first = make({"a", "b", "c"}, cache_.get());
  std::vector<std::string> second = make({"b", "d", "c", "e"}, open().get());
  EXPECT_EQ(made_, 2);
  EXPECT_EQ(number_, 2u);
  EXPECT_EQ(second[0], first[0]);
  EXPECT_EQ(second[2], first[0]);
  EXPECT_EQ(second[1], second[3]);
  EXPECT_THAT(second[1], Not(HasSubstr(".entry b(")));
  make({"e"}, cache_.get());
  EXPECT_EQ(made_, 2);
}

// Each file in turn: it is made again, and what was kept of others is not lost.
TEST_F(MachineCodes, AreMadeAgainWhereTheirFilesAreDamagedOrGone) {
  std::vector<std::string> first = make({"a", "b", "c"}, cache_.get());
  std::vector<std::filesystem::path> kept = files();
  EXPECT_EQ(kept.size(), 4u) << "the code is there once, and its place for each kernel";
  for (const std::filesystem::path &path : kept) {
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    EXPECT_EQ(make({"a", "b", "c"}, open().get()).size(), 3u) << path;
    std::filesystem::remove(path);
    EXPECT_EQ(make({"c", "a", "b"}, open().get()).size(), 3u) << path;
  }
  const int before = made_;
  EXPECT_EQ(make({"a", "b", "c"}, open().get()).size(), 3u);
  EXPECT_EQ(made_, before);
}

TEST_F(MachineCodes, AreTheSameWhateverIsKeptIfThatIsAskedFor) {
  isReproducible_ = true;
  std::vector<std::string> first = make({"a", "b", "c"}, nullptr);
  isReproducible_ = false;
  make({"a", "x"}, cache_.get());
  make({"b"}, cache_.get());
  isReproducible_ = true;
  made_ = 0;
  EXPECT_EQ(make({"a", "b", "c"}, cache_.get(), 3), first);
  EXPECT_EQ(make({"a", "b", "c"}, cache_.get(), 1), first);
  EXPECT_EQ(made_, 1);
}

} // namespace
} // namespace tenon::codegen
