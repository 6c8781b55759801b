"""`fencerun matrix`: which fences hold with which versions of what they import.

``wish`` says what an environment is to hold, ``environments`` keeps and builds them, ``table``
shows what was found, ``sweep`` puts them together.
"""
