#include "tenon/tools/commands.h"
#include "tenon/tools/manual.h"
#include "tenon/tools/program_file.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <new>

using namespace tenon::tools;

namespace {

// CLI11's own ones name the largest of all numbers.
std::string checkNumber(const std::string &text, bool mayBeZero) {
  double number = 0;
  if (CLI::detail::lexical_cast(text, number) && (number > 0 || (mayBeZero && number == 0)))
    return "";
  return "'" + text + "' is no number " + (mayBeZero ? "that is not negative" : "above 0");
}
const CLI::Validator kPositive([](std::string &text) { return checkNumber(text, false); }, "NUMBER");
const CLI::Validator kNotNegative([](std::string &text) { return checkNumber(text, true); }, "NUMBER");

// Options that several commands have.
constexpr const char *kProgramHelp =
    "StableHLO text, bytecode or portable artifact, or what jax.export wrote ('-': standard input)";

void addProgram(CLI::App *command, std::string &program) {
  command->add_option("program", program, kProgramHelp)->required();
}

constexpr const char *kShapesHelp =
    "Shapes of arguments whose types leave them open, separated by commas: 8x3 or, for an argument as its type says, -";

void addShapes(CLI::App *command, std::vector<std::string> &shapes) {
  command->add_option("--shapes", shapes, kShapesHelp)->delimiter(',');
}

constexpr const char *kEntryHelp =
    "The function to take (default: main, otherwise the only public one, otherwise the only one)";

void addEntry(CLI::App *command, std::string &entry) { command->add_option("--entry", entry, kEntryHelp); }

void addConstants(CLI::App *command, std::vector<std::string> &constants) {
  command
      ->add_option("--constant", constants,
                   "Compile for an integer argument of this value, as 0=3, or a list of them, as 1=8,4. Once for each "
                   "argument")
      ->allow_extra_args(false);
}

void addCpu(CLI::App *command, std::string &cpu) {
  command->add_option("--target-cpu,--cpu", cpu, "Processor to compile for, as LLVM names it");
}

void addInputs(CLI::App *command, InputOptions &options) {
  addEntry(command, options.entry);
  command->add_option("--args", options.arguments, "Arguments: .npy files, separated by commas")->delimiter(',');
  addShapes(command, options.shapes);
  addConstants(command, options.constants);
}

// What a program is run on.
void addRunInputs(CLI::App *command, RunOptions &options) {
  command
      ->add_option("program", options.program, "As other commands take it, or a compiled program ('-': standard input)")
      ->required();
  addInputs(command, options);
  command->add_option("--seed", options.seed, "For --random, and of the program's own random numbers")
      ->capture_default_str();
  command
      ->add_option("--infeed", options.infeed,
                   "One item of the infeed: the .npy files of its arrays, separated by commas. Once for each item")
      ->allow_extra_args(false);
  command->add_option("--outfeed", options.outfeedFolder,
                      "Write what the program outfeeds to this folder: outfeed_0.npy, ... (otherwise it is printed)");
  command
      ->add_option("--timeout", options.timeout,
                   "Fail when the program waits for data this many seconds after its start")
      ->check(kNotNegative);
}

void addRun(CLI::App &app, RunOptions &options) {
  CLI::App *command = app.add_subcommand("run", "Run a program");
  addRunInputs(command, options);
  command->add_flag("--random", options.random, "Make up arguments that suit the types");
  command
      ->add_option("--target", options.target,
                   "cpu: compiled; reference: the interpreter; cuda: a GPU; emulated: a GPU played by the host; "
                   "another one, by the "
                   "name of a library in TENON_TARGETS or by the path of its library (with a '/')")
      ->capture_default_str();
  command->add_flag("--grid", options.isGrid,
                    "Run the program of each device of its grid, with arguments of its own: those of one device behind "
                    "the other. Results are device_0_result_0.npy, ...");
  command->add_flag("--time", options.time, "Print how long compiling and running took");
  command->add_option("--repeat", options.repeat, "Run this often")->check(kPositive)->capture_default_str();
  command->add_option("--out", options.outputFolder, "Write result_0.npy, result_1.npy, ... to this folder");
  command->add_option("--png", options.image, "Write the first result, ui8[height,width(,channels)], as an image");
  command->add_flag("--profile{-}", options.profile.file,
                    "Print the time of each kernel and what it reaches of the machine's limits, or write it: "
                    "--profile=FILE, .html, .json, .trace.json for Perfetto, or .txt");
}

void addProfile(CLI::App &app, RunOptions &options) {
  options.repeat = 10;
  options.warmUp = 3;
  CLI::App *command = app.add_subcommand(
      "profile", "Run a program and say how long each kernel takes and what it reaches of the machine's limits");
  addRunInputs(command, options);
  command->add_option("--repeat", options.repeat, "Runs that are profiled")->check(kPositive)->capture_default_str();
  command->add_option("--warm-up", options.warmUp, "Runs before")->check(kNotNegative)->capture_default_str();
  command->add_flag("--json", options.profile.json, "Print JSON instead of a table");
  command->add_option("--html", options.profile.html, "Write a page for the browser to this file");
  command->add_option("--trace", options.profile.trace, "Write a trace for Perfetto to this file");
}

void addCheck(CLI::App &app, CheckOptions &options) {
  CLI::App *command = app.add_subcommand(
      "check", "Compare a compiled program with the interpreter, and find the stage or the kernel that is wrong");
  addProgram(command, options.program);
  addInputs(command, options);
  command->add_option("--seed", options.seed, "Of arguments that are made up, where --args gives none")
      ->capture_default_str();
  command->add_flag("--results-only", options.resultsOnly, "Do not look for the stage or the kernel");
  command->add_option("--time-limit", options.timeLimit, "Seconds after which the interpreter gives up")
      ->check(kPositive)
      ->capture_default_str();
  command->add_option("--out", options.outputFolder,
                      "Write the kernel that is wrong, as a program, and its arguments to this folder");
}

void addReduce(CLI::App &app, ReduceOptions &options) {
  CLI::App *command = app.add_subcommand("reduce", "Make a program that shows a failure as small as it can be made");
  addProgram(command, options.program);
  addEntry(command, options.entry);
  addShapes(command, options.shapes);
  addConstants(command, options.constants);
  command
      ->add_option(
          "--keep", options.keep,
          "What the smaller program must still do: CRASH (tenon run --random ends by a signal, or not at all), "
          "WRONG (tenon check finds a wrong result), or a command of the shell that then succeeds, with the "
          "program's file in the place of {}")
      ->required();
  command->add_option("--seed", options.seed, "Of the arguments, which are made up")->capture_default_str();
  command->add_option("--time-limit", options.timeLimit, "Seconds after which a try has not ended")
      ->check(kPositive)
      ->capture_default_str();
  command->add_option("--seconds", options.seconds, "For all of it")->check(kPositive)->capture_default_str();
  command->add_option("-o", options.output, "Write the program to this file ('-': standard output)")
      ->capture_default_str();
}

void addDiff(CLI::App &app, DiffOptions &options) {
  CLI::App *command = app.add_subcommand("diff", "Say what differs between two programs, reports or results");
  const char *about =
      "A program, a compiled program, a report (JSON), results (a .npy file or a folder of them), or text";
  command->add_option("a", options.a, about)->required();
  command->add_option("b", options.b, "Another one of the kind")->required();
  CLI::Option *after = command->add_option("--after", options.after, "Compare programs after this stage of compiling");
  command->add_flag("--report", options.report, "Compare what the compiler makes of programs: kernels, memory, work")
      ->excludes(after);
  addCpu(command, options.targetCpu);
  addShapes(command, options.shapes);
}

// --target, which is for GPUs.
void addGpu(CLI::App *command, CompileOptions &options) {
  auto setTarget = [&options](const std::string &name) {
    auto [kind, chip] = llvm::StringRef(name).split(':');
    options.targetTriple = "nvptx64-nvidia-cuda";
    options.targetCpu = chip.str();
    options.isEmulated = kind == "emulated";
  };
  auto checkTarget = [](const std::string &name) {
    llvm::StringRef kind = llvm::StringRef(name).split(':').first;
    return kind.size() < name.size() && (kind == "cuda" || kind == "emulated")
               ? std::string()
               : "'" + name + "' is not cuda:CHIP or emulated:CHIP; for CPUs there is --target-cpu";
  };
  command
      ->add_option_function<std::string>("--target", setTarget,
                                         "cuda:CHIP: for NVIDIA's GPUs, as cuda:sm_90a: kernels are printed "
                                         "(--dump-after ptx, sass), programs written (--aot). emulated:CHIP: for one "
                                         "that this machine plays")
      ->check(checkTarget);
}

// What is written: the program, or an object and a header.
void addAot(CLI::App *command, CompileOptions &options) {
  CLI::Option *output = command->add_option("-o", options.output, "Write the compiled program to this file");
  CLI::Option *folder = command
                            ->add_option("--aot", options.aot.folder,
                                         "Write an object file and a C header, NAME.o and NAME.h, to this folder")
                            ->excludes(output);
  command->add_option("--name", options.aot.name, "Of the model, for --aot: a C identifier (default: the file's name)")
      ->needs(folder);
  command
      ->add_option(
          "--weights", options.aot.weights,
          "For --aot: embedded in the object, or external: in a file, NAME.weights, which the caller loads; or a "
          "safetensors file, which has arguments, and which the caller loads")
      ->needs(folder)
      ->check([](const std::string &text) {
        bool isKnown = text == "embedded" || text == "external" || llvm::StringRef(text).ends_with(".safetensors");
        return isKnown ? std::string() : "'" + text + "' is not embedded, external or a file that ends in .safetensors";
      })
      ->capture_default_str();
  command
      ->add_option(
          "--bind", options.aot.bindings,
          "An argument of another name than its tensor's in the safetensors file, as ARGUMENT=TENSOR. Once for "
          "each")
      ->allow_extra_args(false)
      ->needs(folder);
  CLI::Option *shared =
      command->add_flag("--shared", options.aot.shared, "For --aot: make a shared library, NAME.so, too")
          ->needs(folder);
  command->add_option("--linker", options.aot.linker, "For --shared: the C compiler that links, with its options")
      ->needs(shared)
      ->capture_default_str();
}

void addCompile(CLI::App &app, CompileOptions &options) {
  CLI::App *command = app.add_subcommand("compile", "Compile a program, or several into one object (--aot)");
  command->add_option("program", options.programs, kProgramHelp)->required();
  command->add_option("--entry", options.entries, kEntryHelp + std::string(". With --aot once for each"))
      ->allow_extra_args(false);
  command
      ->add_option("--report", options.report,
                   "Print the kernels, the memory plan and the time of each stage (--report=json for programs)")
      ->expected(0, 1)
      ->default_str("text")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_option("--memory", options.memory,
                      "Write the memory plan to this file: a picture (.svg), .json or .txt");
  command
      ->add_option("--partition-report", options.partitionReport,
                   "Cut a program for several devices into that of one, and print how: arrays, collectives with their "
                   "reasons and bytes, what is computed whole (--partition-report=json for programs)")
      ->expected(0, 1)
      ->default_str("text")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_option("--partition-picture", options.partitionPicture,
                      "The same, and draw how the program's arrays lie on the mesh, to this file (.svg)");
  command->add_option("--dump-after", options.dumpAfter, "Print the program after this stage, or after 'all' of them");
  addGpu(command, options);
  addCpu(command, options.targetCpu);
  command->add_option(
      "--target-triple", options.targetTriple,
      "System to generate code for, as aarch64-linux-gnu; of another architecture the processor is LLVM's 'generic' "
      "one unless --cpu names one");
  command
      ->add_option("--shapes", options.shapes,
                   kShapesHelp + std::string(". With --aot a semicolon is between several sets of them"))
      ->delimiter(',')
      ->allow_extra_args(false);
  addConstants(command, options.constants);
  addAot(command, options);
}

void addImport(CLI::App &app, ImportOptions &options) {
  CLI::App *command = app.add_subcommand("import", "Make a StableHLO program of a model of ONNX or PyTorch");
  command->add_option("model", options.model, "The model's file: .onnx, or .pt2 of torch.export")->required();
  command->add_option("--shape", options.shapes, "Of an input that leaves sizes open, as x=1x3x224x224. Once for each")
      ->allow_extra_args(false);
  command->add_option("--size", options.sizes, "Of a size that the model has a name for, as batch=1. Once for each")
      ->allow_extra_args(false);
  command
      ->add_option("--value", options.values,
                   "Make an input a constant: a number, a list of them, or a .npy file, as sr=16000. Once for each")
      ->allow_extra_args(false);
  command->add_option("-o", options.output, "Write the program, a portable artifact, to this file")->required();
}

void addExport(CLI::App &app, ExportOptions &options) {
  CLI::App *command = app.add_subcommand("export", "Write a program in another form");
  addProgram(command, options.program);
  command->add_option("--as", options.format, "text; generic: without abbreviations; bytecode; artifact: portable")
      ->check(CLI::IsMember({"text", "generic", "bytecode", "artifact"}))
      ->capture_default_str();
  command->add_option("--version", options.version,
                      "Of a portable artifact: the oldest StableHLO that shall read it (default: the newest known)");
  command->add_flag("--locations", options.locations, "Print the location of each operation");
  command->add_option("-o", options.output, "Write to this file ('-': standard output)")->capture_default_str();
}

void addView(CLI::App &app, ViewOptions &options) {
  CLI::App *command = app.add_subcommand("view", "Write a program's graph as a page for the browser");
  addProgram(command, options.program);
  addEntry(command, options.entry);
  command
      ->add_option("--after", options.after,
                   "Stages to show the program after, separated by commas, or 'all' (default: the first and the last)")
      ->delimiter(',');
  command->add_flag("--partition", options.partition,
                    "Cut a program for several devices into that of one, and show how");
  CLI::Option *time = command->add_flag(
      "--time{10}", options.timedRuns,
      "Run the program, so often, and show how long kernels take: on the arrays of --args, or on made-up ones");
  command->add_option("--args", options.arguments, "Arguments: .npy files, separated by commas")
      ->delimiter(',')
      ->needs(time);
  command->add_option("--seed", options.seed, "Of made-up arguments")->capture_default_str()->needs(time);
  addCpu(command, options.targetCpu);
  addShapes(command, options.shapes);
  addConstants(command, options.constants);
  command->add_option("-o", options.output, "Write to this file: .html, or .json for programs (default: PROGRAM.html)");
}

void addLsp(CLI::App &app, LspOptions &options) {
  CLI::App *command = app.add_subcommand("lsp", "Serve editors, over standard input and output: diagnostics, types, "
                                                "definitions, completion in programs' texts");
  command->add_option("--log", options.log, "What is written to stderr")
      ->check(CLI::IsMember({"error", "info", "verbose"}))
      ->capture_default_str();
}

void addServe(CLI::App &app, tenon::server::ServeOptions &options) {
  CLI::App *command =
      app.add_subcommand("serve", "Compile and run programs for clients of the C++ interface, and serve models");
  command->add_option("--listen", options.listen, "HOST:PORT (port 0: any) or unix:/PATH")->capture_default_str();
  command
      ->add_option("--target", options.target,
                   "What programs run on: cpu, cuda (GPUs), or emulated (a GPU that the host plays)")
      ->check(CLI::IsMember({"cpu", "cuda", "emulated"}))
      ->capture_default_str();
  command->add_option("--metrics", options.metrics, "HOST:PORT of /metrics (Prometheus) and /health, on this machine");
  command->add_option(
      "--models", options.models,
      "Folder of models (MODEL/VERSION/model.mlirbc) for clients of the Open Inference Protocol (KServe v2)");
  command->add_option("--http", options.http,
                      "HOST:PORT of that protocol over HTTP, with a certificate HTTPS; over gRPC it is at --listen");
  command->add_option("--model-poll", options.modelPoll, "Seconds between looks at that folder (0: on request alone)")
      ->check(kNotNegative)
      ->capture_default_str();
  command->add_option("--max-request", options.requestBytes, "Size of a request of that protocol")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(int64_t{1}, int64_t{2147483647}))
      ->capture_default_str();
  command->add_option("--tls-cert", options.certificate, "The server's certificate (PEM)");
  command->add_option("--tls-key", options.privateKey, "Its private key (PEM)");
  command->add_option("--tls-client-ca", options.clientAuthorities,
                      "Clients must show a certificate of one of these authorities (PEM)");
  command->add_option("--token-file", options.tokenFile, "Clients must bear the token in this file");
  command->add_option("--max-clients", options.maxClients, "At a time")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--max-memory", options.maxMemory, "Of one client's data, programs and runs (1GB, 512MB, ...)")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  command->add_option("--max-programs", options.maxPrograms, "That one client holds")
      ->check(kPositive)
      ->capture_default_str();
  command->add_option("--max-concurrent", options.maxConcurrent, "Executions of one client; more wait in line")
      ->check(kPositive)
      ->capture_default_str();
  command->add_option("--max-deadline", options.maxDeadline, "Seconds that an execution may take (0: any)")
      ->check(kNotNegative)
      ->capture_default_str();
  command->add_option("--compile-timeout", options.compileTimeout, "Seconds that compiling a program may take")
      ->check(kPositive)
      ->capture_default_str();
  command->add_option("--compile-memory", options.compileMemory, "That compiling a program may take")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  command->add_option("--grace", options.grace, "Seconds that calls under way have at the end (SIGTERM, SIGINT)")
      ->check(kNotNegative)
      ->capture_default_str();
  command->add_option("--log-level", options.logLevel, "Of what is written to stderr")
      ->check(CLI::IsMember({"debug", "info", "warning", "error", "off"}))
      ->capture_default_str();
  command->add_flag("--print-port", options.printPort, "Print the ports to stdout once the server listens");
}

