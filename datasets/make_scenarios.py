"""Write the library of scenarios: ``python -m kifuwatch.datasets.make_scenarios OUT [WORD ...]``.

Each is a ``*.scenario.json`` in a folder of its group; ``kifuwatch evaluate OUT`` films and records them all. Words
choose those whose name holds one of them. With ``--traced``: the games of which each takes minutes to film.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from kifuwatch.core.errors import OutputError
from kifuwatch.datasets.scenarios.catalogue import scenarios


def write_library(out: Path, words: Sequence[str] = (), traced: bool = False) -> list[Path]:
    """Write the scenarios whose name holds one of the words (all where there is none); their files. ``traced``: those
    that are path-traced instead.

    Raises OutputError.
    """
    files = []
    for record in scenarios(traced):
        name, group = str(record["id"]), str(record["group"])
        if words and not any(word in name for word in words):
            continue
        file = out / group / f"{name}.scenario.json"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{file}: cannot be written ({error.strerror or error})") from error
        files.append(file)
    return files


def main() -> None:
    """Write them and say what each is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--traced", action="store_true", help="games to be path-traced, instead of the library")
    options = parser.parse_args()
    console = Console(highlight=False)
    for file in write_library(options.out, options.words, options.traced):
        record = json.loads(file.read_text(encoding="utf-8"))
        minutes = f"{record['dur'] / 60:.1f} min"
        console.print(f"{record['id']}: {record['title']} ({minutes})", markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
