"""Computes what the answers to the questions must say, apart from the program and with decimals.

Run it in this folder: python3 arithmetic.py > numbers.json

Each entry names a question of a set and one of:
  ids      the ids of the rows listed; in this order where "ordered" is true
  says     numbers that the answer must hold, among others
  groups   a number for each value of the column that the answer is grouped by
"""

import csv
import datetime
import io
import json
from collections import OrderedDict
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

DATA = Path(__file__).parent / "data"
OUT = []


def rows(name, delimiter=",", encoding="utf-8"):
    text = (DATA / name).read_bytes().decode(encoding)
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


def amount(text, decimal_comma=False):
    kept = "".join(c for c in text if c.isdigit() or c in ".,-")
    if decimal_comma:
        kept = kept.replace(".", "").replace(",", ".")
    else:
        kept = kept.replace(",", "")
    return Decimal(kept) if kept else None


def mean(numbers):
    return (sum(numbers, Decimal(0)) / len(numbers)).quantize(Decimal("0.01"), ROUND_HALF_UP)


def median(numbers):
    numbers = sorted(numbers)
    middle = len(numbers) // 2
    if len(numbers) % 2:
        return numbers[middle]
    return (numbers[middle - 1] + numbers[middle]) / 2


def plain(number):
    text = format(Decimal(number), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def groups(rows, key, value):
    found = OrderedDict()
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return {name: plain(value(members)) for name, members in found.items() if name}


def expect(set_name, ask, **what):
    what = {key: value for key, value in what.items() if value is not None}
    OUT.append({"set": set_name, "ask": ask, **what})


def ids(set_name, ask, rows, key, by=None, descending=False, top=None):
    rows = list(rows)
    if by:
        # Rows without a value come last.
        without = [row for row in rows if by(row) is None]
        rows = [row for row in rows if by(row) is not None]
        values = [by(row) for row in rows]
        rows.sort(key=by, reverse=descending)
        ordered = len(set(values)) == len(values)
        if top:
            kept = [by(row) for row in rows[: top + 1]]
            ordered = len(set(kept)) == len(kept)
            rows = rows[:top]
        else:
            rows += without
            ordered = ordered and len(without) < 2
    else:
        ordered = False
    expect(set_name, ask, ids=[row[key] for row in rows], ordered=ordered)


# cars

CARS = rows("cars.csv")
CARS_DAY = datetime.date(2026, 6, 30)
for car in CARS:
    car["price"] = amount(car["Price"])
    car["cost"] = amount(car["Unit Cost"])
    car["miles"] = amount(car["Mileage"])
    car["year"] = int(car["Year"])
    car["photos"] = int(car["Photo Count"])
    car["age"] = (CARS_DAY - datetime.date.fromisoformat(car["Date In Stock"])).days
    car["here"] = car["Status"] != "Sold"


def cars(ask, test, by=None, descending=False, top=None):
    ids("cars", ask, filter(test, CARS), "Stock Number", by, descending, top)


def price(row):
    return row["price"]


def cheaper(row, limit):
    return row["price"] is not None and row["price"] < limit


is_black = lambda c: "Black" in c["Exterior Color"]
cars("Which used trucks are under 30k?", lambda c: c["Condition"] == "Used" and c["Body Style"] == "Pickup" and cheaper(c, 30000))
cars("show me all black SUVs", lambda c: is_black(c) and c["Body Style"] == "SUV")
expect("cars", "How many Civics do we have?", says=[str(sum(c["Model"] == "Civic" for c in CARS))])
expect("cars", "how many unsold pickups at Lakeside", says=[str(sum(c["here"] and c["Body Style"] == "Pickup" and c["Store"] == "Lakeside" for c in CARS))])
expect("cars", "What's been sitting over 60 days, by store?", says=[str(sum(c["here"] and c["age"] > 60 for c in CARS))])
expect("cars", "How much money is tied up past 90 days?", says=[plain(sum(c["cost"] for c in CARS if c["here"] and c["age"] > 90)), str(sum(c["here"] and c["age"] > 90 for c in CARS))])
expect("cars", "Anything older than 45 days in the Downtown store?", says=[str(sum(c["here"] and c["age"] > 45 and c["Store"] == "Downtown" for c in CARS))])
cars("five most expensive cars on the lot", lambda c: c["here"], price, True, 5)
cars("Cheapest certified SUV?", lambda c: c["Condition"] == "Certified" and c["Body Style"] == "SUV", price)
expect("cars", "average price of used sedans", says=[plain(mean([c["price"] for c in CARS if c["Condition"] == "Used" and c["Body Style"] == "Sedan" and c["price"] is not None]))])
expect("cars", "Median price per make", groups=groups([c for c in CARS if c["price"] is not None], "Make", lambda g: median([c["price"] for c in g])))
expect("cars", "What is the total value of our stock by rooftop?", groups=groups([c for c in CARS if c["price"] is not None], "Store", lambda g: sum(c["price"] for c in g)))
expect("cars", "how many cars by body style", groups=groups(CARS, "Body Style", len))
cars("Toyota or Honda with less than 40,000 miles", lambda c: c["Make"] in ("Toyota", "Honda") and c["miles"] < 40000)
cars("hybrids from 2023 or newer", lambda c: c["Fuel"] == "Hybrid" and c["year"] >= 2023)
cars("Pickups between $25,000 and $35,000", lambda c: c["Body Style"] == "Pickup" and c["price"] is not None and 25000 <= c["price"] <= 35000)
cars("List the F-150s that are not black", lambda c: c["Model"] == "F-150" and c["Exterior Color"] and not is_black(c))
cars("2021 models at North", lambda c: c["year"] == 2021 and c["Store"] == "North")
cars("Which cars have no photos?", lambda c: c["photos"] == 0)
cars("what is missing a price?", lambda c: c["price"] is None)
cars("Are there units without a VIN?", lambda c: not c["VIN"])
cars("which listings lack fuel or colour", lambda c: not c["Fuel"] or not c["Exterior Color"])
expect("cars", "how many sold cars are red", says=[str(sum(c["Status"] == "Sold" and c["Exterior Color"] == "Red" for c in CARS))])
cars("Which electric cars do we carry?", lambda c: c["Fuel"] == "Electric")
cars("Which cars came in during the last two weeks?", lambda c: c["age"] <= 14)
cars("highest mileage trucks", lambda c: c["Body Style"] == "Pickup", lambda c: c["miles"], True)
cars("Toyotas under 25k", lambda c: c["Make"] == "Toyota" and cheaper(c, 25000))
cars("and in blue?", lambda c: c["Make"] == "Toyota" and cheaper(c, 25000) and c["Exterior Color"] == "Blue")
cars("only the used ones", lambda c: is_black(c) and c["Body Style"] == "SUV" and c["Condition"] == "Used")
cars("What about Hondas?", lambda c: c["Make"] == "Honda" and cheaper(c, 25000))
cars("cheapest Toyta Camry", lambda c: c["Model"] == "Camry", price)
cars("silverados and tacomas with diesel", lambda c: c["Model"] in ("Silverado", "Tacoma") and c["Fuel"] == "Diesel")
expect("cars", "Combien de voitures avons-nous par marque ?", groups=groups(CARS, "Make", len))
cars("¿Qué coches no tienen fotos?", lambda c: c["photos"] == 0)
cars("Do we have any silver Accords left?", lambda c: c["Exterior Color"] == "Silver" and c["Model"] == "Accord")
cars("What's our cheapest new car?", lambda c: c["Condition"] == "New", price)
expect("cars", "How many vehicles have more than 20 photos?", says=[str(sum(c["photos"] > 20 for c in CARS))])
cars("give me the 10 highest priced units at north", lambda c: c["Store"] == "North", price, True, 10)
expect("cars", "stock by make and total cost", groups=groups(CARS, "Make", lambda g: sum(c["cost"] for c in g)))
cars("SUVs or pickups, used, below $28k", lambda c: c["Body Style"] in ("SUV", "Pickup") and c["Condition"] == "Used" and cheaper(c, 28000))
cars("Which cars have between 30 and 60 days in stock?", lambda c: 30 <= c["age"] <= 60)
expect("cars", "how many 2023s do we have", says=[str(sum(c["year"] == 2023 for c in CARS))])
expect("cars", "median mileage of used trucks", says=[plain(median([c["miles"] for c in CARS if c["Condition"] == "Used" and c["Body Style"] == "Pickup"]))])
cars("everything but Toyota under 20 grand", lambda c: c["Make"] != "Toyota" and cheaper(c, 20000))
day = lambda text: datetime.date.fromisoformat(text) if text else None
within = lambda text, first, last: day(text) is not None and first <= day(text) <= last
JUNE = datetime.date(2026, 6, 1)
cars("Which cars were sold in June?", lambda c: within(c["Date Sold"], JUNE, datetime.date(2026, 6, 30)))
expect("cars", "How many cars did we sell between 10 June and 20 June 2026?", says=[str(sum(within(c["Date Sold"], datetime.date(2026, 6, 10), datetime.date(2026, 6, 20)) for c in CARS))])
cars("Which cars have arrived since 1 June?", lambda c: day(c["Date In Stock"]) is not None and day(c["Date In Stock"]) >= JUNE)
cars("Trucks that came in before 2026-04-15", lambda c: c["Body Style"] == "Pickup" and day(c["Date In Stock"]) is not None and day(c["Date In Stock"]) < datetime.date(2026, 4, 15))
IN_MAY = [c for c in CARS if within(c["Date In Stock"], datetime.date(2026, 5, 1), datetime.date(2026, 5, 31))]
expect("cars", "How many cars came in in May by store?", groups=groups(IN_MAY, "Store", len))
expect("cars", "What are our price points by make?", groups=groups([c for c in CARS if c["price"] is not None], "Make", lambda g: max(c["price"] for c in g)))
PRICED = [c["price"] for c in CARS if c["price"] is not None]
expect("cars", "Give me an overview of the inventory", says=[str(len(CARS)), str(len(PRICED)), plain(sum(PRICED)), plain(min(PRICED)), plain(median(PRICED)), plain(max(PRICED))])
USED = [c for c in CARS if c["Condition"] == "Used"]
USED_PRICES = [c["price"] for c in USED if c["price"] is not None]
expect("cars", "Summarize used cars", says=[str(len(USED)), str(len(USED_PRICES)), plain(sum(USED_PRICES)), plain(median(USED_PRICES))])

# furniture

FURNITURE = rows("furniture.csv")
FURNITURE_DAY = datetime.date(2026, 6, 15)
for item in FURNITURE:
    item["price"] = amount(item["Price"])
    item["pieces"] = int(item["Quantity"])
    item["age"] = (FURNITURE_DAY - datetime.date.fromisoformat(item["Date Added"])).days


def furniture(ask, test, by=None, descending=False, top=None):
    ids("furniture", ask, filter(test, FURNITURE), "SKU", by, descending, top)


furniture("What was added in March?", lambda f: within(f["Date Added"], datetime.date(2026, 3, 1), datetime.date(2026, 3, 31)))
furniture("Which sofas were added after 1 May 2026?", lambda f: "sofa" in f["Title"].lower() and day(f["Date Added"]) > datetime.date(2026, 5, 1))


def titled(*beginnings):
    def test(item):
        words = item["Title"].lower().replace(",", " ").replace("-", " ").split()
        return any(word in beginnings for word in words)

    return test


is_sofa = titled("sofa", "sofas")
furniture("ten dearest sofas", is_sofa, price, True, 10)
furniture("What lacks photos?", lambda f: not f["Image"])
expect("furniture", "What is sold out?", says=[str(sum(f["pieces"] == 0 for f in FURNITURE))])
expect("furniture", "which outdoor items are out of stock", says=[str(sum(f["pieces"] == 0 and f["Category"].startswith("Outdoor") for f in FURNITURE))])
expect("furniture", "What are we running low on?", says=[str(sum(0 < f["pieces"] <= 3 for f in FURNITURE))])
expect("furniture", "How many oak products are there?", says=[str(sum(f["Material"] == "Oak" for f in FURNITURE))])
expect("furniture", "average price by brand", groups=groups([f for f in FURNITURE if f["price"] is not None], "Brand", lambda g: mean([f["price"] for f in g])))
expect("furniture", "the most expensive item in each category", groups=groups([f for f in FURNITURE if f["price"] is not None], "Category", lambda g: max(f["price"] for f in g)))
furniture("Terrazza products over €200", lambda f: f["Brand"] == "Terrazza" and f["price"] is not None and f["price"] > 200)
furniture("grey or beige sofas", lambda f: is_sofa(f) and f["Colour"] in ("Grey", "Beige"))
furniture("list everything in velvet", lambda f: f["Material"] == "Velvet")
expect("furniture", "How many pieces do we hold per category?", groups=groups(FURNITURE, "Category", lambda g: sum(f["pieces"] for f in g)))
furniture("Are there items without a colour?", lambda f: not f["Colour"])
furniture("which products have no description", lambda f: not f["Description"])
furniture("dining chairs", lambda f: f["Category"] == "Dining" and titled("chair")(f))
is_table = lambda f: f["Category"] in ("Living Room > Tables", "Outdoor > Tables")
furniture("tables up to 300 euro", lambda f: is_table(f) and f["price"] is not None and f["price"] <= 300)
furniture("Fjellhus items except oak", lambda f: f["Brand"] == "Fjellhus" and f["Material"] and f["Material"] != "Oak")
furniture("Which white things cost between 200 and 450?", lambda f: f["Colour"] == "White" and f["price"] is not None and 200 <= f["price"] <= 450)
furniture("leather under 1000", lambda f: f["Material"] == "Leather" and cheaper(f, 1000))
furniture("and above 1000?", lambda f: f["Material"] == "Leather" and f["price"] is not None and f["price"] > 1000)
furniture("same for walnut", lambda f: f["Material"] == "Walnut" and cheaper(f, 1000))
expect("furniture", "How many are there?", says=[str(sum(map(is_sofa, FURNITURE)))])
furniture("armchairs and loungers", titled("armchair", "lounger"))
furniture("Have you got any oak tables for less than 300?", lambda f: is_table(f) and f["Material"] == "Oak" and cheaper(f, 300))
furniture("items priced €399", lambda f: f["price"] == 399)
expect("furniture", "How many sofas cost more than a thousand euros?", says=[str(sum(is_sofa(f) and f["price"] is not None and f["price"] > 1000 for f in FURNITURE))])
expect("furniture", "brands with the most products", groups=groups(FURNITURE, "Brand", len))
furniture("Which chairs have we got fewer than 5 of?", lambda f: titled("chair")(f) and f["pieces"] < 5)
expect("furniture", "sum of quantity for Vik", says=[str(sum(f["pieces"] for f in FURNITURE if titled("vik")(f)))])
expect("furniture", "What has been with us for more than 120 days?", says=[str(sum(f["age"] > 120 and f["pieces"] > 0 for f in FURNITURE))])
FURNITURE_PRICES = [f["price"] for f in FURNITURE if f["price"] is not None]
expect("furniture", "overview", says=[str(len(FURNITURE)), str(len(FURNITURE_PRICES)), plain(sum(FURNITURE_PRICES)), plain(median(FURNITURE_PRICES))])

# fashion

FASHION = rows("fashion.csv")
PRODUCTS = OrderedDict()
for variant in FASHION:
    PRODUCTS.setdefault(variant["Handle"], []).append(variant)
expect("fashion", "How many products do we sell?", says=[str(len(PRODUCTS))])
expect("fashion", "number of products by vendor", groups=groups([variants[0] for variants in PRODUCTS.values()], "Vendor", len))
expect("fashion", "Products without an image", says=[str(sum(not any(v["Image Src"] for v in variants) for variants in PRODUCTS.values()))])

# vehicle feed

FEED = rows("vehicle_feed.csv")
for car in FEED:
    car["price"] = amount(car["price"])
    car["miles"] = amount(car["mileage"])
    car["year"] = int(car["year"])


def feed(ask, test, by=None, descending=False, top=None):
    ids("feed", ask, filter(test, FEED), "id", by, descending, top)


feed("Which cars lack photos?", lambda c: not c["image_link"])
feed("Diesels in Leeds", lambda c: c["fuel"] == "Diesel" and c["dealership_name"].endswith("Leeds"))
feed("What about Bristol?", lambda c: c["fuel"] == "Diesel" and c["dealership_name"].endswith("Bristol"))
feed("Teslas under £30,000", lambda c: c["make"] == "Tesla" and cheaper(c, 30000))
expect("feed", "How many cars per dealership?", groups=groups(FEED, "dealership_name", len))
feed("cheapest hatchback", lambda c: c["body_style"] == "Hatchback", price)
feed("cars with under 30000 miles", lambda c: c["miles"] < 30000)
feed("electric or hybrid cars", lambda c: c["fuel"] in ("Electric", "Hybrid"))
feed("Golfs older than 2022", lambda c: c["model"] == "Golf" and c["year"] < 2022)
feed("which cars have no fuel type", lambda c: not c["fuel"])
feed("White estates", lambda c: "White" in c["color"] and c["body_style"] == "Estate")
expect("feed", "average mileage by make", groups=groups(FEED, "make", lambda g: mean([c["miles"] for c in g])))
feed("list petrol cars at the Derby branch with fewer than 40k miles", lambda c: c["fuel"] == "Petrol" and c["dealership_name"].endswith("Derby") and c["miles"] < 40000)
expect("feed", "Which dealership has the most electric cars?", groups=groups([c for c in FEED if c["fuel"] == "Electric"], "dealership_name", len))

# tools

TOOLS = rows("werkzeug.csv", ";", "cp1252")
for tool in TOOLS:
    tool["price"] = amount(tool["Preis"], decimal_comma=True)
    tool["pieces"] = int(tool["Bestand"])


def tools(ask, test, by=None, descending=False, top=None):
    ids("tools", ask, filter(test, TOOLS), "Artikelnummer", by, descending, top)


expect("tools", "Was ist nicht mehr auf Lager?", says=[str(sum(t["pieces"] == 0 for t in TOOLS))])
tools("Welche Artikel haben kein Bild?", lambda t: not t["Bild"])
tools("Die fünf teuersten Artikel", lambda t: True, price, True, 5)
tools("Sägen unter 200 Euro", lambda t: t["Kategorie"].endswith("Sägen") and cheaper(t, 200))
expect("tools", "Durchschnittspreis je Marke", groups=groups([t for t in TOOLS if t["price"] is not None], "Marke", lambda g: mean([t["price"] for t in g])))
expect("tools", "Wie viele Artikel von Holtz haben wir?", says=[str(sum(t["Marke"] == "Holtz" for t in TOOLS))])
tools("Rasenmäher zwischen 300 und 500", lambda t: "Rasenmäher" in t["Bezeichnung"] and t["price"] is not None and 300 <= t["price"] <= 500)
tools("grüne Geräte von Kraftmann", lambda t: t["Farbe"] == "Grün" and t["Marke"] == "Kraftmann")
tools("Was fehlt bei der EAN?", lambda t: not t["EAN"])
tools("billigste Zange", lambda t: "Zange" in t["Bezeichnung"], price)
expect("tools", "how many items in Handwerkzeuge", says=[str(sum(t["Kategorie"].startswith("Handwerkzeuge") for t in TOOLS))])
tools("Zeig mir alle roten Artikel über 100 €", lambda t: t["Farbe"] == "Rot" and t["price"] is not None and t["price"] > 100)
expect("tools", "Welche Marke hat die meisten Artikel?", groups=groups(TOOLS, "Marke", len))
tools("Was kostet die teuerste Bohrmaschine?", lambda t: t["Kategorie"].endswith("Bohrmaschinen"), price, True)
expect("tools", "Bestand je Kategorie", groups=groups(TOOLS, "Kategorie", lambda g: sum(t["pieces"] for t in g)))
tools("Artikel ohne Preis", lambda t: t["price"] is None)
TOOL_PRICES = [t["price"] for t in TOOLS if t["price"] is not None]
expect("tools", "Gib mir einen Überblick", says=[str(len(TOOLS)), str(len(TOOL_PRICES)), plain(sum(TOOL_PRICES)), plain(median(TOOL_PRICES))])

# the tools beside offers of others

OFFERS = {}
for offer in rows("wettbewerb.csv", ";"):
    OFFERS.setdefault(offer["EAN"], []).append(amount(offer["Preis"], decimal_comma=True))
RATED = []
for tool in TOOLS:
    others = OFFERS.get(tool["EAN"], [])
    if tool["price"] is not None and tool["pieces"] > 0 and len(others) >= 3:
        RATED.append((tool["price"], 100 * tool["price"] * len(others) / sum(others), sum(others) / len(others)))
RATES = [rate.quantize(Decimal("0.1"), ROUND_HALF_UP) for _, rate, _ in RATED]
SAID = [str(len(RATED)), str(sum(own > middle for own, _, middle in RATED)), plain(median(RATES).quantize(Decimal("0.1"), ROUND_HALF_UP)), *map(plain, RATES)]
expect("rivals", "Sind wir teurer als der Wettbewerb?", says=SAID)
expect("rivals", "Which of our tools are overpriced?", says=SAID)

# two snapshots

BEFORE = {row["Stock"]: amount(row["Price"]) for row in rows("lot_2026-06-23.csv")}
AFTER_ROWS = {row["Stock"]: row for row in rows("lot_2026-06-30.csv")}
BEFORE_ROWS = {row["Stock"]: row for row in rows("lot_2026-06-23.csv")}
AFTER = {stock: amount(row["Price"]) for stock, row in AFTER_ROWS.items()}


def changed(ask, stocks):
    expect("snapshots", ask, ids=sorted(stocks), ordered=False)


NEW = set(AFTER) - set(BEFORE)
GONE = set(BEFORE) - set(AFTER)
DOWN = {stock for stock in set(BEFORE) & set(AFTER) if AFTER[stock] < BEFORE[stock]}
UP = {stock for stock in set(BEFORE) & set(AFTER) if AFTER[stock] > BEFORE[stock]}
changed("What changed?", NEW | GONE | DOWN | UP)
changed("What disappeared this week?", GONE)
changed("which cars are cheaper than last week", DOWN)
changed("What came in?", NEW)
changed("Any price increases?", UP)
changed("price drops at North", {stock for stock in DOWN if AFTER_ROWS[stock]["Location"] == "North"})
changed("Which pickups left the lot?", {stock for stock in GONE if BEFORE_ROWS[stock]["Body"] == "Pickup"})
changed("What moved up or down in price?", UP | DOWN)
changed("Did we lose any Tacomas?", {stock for stock in GONE if BEFORE_ROWS[stock]["Model"] == "Tacoma"})
changed("What has been added to the lot?", NEW)

print(json.dumps(OUT, indent=1, ensure_ascii=False))
