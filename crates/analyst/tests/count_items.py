"""Counts an XML document with Python's own parser, for comparison with the analyst.

    count_items.py FILE ROW PRICE

ROW is the name of the elements that are rows, PRICE the column whose amounts are summed up. Prints JSON: the
rows, how many rows have a value in each column, the exact sum of the prices of each currency (amounts alone
under ""), and the number of elements of each name in a row that hold the address of an image.
"""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from decimal import Decimal

path, row_name, price_column = sys.argv[1:]


def local(name):
    return name.rsplit("}", 1)[-1]


def has_words(element):
    tails = [child.tail for child in element]
    return any((text or "").strip() for text in [element.text, *tails])


def values(element, way):
    """Every value in an element with its column: attributes, words, and what stands in elements within."""
    header = ".".join(way)
    if len(element) and has_words(element):
        yield header, " ".join("".join(element.itertext()).split())
        return
    for name, value in element.attrib.items():
        if local(name) not in ("currency", "lang"):
            yield ".".join([*way, local(name)]), value
    if "lang" in element.attrib:
        yield ".".join([*way, "lang"]), element.attrib["lang"]
    words = (element.text or "").strip()
    if words:
        yield header, f"{words} {element.attrib.get('currency', '')}".strip()
    for child in element:
        name = local(child.tag)
        # A list of photos is a column of photos.
        inner = way[:-1] if way and way[-1] == name + "s" else way
        yield from values(child, [*inner, name])


root = ElementTree.parse(path).getroot()
rows = [element for element in root.iter() if local(element.tag) == row_name]
filled = Counter()
sums = defaultdict(Decimal)
images = 0
for row in rows:
    seen = set()
    for column, value in values(row, []):
        if value.strip():
            seen.add(column)
            images += column in ("image_link", "additional_image_link", "photo")
        if column == price_column:
            amount, _, currency = value.partition(" ")
            if re.fullmatch(r"\d+\.\d+", amount):
                sums[currency] += Decimal(amount)
    filled.update(seen)

print(
    json.dumps(
        {
            "rows": len(rows),
            "filled": dict(sorted(filled.items())),
            "sums": {currency: str(total) for currency, total in sorted(sums.items())},
            "images": images,
        }
    )
)
