// The C header of a model. Private to the folder.
#pragma once

#include "tenon/aot/glue.h"
#include "tenon/program/program.h"

#include <string>
#include <vector>

namespace tenon::aot {

struct HeaderFacts {
  std::string name, fingerprint;
  bool externalWeights = false;
  int64_t weightsBytes = 0; // of the file
  std::string weightsDigest;
  ArenaPlan arena;
  std::vector<std::string> customCalls;
  std::vector<std::string> lapack; // routines, with their places
};

std::string headerText(const program::Program &program, const HeaderFacts &facts);

} // namespace tenon::aot
