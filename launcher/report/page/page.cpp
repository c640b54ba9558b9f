// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page/page.h"

#include <fmt/format.h>

#include "base/capabilities.h"
#include "launcher/report/page/heat_map.h"
#include "launcher/report/page/html.h"
#include "launcher/report/page/sections.h"
#include "quota/digest.h"
#include "topo/draw/svg.h"

namespace topolaunch::launcher::page {
namespace {

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,"Segoe UI",Roboto,Helvetica,Arial,"DejaVu Sans",sans-serif;margin:0 auto;
max-width:82rem;padding:1rem;color:#111;background:#fff}
h1{font-size:1.5rem;margin:.2rem 0;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:2rem 0 .5rem}
code,pre{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.9rem}
pre{background:#f3f3f3;padding:.8rem;white-space:pre-wrap;overflow-wrap:anywhere;border-radius:4px}
p{margin:.4rem 0;overflow-wrap:anywhere}
.scroll{overflow-x:auto}figure{margin:.5rem 0}figcaption{color:#444;font-size:.9rem}
svg{display:block}
table{border-collapse:collapse;font-size:.9rem;margin:.6rem 0}
caption{text-align:left;font-weight:bold;white-space:nowrap;padding:.2rem 0}
th,td{border-bottom:1px solid #ccc;padding:.25rem .7rem .25rem 0;text-align:left;vertical-align:top}
td{max-width:36rem;overflow-wrap:break-word}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.badge{display:inline-block;border:2px solid;border-radius:4px;padding:0 .5rem;font-weight:bold;
white-space:nowrap}
.verdict .badge{font-size:1.5rem}
.pass{color:#0b5d1e}.fail{color:#fff;background:#9b1c1c;border-color:#9b1c1c}
.open{color:#6b4300;border-style:dashed}.none{color:#555;border-width:1px}
.bad{font-weight:bold}
summary{cursor:pointer;padding:.3rem 0}nav a{margin-right:1rem;display:inline-block}
meter{width:6rem}
#hover{position:fixed;bottom:0;left:0;right:0;background:#111;color:#fff;padding:.4rem 1rem;margin:0}
#hover:empty{display:none}
@media (prefers-color-scheme:dark){body{color:#f2f2f2;background:#161616}pre{background:#262626}
th,td{border-color:#444}figcaption{color:#c4c4c4}a{color:#9cc7ff}.pass{color:#7fd694}
.open{color:#f0c674}.none{color:#bbb}.fail{color:#fff;background:#8f1d1d;border-color:#ff8a80}}
@media print{nav,#hover{display:none}body{max-width:none;font-size:11pt}.scroll{overflow:visible}
svg{max-width:100%;height:auto}section{break-inside:auto}figure,tr{break-inside:avoid}}
)";

// What a reader gains: the value of the pair below the pointer, closed parts opened for printing.
constexpr std::string_view kScript = R"(
(function(){
var block=document.getElementById('pair-data');
if(block){
  var all=JSON.parse(block.textContent),box=document.getElementById('hover');
  document.querySelectorAll('svg.heat').forEach(function(svg){
    var one=all[svg.getAttribute('aria-labelledby').split(' ')[0]];
    if(!one)return;
    svg.addEventListener('mousemove',function(e){
      var r=svg.getBoundingClientRect(),k=svg.viewBox.baseVal.width/r.width,d=svg.dataset;
      var c=Math.floor(((e.clientX-r.left)*k-d.left)/d.cell),w=Math.floor(((e.clientY-r.top)*k-d.top)/d.cell);
      var row=one.values[w],v=row&&row[c];
      box.textContent=v==null?'':one.names[w]+' to '+one.names[c]+': '+
        (one.latency?(v*1e6).toPrecision(3)+' \u00b5s':(v/1e9).toPrecision(3)+' GB/s');
    });
    svg.addEventListener('mouseleave',function(){box.textContent='';});
  });
}
addEventListener('beforeprint',function(){
  document.querySelectorAll('details').forEach(function(d){d.open=true;});
});
})();
)";

/// Standard alphabet, with padding, as Content-Security-Policy wants it.
std::string base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? kAlphabet[word >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

Html contents() {
  Html out;
  for (const auto& [id, name] :
       {std::pair("verdict", "Verdict"), std::pair("placement", "Placement"),
        std::pair("bandwidth", "Bandwidth"), std::pair("environment", "Environment"),
        std::pair("repeat", "Repeat")}) {
    out += Html::trusted(fmt::format("<a href=\"#{}\">{}</a>", id, name));
  }
  return element("nav", out, "aria-label=\"Sections\"");
}

}  // namespace

std::string report_page(const SavedRun& run, const SavedRun* before) {
  std::string command;
  for (const std::string& word : run.plan.command) command += (command.empty() ? "" : " ") + word;
  Html body = element("h1", words(command.empty() ? "A run" : command));
  body +=
      paragraph(fmt::format("{} {} on {} {}, run {}", run.plan.ranks.size(),
                            run.plan.ranks.size() == 1 ? "rank" : "ranks", run.plan.hosts.size(),
                            run.plan.hosts.size() == 1 ? "host" : "hosts", run.plan.id));
  body += contents();
  body += verdict_section(run);
  if (before != nullptr) body += comparison_section(run, *before);
  body += placement_section(run) + bandwidth_section(run, before) + pairs_section(run) +
          groups_section(run) + quota_section(run) + environment_section(run) + repeat_section(run);
  // Should a value slip through as markup in spite of all: only this very script may run.
  const std::string policy = fmt::format(
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; "
      "form-action 'none'",
      base64(quota::sha256(kScript)));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"generator\" content=\"topolaunch "
      "{}\"/>\n<title>{}</title>\n<style>{}{}{}</style>\n"
      "</head>\n<body>\n<main>\n{}</main>\n<p id=\"hover\" role=\"status\"></p>\n"
      "<script>{}</script>\n</body>\n</html>\n",
      policy, topo::draw::escaped(build_version()), topo::draw::escaped("topolaunch: " + command),
      kStyle, topo::draw::svg_style(), heat_map_style(), body.text(), kScript);
}

}  // namespace topolaunch::launcher::page
