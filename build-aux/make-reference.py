#!/usr/bin/env python3
"""Writes the reference of node types, one Markdown page for each family, from what the program declares.

    build-aux/make-reference.py KINEO GRAPHS OUTPUT [--check]

KINEO is the program, GRAPHS the folder of example graphs, OUTPUT the folder of the pages.  With --check nothing is
written: the exit status is 1 when a page is missing, out of date or not of this program.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import pathlib
import subprocess
import sys

FAMILIES = {
    "anim": "Animation", "curve": "Curves", "deform": "Deformation", "field": "Fields", "geometry": "Geometry",
    "graph": "Graph", "image": "Pictures", "morph": "Morphing", "motion": "Motion", "render": "Rendering",
    "rig": "Rigging", "sim": "Simulation", "transform": "Transforms", "value": "Values",
}


def types_of(graph):
    """All type ids in a graph file, sub-graphs too."""
    for node in graph.get("nodes", {}).values() if isinstance(graph.get("nodes"), dict) else graph.get("nodes", []):
        yield node["type"]
        if "graph" in node:
            yield from types_of(node["graph"])


def examples(folder):
    used = {}
    for path in sorted(folder.glob("*.json")):
        for type_id in set(types_of(json.loads(path.read_text(encoding="utf-8")))):
            used.setdefault(type_id, []).append(path.name)
    return used


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def number(x):
    return f"{x:g}" if isinstance(x, (int, float)) and not isinstance(x, bool) else json.dumps(x, ensure_ascii=False)


def describe(slot):
    parts = [slot.get("help", "")]
    if "choices" in slot:
        parts.append("One of: " + ", ".join(f"`{c}`" for c in slot["choices"]) + ".")
    if "min" in slot or "max" in slot:
        parts.append(f"From {number(slot.get('min', '-∞'))} to {number(slot.get('max', '∞'))}.")
    if "unit" in slot:
        parts.append(f"In {slot['unit']}.")
    return cell(" ".join(p for p in parts if p))


def section(node, used):
    lines = [f"## {node['label']}", "", f"`{node['id']}` · since {node['since']}", "", node["help"], ""]
    if node["inputs"]:
        lines += ["| Input | Name | Kind | Default | |", "|---|---|---|---|---|"]
        for slot in node["inputs"]:
            default = f"`{json.dumps(slot['default'], ensure_ascii=False)}`" if "default" in slot else ""
            kind = slot["kind"] + (" list" if slot.get("list") else "")
            lines.append(f"| {cell(slot['label'])} | `{slot['name']}` | {kind} | {cell(default)} | {describe(slot)} |")
        lines.append("")
    if node["outputs"]:
        lines += ["| Output | Name | Kind | |", "|---|---|---|---|"]
        for slot in node["outputs"]:
            lines.append(f"| {cell(slot['label'])} | `{slot['name']}` | {slot['kind']} | {describe(slot)} |")
        lines.append("")
    if node["id"] in used:
        links = ", ".join(f"[{name}](../../graphs/{name})" for name in used[node["id"]])
        lines += [f"Examples: {links}.", ""]
    return lines


def pages(kineo, graphs):
    listed = subprocess.run([kineo, "nodes", "--json"], check=True, capture_output=True, text=True).stdout
    # Presets have pages of their own (kineo presets show); only what is built in says since when.
    nodes = [node for node in json.loads(listed) if node["since"]]
    used = examples(graphs)
    families = {}
    for node in sorted(nodes, key=lambda n: n["id"]):
        families.setdefault(node["id"].split("/")[0], []).append(node)
    note = "<!-- Made by build-aux/make-reference.py from the declarations of the nodes: edit those. -->"
    index = ["# Reference of node types", "", note, ""]
    for family, members in sorted(families.items()):
        title = FAMILIES.get(family, family.capitalize())
        index += [f"## [{title}]({family}.md)", ""]
        for node in members:
            anchor = node["label"].lower().replace(" ", "-")
            first = node["help"].split(". ")[0].rstrip(".")
            index.append(f"- [{node['label']}]({family}.md#{anchor}) `{node['id']}`: {first}.")
        index.append("")
        lines = [f"# {title}", "", note, ""]
        for node in members:
            lines += section(node, used)
        yield f"{family}.md", "\n".join(lines).rstrip() + "\n"
    yield "README.md", "\n".join(index).rstrip() + "\n"


def main():
    kineo, graphs, output = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    made = dict(pages(kineo, graphs))
    if "--check" not in sys.argv[4:]:
        output.mkdir(parents=True, exist_ok=True)
        for old in output.glob("*.md"):
            if old.name not in made:
                old.unlink()
        for name, text in made.items():
            (output / name).write_text(text, encoding="utf-8")
        return 0
    stale = [name for name, text in made.items()
             if not (output / name).is_file() or (output / name).read_text(encoding="utf-8") != text]
    stale += [p.name for p in output.glob("*.md") if p.name not in made]
    for name in sorted(stale):
        print(f"{output / name} is out of date: run make reference")
    return 1 if stale else 0


sys.exit(main())
