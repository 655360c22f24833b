# The target `tidy`: clang-tidy over every source, with .clang-tidy's checks. Each source has a stamp that depends on its
# object file, so only what was compiled anew since, whether its own text or a header's, is checked again.
#
# Include this last: it reads the targets that are there.

find_program(TENON_CLANG_TIDY clang-tidy-22)
if(NOT TENON_CLANG_TIDY)
  message(STATUS "No clang-tidy-22: no target tidy")
  return()
endif()

# A plug-in that keeps clang-tidy from reading all of a precompiled header for each source. Compiled without the build's
# own options, which clang-tidy may not be able to load (the sanitizers'). That nothing is checked any more would look
# like a clean tree, so a source with a finding is checked first.
set(tenon_tidy_scope ${CMAKE_BINARY_DIR}/tidy/scope.so)
set(tenon_tidy_finding ${CMAKE_BINARY_DIR}/tidy/finding.cpp)
file(WRITE ${tenon_tidy_finding} "namespace {\n[[maybe_unused]] int *pointer = 0;\n}\n")
add_custom_command(
  OUTPUT ${tenon_tidy_scope}
  COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -O2 -fPIC -fno-rtti -shared -isystem ${TENON_LLVM_PREFIX}/include
          ${CMAKE_SOURCE_DIR}/cmake/tidy_scope.cpp -o ${tenon_tidy_scope}.new
  COMMAND sh -c "${TENON_CLANG_TIDY} --quiet --load=$1 --checks=-*,modernize-use-nullptr $2 -- | grep -q modernize-use-nullptr"
          check ${tenon_tidy_scope}.new ${tenon_tidy_finding}
  COMMAND ${CMAKE_COMMAND} -E rename ${tenon_tidy_scope}.new ${tenon_tidy_scope}
  DEPENDS ${CMAKE_SOURCE_DIR}/cmake/tidy_scope.cpp
  COMMENT "Building the plug-in of clang-tidy" VERBATIM)

function(tenon_targets_below directory out)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(folder ${folders})
    tenon_targets_below(${folder} below)
    list(APPEND targets ${below})
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# Generated code is included from the build folder: as a system folder clang-tidy skips it.
function(tenon_tidy_source source object stamp)
  cmake_path(GET stamp PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE name)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${TENON_CLANG_TIDY} -p ${CMAKE_BINARY_DIR} --quiet --load=${tenon_tidy_scope}
            --extra-arg=-isystem${CMAKE_BINARY_DIR} ${source}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${object} ${tenon_tidy_scope} ${CMAKE_SOURCE_DIR}/.clang-tidy
    COMMENT "Checking ${name}" VERBATIM)
endfunction()

set(tenon_tidy_stamps)
tenon_targets_below(${CMAKE_SOURCE_DIR} tenon_targets)
foreach(target ${tenon_targets})
  get_target_property(sources ${target} SOURCES)
  get_target_property(source_dir ${target} SOURCE_DIR)
  get_target_property(binary_dir ${target} BINARY_DIR)
  list(FILTER sources INCLUDE REGEX "^[^/$].*\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_ops_[0-9]+\\.cpp$") # units of generated code
  foreach(source ${sources})
    set(path ${source_dir}/${source})
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE name)
    set(stamp ${CMAKE_BINARY_DIR}/tidy/${name}.stamp)
    if(stamp IN_LIST tenon_tidy_stamps) # A source of two targets.
      continue()
    endif()
    tenon_tidy_source(${path} ${binary_dir}/CMakeFiles/${target}.dir/${source}.o ${stamp})
    list(APPEND tenon_tidy_stamps ${stamp})
  endforeach()
endforeach()
add_custom_target(tidy DEPENDS ${tenon_tidy_stamps})
