#!/usr/bin/env python3
"""Reports fit docs/schemas/report.schema.json, and snapshots what `facts --schema` prints.

The validator knows the part of JSON Schema draft-07 that these two use, and refuses any other
keyword: one that it passed over would be a promise that nothing keeps.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["SOURCE_DIR"]
GPUDOCTOR = os.environ["GPUDOCTOR"]
LAY_OUT = os.environ["LAY_OUT"]
MACHINES = os.path.join(SOURCE, "fixtures", "machines")
REPORT = os.path.join(SOURCE, "docs", "schemas", "report.schema.json")

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}


def fits_type(value, wanted):
    return any(TYPES[t](value) for t in ([wanted] if isinstance(wanted, str) else wanted))


def same(a, b):
    return type(a) is type(b) and a == b


SCALAR = {
    "type": lambda v, s: fits_type(v, s),
    "const": lambda v, s: same(v, s),
    "enum": lambda v, s: any(same(v, one) for one in s),
    "minimum": lambda v, s: not TYPES["integer"](v) or v >= s,
    "minLength": lambda v, s: not isinstance(v, str) or len(v) >= s,
    "pattern": lambda v, s: not isinstance(v, str) or re.search(s, v) is not None,
    "required": lambda v, s: not isinstance(v, dict) or set(s) <= set(v),
}
SILENT = {"$schema", "title", "description", "definitions"}
NESTED = {"properties", "additionalProperties", "items", "$ref"}


def faults(value, schema, root, place="$"):
    unknown = set(schema) - set(SCALAR) - SILENT - NESTED
    if unknown:
        raise ValueError(f"{place}: keywords {sorted(unknown)} are not known here")
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        yield from faults(value, target, root, place)
        return
    for keyword, holds in SCALAR.items():
        if keyword in schema and not holds(value, schema[keyword]):
            yield f"{place}: {json.dumps(value)[:80]} breaks {keyword} {schema[keyword]}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for key, item in value.items():
            if key in known:
                yield from faults(item, known[key], root, f"{place}.{key}")
            elif schema.get("additionalProperties", True) is not True:
                yield f"{place}: {key} is not in the schema"
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from faults(item, schema["items"], root, f"{place}[{i}]")


def check_validator():
    """It sees what is wrong: a validator that finds nothing would pass every document."""
    schema = {
        "type": "object", "additionalProperties": False, "required": ["a"],
        "properties": {
            "a": {"type": ["integer", "null"], "minimum": 0}, "c": {"const": 1},
            "b": {"type": "array", "items": {"$ref": "#/definitions/word"}},
        },
        "definitions": {"word": {"type": "string", "minLength": 1, "pattern": "^x", "enum": ["x", "xy"]}},
    }
    cases = [
        ({"a": 1}, 0), ({"a": None, "b": ["x", "xy"], "c": 1}, 0), ({}, 1), ([], 1), ({"a": True}, 1),
        ({"a": -1}, 1), ({"a": 1, "z": 1}, 1), ({"a": 1, "b": ["xz"]}, 1), ({"a": 1, "b": [""]}, 3),
        ({"a": 1, "b": {}}, 1), ({"a": 1, "c": True}, 1), ({"a": "1"}, 1),
    ]
    for value, want in cases:
        found = list(faults(value, schema, schema))
        if len(found) != want:
            yield f"the validator finds {len(found)} faults, not {want}, in {value}: {found}"
    try:
        list(faults(1, {"maximum": 3}, {}))
        yield "the validator passes over a keyword"
    except ValueError:
        pass


def document(*words, status=(0,)):
    done = subprocess.run([GPUDOCTOR, *words], capture_output=True, text=True, timeout=60)
    if done.returncode not in status or done.stderr:
        raise AssertionError(f"{words}: status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def consistent(report):
    """What a schema cannot say: the counts are those of the lists."""
    roots = [f for f in report["findings"] if "caused_by" not in f]
    summary = report["summary"]
    for severity in ("error", "warning", "info"):
        if summary[severity] != sum(f["severity"] == severity for f in roots):
            yield f"summary.{severity} is not the number of such roots"
    if summary["folded"] != len(report["findings"]) - len(roots):
        yield "summary.folded is not the number of folded findings"
    if summary["unknown"] != len(report["unknown"]):
        yield "summary.unknown is not the length of unknown"
    for verdict in ("ok", "unknown", "skip"):
        if summary[verdict] != sum(c[verdict] for c in report["checked"]):
            yield f"summary.{verdict} is not the sum of checked"
    prints = [f["fingerprint"] for f in report["findings"]]
    if len(set(prints)) != len(prints):
        yield "two findings have one fingerprint"
    for finding in report["findings"]:
        cause = finding.get("caused_by")
        if cause and cause not in [{k: f[k] for k in ("rule", "fingerprint")} for f in roots]:
            yield f"the cause of {finding['rule']} is not in the list"


def main():
    found = list(check_validator())
    with open(REPORT, encoding="utf-8") as file:
        report_schema = json.load(file)
    facts_schema = document("facts", "--schema")
    seen = set()
    names = sorted(n[:-5] for n in os.listdir(MACHINES) if n.endswith(".tree"))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            root = os.path.join(folder, name)
            subprocess.run([LAY_OUT, os.path.join(MACHINES, name + ".tree"), root], check=True)
            report = document("check", "--root", root, "--format", "json", status=(0, 1))
            facts = document("facts", "--root", root, "--format", "json")
            each = list(faults(report, report_schema, report_schema))
            each += list(consistent(report))
            each += list(faults(facts, facts_schema, facts_schema))
            found += [f"{name}: {f}" for f in each]
            seen |= {key for f in report["findings"] for key in f} | {k for k in facts["tables"]}
    if set(facts_schema["properties"]["tables"]["properties"]) - seen:
        found.append("no snapshot has some table of the schema")
    for key in ("confidence", "caused_by", "evidence", "steps"):
        if key not in seen:
            found.append(f"no recorded machine has a finding with {key}: nothing was tested")
    for fault in found:
        print(fault)
    print(f"{len(names)} machines, {len(found)} faults")
    return 1 if found or not names else 0


if __name__ == "__main__":
    sys.exit(main())
