// What reads bytes from outside, each as a function that must come back from any input, with sanitizers quiet, in time,
// and with what it read consistent. It ends the process where that is not so.
//
// fuzzer.cpp makes a libFuzzer program of each; reader_test.cpp runs them on what has been found.
#pragma once

#include <string>
#include <string_view>

namespace tenon::fuzz {

// A program as text, bytecode or portable artifact. What is accepted is written and read again, and its shardings are
// understood.
void fuzzProgram(std::string_view bytes);

// The fields of a compiled program, as a cache keeps them, without the header in front (whose checksum no fuzzer
// guesses), and what the PJRT plugin makes of them.
void fuzzExecutable(std::string_view bytes);

// xla.CompileOptionsProto.
void fuzzCompileOptions(std::string_view bytes);

// The sharding of an array, in XLA's notation.
void fuzzSharding(std::string_view text);

// A .npy file.
void fuzzNpy(std::string_view bytes);

// What one process of a job sends to another: frames behind their lengths (two bytes), and, of other bytes, a control
// message and a node.
void fuzzFrames(std::string_view bytes);

// What a client of the Open Inference Protocol sends: two bytes that say how many of the rest are JSON, and the body;
// and of the same bytes a message of gRPC. What is accepted is written and read again.
void fuzzInference(std::string_view bytes);

// Says why, and ends the process.
[[noreturn]] void fail(const std::string &why);

} // namespace tenon::fuzz
