"""The laws of the game: positions, moves, captures, ko, suicide, repetition."""
