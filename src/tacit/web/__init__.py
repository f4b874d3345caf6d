"""`tacit web`: a page of one's own home in the browser.

A surface beside the command line: each page asks the vault and renders the answer, and each form is one call that a
command makes, too. Nothing here decides, reads the index or writes a file. It needs the extra `web`, so nothing else
imports this package, and the command line does so only when `tacit web` runs.
"""
