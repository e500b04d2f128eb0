"""Help in the reader's language: the English of the code is replaced where the catalogue has another text."""

from __future__ import annotations

from typing import Any

from kifuwatch.cli.texts import Texts


def speak(command: Any, texts: Texts) -> None:
    """Put the help texts of a language into a command and all its commands and options.

    ``command`` is what typer makes; texts are found as ``help.<command>`` and ``option.<name>``, an option that
    means something else in one command as ``option.<command>-<name>``.
    """
    name = command.name or "kifuwatch"
    command.help = texts.find("help", name) or command.help
    for option in command.params:
        found = texts.find("option", f"{name}-{option.name}") or texts.find("option", str(option.name))
        if found and hasattr(option, "help"):
            option.help = found
    for each in getattr(command, "commands", {}).values():
        speak(each, texts)
