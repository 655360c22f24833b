# Libraries for systems whose C library is older than this machine's, without a C++ library or libraries of other projects
# beside them: what wheels for many systems hold (scripts/build_wheel.py --portable). They are linked of what the others
# are, in a folder of their own: portable/.
set(tenon_portable_folder ${CMAKE_BINARY_DIR}/portable)
set(tenon_portable_script ${CMAKE_SOURCE_DIR}/cmake/portable/libraries.py)

add_library(tenon_newer_functions STATIC EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/cmake/portable/newer_functions.c)
add_custom_command(
  OUTPUT ${tenon_portable_folder}/link/libc.so
  COMMAND ${TENON_PYTHON} ${tenon_portable_script} --compiler ${CMAKE_C_COMPILER}
          --shims $<TARGET_FILE:tenon_newer_functions> --output ${tenon_portable_folder}/link
  DEPENDS ${tenon_portable_script} tenon_newer_functions
  COMMENT "Names of an older C library"
  VERBATIM)
add_custom_target(tenon_portable_link DEPENDS ${tenon_portable_folder}/link/libc.so)

# tenon_portable(<library>): <library>_portable is the same of the same objects, linked so.
function(tenon_portable library)
  set(target ${library}_portable)
  add_library(${target} SHARED $<TARGET_OBJECTS:${library}>)
  add_dependencies(${target} tenon_portable_link)
  target_link_libraries(${target} PRIVATE $<TARGET_PROPERTY:${library},LINK_LIBRARIES>)
  # Older systems do not read relocations in RELR form.
  target_link_options(${target} PRIVATE $<TARGET_PROPERTY:${library},LINK_OPTIONS> -L${tenon_portable_folder}/link
                                        -static-libstdc++ -Wl,-z,nopack-relative-relocs)
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX
    OUTPUT_NAME ${library}
    LINK_DEPENDS "$<TARGET_PROPERTY:${library},LINK_DEPENDS>;${tenon_portable_folder}/link/libc.so"
    LIBRARY_OUTPUT_DIRECTORY ${tenon_portable_folder}/lib)
endfunction()
