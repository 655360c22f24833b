// What differs between two things of a kind. Each function writes it, and says whether anything does.
#pragma once

#include "tenon/status.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

namespace tenon::tools {

// Programs as text, or any other text: lines that only one has, with the functions that they are in, below how many
// operations of each kind there are. Values may have other names: what counts is that the same are meant.
bool diffTexts(llvm::StringRef a, llvm::StringRef b, llvm::raw_ostream &out);

// What `tenon compile --report=json` prints, and the like. Objects in lists are matched by their names; how long stages
// took is no difference.
bool diffJson(const nlohmann::json &a, const nlohmann::json &b, llvm::raw_ostream &out);

// .npy files, or folders of them, which are matched by their names.
StatusOr<bool> diffArrays(const std::string &a, const std::string &b, llvm::raw_ostream &out);

} // namespace tenon::tools
