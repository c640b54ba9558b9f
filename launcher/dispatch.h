// SPDX-License-Identifier: Apache-2.0
//
// From words to an answer: settings, command line, the verb.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/outside.h"
#include "launcher/voice.h"

namespace topolaunch::launcher {

/// `say` takes lines for stderr, without a newline.
Result<Answer> answer_to(const std::vector<std::string>& words, const Outside& outside,
                         const std::function<void(const std::string&)>& say);

}  // namespace topolaunch::launcher
