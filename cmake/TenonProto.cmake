# tenon_proto(<target> <file.proto>): a static library of the messages in include/<file.proto>, whose header is included
# by the same path (tenon/xla.proto: "tenon/xla.pb.h"). The messages are part of the interface: they are TENON_API, so
# that users may compile with hidden visibility.
find_package(Protobuf 3.21 REQUIRED)

function(tenon_proto target file)
  set(out ${CMAKE_BINARY_DIR}/include)
  string(REGEX REPLACE "\\.proto$" "" stem ${file})
  add_custom_command(
    OUTPUT ${out}/${stem}.pb.cc ${out}/${stem}.pb.h
    COMMAND ${CMAKE_COMMAND} -E make_directory ${out}
    COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR}/include --cpp_out=dllexport_decl=TENON_API:${out} ${file}
    COMMAND ${CMAKE_COMMAND} -DHEADER=${out}/${stem}.pb.h -P ${CMAKE_SOURCE_DIR}/cmake/include_export.cmake
    DEPENDS ${CMAKE_SOURCE_DIR}/include/${file} ${CMAKE_SOURCE_DIR}/cmake/include_export.cmake protobuf::protoc
    COMMENT "protoc ${file}")
  add_library(${target} STATIC ${out}/${stem}.pb.cc ${out}/${stem}.pb.h)
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${target} PUBLIC protobuf) # by name: which file, is said where it is linked (TenonPortable.cmake)
endfunction()

# tenon_grpc(<target> <file.proto> LIBS ...): the same with the file's services, for our own use: nothing of it is shown.
find_program(TENON_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)

function(tenon_grpc target file)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  set(out ${CMAKE_BINARY_DIR}/include)
  string(REGEX REPLACE "\\.proto$" "" stem ${file})
  set(made ${out}/${stem}.pb.cc ${out}/${stem}.pb.h ${out}/${stem}.grpc.pb.cc ${out}/${stem}.grpc.pb.h)
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${out}
    COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR}/include --cpp_out=${out} --grpc_out=${out}
            --plugin=protoc-gen-grpc=${TENON_GRPC_PLUGIN} ${file}
    DEPENDS ${CMAKE_SOURCE_DIR}/include/${file} protobuf::protoc
    COMMENT "protoc ${file}")
  add_library(${target} STATIC ${made})
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_link_libraries(${target} PUBLIC ${ARG_LIBS} protobuf grpc++ grpc gpr absl_synchronization)
endfunction()
