// SPDX-License-Identifier: Apache-2.0
//
// A Drawing as SVG 1.1, without script: role, title and description for screen readers, colours for
// light and dark, patterns for prints without colours.
#pragma once

#include <string>
#include <string_view>

#include "topo/draw/drawing.h"

namespace topolaunch::topo::draw {

/// A file of its own, with its style inside.
std::string svg_file(const Drawing& drawing);

/// For a page that holds svg_style() once. `prefix` keeps the ids of several drawings of a page
/// apart; letters, digits and '-'.
std::string svg_inline(const Drawing& drawing, std::string_view prefix);

/// CSS for all drawings; light or dark as the reader prefers.
std::string svg_style();

/// `text` for XML and HTML, in elements and in quoted attributes. Control characters, which XML
/// can't hold, and bytes that are no UTF-8 become '?'.
std::string escaped(std::string_view text);

}  // namespace topolaunch::topo::draw
