// How a program's arguments and results are called in C. Private to the folder.
#pragma once

#include "tenon/program/program.h"

#include <string>
#include <vector>

namespace tenon::aot {

struct Field {
  size_t index = 0;                        // of the program's arguments or results
  std::string name;                        // member of the struct, unique in it
  std::string macro;                       // prefix of its macros: "DIGITS_ARGUMENT_IMAGES"
  std::string describe;                    // for comments: "argument 0: f32[2,3], images"
  std::string type;                        // of an element, in C; "void" for tokens
  const program::Shape *shape = nullptr;   // of the memory
  const program::Layout *stored = nullptr; // how the array lies in it; null where it is row-major

  const std::vector<int64_t> &dims() const { return stored ? stored->dims : shape->dims; }
  // What each dimension of a stored array is padded to, and the elements from one index to the next.
  std::vector<int64_t> paddedDims() const;
  std::vector<int64_t> strides() const;
};

struct Signature {
  std::vector<Field> arguments, results;
};

// Refers to the program's shapes. Arguments that `bound` has a place for (GlueOptions) are left out.
Signature describeSignature(const program::Program &program, const std::string &model,
                            const std::vector<int64_t> &bound = {});

// "uint16_t"; what the bits mean is in typeNote.
const char *cType(program::ElementType type);
// Where C has no such type: what an element holds ("bfloat16 bits"). Empty otherwise.
std::string typeNote(program::ElementType type);

// A type's or name's text, fit for a comment.
std::string commentText(std::string_view text);
// What a model's macros begin with: net has NET_OK. Names that differ in case alone have prefixes that do: those of
// mixed case are prefixes themselves (Net_OK), and NET has net_OK.
std::string macroPrefix(const std::string &model);

} // namespace tenon::aot
