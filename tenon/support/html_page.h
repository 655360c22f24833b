// Pages for the browser that load nothing, made of a template and its parts.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tenon {

// Replaces each {{name}} of the template by that part, which there must be. What is put in is not looked at.
std::string fillPage(std::string_view page, const std::map<std::string, std::string_view> &parts);

// JSON that may stand in a script element: text inside cannot end it.
std::string jsonForScript(std::string_view json);

} // namespace tenon
