// Everything that must hold of one program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::fuzz {

struct Finding {
  enum class Kind {
    kNone,
    kInvalid,   // not a program, which only reducing and damage make
    kRoundTrip, // printed or encoded and read back, it is another
    kInterpreterError,
    kCompileError,
    kRunError,
    kWrongResult,
    kSilent, // an error without a message
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

// What programs are made by. Ordinary ones must be valid, and neither interpreting nor compiling nor running them may
// fail. Damaged ones may be refused with a message, and those that are not may fail when interpreted, if they fail
// compiled too; what would take too much time or memory is not run.
enum class Origin { kOrdinary, kDamaged };

// What programs are compiled for.
enum class Target {
  kProcessor,
  kEmulatedGpu, // which the host plays; programs of one process alone, others are only read back
};

// Reads `text` back from its printed and encoded forms, interprets it, and runs it compiled: with optimisation, without
// it, and for other levels of the processor; damaged ones in one of these ways. `seed` chooses the arguments and which
// way. kInvalid, whatever the origin, when it is refused with a message.
Finding checkProgram(std::string_view text, uint64_t seed, Origin origin = Origin::kOrdinary,
                     Target target = Target::kProcessor);

} // namespace tenon::fuzz
