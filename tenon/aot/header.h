// The C header of a package. Private to the folder.
#pragma once

#include "tenon/aot/glue.h"
#include "tenon/program/program.h"

#include <string>
#include <vector>

namespace tenon::aot {

struct ModelFacts {
  std::string name, fingerprint;
  const program::Program *program = nullptr;
  ArenaPlan arena;
  int64_t stackBytes = 0; // that a run takes of a thread's
  std::vector<std::string> customCalls;
  std::vector<std::string> lapack; // routines, with their places
};

struct HeaderFacts {
  std::string name; // of the files
  bool externalWeights = false;
  int64_t weightsBytes = 0; // of the file
  std::string weightsDigest;
  std::vector<ModelFacts> models;
};

std::string headerText(const HeaderFacts &facts);

} // namespace tenon::aot
