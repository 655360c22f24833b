// What the fuzzers found before: files in found/READER/.
#include "test/fuzz/readers/readers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tenon::fuzz {
namespace {

struct Reader {
  const char *name;
  void (*read)(std::string_view bytes);
};
constexpr Reader kReaders[] = {
    {"program", fuzzProgram},
    {"executable", fuzzExecutable},
    {"compile_options", fuzzCompileOptions},
    {"sharding", fuzzSharding},
    {"npy", fuzzNpy},
    {"frames", fuzzFrames},
    {"inference", fuzzInference},
};

class Readers : public testing::TestWithParam<Reader> {};

TEST_P(Readers, SurviveWhatWasFound) {
  std::filesystem::path folder = std::filesystem::path(TENON_FOUND) / GetParam().name;
  if (!std::filesystem::exists(folder))
    return; // nothing yet
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path &path : paths) {
    std::cout << path.filename() << '\n' << std::flush; // the last line says where it ended
    std::stringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    GetParam().read(bytes.str());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Readers, testing::ValuesIn(kReaders), [](const auto &info) { return info.param.name; });

} // namespace
} // namespace tenon::fuzz
