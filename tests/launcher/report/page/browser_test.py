#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a run's report in headless Chromium: no console message, no text over text, nothing that
makes the page itself scroll sideways, at 1280 and 390 pixels, light and dark, parts closed and open.

    browser_test.py --topolaunch PATH [--shots DIR]

Ends with 77 (skipped) where there is no chromium.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SPEC = "synthetic:4 host, 8 gpu h100 nvswitch, 8 nic ndr, 2 host/leaf, 4:1"
EVIL = "</title><script>document.title='XSS'</script><img src=x onerror=\"document.title='XSS'\">"

# Put into a copy of the page without its policy: rectangles of all words that are seen.
MEASURE = """
function measure(open) {
  document.querySelectorAll('details').forEach(d => { d.open = open; });
  const seen = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.data.trim() || parent.closest('script,style,title,desc,meter,#hover')) continue;
    // What a closed part holds has rectangles, too, though it isn't seen.
    if (parent.closest('details:not([open])') && !parent.closest('summary')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      if (r.width > 1 && r.height > 1) {
        // A line's box has air above and below the letters.
        const air = r.height * 0.12;
        seen.push([r.left, r.top + air, r.right, r.bottom - air, node.data.trim().slice(0, 40)]);
      }
    }
  }
  const clashes = [];
  for (let i = 0; i < seen.length; ++i) {
    for (let k = i + 1; k < seen.length && clashes.length < 5; ++k) {
      const a = seen[i], b = seen[k];
      if (a[0] + 1 < b[2] && b[0] + 1 < a[2] && a[1] + 1 < b[3] && b[1] + 1 < a[3]) {
        clashes.push(a[4] + ' | ' + b[4]);
      }
    }
  }
  return {words: seen.length, clashes, title: document.title,
          sideways: document.documentElement.scrollWidth - innerWidth};
}
parent.postMessage([measure(false), measure(true)], '*');
"""


