"""Words that every stage shares: points, colours, layouts, times, errors."""
