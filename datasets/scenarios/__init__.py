"""A library of scripts: whole games, incidents, and what looks like one and is none.

``library.scenarios()`` makes them all, each the same every time; ``python -m kifuwatch.datasets.make_scenarios OUT``
writes them.
"""
