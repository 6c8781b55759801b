"""Pages on other machines, through Ray: what travels, what runs there, and the way there and back.

`cluster` is the only module that imports ray; `station` is what runs on a node. Judging and
writing stay with the machine that was asked, so that a run says what a serial one says.
"""
