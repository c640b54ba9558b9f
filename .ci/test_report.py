#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a ctest run's JUnit file says: failures in full, skips by reason, and the counts.

    test_report.py RESULT.xml COUNTS      writes "PASSED FAILED SKIPPED" to COUNTS
"""
import collections
import re
import sys
import xml.etree.ElementTree as ElementTree


def skip_reason(output):
    # GoogleTest: "file.cpp:12: Skipped", and the reason on the next line; scripts print a line.
    match = re.search(r": Skipped\n+([^\n]+)", output)
    if match:
        return match[1].strip()
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no reason given"


def main():
    result, counts = sys.argv[1:]
    try:
        # ctest copies a test's output as it is; bytes that XML can't hold become '?'.
        with open(result, "rb") as file:
            text = file.read().decode(errors="replace")
    except OSError:
        return 1
    text = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)
    suite = ElementTree.fromstring(text)
    passed, failed, skips = 0, 0, collections.Counter()
    for case in suite.iter("testcase"):
        output = case.findtext("system-out") or ""
        if case.get("status") == "run":
            passed += 1
        elif case.find("failure") is not None or case.get("status") == "fail":
            failed += 1
            print(f"--- FAILED: {case.get('name')}\n{output.rstrip()}\n---")
        else:
            skips[skip_reason(output)] += 1
    for reason, count in skips.most_common():
        print(f"  skipped {count}: {reason}")
    with open(counts, "w") as file:
        print(passed, failed, sum(skips.values()), file=file)
    return 0 if passed + failed + sum(skips.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
