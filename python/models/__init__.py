"""Models of PyTorch as their authors write them, run by the backend `spyre` and compared with PyTorch.

    python -m models [--write] [NAME ...]

`share.json` has the share of each model's work that is on the simulated card.  It may only grow: a smaller share, like a
different result, is an error.
"""
