"""Pictures: every kind comes out as upright BGR; every bad file is refused with one sentence."""

from __future__ import annotations

import base64
import os
import struct
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.core.errors import ImageError, OutputError
from kifuwatch.vision.image_header import exif_orientation
from kifuwatch.vision.images import decode_image, image_size, load_image, save_image
from tests.vision.pictures import (
    Image,
    chunk,
    encode,
    exif,
    jpeg_with_exif,
    png,
    quarters,
    webp_with_exif,
)

RED, GREEN, BLUE, WHITE = (0, 0, 255), (0, 255, 0), (255, 0, 0), (255, 255, 255)
# Left half red, right half blue, in the inverted CMYK that Adobe writes.
CMYK_JPEG = base64.b64decode(
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAIBgYHBgUIBwcHCQkICgwUDQwLCwwZEhMPFB0aHx4dGhwcICQuJyAiLCMcHCg3KSwwMTQ0NB8nOT04Mjwu"
    "MzQy/8AAFAgAEAAgBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAAIB//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAOBEMATQBZAEsA"
    "AD8A39P6f2/gCABf4AL/ABAAAIAF/gA//9k="
)


def near(pixel: np.ndarray, colour: tuple[int, int, int]) -> bool:
    return bool(np.abs(pixel.astype(int) - colour).max() <= 12)


