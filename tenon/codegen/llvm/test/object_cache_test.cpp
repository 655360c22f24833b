#include "tenon/codegen/llvm/object_cache.h"

#include "tenon/codegen/cpu/test/target_testing.h"
#include "tenon/codegen/llvm/build_id.h"
#include "tenon/codegen/llvm/module_compiler.h"

#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>

namespace tenon::codegen {
namespace {

namespace files = std::filesystem;
using ::testing::HasSubstr;
using testing::manyJobs;
using Bytes = std::optional<std::string>;

class ObjectCacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("object_cache_test", made));
    root_ = made.str().str();
    folder_ = root_ + "/a/kernels";
  }
  void TearDown() override { files::remove_all(root_); }

  std::unique_ptr<ObjectCache> open(int64_t maxBytes = 1 << 30) const {
    StatusOr<std::unique_ptr<ObjectCache>> cache = ObjectCache::open(folder_, maxBytes);
    EXPECT_TRUE(cache.ok()) << cache.status().message();
    return cache.ok() ? *std::move(cache) : nullptr;
  }

  // The files of objects.
  std::vector<files::path> objects() const {
    std::vector<files::path> found;
    for (const files::directory_entry &entry : files::directory_iterator(folder_))
      if (entry.path().filename().string().starts_with("llvmcache-"))
        found.push_back(entry.path());
    return found;
  }

  std::string root_, folder_;
};

const ObjectCache::Key kKey = ObjectCache::keyOf({"one"}), kOther = ObjectCache::keyOf({"two"});

TEST_F(ObjectCacheTest, FindsWhatWasStored) {
  std::string object("code\0\1\2", 7);
  {
    auto cache = open();
    EXPECT_EQ(cache->find(kKey), Bytes());
    cache->store(kKey, object);
    EXPECT_EQ(cache->find(kKey), Bytes(object));
  }
  auto again = open(); // as another process
  EXPECT_EQ(again->find(kKey), Bytes(object));
  EXPECT_EQ(again->find(kOther), Bytes());
  again->store(kOther, "");
  EXPECT_EQ(again->find(kOther), Bytes(""));
  EXPECT_EQ(objects().size(), 2u);
  EXPECT_EQ(files::status(folder_).permissions(), files::perms::owner_all);
}

TEST_F(ObjectCacheTest, KeysTellPartsApart) {
  EXPECT_FALSE(buildId().empty());
  EXPECT_EQ(ObjectCache::keyOf({"a", "bc"}), ObjectCache::keyOf({"a", "bc"}));
  EXPECT_NE(ObjectCache::keyOf({"a", "bc"}), ObjectCache::keyOf({"ab", "c"}));
  EXPECT_NE(ObjectCache::keyOf({"a", ""}), ObjectCache::keyOf({"a"}));
}

TEST_F(ObjectCacheTest, DamagedFilesCountAsMissing) {
  auto cache = open();
  for (size_t at : {size_t(0), size_t(9), size_t(41), size_t(50), size_t(85)}) {
    cache->store(kKey, "some object code");
    std::fstream file(objects().at(0), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(std::streamoff(at));
    char byte = char(file.get() ^ 1);
    file.seekp(std::streamoff(at));
    file.put(byte).flush();
    EXPECT_EQ(cache->find(kKey), Bytes()) << at;
    EXPECT_TRUE(objects().empty()) << at;
  }
  for (size_t size : {0, 3, 80, 90}) {
    cache->store(kKey, "some object code");
    files::resize_file(objects().at(0), size);
    EXPECT_EQ(cache->find(kKey), Bytes()) << size;
  }
  cache->store(kKey, "one");
  files::path path = objects().at(0);
  cache->store(kOther, "two");
  for (const files::path &file : objects())
    if (file != path)
      files::rename(path, file); // another object's contents under this name
  EXPECT_EQ(cache->find(kOther), Bytes());
}

TEST_F(ObjectCacheTest, TakesNothingThatOthersMayWrite) {
  auto cache = open();
  cache->store(kKey, "code");
  ASSERT_EQ(::chmod(objects().at(0).c_str(), 0666), 0);
  EXPECT_EQ(cache->find(kKey), Bytes());
  ASSERT_EQ(::chmod(objects().at(0).c_str(), 0600), 0);
  EXPECT_EQ(cache->find(kKey), Bytes("code"));

  files::path path = objects().at(0), moved = root_ + "/moved";
  files::rename(path, moved);
  files::create_symlink(moved, path);
  EXPECT_EQ(cache->find(kKey), Bytes());

  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  StatusOr<std::unique_ptr<ObjectCache>> refused = ObjectCache::open(folder_, 1 << 20);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), StatusCode::kPermissionDenied);
  EXPECT_THAT(refused.status().message(), HasSubstr(folder_ + "' belongs to another user, or others may write to it"));
}

