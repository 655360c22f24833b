// npy_copy FROM.npy TO.npy [TYPE]: reads the one, writes the other.
#include "tenon/literal.h"

int main(int argc, char **argv) {
  xla::PrimitiveType type = argc > 3 ? xla::ParsePrimitiveType(argv[3]).ValueOrDie() : xla::PRIMITIVE_TYPE_INVALID;
  xla::Status status = xla::LiteralUtil::WriteNpy(xla::LiteralUtil::ReadNpy(argv[1], type).ValueOrDie(), argv[2]);
  if (!status.ok())
    tenon::dieBecauseOf(status);
}
