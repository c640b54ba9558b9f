// SPDX-License-Identifier: Apache-2.0
//
// HTML as text, every value escaped on its way in: what comes out of files, host names and commands
// can't become markup. A piece of markup is a type of its own, so that it can't be taken for words.
//
//   Html row = element("tr", element("td", words(host.name)) + element("td", words("8")));
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topolaunch::launcher::page {

/// Markup that is safe to put into the page.
class Html {
 public:
  Html() = default;
  /// For markup written in the source, never for values.
  static Html trusted(std::string markup);
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  Html& operator+=(const Html& more);
  friend Html operator+(Html a, const Html& b) { return std::move(a += b); }

 private:
  std::string text_;
};

Html words(std::string_view text);
/// `attributes` is markup of the source: "class=\"x\"".
Html element(std::string_view name, const Html& content, std::string_view attributes = {});
Html paragraph(std::string_view text);
Html code(std::string_view text);

/// Columns by heading; a heading that begins with '#' is one of numbers, at the right. `name` is
/// the caption. Scrolls sideways by itself on narrow screens.
Html table(std::string_view name, const std::vector<std::string>& headings,
           const std::vector<std::vector<Html>>& rows);

/// A drawing that keeps its size and scrolls sideways where the page is narrower.
Html figure(const Html& drawing, std::string_view name, const Html& caption = {});
/// Closed until asked for; open on paper.
Html details(std::string_view summary, const Html& content);
Html section(std::string_view id, std::string_view heading, const Html& content);

/// `json` for a <script type="application/json">: no character of it can end the element.
Html data_block(std::string_view id, std::string_view json);

}  // namespace topolaunch::launcher::page
