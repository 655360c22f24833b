// The page of a profile, drawn by its script from the data.
#include "tenon/profile/json.h"
#include "tenon/support/html_page.h"

#include <algorithm>

namespace {

using nlohmann::ordered_json;

constexpr char kPage[] =
#include "profile_html.inc"
    ;
constexpr char kStyle[] =
#include "profile_css.inc"
    ;
constexpr char kScript[] =
#include "profile_js.inc"
    ;

// More than these make a page that is slow to open; ToTrace has all.
constexpr size_t kShownEvents = 20000;

// The last events of all threads: [thread, kernel, name, begin, nanoseconds], the begin since the first of them. Names
// are numbers of `names`.
ordered_json timelineJson(const xla::Profile &profile) {
  std::vector<std::pair<const xla::ProfileEvent *, size_t>> events;
  for (size_t thread = 0; thread < profile.threads.size(); ++thread)
    for (const xla::ProfileEvent &event : profile.threads[thread].events)
      events.emplace_back(&event, thread);
  std::ranges::sort(events, {}, [](const auto &event) { return event.first->begin; });
  if (events.size() > kShownEvents)
    events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(kShownEvents));
  ordered_json json = {
      {"threads", ordered_json::array()}, {"names", ordered_json::array()}, {"events", ordered_json::array()}};
  for (const xla::ProfileThread &thread : profile.threads)
    json["threads"].push_back(thread.name);
  std::map<std::string_view, size_t> names;
  for (const auto &[event, thread] : events) {
    auto [name, isNew] = names.try_emplace(event->name, names.size());
    if (isNew)
      json["names"].push_back(event->name);
    json["events"].push_back({thread, event->kernel, name->second, (event->begin - events.front().first->begin).count(),
                              (event->end - event->begin).count()});
  }
  return json;
}

} // namespace

std::string xla::Profile::ToHtml() const {
  ordered_json json = tenon::profile::profileJson(*this);
  json["timeline"] = timelineJson(*this);
  std::string data = tenon::jsonForScript(tenon::profile::dump(json, -1));
  return tenon::fillPage(kPage, {{"style", kStyle}, {"data", data}, {"script", kScript}});
}
