// What is on the wire only grows (requirement inventory SYS-34, 56): clients and servers of different ages understand
// each other as far as the older one goes. testdata/protocol.txt has every field, value and method that there ever was.
// TENON_BLESS=1 adds new ones; a line that is there never changes.
#include "tenon/service.pb.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

namespace tenon::server {
namespace {

using Lines = std::set<std::string>;

void addEnum(const google::protobuf::EnumDescriptor &type, Lines &lines) {
  for (int i = 0; i < type.value_count(); ++i)
    lines.insert(type.full_name() + "." + type.value(i)->name() + " = " + std::to_string(type.value(i)->number()));
}

void addMessage(const google::protobuf::Descriptor &message, Lines &lines) {
  for (int i = 0; i < message.field_count(); ++i) {
    const google::protobuf::FieldDescriptor &field = *message.field(i);
    std::string type = field.type_name();
    if (field.message_type())
      type = field.message_type()->full_name();
    if (field.enum_type())
      type = field.enum_type()->full_name();
    const char *label = field.is_repeated() ? "repeated " : field.has_optional_keyword() ? "optional " : "";
    lines.insert(field.full_name() + " = " + std::to_string(field.number()) + " " + label + type);
  }
  for (int i = 0; i < message.nested_type_count(); ++i)
    addMessage(*message.nested_type(i), lines);
  for (int i = 0; i < message.enum_type_count(); ++i)
    addEnum(*message.enum_type(i), lines);
}

void addFile(const google::protobuf::FileDescriptor &file, Lines &lines) {
  for (int i = 0; i < file.dependency_count(); ++i)
    addFile(*file.dependency(i), lines);
  for (int i = 0; i < file.enum_type_count(); ++i)
    addEnum(*file.enum_type(i), lines);
  for (int i = 0; i < file.message_type_count(); ++i)
    addMessage(*file.message_type(i), lines);
  for (int i = 0; i < file.service_count(); ++i)
    for (int j = 0; j < file.service(i)->method_count(); ++j) {
      const google::protobuf::MethodDescriptor &method = *file.service(i)->method(j);
      lines.insert(method.full_name() + (method.client_streaming() ? " stream " : " ") +
                   method.input_type()->full_name() + (method.server_streaming() ? " -> stream " : " -> ") +
                   method.output_type()->full_name());
    }
}

TEST(Protocol, OnlyGrows) {
  Lines now, recorded;
  addFile(*v1::ConnectReply::descriptor()->file(), now);
  std::ifstream file(TENON_PROTOCOL);
  for (std::string line; std::getline(file, line);)
    recorded.insert(line);
  for (const std::string &line : recorded)
    EXPECT_TRUE(now.contains(line)) << "'" << line << "' is gone, or is another";
  if (std::getenv("TENON_BLESS")) {
    recorded.insert(now.begin(), now.end());
    std::ofstream out(TENON_PROTOCOL);
    for (const std::string &line : recorded)
      out << line << "\n";
  }
  for (const std::string &line : now)
    EXPECT_TRUE(recorded.contains(line)) << "'" << line << "' is new: run with TENON_BLESS=1";
}

} // namespace
} // namespace tenon::server
