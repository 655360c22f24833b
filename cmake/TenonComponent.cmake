# tenon_component(<folder> SOURCES ... [PCH standard|llvm|mlir|codegen|none] [LIBS ...])
#
# One static library for each folder of the architecture, named tenon_<folder with _ for />. What a folder may include,
# and so link, comes from tenon/layers.txt; scripts/check_sources.py checks the #include lines against the same file.

file(STRINGS ${CMAKE_SOURCE_DIR}/tenon/layers.txt tenon_layer_lines REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tenon/layers.txt)

function(tenon_layer_deps folder out)
  set(deps)
  foreach(line ${tenon_layer_lines})
    if(line MATCHES "^([a-z/]+):(.*)$" AND CMAKE_MATCH_1 STREQUAL folder)
      separate_arguments(deps UNIX_COMMAND "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  set(${out} ${deps} PARENT_SCOPE)
endfunction()

function(tenon_target_name folder out)
  string(REPLACE "/" "_" name "tenon_${folder}")
  set(${out} ${name} PARENT_SCOPE)
endfunction()

# tenon_precompiled_headers(<kind> HEADERS ... [LIBS ...]): what targets of that kind read precompiled.
function(tenon_precompiled_headers kind)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBS" ${ARGN})
  add_library(tenon_pch_${kind} STATIC ${CMAKE_BINARY_DIR}/tenon/support/pch.cpp)
  target_link_libraries(tenon_pch_${kind} PUBLIC ${ARG_LIBS})
  target_precompile_headers(tenon_pch_${kind} PRIVATE ${ARG_HEADERS})
endfunction()

# Precompiled headers are shared, so everything that uses one is compiled -fPIC, executables too (CMake would say -fPIE).
function(tenon_use_pch target kind)
  if(kind STREQUAL "none")
    return()
  endif()
  if(NOT TARGET tenon_pch_${kind})
    message(FATAL_ERROR "no precompiled header named ${kind}")
  endif()
  target_precompile_headers(${target} REUSE_FROM tenon_pch_${kind})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

function(tenon_component folder)
  cmake_parse_arguments(ARG "" "PCH" "SOURCES;LIBS;DEPENDS" ${ARGN})
  tenon_target_name(${folder} target)
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/include)
  tenon_layer_deps(${folder} deps)
  foreach(dep ${deps})
    tenon_target_name(${dep} dep_target)
    target_link_libraries(${target} PUBLIC ${dep_target})
  endforeach()
  if(NOT ARG_PCH)
    set(ARG_PCH standard)
  endif()
  if(ARG_PCH STREQUAL "mlir" OR ARG_PCH STREQUAL "codegen")
    target_link_libraries(${target} PUBLIC tenon_mlir)
  elseif(ARG_PCH STREQUAL "llvm")
    target_link_libraries(${target} PUBLIC tenon_llvm)
  endif()
  tenon_use_pch(${target} ${ARG_PCH})
  target_link_libraries(${target} PUBLIC ${ARG_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
endfunction()

# tenon_library_to_open(<library> <object> ... LIBS ...): a shared library that a program of ours opens only when it needs
# what is in it, and LIBS, which are of other projects. It takes the rest of Tenon from that program (tenon_opens).
function(tenon_library_to_open library)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_library(${library} SHARED ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${library} PRIVATE ${ARG_LIBS})
  set(needs ${CMAKE_CURRENT_BINARY_DIR}/${library}_needs.ld)
  add_custom_command(TARGET ${library} POST_BUILD
    COMMAND ${TENON_PYTHON} ${CMAKE_SOURCE_DIR}/cmake/needed_symbols.py --nm ${CMAKE_NM} --output ${needs} $<TARGET_FILE:${library}>
    BYPRODUCTS ${needs}
    VERBATIM)
  set_target_properties(${library} PROPERTIES LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/needed_symbols.py TENON_NEEDS ${needs})
endfunction()

# tenon_opens(<program> <library>): links the program so that it has, and shows, what the library takes from it. The program
# does not need the library to start: it calls nothing of it (--as-needed).
function(tenon_opens program library)
  get_target_property(needs ${library} TENON_NEEDS)
  target_link_options(${program} PRIVATE ${needs} $<TARGET_FILE:${library}>)
  set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS ${needs} $<TARGET_FILE:${library}>)
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${TENON_PYTHON} ${CMAKE_SOURCE_DIR}/cmake/needed_symbols.py --nm ${CMAKE_NM} --program $<TARGET_FILE:${program}> $<TARGET_FILE:${library}>
    VERBATIM)
  add_dependencies(${program} ${library})
endfunction()

# tenon_embed_text(<name> <file>): makes <name>.inc in the build folder, a string literal with the file's text.
function(tenon_embed_text name file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  file(CONFIGURE OUTPUT ${name}.inc CONTENT "R\"tenon(@text@)tenon\"\n" @ONLY)
endfunction()

# tenon_test(<name> SOURCES ... LIBS ... [PCH kind]): a GoogleTest program beside the unit, registered with CTest. Without
# PCH it reads that of tests.
find_package(GTest REQUIRED)
function(tenon_test name)
  cmake_parse_arguments(ARG "" "PCH" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
  if(NOT ARG_PCH)
    set(ARG_PCH test)
  endif()
  tenon_use_pch(${name} ${ARG_PCH})
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# tenon_uses_cuda_packages(<test>): has the test find NVIDIA's programs in the development environment (runtime/cuda).
function(tenon_uses_cuda_packages name)
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "VIRTUAL_ENV=${CMAKE_SOURCE_DIR}/.venv")
endfunction()

# tenon_benchmark(<name> SOURCES ... [LIBS ...] [PCH llvm|mlir|codegen]): a program that measures and prints. CTest does
# not run it.
function(tenon_benchmark name)
  cmake_parse_arguments(ARG "" "PCH" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
  if(ARG_PCH)
    tenon_use_pch(${name} ${ARG_PCH})
  endif()
endfunction()

# tenon_c_test(<name> SOURCES ...): a program in C99 over the installed headers and the shared library, whose cases are
# TEST(Suite, Case) of test/c_test.h, registered with CTest.
function(tenon_c_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${CMAKE_SOURCE_DIR}/test/c_test.c)
  set_target_properties(${name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE -Werror -pedantic)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)
  add_dependencies(${name} tenon_ops_functions) # tenon/c/ops.h
  target_link_libraries(${name} PRIVATE tenon_shared)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
