# Compiler and linker options common to every target.

set(TENON_PYTHON ${CMAKE_SOURCE_DIR}/.venv/bin/python CACHE FILEPATH "Python with requirements.txt installed")

# Release keeps assert(): a compiler that notices its own bug is worth the percent it costs.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -gline-tables-only")

add_compile_options(
  -Wall -Wextra -Wno-unused-parameter -Werror=return-type -ffunction-sections -fdata-sections
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
# Where every processor has fused multiply-add, Clang would use it for a product and a sum that stand in one expression. The
# interpreter and whatever folds constants round each by itself, as on x86-64, whose oldest processors have none.
set(tenon_is_x86 FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(tenon_is_x86 TRUE)
else()
  add_compile_options(-ffp-contract=off)
endif()
# Relocations of pointers to the library itself in RELR form, a fiftieth of the bytes: glibc reads all of them at load.
add_link_options(-fuse-ld=lld -Wl,--gc-sections -Wl,--as-needed -Wl,-z,pack-relative-relocs)

# Places the functions that run in most compilations side by side, so that fewer pages of code get into memory.
set(tenon_function_order ${CMAKE_SOURCE_DIR}/cmake/function_order.tar.xz)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tenon_function_order})
file(ARCHIVE_EXTRACT INPUT ${tenon_function_order} DESTINATION ${CMAKE_BINARY_DIR})
function(tenon_order_functions target)
  target_link_options(${target} PRIVATE
    -Wl,--symbol-ordering-file=${CMAKE_BINARY_DIR}/function_order.txt -Wl,--no-warn-symbol-ordering)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${tenon_function_order})
endfunction()

if(TENON_SANITIZE)
  # vptr and function need information that LLVM's archives, which are not instrumented, do not have.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr,function -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined -fno-sanitize=vptr,function)
  # What a program does when nothing is set in its environment.
  add_library(tenon_sanitizer_options OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitizer_options.c)
  link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:tenon_sanitizer_options>>)
endif()

if(TENON_FUZZ_READERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(TENON_CCACHE ccache)
if(TENON_CCACHE)
  # Precompiled headers need these; see "Precompiled headers" in ccache's manual. What a file includes is known from the
  # compiler's list of its last compilation (CCACHE_DEPEND), so that nothing is preprocessed besides being compiled.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TENON_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
