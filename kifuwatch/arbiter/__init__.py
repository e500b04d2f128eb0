"""What the arbiter should know: incidents with the article, the prescribed ruling and the evidence."""

from kifuwatch.arbiter.alerts import Alert, AlertKind, AlertTable

__all__ = ["Alert", "AlertKind", "AlertTable"]
