"""``python -m calor script.py``: profile a script from inside, and print the report when it ends."""

import sys

from ._run import main

if __name__ == "__main__":
    main(sys.argv[1:])
