//! The tables of this crate.

use dealers::DealerId;
use store::{Claim, Migration};

/// The schema, for [`store::Options::migrations`].
///
/// What identifies a person stands in `person` and in `consent` only, so that both can be erased
/// and the rest kept as proof. Everything else that comes from a person or a caller is a keyed
/// hash ([`HashKey`](crate::HashKey)).
pub const MIGRATIONS: &[Migration] = &[TAKEN, DELIVERED];

/// What a closure claims that decides about leads of a dealer by what it has read: for
/// [`store::Store::write_claiming`].
#[must_use]
pub fn claim(dealer: &DealerId) -> Claim {
    Claim::part("leads", dealer.as_str())
}

const TAKEN: Migration = Migration {
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
};

const DELIVERED: Migration = Migration {
    name: "leads-2",
    sql: "
-- `listing` is the dealer's own listing as it was, JSON without photos and texts. `origin` is agent,
-- import or test. `standing` is how far the dealer trusts the agent (known, open, held), `verified`
-- whether the agent proved its name, and `agent_key` the name of the key that it presented, which is
-- another than `source_agent` where it borrows a name. A lead of a held agent waits until `released_at`.
-- `legal_hold` is the reason for which nothing of the lead may be erased.
ALTER TABLE lead ADD COLUMN listing TEXT;
ALTER TABLE lead ADD COLUMN origin TEXT NOT NULL DEFAULT 'agent';
ALTER TABLE lead ADD COLUMN standing TEXT NOT NULL DEFAULT 'open';
ALTER TABLE lead ADD COLUMN verified BIGINT NOT NULL DEFAULT 0;
ALTER TABLE lead ADD COLUMN agent_key TEXT;
ALTER TABLE lead ADD COLUMN released_at BIGINT;
ALTER TABLE lead ADD COLUMN rejected_because TEXT;
ALTER TABLE lead ADD COLUMN masked BIGINT NOT NULL DEFAULT 0;
ALTER TABLE lead ADD COLUMN legal_hold TEXT;
ALTER TABLE lead ADD COLUMN erased_at BIGINT;
CREATE INDEX lead_by_agent ON lead (dealer, source_agent, received_at);
CREATE INDEX lead_by_repeat ON lead (dealer, repeat_of);
CREATE INDEX contact_by_lead ON contact (dealer, lead_id);

-- A delivery is one lead on its way to one destination of a rooftop. `destination` is empty until
-- the rooftop has one. `purpose` is lead, copy (for people), resend, fallback, revocation or test.
-- `state` is due, held, sent, bounced, failed, superseded, withdrawn or erased; it is under way since `queued_at`.
-- `sequence` orders the deliveries of a lead; `holder` has it until `held_until`. `fallback_of` is the
-- delivery that failed.
ALTER TABLE delivery ADD COLUMN rooftop TEXT NOT NULL DEFAULT '';
ALTER TABLE delivery ADD COLUMN destination TEXT NOT NULL DEFAULT '';
ALTER TABLE delivery ADD COLUMN purpose TEXT NOT NULL DEFAULT 'lead';
ALTER TABLE delivery ADD COLUMN is_copy BIGINT NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN sequence BIGINT NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN queued_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN holder TEXT;
ALTER TABLE delivery ADD COLUMN held_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN finished_at BIGINT;
ALTER TABLE delivery ADD COLUMN fallback_of TEXT;
CREATE INDEX delivery_by_time ON delivery (dealer, created_at);
CREATE INDEX delivery_held ON delivery (dealer, lead_id) WHERE state = 'held';
CREATE INDEX delivery_not_taken ON delivery (dealer, rooftop, lead_id)
    WHERE state IN ('failed', 'bounced');
CREATE INDEX delivery_bounced ON delivery (dealer, finished_at) WHERE state = 'bounced';
CREATE INDEX delivery_unaddressed ON delivery (dealer, delivery_id)
    WHERE destination = '' AND state IN ('due', 'held');
CREATE INDEX delivery_by_route ON delivery (dealer, rooftop, destination, is_copy, due_at, delivery_id)
    WHERE state = 'due';
UPDATE delivery SET created_at = due_at, queued_at = due_at,
    rooftop = COALESCE((SELECT lead.rooftop FROM lead
        WHERE lead.dealer = delivery.dealer AND lead.lead_id = delivery.lead_id), '');

-- Every attempt at a delivery. `outcome` is begun, sent, temporary, permanent or bounced; `detail` is
-- what the receiver said.
CREATE TABLE delivery_attempt (
    dealer TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    begun_at BIGINT NOT NULL,
    ended_at BIGINT,
    outcome TEXT NOT NULL,
    detail TEXT,
    PRIMARY KEY (dealer, delivery_id, attempt)
);

-- What is known of a destination. `settings` is a digest of its settings when `tested_at` was
-- written, so that a changed destination counts as untested. `expected_since` is when a daily test
-- began to be expected.
CREATE TABLE destination (
    dealer TEXT NOT NULL,
    rooftop TEXT NOT NULL,
    destination TEXT NOT NULL,
    settings TEXT,
    tested_at BIGINT,
    expected_since BIGINT,
    PRIMARY KEY (dealer, rooftop, destination)
);
CREATE INDEX destination_by_test ON destination (tested_at);
CREATE INDEX delivery_by_test ON delivery (dealer, created_at) WHERE purpose = 'test';

-- How the way to a destination fares. The copies for people take a way of their own, as they go to
-- another mailbox. `paused_by` is person or failures, until `paused_until` or for good. `failures` is
-- how often in a row the receiver was out of reach, `refusals` how many deliveries failed for good
-- since one was taken; `trouble` is what happened last, since `failing_since`.
CREATE TABLE delivery_route (
    dealer TEXT NOT NULL,
    rooftop TEXT NOT NULL,
    destination TEXT NOT NULL,
    is_copy BIGINT NOT NULL,
    paused_by TEXT,
    paused_until BIGINT,
    failures BIGINT NOT NULL DEFAULT 0,
    refusals BIGINT NOT NULL DEFAULT 0,
    failing_since BIGINT,
    trouble TEXT,
    succeeded_at BIGINT,
    PRIMARY KEY (dealer, rooftop, destination, is_copy)
);

-- Consent that was taken back. `channels` are separated by commas; all of them when empty.
CREATE TABLE revocation (
    dealer TEXT NOT NULL,
    lead_id TEXT NOT NULL,
    revoked_at BIGINT NOT NULL,
    channels TEXT NOT NULL,
    recorded_by TEXT NOT NULL,
    PRIMARY KEY (dealer, lead_id, revoked_at),
    FOREIGN KEY (dealer, lead_id) REFERENCES lead (dealer, lead_id)
);

-- The proof that a person was erased, without the person.
CREATE TABLE erasure (
    dealer TEXT NOT NULL,
    erasure_id TEXT NOT NULL,
    erased_at BIGINT NOT NULL,
    reason TEXT NOT NULL,
    recorded_by TEXT NOT NULL,
    leads BIGINT NOT NULL,
    PRIMARY KEY (dealer, erasure_id)
);

-- Recognises a person who was erased: `hash` is a mail address or telephone number, keyed.
CREATE TABLE erased_person (
    dealer TEXT NOT NULL,
    hash BYTES NOT NULL,
    erasure_id TEXT NOT NULL,
    PRIMARY KEY (dealer, hash, erasure_id),
    FOREIGN KEY (dealer, erasure_id) REFERENCES erasure (dealer, erasure_id)
);

-- Of a consent whose person is erased, `as_received` is empty and `digest` its keyed hash.
ALTER TABLE consent ADD COLUMN digest BYTES;

-- The lead that the answer is about, so that the key can be erased with it.
ALTER TABLE idempotency ADD COLUMN lead_id TEXT;
CREATE INDEX idempotency_by_lead ON idempotency (dealer, lead_id);

-- Appointments that are agreed on or held: `starts_at` and `ends_at` take places of `slot`, unless
-- they repeat another. `proposed` is a JSON list of times (RFC 3339). `status` also knows canceled.
-- `decided_at` is when it was confirmed or canceled, `decided_by` the person, if it was one.
-- `cancel_reason` is one of a few words.
ALTER TABLE appointment ADD COLUMN rooftop TEXT;
ALTER TABLE appointment ADD COLUMN starts_at BIGINT;
ALTER TABLE appointment ADD COLUMN ends_at BIGINT;
ALTER TABLE appointment ADD COLUMN proposed TEXT;
ALTER TABLE appointment ADD COLUMN decided_at BIGINT;
ALTER TABLE appointment ADD COLUMN decided_by TEXT;
ALTER TABLE appointment ADD COLUMN cancel_reason TEXT;

-- How many appointments of a kind take the piece of time that begins at `starts_at`. Counting here
-- keeps two requests at once from getting one place on every engine.
CREATE TABLE slot (
    dealer TEXT NOT NULL,
    rooftop TEXT NOT NULL,
    kind TEXT NOT NULL,
    starts_at BIGINT NOT NULL,
    taken BIGINT NOT NULL,
    PRIMARY KEY (dealer, rooftop, kind, starts_at)
);
",
};
