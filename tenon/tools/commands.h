// The subcommands. Each adds itself to the command line and returns the exit status.
#pragma once

#include "tenon/server/command/command.h"

#include <optional>
#include <string>
#include <vector>

namespace tenon::tools {

// The exit status where two things that were compared are not the same.
inline constexpr int kDiffer = 2;

// Whether runs are profiled (tenon/profile.h), and where that goes.
struct ProfileOptions {
  // Empty: they are not. "-": a table, to standard error. Otherwise the file that `run --profile=FILE` writes: .html,
  // .trace.json for Perfetto, .json, else the table.
  std::string file;
  // What `profile` writes instead of a table to standard output: a page, a trace for Perfetto, and JSON to standard
  // output.
  std::string html, trace;
  bool json = false;
};

// A program and what it is run on.
struct InputOptions {
  std::string program;
  std::string entry;                  // the function; empty: see ImportOptions
  std::vector<std::string> arguments; // .npy files
  std::vector<std::string> shapes;    // of made-up arguments, see ProgramFile::argumentShapes
  std::vector<std::string> constants; // see ProgramFile::argumentValues
  bool random = false;                // arguments are made up
  uint64_t seed = 0;
};

struct RunOptions : InputOptions {
  std::string target = "cpu";
  bool isGrid = false; // of all devices that the program is for, see runGrid
  bool time = false;
  int repeat = 1;
  int warmUp = 0; // runs before, which are neither timed nor profiled
  ProfileOptions profile;
  bool isProfileCommand = false; // whose results nobody wants to see
  std::string outputFolder;
  std::string image;
  std::vector<std::string> infeed; // see readInfeed
  std::string outfeedFolder;
  std::optional<double> timeout; // seconds
};
int runCommand(const RunOptions &options);
// Runs for the sake of the profile alone.
int profileCommand(RunOptions options);

// What `compile` writes ahead of time; nothing unless there is a folder.
struct AotOptions {
  std::string folder;
  std::string name;                  // of the model; empty: the program's file
  std::string weights = "embedded";  // or "external", or a file of safetensors
  std::vector<std::string> bindings; // ARGUMENT=TENSOR of that file
  bool shared = false;               // a shared library, too
  std::string linker = "cc";         // which makes it
};

struct CheckOptions : InputOptions {
  bool resultsOnly = false; // whether they are right, and not why
  double timeLimit = 60;    // seconds of one interpreted run
  std::string outputFolder; // for the kernel that is wrong
};
int checkCommand(CheckOptions options); // kDiffer where a result is wrong

struct ReduceOptions : InputOptions {
  std::string keep;      // CRASH, WRONG, or a command
  double timeLimit = 60; // seconds of one try
  double seconds = 600;  // of all
  std::string output = "-";
};
int reduceCommand(const ReduceOptions &options);

struct DiffOptions {
  std::string a, b;
  std::string after;   // the stage whose programs are compared; empty: as they were read
  bool report = false; // what the compiler makes of programs
  std::string targetCpu;
  std::vector<std::string> shapes; // of both, see ProgramFile::argumentShapes
};
int diffCommand(const DiffOptions &options); // kDiffer where something does

struct CompileOptions {
  std::vector<std::string> programs;
  std::vector<std::string> entries; // the functions, as above
  std::string report;               // "", "text" or "json"
  std::string memory;               // file: .svg, .json or .txt
  std::string partitionReport;      // as report
  std::string partitionPicture;     // file
  std::string dumpAfter;
  std::string targetCpu;
  std::string targetTriple;
  bool isEmulated = false;            // for a GPU, the processor of this machine plays it
  std::vector<std::string> shapes;    // see ProgramFile::argumentShapes; of several sets each begins after a semicolon
  std::vector<std::string> constants; // see ProgramFile::argumentValues
  std::string output;
  AotOptions aot;

  // Whether the program is cut for its devices.
  bool cuts() const { return !partitionReport.empty() || !partitionPicture.empty(); }
};
int compileCommand(const CompileOptions &options);

struct ViewOptions : InputOptions {
  std::vector<std::string> after; // stages; none: import and the last
  bool partition = false;         // cut the program for its devices
  int timedRuns = 0;              // to measure kernels in; 0: they are not
  std::string targetCpu;
  std::string output; // .html or .json; none: the program's file, as .html
};
int viewCommand(ViewOptions options);

struct LspOptions {
  std::string log = "error"; // or "info", "verbose"
};
int lspCommand(const LspOptions &options);

struct ExportOptions {
  std::string program;
  std::string format = "text"; // or "generic", "bytecode", "artifact"
  std::string version;         // of an artifact; empty: the newest
  bool locations = false;
  std::string output = "-";
};
int exportCommand(const ExportOptions &options);

// A model of another framework and what it leaves open, as text: NAME=2x3, NAME=4, NAME=16000.
struct ImportOptions {
  std::string model;
  std::vector<std::string> shapes, sizes, values;
  std::string output;
};
// Does not return where Python takes over.
int importCommand(const ImportOptions &options);

struct TestTargetOptions {
  std::string target;
  std::string suiteFolder; // to write the programs to, instead
};
int testTargetCommand(const TestTargetOptions &options);

int serveCommand(const server::ServeOptions &options);
int workerCommand(const server::WorkerOptions &options);

// Takes its own command line: everything behind `opt`.
int optCommand(int argc, char **argv);

int versionCommand();
// What it prints.
std::string versionText();

} // namespace tenon::tools