def run_folder(topolaunch, scratch):
    """A run's files: a real plan and verdict stretched over four thought-of hosts."""
    state = scratch / "state"
    environment = dict(os.environ, TOPOLAUNCH_STATE_DIR=str(state), HOME=str(scratch))
    subprocess.run([topolaunch, "-q", "--validate", "placement", "--", "true"], env=environment, check=True)
    folder = next((state / "runs").iterdir())
    topology = json.loads(subprocess.run([topolaunch, "topo", "--topology", SPEC, "--json"],
                                         env=environment, check=True, capture_output=True).stdout)
    (folder / "topology.json").write_text(json.dumps(topology))
    plan = json.loads((folder / "plan.json").read_text())
    one, ranks = plan["ranks"][0], []
    for host in topology["hosts"]:
        for gpu in host["gpus"]:
            rank = len(ranks)
            tell = {"TOPOLAUNCH_TP_RANK": str(rank % 8), "TOPOLAUNCH_TP_SIZE": "8",
                    "TOPOLAUNCH_DP_RANK": str(rank // 8), "TOPOLAUNCH_DP_SIZE": "4"}
            ranks.append(dict(one, rank=rank, host=host["name"], local_rank=gpu["index"],
                              gpu_index=gpu["index"], gpu_pci=gpu["pci"], environment=tell))
    plan.update(ranks=ranks, hosts=[h["name"] for h in topology["hosts"]], command=["python", EVIL])
    (folder / "plan.json").write_text(json.dumps(plan))
    n = len(ranks)
    timing = lambda s: {"time": s * 1e6, "alg_bw": 1, "bus_bw": 200 * (1 - 4e-5 / s), "nwrong": 0,
                        "p50_seconds": s, "p99_seconds": 1.3 * s, "raw_seconds": []}
    results = [{"size": 4 ** k, "count": 4 ** (k - 1), "type": "float", "redop": "sum", "root": -1,
                "out_of_place": timing(5e-5 + 4 ** k / 190e9), "in_place": timing(5e-5 + 4 ** k / 190e9)}
               for k in range(5, 16)]
    pairs = [[None if a == b else (9e9 if (a, b) == (3, 17) else 45e9 + 1e8 * ((a * b) % 7))
              for b in range(n)] for a in range(n)]
    device = lambda r: {"rank": r, "pid": 1, "hostname": "h", "device": r % 8, "device_hex": "0000:11:00.0",
                        "device_info": "H100"}
    measurement = {"schema": "topolaunch.bench/1", "version": 3, "collective": "allreduce",
                   "backend": "nccl", "backend_version": "2.28.9", "ranks": n, "hosts": 4,
                   "config": {"minimum_bytes": 1024, "maximum_bytes": 4 ** 15, "step_factor": 4, "step_bytes": 0,
                              "iterations": 20, "warmup_iters": 5, "validation": 1,
                              "devices": [device(r) for r in range(n)]},
                   "placement": [], "results": results, "out_of_bounds": {"count": 0, "okay": True},
                   "average_bus_bandwidth": {"bandwidth": 100},
                   "pairs": {"ranks": list(range(n)), "size_bytes": 1 << 26, "nwrong": 0,
                             "concurrent_bytes_per_second": pairs, "one_way_bytes_per_second": pairs},
                   "groups": [{"axis": "tp", "index": i, "ranks": list(range(8 * i, 8 * i + 8)),
                               "results": results} for i in range(4)]}
    (folder / "measurement.json").write_text(json.dumps(measurement))
    verdict = json.loads((folder / "verdict.json").read_text())
    verdict["checks"].append({"name": "busbw", "verdict": "fail", "measured": "90 GB/s",
                              "expected": "370 GB/s", "source": "p5en, 16 nodes, 2026-01",
                              "suspect": "rank 3 to rank 17 " + EVIL})
    (folder / "verdict.json").write_text(json.dumps(verdict))
    return folder, environment


def chromium(browser, scratch, *words):
    base = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", f"--user-data-dir={scratch / 'profile'}", "--enable-logging=stderr",
            "--virtual-time-budget=8000"]
    return subprocess.run(base + list(words), capture_output=True, text=True, timeout=240)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--topolaunch", required=True)
    parser.add_argument("--shots", type=pathlib.Path)
    arguments = parser.parse_args()
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        print("skipped: no chromium (apt-get install chromium)")
        return 77
    faults = []
    with tempfile.TemporaryDirectory(prefix="topolaunch-page-") as scratch:
        scratch = pathlib.Path(scratch)
        folder, environment = run_folder(arguments.topolaunch, scratch)
        subprocess.run([arguments.topolaunch, "report", str(folder), "--compare", str(folder)],
                       env=environment, check=True, stdout=subprocess.DEVNULL)
        page = (folder / "report.html").read_text()
        print(f"page: {len(page)} bytes")
        done = chromium(browser, scratch, "--dump-dom", f"file://{folder}/report.html")
        faults += [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        if "<img" in done.stdout:
            faults.append("a value of a file became an element")
        bare = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
        bare = bare.replace("</body>", f"<script>{MEASURE}</script></body>")
        quoted = bare.replace("&", "&amp;").replace('"', "&quot;")
        for width in (1280, 390):
            frame = (f'<!DOCTYPE html><iframe style="border:0" width="{width}" height="2000" '
                     f'srcdoc="{quoted}"></iframe><pre id="out"></pre><script>addEventListener("message", '
                     'e => { out.textContent = JSON.stringify(e.data); });</script>')
            (scratch / "frame.html").write_text(frame)
            done = chromium(browser, scratch, "--dump-dom", f"file://{scratch}/frame.html")
            found = re.search(r'<pre id="out">(.*?)</pre>', done.stdout, re.S)
            if not found or not found[1]:
                faults.append(f"{width} px: nothing was measured")
                continue
            text = found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
            for state, seen in zip(("closed", "open"), json.loads(text)):
                print(f"{width} px, parts {state}: {seen['words']} pieces of text")
                faults += [f"{width} px, parts {state}: {clash}" for clash in seen["clashes"]]
                if seen["words"] < 100:
                    faults.append(f"{width} px: too little text to be the page")
                if seen["sideways"] > 1:
                    faults.append(f"{width} px: the page is {seen['sideways']} px too wide")
                if seen["title"] == "XSS":
                    faults.append("a value of a file ran as script")
            if arguments.shots:
                arguments.shots.mkdir(parents=True, exist_ok=True)
                bare_frame = frame.replace('height="2000"', 'height="5200"')
                (scratch / "frame.html").write_text(bare_frame)
                for look in ("light", "dark"):
                    more = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if look == "dark" else []
                    chromium(browser, scratch, *more, "--hide-scrollbars", f"--window-size={max(width + 20, 500)},5200",
                             f"--screenshot={arguments.shots}/report-{width}-{look}.png",
                             f"file://{scratch}/frame.html")
    for fault in faults:
        print("FAULT", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