TEST_F(ObjectCacheTest, FoldersThatCannotBeAreErrors) {
  std::ofstream(root_ + "/a").put('x');
  StatusOr<std::unique_ptr<ObjectCache>> refused = ObjectCache::open(folder_, 1 << 20);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().message(), HasSubstr("cannot be made"));
  EXPECT_FALSE(ObjectCache::open(root_ + "/a", 1 << 20).ok());
}

TEST_F(ObjectCacheTest, StaysWithinItsSize) {
  auto cache = open(1 << 20);
  std::string object(10000, 'x');
  for (int i = 0; i < 400; ++i)
    cache->store(ObjectCache::keyOf({std::to_string(i)}), object);
  uintmax_t bytes = 0;
  for (const files::path &file : objects())
    bytes += files::file_size(file);
  EXPECT_LE(bytes, (uintmax_t(1) << 20) * 9 / 8 + object.size());
  EXPECT_GT(bytes, uintmax_t(1) << 19);
}

TEST_F(ObjectCacheTest, TakesManyAtATime) {
  auto cache = open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        std::string name = std::to_string(i);
        Bytes found = cache->find(ObjectCache::keyOf({name}));
        EXPECT_TRUE(!found || *found == name + name);
        cache->store(ObjectCache::keyOf({name}), name + name);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(objects().size(), 50u);
}

class CachedCompilationTest : public ObjectCacheTest {
protected:
  // The objects of three kernels, and how many of them were emitted.
  std::pair<std::vector<std::string>, int> compile(ObjectCache *cache, const std::string &identity,
                                                   const CpuTarget &target = CpuTarget::host()) {
    std::atomic<int> emitted{0};
    std::vector<CompileJob> jobs = manyJobs(3, emitted);
    for (CompileJob &job : jobs)
      job.identity = identity;
    if (inspect_)
      jobs[1].options.inspect = [&](const llvm::Module &) { ++inspected_; };
    auto compiled = compileModules(jobs, target, cache, 2);
    EXPECT_TRUE(compiled.ok());
    std::vector<std::string> bytes;
    for (const program::ObjectCode &object : *compiled)
      bytes.push_back(object.bytes);
    return {bytes, emitted.load()};
  }

  bool inspect_ = false;
  std::atomic<int> inspected_{0};
};

TEST_F(CachedCompilationTest, EmitsNothingTwice) {
  auto cache = open();
  auto [fresh, emitted] = compile(cache.get(), "plan");
  EXPECT_EQ(emitted, 3);
  EXPECT_EQ(compile(cache.get(), "plan"), std::pair(fresh, 0));
  EXPECT_EQ(compile(nullptr, "plan"), std::pair(fresh, 3));
  EXPECT_EQ(compile(cache.get(), "another plan").second, 3);
}

// Whatever has no identity is known by what was emitted.
TEST_F(CachedCompilationTest, ModulesAreTheirOwnIdentity) {
  auto cache = open();
  auto [fresh, emitted] = compile(cache.get(), "");
  EXPECT_EQ(emitted, 3);
  EXPECT_EQ(objects().size(), 3u);
  EXPECT_EQ(compile(cache.get(), ""), std::pair(fresh, 3));
  EXPECT_EQ(objects().size(), 3u);
}

TEST_F(CachedCompilationTest, TargetsDoNotShare) {
  auto cache = open();
  CpuTargetOptions lower, higher;
  lower.cpu = "x86-64-v2";
  higher.cpu = "x86-64-v3";
  StatusOr<CpuTarget> v2 = CpuTarget::create(lower), v3 = CpuTarget::create(higher);
  ASSERT_TRUE(v2.ok() && v3.ok());
  auto first = compile(cache.get(), "plan", *v2), second = compile(cache.get(), "plan", *v3);
  EXPECT_EQ(second.second, 3);
  EXPECT_NE(first.first, second.first);
}

TEST_F(CachedCompilationTest, WhatIsInspectedIsCompiled) {
  auto cache = open();
  compile(cache.get(), "plan");
  inspect_ = true;
  EXPECT_EQ(compile(cache.get(), "plan").second, 1);
  EXPECT_EQ(inspected_.load(), 1);
}

} // namespace
} // namespace tenon::codegen
