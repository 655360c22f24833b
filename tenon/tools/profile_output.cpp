#include "tenon/tools/profile_output.h"

#include "tenon/support/files.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {
namespace {

std::string inFormOf(llvm::StringRef file, const xla::Profile &profile) {
  if (file.ends_with(".html"))
    return profile.ToHtml();
  if (file.ends_with(".trace.json"))
    return profile.ToTrace();
  return file.ends_with(".json") ? profile.ToJson() : profile.ToText();
}

// What `tenon profile` writes.
Status writeAll(const xla::Profile &profile, const ProfileOptions &options) {
  if (!options.html.empty())
    TENON_RETURN_IF_ERROR(writeFile(options.html, profile.ToHtml()));
  if (!options.trace.empty())
    TENON_RETURN_IF_ERROR(writeFile(options.trace, profile.ToTrace()));
  if (options.json)
    llvm::outs() << profile.ToJson();
  else if (options.html.empty() && options.trace.empty())
    llvm::outs() << profile.ToText();
  return {};
}

} // namespace

Status writeProfile(const xla::Profile &profile, const RunOptions &options) {
  if (profile.runs == 0)
    return {StatusCode::kUnimplemented, "nothing was recorded: the target '" + options.target + "' has no profile"};
  if (options.isProfileCommand)
    return writeAll(profile, options.profile);
  if (options.profile.file != "-")
    return writeFile(options.profile.file, inFormOf(options.profile.file, profile));
  llvm::errs() << profile.ToText();
  return {};
}

} // namespace tenon::tools