def colours(image: Image) -> list[str]:
    """The quarters of a picture by name: top left, top right, bottom left, bottom right."""
    names = {"red": RED, "green": GREEN, "blue": BLUE, "white": WHITE}
    height, width = image.shape[:2]
    spots = [(y, x) for y in (height // 4, 3 * height // 4) for x in (width // 4, 3 * width // 4)]
    return [next((name for name, colour in names.items() if near(image[spot], colour)), "?") for spot in spots]


def refusal(path: Path) -> str:
    """The sentence with which a file is refused: it names the file and is one line."""
    with pytest.raises(ImageError) as refused:
        load_image(path)
    sentence = str(refused.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    return sentence.removeprefix(str(path)).strip()


@pytest.mark.parametrize("ending", [".jpg", ".jpeg", ".png", ".webp", ".JPG"])
def test_a_picture_comes_back_as_it_was_saved(tmp_path: Path, ending: str) -> None:
    save_image(tmp_path / f"board{ending}", quarters())
    image = load_image(tmp_path / f"board{ending}")
    assert image.shape == (40, 60, 3)
    assert image.dtype == np.uint8
    assert image.flags.c_contiguous
    assert colours(image) == ["red", "green", "blue", "white"]


# What a viewer shows of quarters() under each orientation, after the EXIF standard.
TURNED = {
    1: ["red", "green", "blue", "white"],
    2: ["green", "red", "white", "blue"],
    3: ["white", "blue", "green", "red"],
    4: ["blue", "white", "red", "green"],
    5: ["red", "blue", "green", "white"],
    6: ["blue", "red", "white", "green"],
    7: ["white", "green", "blue", "red"],
    8: ["green", "white", "red", "blue"],
}


@pytest.mark.parametrize("orientation", TURNED)
@pytest.mark.parametrize("kind", ["jpg", "png", "webp"])
def test_the_exif_orientation_is_obeyed(tmp_path: Path, kind: str, orientation: int) -> None:
    if kind == "jpg":
        data = jpeg_with_exif(quarters(), orientation, ">" if orientation % 2 else "<")
    elif kind == "webp":
        data = webp_with_exif(quarters(), orientation)
    else:
        plain = encode(".png", quarters())
        data = plain[:33] + chunk(b"eXIf", exif(orientation)) + plain[33:]
    path = tmp_path / f"turned.{kind}"
    path.write_bytes(data)
    image = load_image(path)
    assert colours(image) == TURNED[orientation]
    assert image_size(path) == (image.shape[1], image.shape[0]) == ((60, 40) if orientation < 5 else (40, 60))


def test_grey_and_sixteen_bits_become_bgr_of_eight() -> None:
    grey = decode_image(encode(".png", np.full((5, 7), 128, np.uint8)))
    deep = decode_image(encode(".png", np.full((5, 7, 3), (0, 32768, 65535), np.uint16)))
    assert grey.shape == deep.shape == (5, 7, 3)
    assert near(grey[2, 2], (128, 128, 128))
    assert near(deep[2, 2], (0, 128, 255))


def test_cmyk_becomes_bgr() -> None:
    image = decode_image(CMYK_JPEG)
    assert near(image[8, 4], RED)
    assert near(image[8, 28], BLUE)


@pytest.mark.parametrize("ending", [".png", ".webp"])
def test_what_is_transparent_is_white(ending: str) -> None:
    """A diagram drawn in black on nothing would else be all black."""
    diagram = np.zeros((8, 8, 4), np.uint8)
    diagram[:, :4, 3] = 255
    image = decode_image(encode(ending, diagram, *([cv2.IMWRITE_WEBP_QUALITY, 101] if ending == ".webp" else [])))
    assert near(image[4, 1], (0, 0, 0))
    assert near(image[4, 6], WHITE)


def test_transparency_of_every_kind_of_png_is_white() -> None:
    """The second of two palette entries; grey with an alpha of its own; sixteen bits with alpha."""
    grey = png(2, 1, 8, 4, b"\0\x00\x00\x50\xff")
    palette = chunk(b"PLTE", bytes((255, 0, 0, 0, 0, 0)))
    by_palette = png(2, 1, 8, 3, b"\0\x00\x01", palette, chunk(b"tRNS", b"\xff\x00"))
    sixteen = png(1, 1, 16, 6, b"\0" + struct.pack(">4H", 0, 0, 0, 0))
    assert near(decode_image(grey)[0, 0], WHITE)
    assert near(decode_image(grey)[0, 1], (0x50, 0x50, 0x50))
    assert near(decode_image(by_palette)[0, 0], RED)
    assert near(decode_image(by_palette)[0, 1], WHITE)
    assert near(decode_image(sixteen)[0, 0], WHITE)


def test_a_trailer_behind_the_end_of_a_jpeg_is_no_damage() -> None:
    """Phones append a second picture or a short film."""
    assert decode_image(encode(".jpg", quarters()) + b"MotionPhoto_Data" * 100).shape == (40, 60, 3)


def test_progressive_jpeg_and_restart_markers_are_complete() -> None:
    data = encode(".jpg", quarters(), cv2.IMWRITE_JPEG_PROGRESSIVE, 1, cv2.IMWRITE_JPEG_RST_INTERVAL, 2)
    assert colours(decode_image(data)) == ["red", "green", "blue", "white"]


@pytest.mark.parametrize("ending", [".jpg", ".png", ".webp"])
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_truncated_picture_is_never_read(ending: str, share: float) -> None:
    data = encode(ending, quarters())
    with pytest.raises(ValueError, match=r"^is (empty|cut off|not a JPEG, PNG or WebP picture|a damaged)"):
        decode_image(data[: int(share * len(data))])


def test_a_jpeg_whose_lower_half_was_lost_is_damaged_though_it_has_an_end() -> None:
    rng = np.random.default_rng(3)
    data = encode(".jpg", cv2.resize(rng.integers(0, 255, (20, 30, 3), np.uint8), (300, 200)))
    with pytest.raises(ValueError, match="is a damaged JPEG file"):
        decode_image(data[: len(data) // 2] + b"\xff\xd9")


@given(
    junk=st.binary(max_size=200), start=st.sampled_from([b"", b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"RIFF\0\0\0\0WEBP"])
)
def test_junk_is_refused_in_words(junk: bytes, start: bytes) -> None:
    with pytest.raises(ValueError, match=r"^(is|has) "):
        decode_image(start + junk)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("empty.jpg", b"", "is empty"),
        ("letter.jpg", b"Dear arbiter,\nthe game was...\n", "is not a JPEG, PNG or WebP picture"),
        ("phone.jpg", b"\0\0\0\x18ftypheic\0\0\0\0", "is a HEIC file: save it as JPEG, PNG or WebP"),
        ("scan.png", b"II*\0\x08\0\0\0", "is a TIFF file: save it as JPEG, PNG or WebP"),
        ("half.jpg", encode(".jpg", quarters())[:-30], "is cut off: its end is missing"),
        ("half.png", encode(".png", quarters())[:-6], "is cut off: its end is missing"),
        ("half.webp", encode(".webp", quarters())[:-6], "is cut off: its end is missing"),
        ("head.jpg", encode(".jpg", quarters())[:40], "is cut off within its header"),
        ("flat.png", png(0, 5, 8, 2, b"\0"), "has a header that gives no size"),
        ("wrong.png", encode(".png", quarters()).replace(b"IDAT", b"IDAT\x17", 1), "is cut off: its end is missing"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, data: bytes, sentence: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert refusal(path) == sentence
    assert capfd.readouterr().err == ""


def test_missing_files_folders_and_locked_files_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "gone.jpg") == "does not exist"
    assert refusal(tmp_path) == "is a folder, not a picture"
    assert refusal(Path("/dev/null")) == "is not a picture file"
    locked = tmp_path / "locked.jpg"
    locked.write_bytes(encode(".jpg", quarters()))
    locked.chmod(0)
    if os.access(locked, os.R_OK):
        pytest.skip("this user may read every file")
    assert refusal(locked) == "cannot be read: permission denied"


def huge_webp() -> bytes:
    canvas = bytes(4) + (16383).to_bytes(3, "little") * 2
    body = b"WEBPVP8X" + struct.pack("<I", 10) + canvas
    return b"RIFF" + struct.pack("<I", len(body)) + body


@pytest.mark.parametrize(
    ("name", "data", "size"),
    [
        ("huge.png", png(20000, 20000, 1, 0, bytes(20000 * 2501)), "20000 x 20000"),
        ("huge.jpg", b"\xff\xd8\xff\xc0\0\x11\x08" + struct.pack(">HH", 20000, 30000) + bytes(12), "30000 x 20000"),
        ("huge.webp", huge_webp(), "16384 x 16384"),
    ],
)
def test_a_huge_picture_is_refused_by_its_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes, size: str
) -> None:
    def decoder(*_: object) -> None:
        raise AssertionError("memory was taken for the pixels")

    monkeypatch.setattr(cv2, "imdecode", decoder)
    (tmp_path / name).write_bytes(data)
    assert refusal(tmp_path / name) == f"has {size} pixels: more than 100 megapixels are not read"


def test_libraries_write_nothing_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    """libpng and libjpeg would print a line of their own for each of these; another's lines stay."""
    rng = np.random.default_rng(4)
    for ending in (".jpg", ".png"):
        data = bytearray(encode(ending, rng.integers(0, 255, (50, 50, 3), np.uint8)))
        data[len(data) // 2 : len(data) // 2 + 20] = b"\xff\xd7" * 10
        with pytest.raises(ValueError, match="damaged"):
            decode_image(bytes(data))
    os.write(2, b"a line of somebody else\n")
    assert capfd.readouterr().err == "a line of somebody else\n"


@given(block=st.binary(max_size=60))
def test_any_exif_block_gives_an_orientation_or_none(block: bytes) -> None:
    for start in (b"", b"II*\0", b"MM\0*\0\0\0\x08"):
        assert exif_orientation(start + block) in {None, 1, 2, 3, 4, 5, 6, 7, 8}


def test_saving_replaces_as_a_whole_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "board.png"
    path.write_bytes(b"an older picture")
    save_image(path, quarters())
    assert colours(load_image(path)) == ["red", "green", "blue", "white"]
    assert [file.name for file in tmp_path.iterdir()] == ["board.png"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no/such/folder/board.png", "no such file or directory"),
        ("board.gif", "the name of a picture ends with .jpg, .png or .webp"),
        ("board", "the name of a picture ends with .jpg, .png or .webp"),
        ("taken.png", "is a directory"),
    ],
)
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "taken.png").mkdir()
    with pytest.raises(OutputError) as refused:
        save_image(tmp_path / name, quarters())
    assert str(refused.value) == f"cannot write {tmp_path / name}: {reason}"
    assert [file.name for file in tmp_path.iterdir()] == ["taken.png"]


def test_an_array_that_is_no_picture_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="shape"):
        save_image(tmp_path / "board.jpg", np.zeros((0, 0, 3), np.uint8))
    assert not list(tmp_path.iterdir())
