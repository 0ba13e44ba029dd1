//! The tables of the stock.

use dealers::DealerId;
use store::{Claim, Migration};

/// The schema of the stock, for [`store::Options::migrations`].
pub const MIGRATIONS: &[Migration] = &[RUNS_AND_UNITS, ACCEPTED_RUNS, WORDS_AND_EVENTS];

/// What a closure claims that decides about the stock of a dealer by what it has read: for
/// [`store::Store::write_claiming`].
#[must_use]
pub fn claim(dealer: &DealerId) -> Claim {
    Claim::part("stock", dealer.as_str())
}

const RUNS_AND_UNITS: Migration = Migration {
    name: "inventory-1",
    sql: "
-- One row for each arrival of a feed file. `state` is applied, refused or kept_last_good.
CREATE TABLE feed_run (
    dealer TEXT NOT NULL,
    run_id TEXT NOT NULL,
    feed TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    file_name TEXT,
    file_digest TEXT,
    layout TEXT NOT NULL,
    row_count BIGINT NOT NULL,
    skipped BIGINT NOT NULL,
    warnings BIGINT NOT NULL,
    published BIGINT NOT NULL,
    added BIGINT NOT NULL,
    changed BIGINT NOT NULL,
    withdrawn BIGINT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (dealer, run_id)
);
CREATE INDEX feed_run_by_time ON feed_run (dealer, received_at);

-- One row for each unit at each rooftop that lists or listed it. `unit` is vin:…, stock:… or id:…,
-- the first that the unit has. `feed` is the last feed that contained it. `record` is the vehicle
-- as read, in JSON. `gone_at` is null while it is published.
CREATE TABLE vehicle (
    dealer TEXT NOT NULL,
    unit TEXT NOT NULL,
    rooftop TEXT NOT NULL,
    feed TEXT NOT NULL,
    record TEXT NOT NULL,
    condition TEXT,
    status TEXT,
    price BIGINT,
    list_price BIGINT,
    first_seen_at BIGINT NOT NULL,
    seen_run TEXT NOT NULL,
    seen_at BIGINT NOT NULL,
    gone_at BIGINT,
    PRIMARY KEY (dealer, unit, rooftop)
);

-- What a run did to a unit: published, changed (price, list price or status) or withdrawn.
CREATE TABLE vehicle_history (
    dealer TEXT NOT NULL,
    unit TEXT NOT NULL,
    run_id TEXT NOT NULL,
    rooftop TEXT NOT NULL,
    happened_at BIGINT NOT NULL,
    event TEXT NOT NULL,
    status TEXT,
    price BIGINT,
    list_price BIGINT,
    PRIMARY KEY (dealer, unit, run_id, rooftop)
);

-- Grows with every change of a dealer's published stock.
CREATE TABLE stock_version (
    dealer TEXT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (dealer)
);
",
};

const ACCEPTED_RUNS: Migration = Migration {
    name: "inventory-2",
    sql: "
-- `state` may be repeated and kept_in_part too. `held` lists, in JSON, the rooftops and conditions
-- that stayed as they were. `accepts` is the run whose file a person had applied after all.
ALTER TABLE feed_run ADD COLUMN held TEXT;
ALTER TABLE feed_run ADD COLUMN accepts TEXT;
ALTER TABLE feed_run ADD COLUMN accepted_by TEXT;
CREATE INDEX feed_run_by_feed ON feed_run (dealer, feed, received_at);

-- Since when files of a feed are expected, for a feed that never sent one.
CREATE TABLE feed_expected (
    dealer TEXT NOT NULL,
    feed TEXT NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (dealer, feed)
);
",
};

const WORDS_AND_EVENTS: Migration = Migration {
    name: "inventory-3",
    sql: "
-- A step in the life of a unit at a rooftop: published, changed (price, list price or status),
-- withdrawn or hidden (not seen in a good feed for its max_age). `run_id` is the run that did it,
-- or the one that last saw a hidden unit; empty for what a person did, who is `acted_by`.
-- `price_column` is the header from which the price, or else the list price, was taken.
CREATE TABLE vehicle_event (
    dealer TEXT NOT NULL,
    unit TEXT NOT NULL,
    happened_at BIGINT NOT NULL,
    run_id TEXT NOT NULL,
    rooftop TEXT NOT NULL,
    event TEXT NOT NULL,
    feed TEXT NOT NULL,
    condition TEXT,
    status TEXT,
    price BIGINT,
    list_price BIGINT,
    price_column TEXT,
    acted_by TEXT,
    reason TEXT,
    PRIMARY KEY (dealer, unit, happened_at, run_id, rooftop, event)
);
CREATE INDEX vehicle_event_by_time ON vehicle_event (dealer, happened_at);
INSERT INTO vehicle_event (dealer, unit, happened_at, run_id, rooftop, event, feed, status, price,
                           list_price)
    SELECT past.dealer, past.unit, past.happened_at, past.run_id, past.rooftop, past.event,
           COALESCE(run.feed, ''), past.status, past.price, past.list_price
    FROM vehicle_history AS past
    LEFT JOIN feed_run AS run ON run.dealer = past.dealer AND run.run_id = past.run_id;
DROP TABLE vehicle_history;

-- Units that the dealer withdrew by hand. An empty rooftop means every rooftop.
CREATE TABLE withdrawal (
    dealer TEXT NOT NULL,
    unit TEXT NOT NULL,
    rooftop TEXT NOT NULL,
    withdrawn_at BIGINT NOT NULL,
    withdrawn_by TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (dealer, unit, rooftop)
);

-- What the dealer stated about the prices of a feed, one row for each rooftop, condition (empty
-- for units of none) and change. `fees` is a JSON list of AAP fees.
CREATE TABLE price_statement (
    dealer TEXT NOT NULL,
    rooftop TEXT NOT NULL,
    condition TEXT NOT NULL,
    feed TEXT NOT NULL,
    stated_at BIGINT NOT NULL,
    stated_by TEXT NOT NULL,
    price_column TEXT,
    advertised BIGINT NOT NULL,
    fees TEXT,
    PRIMARY KEY (dealer, rooftop, condition, feed, stated_at)
);

-- The report on a run, and the file of one that was not believed, both deflated.
CREATE TABLE feed_report (
    dealer TEXT NOT NULL,
    run_id TEXT NOT NULL,
    kept_at BIGINT NOT NULL,
    report BYTES NOT NULL,
    PRIMARY KEY (dealer, run_id)
);
CREATE TABLE feed_file (
    dealer TEXT NOT NULL,
    run_id TEXT NOT NULL,
    kept_at BIGINT NOT NULL,
    content BYTES NOT NULL,
    PRIMARY KEY (dealer, run_id)
);

-- What stands on a dealer's lot, and what of a feed was not seen for a time.
CREATE INDEX vehicle_by_feed ON vehicle (dealer, feed, gone_at, seen_at);
",
};
