"""Counts a CSV file with Python's own modules, for comparison with the analyst.

    count_rows.py FILE ENCODING DELIMITER header|"" ESCAPE|"" COLUMN

Prints JSON: the rows of data, how many cells of each column have a value (not empty, not NULL), and the
exact sum of the plain numbers in one column, counted from 0.
"""

import csv
import json
import re
import sys
from decimal import Decimal

path, encoding, delimiter, header, escape, column = sys.argv[1:]
with open(path, encoding=encoding, newline="") as file:
    dialect = {"delimiter": delimiter}
    if escape:
        dialect |= {"escapechar": escape}
    rows = [row for row in csv.reader(file, **dialect) if any(cell.strip() for cell in row)]

width = max(len(row) for row in rows)
data = rows[1:] if header else rows
cells = [[row[at].strip() if at < len(row) else "" for row in data] for at in range(width)]
numbers = [cell for cell in cells[int(column)] if re.fullmatch(r"-?\d+(\.\d+)?", cell)]
print(
    json.dumps(
        {
            "rows": len(data),
            "filled": [sum(cell not in ("", "NULL") for cell in of_column) for of_column in cells],
            "sum": str(sum(map(Decimal, numbers))),
        }
    )
)
