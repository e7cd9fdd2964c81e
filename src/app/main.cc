#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>

#include "app/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "podium/reranker.h"

namespace {

std::atomic<bool> cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set by a signal handler");

// The first Ctrl-C ends the work cleanly, a second one the process.
void CatchInterrupt() {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen by Output
  struct sigaction action = {};
  sigaction(SIGINT, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;  // a background job of a script: Ctrl-C is not for it
  action = {};
  action.sa_handler = [](int) { cancelled.store(true); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // and no SA_RESTART: reads wake up
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  CatchInterrupt();
  podium::CatchLostModelFiles();
  try {
    const auto parsed = podium::ParseCommandLine(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    podium::Output out(STDOUT_FILENO);
    const auto run = [&](const auto& command) {
      return podium::Run(command, podium::Session{out, cancelled});
    };
    return std::visit(run, std::get<podium::Command>(parsed));
  } catch (const std::exception& error) {  // a failed allocation
    std::fprintf(stderr, "podium: %s\n", error.what());
    return podium::kExitError;
  }
}
