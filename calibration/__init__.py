"""Where the board is: its measures, its pose in the picture, finding it, following it."""

if __name__ == "calibration":
    raise ImportError(
        "this folder is installed as kifuwatch.calibration: write 'from kifuwatch.calibration import ...'"
    )
