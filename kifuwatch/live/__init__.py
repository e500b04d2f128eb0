"""The live server: cameras that are recorded, and pages that everyone can follow."""
