// SPDX-License-Identifier: Apache-2.0
//
// Topologies from specs, and what an SVG holds when it is read back: for the tests of this folder.
#pragma once

#include <fmt/format.h>
#include <cstdio>
#include <cstdlib>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "topo/assemble.h"
#include "topo/draw/ranks.h"
#include "topo/draw/text_width.h"
#include "topo/synthetic.h"

namespace topolaunch::topo::draw {

inline Topology machine(const std::string& spec) {
  Survey survey;
  survey.facts = synthetic_facts(*parse_synthetic(spec));
  return *assemble(std::move(survey));
}

/// One rank a GPU, in the order of hosts; groups of `size` neighbours.
inline Ranks one_a_gpu(const Topology& topology, int size) {
  Ranks ranks;
  ranks.dimension = "tp";
  int rank = 0;
  for (const Host& host : topology.hosts) {
    for (const Gpu& gpu : host.gpus) {
      const int group = rank / size;
      if (group == static_cast<int>(ranks.groups.size())) {
        ranks.groups.push_back(fmt::format("tp {}", group));
      }
      ranks.placed.push_back({rank++, host.name, gpu.index, group});
    }
  }
  return ranks;
}

struct Area {
  double left = 0, top = 0, right = 0, bottom = 0;
  std::string text;
};

/// Boxes and words of an SVG as a reader with a wide font sees them.
struct Seen {
  double width = 0, height = 0;
  std::vector<Area> words, boxes;
  std::string title, description, role;
};

inline Seen read_back(const std::string& svg) {
  pugi::xml_document document;
  Seen seen;
  if (!document.load_string(svg.c_str())) return seen;
  const pugi::xml_node root = document.child("svg");
  seen.width = root.attribute("width").as_double();
  seen.height = root.attribute("height").as_double();
  seen.role = root.attribute("role").value();
  seen.title = root.child("title").text().get();
  seen.description = root.child("desc").text().get();
  for (const auto& found : root.select_nodes("//text")) {
    const pugi::xml_node node = found.node();
    const std::string classes = std::string(" ") + node.attribute("class").value() + " ";
    const double size = node.attribute("font-size").as_double();
    const std::string text = node.text().get();
    const double wide = text_width(text, size, classes.find(" s ") != std::string::npos);
    // A name that stands upright: "translate(X Y) rotate(-90)", read upwards from there.
    double up_x = 0, up_y = 0;
    const std::string moved = node.attribute("transform").value();
    if (std::sscanf(moved.c_str(), "translate(%lf %lf) rotate(-90)", &up_x, &up_y) == 2) {
      seen.words.push_back({up_x - 0.76 * size, up_y - wide, up_x + 0.24 * size, up_y, text});
      continue;
    }
    double x = node.attribute("x").as_double();
    if (classes.find(" m ") != std::string::npos) x -= wide / 2;
    if (classes.find(" e ") != std::string::npos) x -= wide;
    const double y = node.attribute("y").as_double();
    // Ascent and descent of letters and digits; fonts differ, this is DejaVu Sans' cap height.
    seen.words.push_back({x, y - 0.76 * size, x + wide, y + 0.24 * size, text});
  }
  for (const auto& found : root.select_nodes("//rect[contains(@class,'b ')]")) {
    const pugi::xml_node node = found.node();
    const double x = node.attribute("x").as_double(), y = node.attribute("y").as_double();
    seen.boxes.push_back({x, y, x + node.attribute("width").as_double(),
                          y + node.attribute("height").as_double(), ""});
  }
  return seen;
}

/// "'GPU 0' over 'GPU 1'": the first words that lie over others or leave the sheet; empty if none.
inline std::string clash(const Seen& seen) {
  for (std::size_t i = 0; i < seen.words.size(); ++i) {
    const Area& a = seen.words[i];
    if (a.left < 0 || a.top < 0 || a.right > seen.width || a.bottom > seen.height) {
      return "'" + a.text + "' leaves the sheet";
    }
    for (std::size_t k = i + 1; k < seen.words.size(); ++k) {
      const Area& b = seen.words[k];
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
        return "'" + a.text + "' over '" + b.text + "'";
      }
    }
    // Words may be inside a box or outside, never across its edge.
    for (const Area& box : seen.boxes) {
      const bool apart =
          a.right <= box.left || box.right <= a.left || a.bottom <= box.top || box.bottom <= a.top;
      const bool inside =
          a.left >= box.left && a.right <= box.right && a.top >= box.top && a.bottom <= box.bottom;
      if (!apart && !inside) return "'" + a.text + "' across the edge of a box";
    }
  }
  return {};
}

}  // namespace topolaunch::topo::draw
