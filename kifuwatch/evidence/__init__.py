"""What was seen before, during and after each incident: pictures, and a short film."""

from kifuwatch.evidence.clip import read_clip
from kifuwatch.evidence.keeper import EvidenceKeeper
from kifuwatch.evidence.shelf import DEFAULT_LIMIT, Shelf, move_picture, parse_bytes

__all__ = ["DEFAULT_LIMIT", "EvidenceKeeper", "Shelf", "move_picture", "parse_bytes", "read_clip"]
