"""From readings of the board over time to the most probable legal story."""
