#include "tenon/support/files.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace tenon {

Status writeFile(const std::string &path, std::string_view contents) {
  errno = 0;
  std::FILE *file = std::fopen(path.c_str(), "wb");
  bool written = file && std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
  int error = errno;
  // What is still in the buffer is written now.
  if (file && std::fclose(file) != 0 && written) {
    written = false;
    error = errno;
  }
  return written ? Status() : failedPrecondition(path + ": " + std::generic_category().message(error));
}

} // namespace tenon
