// `tenon run` of a program for several devices, all of its own arguments: in this process, or as one of a job of
// several that the environment names.
#pragma once

#include "tenon/backend/job.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/program_file.h"

namespace tenon::tools {

// Runs the program for the devices of this process, which are all of them where there is no job (null): their arguments
// come from files or are made up, and their results go to files or are printed. A program on whole arrays is cut into
// that of one device. Uses up the file's module.
Status runGrid(const RunOptions &options, backend::Backend &backend, backend::Job *job, ProgramFile &file);

} // namespace tenon::tools
