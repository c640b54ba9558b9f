#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the Markdown of docs/man into a man page. Knows what those pages use, and no more:

    # topolaunch(1)          the title
    ## SECTION, ### Part     .SH, .SS
    - item                   a bullet
    `--option`               a line of its own, and below it
    : what it does           its description
    ``` or four spaces       an example, as it is
    | a | b |                a table, as it is
    **bold** *italic* `literal` [text](link)

    man_page.py PAGE.1.md PAGE.1 --version 0.1.0
"""
import argparse
import pathlib
import re
import sys


def escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def inline(text):
    out, rest = "", text
    pattern = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\([^)]*\)")
    while match := pattern.search(rest):
        out += escaped(rest[:match.start()])
        literal, bold, italic, link = match.groups()
        if literal or bold:
            out += "\\fB" + escaped(literal or bold) + "\\fR"
        elif italic:
            out += "\\fI" + escaped(italic) + "\\fR"
        else:
            out += escaped(link)
        rest = rest[match.end():]
    out += escaped(rest)
    return "\\&" + out if out.startswith((".", "'")) else out


def verbatim(lines):
    body = [("\\&" if line.startswith((".", "'")) else "") + escaped(line) for line in lines]
    return [".PP", ".in +4n", ".EX", *body, ".EE", ".in"]


def page(markdown, version):
    lines = markdown.splitlines()
    out, title, i = [], None, 0
    if lines and lines[0].startswith("<!--"):
        while "-->" not in lines[i]:
            i += 1
        i += 1

    def gather(start, stop=r"^(#|```|- |\* |: |\||    )"):
        """A paragraph: lines until an empty one, or one that begins something else."""
        words, at = [], start
        while at < len(lines) and lines[at].strip() and (at == start or not re.match(stop, lines[at])):
            words.append(lines[at].strip())
            at += 1
        return " ".join(words), at

    while i < len(lines):
        line = lines[i]
        following = next((l for l in lines[i + 1:i + 3] if l.strip()), "")
        if not line.strip():
            i += 1
        elif line.startswith("# "):
            match = re.fullmatch(r"([\w-]+)\((\d)\).*", line[2:].strip())
            if not match:
                sys.exit("the first title must be like: # topolaunch(1)")
            title = match
            out.append(f'.TH "{match[1].upper()}" "{match[2]}" "" "topolaunch {version}"')
            i += 1
        elif line.startswith("## "):
            out.append(".SH " + inline(line[3:].strip()).upper())
            i += 1
        elif line.startswith("###"):
            out.append(".SS " + inline(line.lstrip("# ").strip()))
            i += 1
        elif line.startswith("```"):
            end = i + 1
            while end < len(lines) and not lines[end].startswith("```"):
                end += 1
            out += verbatim(lines[i + 1:end])
            i = end + 1
        elif line.startswith("    ") and line.strip():
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            block = lines[i:end]
            while not block[-1].strip():
                block.pop()
            out += verbatim([l[4:] for l in block])
            i = end
        elif line.startswith("|"):
            end = i
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            rows = [[re.sub(r"[`*]", "", cell.strip()) for cell in row.strip().strip("|").split("|")]
                    for row in lines[i:end] if not re.fullmatch(r"[|\s:-]+", row)]
            widths = [max(len(r[c]) if c < len(r) else 0 for r in rows) for c in range(len(rows[0]))]
            out += verbatim(["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip()
                             for row in rows])
            i = end
        elif re.match(r"[-*] ", line):
            text, i = gather(i)
            out += ['.IP "\\(bu" 2', inline(re.sub(r"^[-*] +", "", text))]
        elif line.startswith(": "):
            text, i = gather(i)
            out.append(inline(text[2:].strip()))
        elif following.startswith(": "):
            out += [".TP", inline(line.strip())]
            i += 1
        else:
            text, i = gather(i)
            # Behind a heading no .PP: lexgrog (whatis, apropos) wants the text right there.
            out += ([] if out and out[-1].startswith(".SH") else [".PP"]) + [inline(text)]
    if title is None:
        sys.exit("no title like: # topolaunch(1)")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--version", default="")
    arguments = parser.parse_args()
    arguments.page.parent.mkdir(parents=True, exist_ok=True)
    arguments.page.write_text(page(arguments.source.read_text(), arguments.version))


if __name__ == "__main__":
    main()
