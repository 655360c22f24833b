// A library like nvJitLink, which says in place of machine code what it was given: for tests of opening and calling it.
// FAKE_MAJOR is its version. With FAKE_LACKS_COMPLETE, it has no nvJitLinkComplete.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

struct JitLink {
  std::string option, source, errors, remarks;
};

#define FAKE extern "C" __attribute__((visibility("default"))) int

FAKE nvJitLinkVersion(unsigned *major, unsigned *minor) {
  *major = FAKE_MAJOR;
  *minor = 7;
  return 0;
}
FAKE nvJitLinkCreate(JitLink **handle, uint32_t count, const char **options) {
  *handle = nullptr;
  if (count < 1 || std::strncmp(options[0], "-arch=sm_", 9) != 0)
    return 1;
  *handle = new JitLink{options[0], "", "", ""};
  return 0;
}
FAKE nvJitLinkDestroy(JitLink **handle) {
  delete *handle;
  *handle = nullptr;
  return 0;
}
FAKE nvJitLinkAddData(JitLink *handle, int kind, const void *data, size_t bytes, const char *) {
  const char *text = static_cast<const char *>(data);
  if (kind != 2 || bytes == 0 || text[bytes - 1] != '\0')
    return handle->errors = "no PTX that ends with a zero", 3;
  handle->source = text;
  return 0;
}
#ifndef FAKE_LACKS_COMPLETE
FAKE nvJitLinkComplete(JitLink *handle) {
  if (handle->source == "bad")
    return handle->errors = "line 1: syntax error", 4;
  if (handle->source == "repaired")
    handle->remarks = "ptxas info    : (C7517) wgmma.wait_group is injected in 'kernel'\n";
  return 0;
}
#endif
static std::string contents(JitLink *handle) { return handle->option + " " + handle->source; }
FAKE nvJitLinkGetLinkedCubinSize(JitLink *handle, size_t *bytes) { return *bytes = contents(handle).size(), 0; }
FAKE nvJitLinkGetLinkedCubin(JitLink *handle, void *bytes) {
  std::string text = contents(handle);
  std::memcpy(bytes, text.data(), text.size());
  return 0;
}
FAKE nvJitLinkGetErrorLogSize(JitLink *handle, size_t *bytes) { return *bytes = handle->errors.size() + 1, 0; }
FAKE nvJitLinkGetErrorLog(JitLink *handle, char *text) { return std::strcpy(text, handle->errors.c_str()), 0; }
FAKE nvJitLinkGetInfoLogSize(JitLink *handle, size_t *bytes) { return *bytes = handle->remarks.size() + 1, 0; }
FAKE nvJitLinkGetInfoLog(JitLink *handle, char *text) { return std::strcpy(text, handle->remarks.c_str()), 0; }
