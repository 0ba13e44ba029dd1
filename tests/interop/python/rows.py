"""What became of the operations, as the table of all pairs reads it."""

import asyncio

# The longest that one check may take, in seconds.
LONGEST = 15


class Absent(Exception):
    """The version has no such operation, or the SDK does not offer it."""


async def print_rows(checks, peer):
    """Runs every check and prints its row."""
    for check in checks:
        try:
            await asyncio.wait_for(check(peer), timeout=LONGEST)
        except (Absent, NotImplementedError) as why:  # the latter is what the SDK raises
            row = "-", str(why)
        except Exception as error:  # every check is reported, whatever it fails by
            row = "FAILED", f"{type(error).__name__}: {error}"
        else:
            row = "ok", ""
        print(check.__name__, *(" ".join(cell.split()) for cell in row), sep="\t", flush=True)
