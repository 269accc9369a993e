#!/usr/bin/env python3
"""Writes the reference of node types, one Markdown page for each, from what the program declares, and renders the
example graphs for it.

    build-aux/make-reference.py KINEO GRAPHS OUTPUT [--check]

KINEO is the program, GRAPHS the folder of example graphs, OUTPUT the folder of the pages.  With --check nothing is
written: the exit status is 1 when a page is missing, out of date or not of this program, or a picture is not of the
graph as it is.  Pictures are told by the text of their graph, as fonts and compilers make no two machines draw alike;
remove OUTPUT/pictures to have all of them drawn again.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

FAMILIES = {
    "anim": "Animation", "curve": "Curves", "deform": "Deformation", "field": "Fields", "geometry": "Geometry",
    "graph": "Graph", "image": "Pictures", "morph": "Morphing", "motion": "Motion", "render": "Rendering",
    "rig": "Rigging", "sim": "Simulation", "transform": "Transforms", "value": "Values",
}


NOTE = "<!-- Made by build-aux/make-reference.py from the declarations of the nodes: edit those. -->"
SIZE = "480x270"


def types_of(graph):
    """The type ids in a graph file, sub-graphs too, one for each node."""
    for node in graph.get("nodes", {}).values() if isinstance(graph.get("nodes"), dict) else graph.get("nodes", []):
        yield node["type"]
        if "graph" in node:
            yield from types_of(node["graph"])


class Example:
    """A graph that shows something, and the picture of it."""

    def __init__(self, path):
        text = path.read_bytes()
        graph = json.loads(text)
        self.path, self.name = path, path.stem
        self.title, self.comment = graph.get("title", path.stem), graph.get("comment", "")
        self.frame = (graph["frames"]["start"] + graph["frames"]["end"]) // 2
        self.types = list(types_of(graph))
        self.digest = hashlib.sha256(text).hexdigest()

    def share(self, type_id):
        return self.types.count(type_id) / len(self.types)

    def render(self, kineo, picture):
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder) / "%04d.png"
            subprocess.run([kineo, "render", self.path, "-o", made, "--frames", str(self.frame), "--size", SIZE,
                            "--progress", "none"], check=True)
            shutil.move(str(made) % self.frame, picture)


def best_first(examples, type_id):
    """The examples of a type; first the one that has least else in it."""
    return sorted((e for e in examples if type_id in e.types), key=lambda e: (-e.share(type_id), e.name))


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def number(x):
    return f"{x:g}" if isinstance(x, (int, float)) and not isinstance(x, bool) else json.dumps(x, ensure_ascii=False)


def describe(slot):
    parts = [slot.get("help", "")]
    if "choices" in slot:
        parts.append("One of: " + ", ".join(f"`{c}`" for c in slot["choices"]) + ".")
    if "min" in slot or "max" in slot:
        low, high = (number(slot[end]) if end in slot else sign for end, sign in (("min", "−∞"), ("max", "∞")))
        parts.append(f"From {low} to {high}.")
    if "unit" in slot:
        parts.append(f"In {slot['unit']}.")
    return cell(" ".join(p for p in parts if p))


def node_page(node, examples, root):
    lines = [f"# {node['label']}", "", NOTE, "", f"`{node['id']}` · since {node['since']}", "", node["help"], ""]
    shown = best_first(examples, node["id"])
    if shown:
        lines += [f"[![{cell(shown[0].title)}](../pictures/{shown[0].name}.png)](../../../graphs/{shown[0].path.name})", ""]
    if node["inputs"]:
        lines += ["## Inputs", "", "| Input | Name | Kind | Default | |", "|---|---|---|---|---|"]
        for slot in node["inputs"]:
            default = f"`{json.dumps(slot['default'], ensure_ascii=False)}`" if "default" in slot else ""
            kind = slot["kind"] + (" list" if slot.get("list") else "")
            lines.append(f"| {cell(slot['label'])} | `{slot['name']}` | {kind} | {cell(default)} | {describe(slot)} |")
        lines.append("")
    if node["outputs"]:
        lines += ["## Outputs", "", "| Output | Name | Kind | |", "|---|---|---|---|"]
        for slot in node["outputs"]:
            lines.append(f"| {cell(slot['label'])} | `{slot['name']}` | {slot['kind']} | {describe(slot)} |")
        lines.append("")
    if "formula" in node:
        lines += ["## Formula", "", "```text", node["formula"], "```", ""]
    if "source" in node:
        lines += [f"Source: {node['source']}.", ""]
    code = pathlib.Path("src/nodes", node["id"] + ".c")
    if (root / code).is_file():
        lines += [f"Code: [{code}](../../../{code}).", ""]
    if shown:
        links = ", ".join(f"[{cell(e.title)}](../../../graphs/{e.path.name})" for e in shown)
        lines += [f"Examples: {links}.", ""]
    return lines


def examples_page(examples):
    lines = ["# Examples", "", NOTE, "", "What each graph draws in the middle of its frames. Open one with *File ▸ Open*, or "
             "render it with `kineo render`.", ""]
    for example in sorted(examples, key=lambda e: e.name):
        lines += [f"## {example.title}", "", f"[![{cell(example.title)}](pictures/{example.name}.png)]"
                  f"(../../graphs/{example.path.name})", "", f"[{example.path.name}](../../graphs/{example.path.name}) · "
                  f"{example.comment}", ""]
    return lines


def pages(kineo, examples, root):
    listed = subprocess.run([kineo, "nodes", "--json"], check=True, capture_output=True, text=True).stdout
    # Presets have pages of their own (kineo presets show); only what is built in says since when.
    nodes = [node for node in json.loads(listed) if node["since"]]
    families = {}
    for node in sorted(nodes, key=lambda n: n["id"]):
        families.setdefault(node["id"].split("/")[0], []).append(node)
    index = ["# Reference of node types", "", NOTE, "", "The [example graphs](examples.md) with their pictures.", ""]
    for family, members in sorted(families.items()):
        index += [f"## {FAMILIES.get(family, family.capitalize())}", ""]
        for node in members:
            first = node["help"].split(". ")[0].rstrip(".")
            index.append(f"- [{node['label']}]({node['id']}.md) `{node['id']}`: {first}.")
            yield f"{node['id']}.md", "\n".join(node_page(node, examples, root)).rstrip() + "\n"
        index.append("")
    yield "examples.md", "\n".join(examples_page(examples)).rstrip() + "\n"
    yield "README.md", "\n".join(index).rstrip() + "\n"
    yield "pictures/of.json", json.dumps({e.name: e.digest for e in examples}, indent=1, sort_keys=True) + "\n"


def read(path):
    return path.read_text(encoding="utf-8") if path.is_file() else None


def write(kineo, examples, output, made):
    drawn = json.loads(read(output / "pictures/of.json") or "{}")
    for example in examples:
        picture = output / "pictures" / f"{example.name}.png"
        if drawn.get(example.name) != example.digest or not picture.is_file():
            picture.parent.mkdir(parents=True, exist_ok=True)
            example.render(kineo, picture)
    for name, text in made.items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_text(text, encoding="utf-8")


def main():
    kineo, graphs, output = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    examples = [Example(path) for path in sorted(graphs.glob("*.json"))]
    made = dict(pages(kineo, examples, graphs.resolve().parent))
    pictures = {f"pictures/{e.name}.png" for e in examples}
    strays = [p for p in sorted(output.rglob("*")) if p.is_file() and p.suffix in (".md", ".png", ".json")
              and p.relative_to(output).as_posix() not in pictures | made.keys()]
    if "--check" not in sys.argv[4:]:
        for stray in strays:
            stray.unlink()
        write(kineo, examples, output, made)
        return 0
    stale = [output / name for name, text in made.items() if read(output / name) != text]
    stale += [output / name for name in pictures if not (output / name).is_file()]
    for path in sorted(stale + strays):
        print(f"{path} is out of date: run make reference")
    return 1 if stale or strays else 0


sys.exit(main())