void addTestTarget(CLI::App &app, TestTargetOptions &options) {
  CLI::App *command = app.add_subcommand("test-target", "Hold a target against the interpreter");
  command->add_option("target", options.target, "As run's --target");
  command->add_option("--write-suite", options.suiteFolder, "Only write the programs to this folder");
}

// Not for people: not in the help.
void addWorker(CLI::App &app, tenon::server::WorkerOptions &options) {
  CLI::App *command = app.add_subcommand("worker")->group("");
  command->add_option("--target", options.target);
  command->add_option("--memory", options.memory);
  command->add_option("--cpu-seconds", options.cpuSeconds);
}

bool isCommand(CLI::App &app, const std::string &name) {
  return llvm::any_of(app.get_subcommands([](CLI::App *) { return true; }),
                      [&](CLI::App *command) { return command->get_name() == name; });
}

// The command that was probably meant; empty where none is near.
std::string nearestCommand(CLI::App &app, llvm::StringRef wrong) {
  unsigned best = static_cast<unsigned>(wrong.size() / 3) + 1;
  std::string nearest;
  for (CLI::App *command : app.get_subcommands([](CLI::App *command) { return !command->get_group().empty(); }))
    if (unsigned distance = wrong.edit_distance(command->get_name()); distance <= best) {
      best = distance - (distance > 0);
      nearest = command->get_name();
    }
  return nearest;
}

