#include "tenon/aot/glue.h"
#include "tenon/aot/header.h"
#include "tenon/aot/package.h"
#include "tenon/aot/weights.h"

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
  cpuCode(program).triple = "x86_64-unknown-linux-gnu";
  cpuCode(program).cpu = "x86-64";
  cpuCode(program).entrySymbol = "tenon_entry";
  return program;
}

TEST(Package, RefusesNames) {
  for (const char *name : {"", "a-b", "1"})
    EXPECT_EQ(makePackage(emptyProgram(), {name}).status().code(), StatusCode::kInvalidArgument) << name;
}

TEST(Package, NamesWhatItCannotDo) {
  program::Program program = emptyProgram();
  program::RuntimeCall fft;
  fft.target = "fft";
  fft.location = "a.py:3:1";
  program::RuntimeCall call;
  call.kind = program::RuntimeCall::Kind::kCustomCall;
  call.target = "typed";
  call.apiVersion = 4;
  call.location = "a.py:4:1";
  program.runtimeCalls = {fft, call};
  Status status = makePackage(program, {"m"}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("a.py:3:1: error: 'fft' needs"));
  EXPECT_THAT(status.message(), HasSubstr("a.py:4:1: error: custom call 'typed' has api_version 4"));

  program = emptyProgram();
  program.numReplicas = 2;
  EXPECT_THAT(makePackage(program, {"m"}).status().message(), HasSubstr("several devices"));
  program = emptyProgram();
  cpuCode(program).triple = "powerpc64-ibm-aix";
  EXPECT_THAT(makePackage(program, {"m"}).status().message(), HasSubstr("ELF"));
}

program::Program programWith(std::initializer_list<std::initializer_list<uint8_t>> constants) {
  program::Program program = emptyProgram();
  for (auto constant : constants)
    program.constants.emplace_back().bytes.assign(constant.begin(), constant.end());
  return program;
}

TEST(Weights, AreNamedByWhatTheyHold) {
  program::Program program = programWith({{1, 2, 3}, {4}}), same = programWith({{1, 2, 3}, {4}});
  same.name = "another";
  same.arenaBytes = 640;
  cpuCode(same).cpu = "x86-64-v3";
  Weights weights = layOutWeights({&program});
  EXPECT_EQ(weights.bytes, layOutWeights({&same}).bytes);
  EXPECT_EQ(weights.bytes.substr(0, 40), "TENONWTS" + weights.digest);
  EXPECT_EQ(weights.bytes.size(), 192U);
  EXPECT_THAT(weights.offsets, testing::ElementsAre(testing::ElementsAre(64, 128)));
  program::Program longer = programWith({{1, 2, 3}, {5}}), shorter = programWith({{1, 2, 3}});
  EXPECT_NE(weights.digest, layOutWeights({&longer}).digest);
  EXPECT_NE(weights.digest, layOutWeights({&shorter}).digest);
}

TEST(Weights, OfSeveralProgramsAreThereOnce) {
  program::Program a = programWith({{1, 2, 3}, {}, {4}}), b = programWith({{4}, {5}, {1, 2, 3}});
  Weights weights = layOutWeights({&a, &b});
  EXPECT_EQ(weights.bytes.size(), 256U);
  EXPECT_EQ(weights.offsets[0][0], weights.offsets[1][2]);
  EXPECT_EQ(weights.offsets[0][2], weights.offsets[1][0]);
  EXPECT_EQ(weights.bytes[size_t(weights.offsets[1][1])], 5);
}

// x[i,j] at i + 4 j, in four columns of four.
TEST(Header, SaysHowArraysLie) {
  program::Program program = emptyProgram();
  program.arguments.resize(2);
  program.arguments[0].shape = {program::ElementType::kF32, {4, 4}};
  program.arguments[0].stored = {{2, 3}, {0, 1}};
  program.arguments[0].name = "x";
  program.arguments[1].shape = {program::ElementType::kF32, {2, 3}};
  ModelFacts model;
  model.name = "m";
  model.program = &program;
  std::string header = headerText({"m", {}, {model}});
  EXPECT_THAT(header, HasSubstr("row-major, without gaps, but for those that have strides"));
  EXPECT_THAT(header, HasSubstr("/* argument 0: f32[2,3]{0,1} in f32[4,4], x */\n"
                                "#define M_ARGUMENT_X_RANK 2\n"
                                "#define M_ARGUMENT_X_SHAPE {2, 3}\n"
                                "#define M_ARGUMENT_X_MINOR_TO_MAJOR {0, 1}\n"
                                "#define M_ARGUMENT_X_PADDED_SHAPE {4, 4}\n"
                                "#define M_ARGUMENT_X_STRIDES {1, 4}\n"
                                "#define M_ARGUMENT_X_COUNT 16\n"
                                "#define M_ARGUMENT_X_BYTES 64\n"));
  EXPECT_THAT(header, HasSubstr("/* argument 1: f32[2,3] */\n"
                                "#define M_ARGUMENT_ARGUMENT1_RANK 2\n"
                                "#define M_ARGUMENT_ARGUMENT1_SHAPE {2, 3}\n"
                                "#define M_ARGUMENT_ARGUMENT1_COUNT 6\n"));
}

TEST(Package, RefusesWhatIsNoBitcode) {
  program::Program program = emptyProgram();
  cpuCode(program).objects = {{"kernel", "no bitcode"}};
  EXPECT_EQ(makePackage(program, {"m"}).status().code(), StatusCode::kInternal);
}

} // namespace
} // namespace tenon::aot
