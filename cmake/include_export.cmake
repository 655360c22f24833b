# Makes a header that protoc wrote define TENON_API for itself.
file(READ ${HEADER} text)
set(point "// @@protoc_insertion_point(includes)")
string(FIND "${text}" "${point}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "${HEADER}: no insertion point for #include")
endif()
string(REPLACE "${point}" "#include \"tenon/export.h\"\n${point}" text "${text}")
file(WRITE ${HEADER} "${text}")
