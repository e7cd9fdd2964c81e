// The subcommands. Each prints its results to `out` and returns an exit code (options.h).
#ifndef PODIUM_APP_COMMANDS_H_
#define PODIUM_APP_COMMANDS_H_

#include <atomic>
#include <string>

#include "app/options.h"
#include "app/output.h"
#include "base/status.h"

namespace podium {

/// What commands share: where results go, and whether Ctrl-C was pressed.
struct Session {
  Output& out;
  const std::atomic<bool>& cancel;
};

int Run(const RankCommand& command, Session session);
int Run(const TokenizeCommand& command, Session session);
int Run(const InspectCommand& command, Session session);
int Run(const DoctorCommand& command, Session session);
int Run(const LengthsCommand& command, Session session);
int Run(const EvalCommand& command, Session session);
int Run(const ScoreCommand& command, Session session);
int Run(const BenchCommand& command, Session session);
int Run(const PackCommand& command, Session session);
int Run(const PullCommand& command, Session session);
int Run(const CompareCommand& command, Session session);
int Run(const ServeCommand& command, Session session);
int Run(const VersionCommand& command, Session session);

/// "podium: message" on stderr, made printable: names of files and what servers say come from
/// outside, and nothing in them may reach the terminal raw.
void PrintMessage(const std::string& message);

/// The same of an error; the exit code that belongs to the status.
int Fail(const Status& status);

/// "podium: message" and where to read on, on stderr; kExitUsage.
int UsageFail(const char* message, const char* command);

/// The model's name as given, else $PODIUM_MODEL, else the bundled model's folder.
Result<std::string> ChooseModel(const std::string& asked);

}  // namespace podium

#endif  // PODIUM_APP_COMMANDS_H_
