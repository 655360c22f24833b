#include "tenon/pjrt/key_store.h"

#include "tenon/pjrt/error.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace tenon::pjrt {
namespace {

// What a framework has behind its callbacks.
struct Store {
  std::map<std::string, std::string> values;
  int lastTimeout = 0, deleted = 0;
};
int *deletedValues = nullptr;

PJRT_Error *getValue(PJRT_KeyValueGetCallback_Args *args) {
  auto &store = *static_cast<Store *>(args->user_arg);
  store.lastTimeout = args->timeout_in_ms;
  auto found = store.values.find(std::string(args->key, args->key_size));
  if (found == store.values.end())
    return (*args->callback_error)(PJRT_Error_Code_DEADLINE_EXCEEDED, "too late", 8);
  deletedValues = &store.deleted;
  args->value = new char[found->second.size()];
  std::memcpy(args->value, found->second.data(), found->second.size());
  args->value_size = found->second.size();
  args->value_deleter_callback = [](char *value) {
    delete[] value;
    ++*deletedValues;
  };
  return nullptr;
}

PJRT_Error *putValue(PJRT_KeyValuePutCallback_Args *args) {
  auto &store = *static_cast<Store *>(args->user_arg);
  bool isNew =
      store.values.emplace(std::string(args->key, args->key_size), std::string(args->value, args->value_size)).second;
  return isNew ? nullptr : (*args->callback_error)(PJRT_Error_Code_ALREADY_EXISTS, "twice", 5);
}

PJRT_Client_Create_Args argumentsOf(Store &store) {
  PJRT_Client_Create_Args args{};
  args.kv_get_callback = getValue;
  args.kv_get_user_arg = &store;
  args.kv_put_callback = putValue;
  args.kv_put_user_arg = &store;
  return args;
}

TEST(KeyStore, IsTheFrameworks) {
  Store store;
  auto keys = keyStoreOf(argumentsOf(store));
  ASSERT_NE(keys, nullptr);
  std::string value("a\0b", 3);
  EXPECT_TRUE(keys->put("node/0", value).ok());
  StatusOr<std::string> got = keys->get("node/0", std::chrono::seconds(2));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(*got, value);
  EXPECT_EQ(store.lastTimeout, 2000);
  EXPECT_EQ(store.deleted, 1);
}

TEST(KeyStore, PassesErrorsOn) {
  Store store;
  auto keys = keyStoreOf(argumentsOf(store));
  EXPECT_EQ(keys->get("node/1", std::chrono::hours(10'000)).status().ToString(), "DEADLINE_EXCEEDED: too late");
  EXPECT_EQ(store.lastTimeout, INT32_MAX);
  EXPECT_TRUE(keys->put("node/1", "x").ok());
  EXPECT_EQ(keys->put("node/1", "x").ToString(), "ALREADY_EXISTS: twice");
}

TEST(KeyStore, IsNoneWithoutCallbacks) {
  EXPECT_EQ(keyStoreOf({}), nullptr);
  Store store;
  PJRT_Client_Create_Args args = argumentsOf(store);
  args.kv_put_callback = nullptr;
  EXPECT_EQ(keyStoreOf(args), nullptr);
}

} // namespace
} // namespace tenon::pjrt
