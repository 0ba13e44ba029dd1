//! The tables of this crate.

use store::Migration;

/// The schema, for [`store::Options::migrations`].
///
/// What identifies a person stands in `person` and in `consent` only, so that both can be erased
/// and the rest kept as proof. Everything else that comes from a person or a caller is a keyed
/// hash ([`HashKey`](crate::HashKey)).
pub const MIGRATIONS: &[Migration] = &[Migration {
    name: "leads-1",
    sql: "
-- One row per lead that was taken. `vin`, `stock`, `vehicle_id` and `vehicle` (year, make, model,
-- trim) are the dealer's own listing, where one was found; the buyer's words are in `person`.
-- `sender` is a keyed hash of who sent it; null when the caller cannot be recognised.
-- `repeat_of` is the first of equivalent leads; `answered_as` is the lead that the caller was told
-- instead of this one.
CREATE TABLE lead (
    dealer TEXT NOT NULL,
    lead_id TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    status TEXT NOT NULL,
    rooftop TEXT,
    source_agent TEXT NOT NULL,
    source_url TEXT,
    source_card_url TEXT,
    submitted_at TEXT,
    sender BYTES,
    vehicle_state TEXT NOT NULL,
    vin TEXT,
    stock TEXT,
    vehicle_id TEXT,
    vehicle TEXT,
    repeat_of TEXT,
    answered_as TEXT,
    PRIMARY KEY (dealer, lead_id)
);
CREATE INDEX lead_by_time ON lead (dealer, received_at);

-- Who enquires and everything the person wrote. `address`, `vehicle` and `trade_in` are JSON.
CREATE TABLE person (
    dealer TEXT NOT NULL,
    lead_id TEXT NOT NULL,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    email TEXT,
    phone TEXT,
    preferred_contact TEXT,
    address TEXT,
    message TEXT,
    vehicle TEXT,
    trade_in TEXT,
    appointment_notes TEXT,
    PRIMARY KEY (dealer, lead_id),
    FOREIGN KEY (dealer, lead_id) REFERENCES lead (dealer, lead_id)
);

-- What the person agreed to. `as_received` is the ConsentGrant, byte for byte; the other columns
-- repeat what rules ask for. `channels` are separated by commas.
CREATE TABLE consent (
    dealer TEXT NOT NULL,
    lead_id TEXT NOT NULL,
    as_received TEXT NOT NULL,
    channels TEXT NOT NULL,
    granted_at BIGINT NOT NULL,
    expires_at BIGINT,
    source_agent TEXT NOT NULL,
    PRIMARY KEY (dealer, lead_id),
    FOREIGN KEY (dealer, lead_id) REFERENCES lead (dealer, lead_id)
);

-- The wish for an appointment, one row per lead that has one. `wished_text` is the time as sent,
-- with its offset. A row with `repeat_of` repeats that appointment and takes no time of its own.
CREATE TABLE appointment (
    dealer TEXT NOT NULL,
    appointment_id TEXT NOT NULL,
    lead_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    wished_at BIGINT,
    wished_text TEXT,
    duration_minutes BIGINT,
    repeat_of TEXT,
    PRIMARY KEY (dealer, appointment_id),
    FOREIGN KEY (dealer, lead_id) REFERENCES lead (dealer, lead_id)
);
CREATE INDEX appointment_by_lead ON appointment (dealer, lead_id);

-- Finds equivalent leads: `hash` is a mail address or telephone number, `subject` the car and the
-- wished time, both as keyed hashes.
CREATE TABLE contact (
    dealer TEXT NOT NULL,
    hash BYTES NOT NULL,
    subject BYTES NOT NULL,
    received_at BIGINT NOT NULL,
    lead_id TEXT NOT NULL,
    PRIMARY KEY (dealer, hash, subject, received_at, lead_id),
    FOREIGN KEY (dealer, lead_id) REFERENCES lead (dealer, lead_id)
);

-- Keys under which a repeated request gets the first answer again. `caller`, `idempotency_key` and
-- `payload` are keyed hashes; `answer` is JSON and names no person.
CREATE TABLE idempotency (
    dealer TEXT NOT NULL,
    caller BYTES NOT NULL,
    idempotency_key BYTES NOT NULL,
    payload BYTES NOT NULL,
    answer TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (dealer, caller, idempotency_key)
);
CREATE INDEX idempotency_by_expiry ON idempotency (dealer, expires_at);

-- The outbox: written with the lead, drained by whoever delivers.
CREATE TABLE delivery (
    dealer TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    lead_id TEXT NOT NULL,
    state TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    is_repeat BIGINT NOT NULL,
    PRIMARY KEY (dealer, delivery_id),
    FOREIGN KEY (dealer, lead_id) REFERENCES lead (dealer, lead_id)
);
CREATE INDEX delivery_by_lead ON delivery (dealer, lead_id);
",
}];
