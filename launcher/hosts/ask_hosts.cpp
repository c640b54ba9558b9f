// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/ask_hosts.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <utility>

#include "base/capabilities.h"
#include "base/commands.h"

namespace topolaunch::launcher {
namespace {

/// The last line of words that says something.
std::string last_line(const std::string& text) {
  std::string last;
  std::string line;
  for (const char c : text + "\n") {
    if (c != '\n' && c != '\r') {
      line += c;
      continue;
    }
    if (line.find_first_not_of(" \t") != std::string::npos) last = line;
    line.clear();
  }
  return last;
}

Result<HostFacts> ask(const std::string& name, const HostQuestion& question,
                      const Outside& outside) {
  std::vector<std::string> argv = question.agent;
  argv.push_back(name);
  // One word: what the agent hands to a shell on the other side.
  argv.push_back(shell_quoted({question.program, std::string(kFactsWord)}));
  auto said = outside.commands.run(argv, question.deadline);
  if (!said) {
    Error error = std::move(said).error();
    if (error.code == Code::try_again) {
      error = Error{Code::unavailable, "no answer within " + to_text(question.deadline), {}, {}, 0};
    }
    return fail(std::move(error));
  }
  if (said->status == 0) {
    auto facts = facts_from_frame(said->out, name);
    if (facts && facts->version != build_version()) {
      return fail(Code::unavailable, "has topolaunch " + facts->version + ", and this is " +
                                         std::string(build_version()));
    }
    return facts;
  }
  const std::string words = last_line(said->err);
  if (said->status == 127) {
    return fail(Code::unavailable, "topolaunch is not there as " + question.program);
  }
  return fail(Code::unavailable,
              words.empty() ? "the agent ended with " + std::to_string(said->status) : words);
}

}  // namespace

std::vector<Result<HostFacts>> ask_hosts(const std::vector<std::string>& names,
                                         const HostQuestion& question, const Outside& outside) {
  std::vector<Result<HostFacts>> answers;
  for (std::size_t i = 0; i < names.size(); ++i) {
    answers.emplace_back(fail(Code::internal, "not asked"));
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < names.size(); i = next++) {
      answers[i] = ask(names[i], question, outside);
    }
  };
  const auto workers = std::min(names.size(), static_cast<std::size_t>(question.at_once));
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(work);
  work();
  threads.clear();  // joins
  return answers;
}

Error no_answer(const std::vector<std::string>& names,
                const std::vector<Result<HostFacts>>& answers) {
  // Hosts with the same trouble are named together.
  std::vector<std::pair<std::string, std::vector<std::string>>> causes;
  std::size_t bad = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (answers[i]) continue;
    ++bad;
    const std::string why = answers[i].error().message;
    const auto same = std::ranges::find(causes, why, &decltype(causes)::value_type::first);
    if (same != causes.end()) {
      same->second.push_back(names[i]);
    } else {
      causes.push_back({why, {names[i]}});
    }
  }
  std::string text = names.size() == 1 ? "" : std::to_string(bad) + " of " +
                                                  std::to_string(names.size()) +
                                                  " hosts asked can't be used: ";
  for (std::size_t i = 0; i < causes.size(); ++i) {
    text += i == 0 ? "" : "; ";
    for (std::size_t h = 0; h < causes[i].second.size(); ++h) {
      text += (h == 0 ? "" : ", ") + causes[i].second[h];
    }
    text += ": " + causes[i].first;
  }
  return Error{Code::unavailable, names.size() == 1 ? "host " + text : text,
               "nothing was started; look at the host, or leave it out", {}, 0};
}

}  // namespace topolaunch::launcher
