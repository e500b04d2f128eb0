"""From incidents to alerts that an arbiter can act on."""