int reportUnknownCommand(CLI::App &app, const std::string &name) {
  std::string nearest = nearestCommand(app, name);
  std::string hint = nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
  reportError("there is no command '" + name + "'" + hint + " (tenon help lists them)");
  return 1;
}

// `tenon help` and `tenon help COMMAND`. Opt prints its own help.
int helpCommand(CLI::App &app, int argc, char **argv) {
  if (argc > 2 && std::string_view(argv[2]) == "opt") {
    std::string program = "opt", option = "--help";
    char *words[] = {program.data(), option.data(), nullptr};
    return optCommand(2, words);
  }
  if (argc > 2 && !isCommand(app, argv[2]))
    return reportUnknownCommand(app, argv[2]);
  CLI::App *about = argc > 2 ? app.get_subcommand(argv[2]) : &app;
  std::string text = about->help(argc > 2 ? "tenon" : "");
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

// The commands that people use, and their options.
std::vector<CommandSummary> summariesOf(const CLI::App &app) {
  std::vector<CommandSummary> summaries;
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *each) { return !each->get_group().empty(); })) {
    CommandSummary &summary = summaries.emplace_back();
    summary.name = command->get_name();
    summary.description = command->get_description();
    for (const CLI::Option *option : command->get_options()) {
      if (option->get_positional())
        summary.arguments.emplace_back(option->get_name(/*positional=*/true), option->get_description());
      for (const std::string &name : option->get_lnames())
        summary.options.emplace_back("--" + name, option->get_description());
    }
  }
  return summaries;
}

