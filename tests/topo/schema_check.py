#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schema_check.py SCHEMA FILE...: 0 if every file is valid, 1 if not, 77 without python3-jsonschema."""
import json
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)

schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
status = 0
for name in sys.argv[2:]:
    for error in Draft202012Validator(schema).iter_errors(json.load(open(name))):
        print(f"{name}: {list(error.absolute_path)}: {error.message}"[:500])
        status = 1
sys.exit(status)
