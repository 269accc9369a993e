#!/usr/bin/env python3
"""Writes the reference of the preset format, from the JSON Schema that the program prints.

    build-aux/make-format.py KINEO PAGE [--check]

With --check nothing is written: the exit status is 1 when the page is not that of this program.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

NOTE = "<!-- Made by build-aux/make-format.py from the output of kineo schema: edit src/graph/file/kg-schema.c. -->"


def kind(schema):
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        inner = schema["additionalProperties"]
        return "object" if inner.get("type") == "object" else f"object of {kind(inner)}"
    return schema.get("type", "any")


def cell(text):
    return text.replace("|", "\\|")


def table(schema):
    required = schema.get("required", [])
    lines = ["| Member | Is | Meaning |", "|---|---|---|"]
    for name, member in schema["properties"].items():
        meaning = member.get("description", "")
        if name in required:
            meaning = f"required: {meaning}"
        if "pattern" in member:
            meaning += f"; matches `{member['pattern']}`"
        lines.append(f"| `{name}` | {kind(member)} | {cell(meaning)} |")
    return lines + [""]


def page(kineo):
    # Presets of whoever runs this are node types in the schema, but not part of the format.
    with tempfile.TemporaryDirectory() as empty:
        environment = dict(os.environ, KINEOGRAPH_PRESET_PATH="", XDG_DATA_HOME=empty)
        schema = json.loads(subprocess.run([kineo, "schema"], check=True, capture_output=True, text=True,
                                           env=environment).stdout)
    preset, aside = schema["$defs"]["preset"], schema["$defs"]["aside"]
    interface = preset["properties"]["interface"]["properties"]
    lines = ["# Presets: reference of the format", "", NOTE, "",
             "A preset is one JSON object in a file `name.preset.json`. How presets are found, carried and versioned is in",
             "[format.md](format.md#presets). Members that are not listed are refused.", "", "## The definition", ""]
    lines += table(preset)
    lines += ["## An entry of `interface.inputs`", ""] + table(interface["inputs"]["additionalProperties"])
    lines += ["## An entry of `interface.outputs`", ""] + table(interface["outputs"]["additionalProperties"])
    lines += ["## An entry of `aside` of an instance", "", f"{aside['description'].capitalize()}.", ""]
    lines += table(aside["additionalProperties"])
    return "\n".join(lines).rstrip() + "\n"


def main():
    kineo, path = sys.argv[1], pathlib.Path(sys.argv[2])
    text = page(kineo)
    if "--check" not in sys.argv[3:]:
        path.write_text(text, encoding="utf-8")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return 0
    print(f"{path} is out of date: run make reference")
    return 1


sys.exit(main())
