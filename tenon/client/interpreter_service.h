#pragma once

namespace tenon::client {

// Makes the reference interpreter the runtime's provider for services of kind kInterpret.
void registerInterpreterService();

} // namespace tenon::client
