"""Scenes with known truth, labelled pictures, training and measuring; nothing in the product imports this."""

if __name__ == "datasets":
    raise ImportError("this folder is installed as kifuwatch.datasets: write 'from kifuwatch.datasets import ...'")
