#include "tenon/aot/elf_merge.h"
#include "tenon/aot/package.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::aot {
namespace {

using testing::HasSubstr;

TEST(Identifier, ResemblesTheText) {
  EXPECT_EQ(identifierFor("mobilenet-v2"), "mobilenet_v2");
  EXPECT_EQ(identifierFor("params['w'][0]"), "params_w_0");
  EXPECT_EQ(identifierFor("3d"), "_3d");
  EXPECT_EQ(identifierFor("\xc3\xa9t\xc3\xa9"), "t");
  EXPECT_EQ(identifierFor(""), "_");
}

program::Program emptyProgram() {
  program::Program program;
  program.name = "empty";
  program.triple = "x86_64-unknown-linux-gnu";
  program.cpu = "x86-64";
  program.entrySymbol = "tenon_entry";
  return program;
}

TEST(Package, RefusesNames) {
  for (const char *name : {"", "a-b", "1"})
    EXPECT_EQ(makePackage(emptyProgram(), {name}).status().code(), StatusCode::kInvalidArgument) << name;
}

TEST(Package, NamesWhatItCannotDo) {
  program::Program program = emptyProgram();
  program::Service fft;
  fft.target = "fft";
  fft.location = "a.py:3:1";
  program::Service call;
  call.kind = program::Service::Kind::kCustomCall;
  call.target = "typed";
  call.apiVersion = 4;
  call.location = "a.py:4:1";
  program.services = {fft, call};
  Status status = makePackage(program, {"m"}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("a.py:3:1: error: 'fft' needs"));
  EXPECT_THAT(status.message(), HasSubstr("a.py:4:1: error: custom call 'typed' has api_version 4"));

  program = emptyProgram();
  program.numReplicas = 2;
  EXPECT_THAT(makePackage(program, {"m"}).status().message(), HasSubstr("several devices"));
  program = emptyProgram();
  program.triple = "x86_64-apple-darwin";
  EXPECT_THAT(makePackage(program, {"m"}).status().message(), HasSubstr("ELF"));
}

TEST(Merge, RefusesWhatIsNoObject) {
  auto isPublic = [](std::string_view) { return false; };
  EXPECT_FALSE(mergeObjects({"not ELF"}, {}, isPublic).ok());
  EXPECT_FALSE(mergeObjects({std::string_view("\x7f"
                                              "ELF\x02\x01\x01",
                                              7)},
                            {}, isPublic)
                   .ok());
}

} // namespace
} // namespace tenon::aot
