"""Frames and stones: from a camera, a video or a photograph to what stands on each point."""

if __name__ == "vision":
    raise ImportError("this folder is installed as kifuwatch.vision: write 'from kifuwatch.vision import ...'")
