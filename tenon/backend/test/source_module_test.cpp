#include "tenon/backend/source_module.h"

#include "gtest/gtest.h"

#include <random>

namespace tenon::backend {
namespace {

program::Constant randomConstant(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  program::Constant constant;
  constant.bytes.resize(size);
  for (uint8_t &byte : constant.bytes)
    byte = uint8_t(random());
  return constant;
}

std::string textOf(const program::Constant &constant) { return {constant.bytes.begin(), constant.bytes.end()}; }

TEST(SourceModule, KeepsNoConstantTwice) {
  program::Program program;
  for (uint32_t i = 0; i < 5; ++i)
    program.constants.push_back(randomConstant((size_t(1) << 20) + 13 * i, i));
  // Leading zeros, as sparse weights have them.
  std::fill_n(program.constants[3].bytes.begin(), 300'000, 0);
  std::string source = "head";
  for (int i : {3, 1, 4, 1}) // one of them twice, two of them never
    source += textOf(program.constants[size_t(i)]) + "between " + std::to_string(i);
  SourceModule kept(source, program);
  EXPECT_EQ(kept.bytes(program), source);
  EXPECT_EQ(kept.ownBytes(), 4 + 4 * std::string("between 0").size());
}

TEST(SourceModule, KeepsWhatIsNotQuiteAConstant) {
  program::Program program;
  program.constants = {randomConstant(1 << 20, 1), randomConstant(100, 2)};
  std::string damaged = textOf(program.constants[0]);
  damaged.back() ^= 1;
  for (const std::string &source : {damaged, damaged.substr(5), std::string(), std::string("module {}"),
                                    textOf(program.constants[1]), std::string(3 << 20, '\0')}) {
    SourceModule kept(source, program);
    EXPECT_EQ(kept.bytes(program), source);
    EXPECT_EQ(kept.ownBytes(), source.size());
  }
}

// Contents that make every position a candidate end the search, not the time.
TEST(SourceModule, GivesUpOnDeceptiveContents) {
  program::Program program;
  program.constants = {randomConstant(4 << 20, 1)};
  program::AlignedBytes &bytes = program.constants[0].bytes;
  std::fill(bytes.begin(), bytes.end(), 0);
  for (size_t i = 8; i < bytes.size(); i += 16)
    bytes[i] = 1;
  bytes.back() = 2;
  std::string source = textOf(program.constants[0]) + textOf(program.constants[0]);
  source[source.size() / 2 - 1] = 0;
  SourceModule kept(source, program);
  EXPECT_EQ(kept.bytes(program), source);
}

} // namespace
} // namespace tenon::backend
