"""Cutting a multipart stream into parts, however the network chops it up."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.vision.sources.mjpeg import PartReader, _split_password

# Bodies may hold anything but the delimiter itself.
bodies = st.lists(st.binary(max_size=300).filter(lambda body: b"--card" not in body), min_size=1, max_size=5)


def stream(parts: list[bytes], lengths: bool, promised: int = 0) -> bytes:
    out = b"preamble\r\n"
    for part in parts:
        length = f"content-length: {len(part) + promised}\r\n".encode() if lengths else b""
        out += b"--card\r\nContent-Type: image/jpeg\r\n" + length + b"\r\n" + part + b"\r\n"
    return out + b"--card--\r\n"


def read_all(data: bytes, piece: int, boundary: bytes = b"card") -> list[bytes]:
    source = io.BytesIO(data)
    reader = PartReader(lambda most: source.read(min(piece, most)), boundary)
    parts = []
    try:
        while True:
            parts.append(reader.next_part())
    except EOFError:
        return parts


@given(bodies, st.booleans(), st.integers(1, 400))
def test_parts_come_back_whole(parts: list[bytes], lengths: bool, piece: int) -> None:
    assert read_all(stream(parts, lengths), piece) == parts


@given(bodies, st.integers(1, 30), st.integers(1, 400))
def test_a_part_shorter_than_promised_does_not_take_the_next_along(parts: list[bytes], more: int, piece: int) -> None:
    """It ends at the delimiter, or, where it reaches into that, with a piece of it."""
    got = read_all(stream(parts, True, promised=more) + b"\r\n" * 20, piece)
    assert len(got) == len(parts)
    for part, read in zip(parts, got, strict=True):
        assert read.startswith(part)
        assert (b"\r\n--card--\r\n" + b"\r\n" * 20).startswith(read.removeprefix(part))


def test_a_boundary_announced_with_its_hyphens_is_understood() -> None:
    assert read_all(stream([b"one", b"two"], True), 64, b"--card") == [b"one", b"two"]


def test_a_part_without_end_is_refused() -> None:
    reader = PartReader(lambda most: b"\0" * most, b"card")
    with pytest.raises(ValueError, match="never ends"):
        reader.next_part()
    large = PartReader(io.BytesIO(stream([b""], True, promised=1 << 40)).read, b"card")
    with pytest.raises(ValueError, match="sends a part of 1099511627776 bytes"):
        large.next_part()


def test_a_password_goes_into_a_header_and_not_into_the_address() -> None:
    assert _split_password("http://cam/live?x=1") == ("http://cam/live?x=1", {})
    address, headers = _split_password("http://arbiter:p%40ss@cam:8080/live")
    assert address == "http://cam:8080/live"
    assert headers == {"Authorization": "Basic YXJiaXRlcjpwQHNz"}
