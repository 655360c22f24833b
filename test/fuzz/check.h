// Everything that must hold of one program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::fuzz {

struct Finding {
  enum class Kind {
    kNone,
    kInvalid,   // not a program, which only reducing makes
    kRoundTrip, // printed or encoded and read back, it is another
    kInterpreterError,
    kCompileError,
    kRunError,
    kWrongResult,
    kCrash,
    kHang,
  };
  Kind kind = Kind::kNone;
  std::string message;

  explicit operator bool() const { return kind != Kind::kNone; }
  // Whether both seem to have one cause.
  bool isLike(const Finding &other) const;
};

const char *kindName(Finding::Kind kind);

// Reads `text` back from its printed and encoded forms, interprets it, and runs it compiled: with optimisation, without
// it, and for other levels of the processor. `seed` chooses the arguments and which of the latter.
Finding checkProgram(std::string_view text, uint64_t seed);

} // namespace tenon::fuzz