int completionCommand(const CLI::App &app, const std::string &shell) {
  std::string script = completionScript(shell, summariesOf(app));
  std::fwrite(script.data(), 1, script.size(), stdout);
  return 0;
}

int manualCommand(const CLI::App &app) {
  std::string page = manualPage(summariesOf(app), llvm::StringRef(versionText()).split('\n').first.str());
  std::fwrite(page.data(), 1, page.size(), stdout);
  return 0;
}

// What the command line says of each.
struct Commands {
  RunOptions run, profile;
  CheckOptions checking;
  ReduceOptions reducing;
  DiffOptions comparing;
  CompileOptions compile;
  ExportOptions exporting;
  ImportOptions importing;
  TestTargetOptions testing;
  ViewOptions viewing;
  LspOptions editing;
  tenon::server::ServeOptions serving;
  tenon::server::WorkerOptions working;
  std::string shell;
};

void addCommands(CLI::App &app, Commands &commands) {
  addRun(app, commands.run);
  addProfile(app, commands.profile);
  addCheck(app, commands.checking);
  addReduce(app, commands.reducing);
  addDiff(app, commands.comparing);
  addCompile(app, commands.compile);
  addExport(app, commands.exporting);
  addImport(app, commands.importing);
  addTestTarget(app, commands.testing);
  addView(app, commands.viewing);
  addLsp(app, commands.editing);
  addServe(app, commands.serving);
  app.add_subcommand("completion", "Print a script by which a shell completes commands and options")
      ->add_option("shell", commands.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app.add_subcommand("manual", "Print the manual page, as man has it: tenon manual | man -l -");
  addWorker(app, commands.working);
}

int runCommandOf(const CLI::App &app, const Commands &commands) {
  if (app.got_subcommand("run"))
    return runCommand(commands.run);
  if (app.got_subcommand("profile"))
    return profileCommand(commands.profile);
  if (app.got_subcommand("check"))
    return checkCommand(commands.checking);
  if (app.got_subcommand("reduce"))
    return reduceCommand(commands.reducing);
  if (app.got_subcommand("diff"))
    return diffCommand(commands.comparing);
  if (app.got_subcommand("compile"))
    return compileCommand(commands.compile);
  if (app.got_subcommand("export"))
    return exportCommand(commands.exporting);
  if (app.got_subcommand("import"))
    return importCommand(commands.importing);
  if (app.got_subcommand("test-target"))
    return testTargetCommand(commands.testing);
  if (app.got_subcommand("view"))
    return viewCommand(commands.viewing);
  if (app.got_subcommand("lsp"))
    return lspCommand(commands.editing);
  if (app.got_subcommand("serve"))
    return serveCommand(commands.serving);
  if (app.got_subcommand("completion"))
    return completionCommand(app, commands.shell);
  if (app.got_subcommand("manual"))
    return manualCommand(app);
  if (app.got_subcommand("worker"))
    return workerCommand(commands.working);
  return versionCommand();
}

} // namespace

int main(int argc, char **argv) {
  // MLIR's driver parses its own options.
  if (argc > 1 && std::string_view(argv[1]) == "opt")
    return optCommand(argc - 1, argv + 1);
  CLI::App app{"tenon compiles and runs StableHLO programs.", "tenon"};
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", [] { return llvm::StringRef(versionText()).rtrim().str(); }, "Print versions and exit");
  Commands commands;
  addCommands(app, commands);
  app.add_subcommand("opt", "Run passes by name, see tenon opt --help");
  app.add_subcommand("version", "Print versions");
  app.add_subcommand("help", "Print what a command takes: tenon help run");
  std::string first = argc > 1 ? argv[1] : "";
  if (first == "help")
    return helpCommand(app, argc, argv);
  if (!first.empty() && first.front() != '-' && !isCommand(app, first))
    return reportUnknownCommand(app, first);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  try {
    return runCommandOf(app, commands);
  } catch (const std::bad_alloc &) {
    std::fputs("error: out of memory\n", stderr);
    return 1;
  }
}
