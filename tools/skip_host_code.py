#!/usr/bin/env python3
"""Leaves out of a CUDA source what only a host with its libraries could compile.

skip_host_code.py FILE.cu OUT PLACEHOLDERS OPTION...

compile-kernels calls it in the folder of FILE; OPTION... is the compiler with the options that it compiles with. OUT becomes the
preprocessed source. Headers that are not found count as empty ones (below PLACEHOLDERS), and statements and declarations of host code
in which the compiler then finds errors are taken out, one round after the other, until those that remain are of device code. Host code
that can be understood stays: its launches say which kernel templates exist.
"""
import pathlib
import re
import subprocess
import sys

import host_code

ROUNDS = 40
HEADERS = 100


def say(message):
    print(f"compile-kernels: note: {message}", file=sys.stderr)


def preprocess(source, placeholders, command):
    """The preprocessed source, with empty files for headers that are missing."""
    # Deep, because a header may be named ../../common/x.h.
    folder = pathlib.Path(placeholders, "a", "b", "c", "d", "e")
    folder.mkdir(parents=True, exist_ok=True)
    for _ in range(HEADERS):
        done = subprocess.run([*command, "-idirafter", str(folder), "-E", source], capture_output=True, encoding="latin-1")
        missing = re.search(r"^(.*?):(\d+):\d+: fatal error: '(.*?)' file not found", done.stderr, re.M)
        if not missing:
            return done.stdout if done.returncode == 0 else None
        header = folder / missing[3]
        if pathlib.Path(missing[3]).is_absolute() or header.exists():
            return None
        say(f"{missing[1]}:{missing[2]}: {missing[3]} is not found and counts as empty (-I FOLDER says where headers are)")
        header.parent.mkdir(parents=True, exist_ok=True)
        header.touch()
    return None


class Source:
    """A preprocessed source whose line markers stand apart, so that what is changed keeps its lines."""

    def __init__(self, text, own_headers):
        lines = text.split("\n")
        self.markers = {}
        self.places = []
        name, number, foreign = "", 0, True
        for index, line in enumerate(lines):
            marker = re.match(r'# (\d+) "(.*)"((?: \d)*)$', line)
            if marker:
                self.markers[index], lines[index] = line, ""
                name, number = marker[2], int(marker[1]) - 1
                foreign = "3" in marker[3] or name.startswith(("<", own_headers))
            elif line.startswith("#"):
                lines[index] = ""
                self.markers[index] = line
                number += 1
            else:
                number += 1
            self.places.append(None if foreign else (name, number))
        self.text = "\n".join(lines)

    def starts(self):
        """Where each line begins."""
        result, start = [], 0
        for line in self.text.split("\n"):
            result.append(start)
            start += len(line) + 1
        return result

    def marked(self):
        lines = self.text.split("\n")
        for index, marker in self.markers.items():
            lines[index] = marker
        return "\n".join(lines)


def errors(text, command):
    """Line and column of every error, from 1."""
    command = [part for part in command if part != "-Wall"]
    done = subprocess.run(
        [*command, "-w", "-ferror-limit=0", "-fno-caret-diagnostics", "-x", "cuda", "-fsyntax-only", "-"],
        input=text, capture_output=True, encoding="latin-1")
    return [(int(line), int(column)) for line, column in re.findall(r"^<stdin>:(\d+):(\d+): (?:fatal )?error:", done.stderr, re.M)]


def main():
    source_name, out, placeholders, *command = sys.argv[1:]
    text = preprocess(source_name, placeholders, command)
    if text is None:
        return 1
    source = Source(text, str(pathlib.Path(__file__).resolve().parent.parent / "traces" / "kernels"))
    left_out = set()
    for _ in range(ROUNDS):
        edits = {}
        scanner = host_code.Scanner(source.text, source.places)
        starts = source.starts()
        for line, column in errors(source.text, command):
            if line > len(source.places) or source.places[line - 1] is None:
                continue
            edit = scanner.edit_for(starts[line - 1] + column - 1)
            if edit:
                edits[edit[0]] = edit
                left_out.add(source.places[line - 1])
        if not edits:
            break
        before = None
        for start, end, replacement in sorted(edits.values(), reverse=True):
            if before is not None and end > before:
                continue
            before = start
            source.text = source.text[:start] + replacement + source.text[end:]
    for name in sorted({name for name, _ in left_out}):
        numbers = sorted(number for each, number in left_out if each == name)
        shown = ", ".join(map(str, numbers[:10])) + (", ..." if len(numbers) > 10 else "")
        say(f"{name}: host code that cannot be understood here is left out, from line{'s'[: len(numbers) > 1]} {shown}")
    pathlib.Path(out).write_text(source.marked(), encoding="latin-1")
    return 0


sys.exit(main())
