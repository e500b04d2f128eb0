"""kifuwatch: a camera looks at a Go board and writes the game record."""
