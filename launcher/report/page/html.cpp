// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page/html.h"

#include <fmt/format.h>

#include <utility>

#include "topo/draw/svg.h"

namespace topolaunch::launcher::page {

Html Html::trusted(std::string markup) {
  Html out;
  out.text_ = std::move(markup);
  return out;
}

Html& Html::operator+=(const Html& more) {
  text_ += more.text_;
  return *this;
}

Html words(std::string_view text) { return Html::trusted(topo::draw::escaped(text)); }

Html element(std::string_view name, const Html& content, std::string_view attributes) {
  return Html::trusted(fmt::format("<{}{}{}>{}</{}>\n", name, attributes.empty() ? "" : " ",
                                   attributes, content.text(), name));
}

Html paragraph(std::string_view text) { return element("p", words(text)); }

Html code(std::string_view text) {
  return Html::trusted(fmt::format("<code>{}</code>", topo::draw::escaped(text)));
}

Html table(std::string_view name, const std::vector<std::string>& headings,
           const std::vector<std::vector<Html>>& rows) {
  const auto attributes = [&](std::size_t column) {
    return column < headings.size() && headings[column].starts_with('#') ? "class=\"n\"" : "";
  };
  Html head, body;
  for (std::size_t i = 0; i < headings.size(); ++i) {
    const std::string& text = headings[i];
    head += element("th", words(text.starts_with('#') ? text.substr(1) : text),
                    std::string("scope=\"col\" ") + attributes(i));
  }
  for (const auto& row : rows) {
    Html cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells += element("td", row[i], attributes(i));
    body += element("tr", cells);
  }
  const Html content = element("caption", words(name)) + element("thead", element("tr", head)) +
                       element("tbody", body);
  return Html::trusted(fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">{}</div>\n",
      topo::draw::escaped(name), element("table", content).text()));
}

Html figure(const Html& drawing, std::string_view name, const Html& caption) {
  Html content = Html::trusted(fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">{}</div>\n",
      topo::draw::escaped(name), drawing.text()));
  if (!caption.empty()) content += element("figcaption", caption);
  return element("figure", content);
}

Html details(std::string_view summary, const Html& content) {
  return element("details", element("summary", words(summary)) + content);
}

Html section(std::string_view id, std::string_view heading, const Html& content) {
  return element("section", element("h2", words(heading)) + content,
                 fmt::format("id=\"{}\"", topo::draw::escaped(id)));
}

Html data_block(std::string_view id, std::string_view json) {
  std::string safe;
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&')
      safe += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      safe += c;
  }
  return Html::trusted(fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n",
                                   topo::draw::escaped(id), safe));
}

}  // namespace topolaunch::launcher::page
