"""Reads a catalog and groups it with DuckDB on one thread, and says what that took."""

import json
import resource
import sys
import time

try:
    import duckdb
except ImportError:
    sys.exit(3)

connection = duckdb.connect()
connection.execute("SET threads = 1")
before = time.process_time()
# Decimals of three places keep the mean of two prices exact.
connection.execute(
    "CREATE TABLE catalog AS SELECT * FROM read_csv(?, types = {'price': 'DECIMAL(12,3)'})",
    [sys.argv[1]],
)
read = time.process_time()
groups = connection.execute(
    "SELECT category, count(*), median(price) FROM catalog GROUP BY category"
).fetchall()
done = time.process_time()
(rows,) = connection.execute("SELECT count(*) FROM catalog").fetchone()
print(
    json.dumps(
        {
            "rows": rows,
            "cpu": done - before,
            "reading": read - before,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "groups": sorted(
                [name, str(count), format(median.normalize(), "f")]
                for name, count, median in groups
            ),
        }
    )
)
