// `tenon run` as one process of a job of several, which the environment names.
#pragma once

#include "tenon/backend/job.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/program_file.h"

namespace tenon::tools {

// Runs the program for the devices of this process: their arguments come from files, and their results go to files or
// are printed. A program on whole arrays is cut into that of one device. Uses up the file's module.
Status runInJob(const RunOptions &options, backend::Backend &backend, backend::Job &job, ProgramFile &file);

} // namespace tenon::tools
