//! Bringing what is there into the form that a vault writes: under another key, encrypted for the first
//! time, or in plain text again.

use dealers::DealerId;
use store::{Conn, Row, Value};

use crate::{
    Error, LeadId, Vault,
    vault::{CONSENT, HOLD, PERSON, Place},
    wire::{read_word, unreadable},
};

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Rekeyed {
    /// The last lead that was looked at, with its dealer; `None` once there are no more.
    pub last: Option<(DealerId, LeadId)>,
    /// Leads that were looked at.
    pub leads: u64,
    /// Leads of which something was rewritten.
    pub rewritten: u64,
}

/// Brings the next leads of all dealers, at most `limit`, into the form that `vault` writes. `after` is
/// [`Rekeyed::last`] of the call before, `None` at the beginning. It can be broken off and begun
/// again at any time; leads that have the form already cost little.
///
/// # Errors
/// When the database fails, or `vault` lacks a key.
pub fn rekey(
    conn: &mut dyn Conn,
    vault: &Vault,
    after: Option<&(DealerId, LeadId)>,
    limit: u32,
) -> Result<Rekeyed, Error> {
    let mut rekeyed = Rekeyed::default();
    for sealed in next(conn, after, limit)? {
        let is_rewritten = sealed.rewrite(conn, vault)?;
        rekeyed.leads += 1;
        rekeyed.rewritten += u64::from(is_rewritten);
        rekeyed.last = Some((sealed.dealer, sealed.lead_id));
    }
    Ok(rekeyed)
}

/// The sealed columns of a lead, as they are stored.
struct Sealed {
    dealer: DealerId,
    lead_id: LeadId,
    person: [Option<String>; PERSON.len()],
    consent: Option<String>,
    hold: Option<String>,
}

fn next(
    conn: &mut dyn Conn,
    after: Option<&(DealerId, LeadId)>,
    limit: u32,
) -> Result<Vec<Sealed>, Error> {
    let (dealer, lead_id) = after.map_or(("", ""), |(dealer, lead_id)| {
        (dealer.as_str(), lead_id.as_str())
    });
    let found = conn.all(
        "SELECT lead.dealer, lead.lead_id, person.first_name, person.last_name, person.email,
             person.phone, person.preferred_contact, person.address, person.message,
             person.vehicle, person.trade_in, person.appointment_notes,
             NULLIF(consent.as_received, ''),
             lead.legal_hold
         FROM lead
         LEFT JOIN person ON person.dealer = lead.dealer AND person.lead_id = lead.lead_id
         LEFT JOIN consent ON consent.dealer = lead.dealer AND consent.lead_id = lead.lead_id
         WHERE (lead.dealer, lead.lead_id) > ($1, $2)
         ORDER BY lead.dealer, lead.lead_id LIMIT $3",
        &[dealer.into(), lead_id.into(), Value::Int(limit.into())],
        sealed,
    )?;
    Ok(found)
}

fn sealed(row: &dyn Row) -> Result<Sealed, store::Error> {
    let text = |column| row.optional_text(column).map(|it| it.map(str::to_owned));
    let mut person = [const { None }; PERSON.len()];
    for (column, stored) in (2..).zip(&mut person) {
        *stored = text(column)?;
    }
    Ok(Sealed {
        dealer: row.text(0)?.parse().map_err(|_| unreadable(0))?,
        lead_id: read_word(row, 1)?.ok_or_else(|| unreadable(1))?,
        person,
        consent: text(12)?,
        hold: text(13)?,
    })
}

impl Sealed {
    /// True when something was in another form.
    fn rewrite(&self, conn: &mut dyn Conn, vault: &Vault) -> Result<bool, Error> {
        let is_old = |stored: &Option<String>| {
            let stored = stored.as_deref();
            stored.is_some_and(|stored| !vault.is_current(stored))
        };
        let mut rewritten = false;
        if self.person.iter().any(is_old) {
            self.rewrite_person(conn, vault)?;
            rewritten = true;
        }
        if is_old(&self.consent) {
            let consent = self.renewed(vault, CONSENT, self.consent.as_ref())?;
            conn.execute(
                "UPDATE consent SET as_received = $3 WHERE dealer = $1 AND lead_id = $2",
                &self.args([consent.as_ref()]),
            )?;
            rewritten = true;
        }
        if is_old(&self.hold) {
            let hold = self.renewed(vault, HOLD, self.hold.as_ref())?;
            conn.execute(
                "UPDATE lead SET legal_hold = $3 WHERE dealer = $1 AND lead_id = $2",
                &self.args([hold.as_ref()]),
            )?;
            rewritten = true;
        }
        Ok(rewritten)
    }

    fn rewrite_person(&self, conn: &mut dyn Conn, vault: &Vault) -> Result<(), Error> {
        let columns = PERSON.iter().zip(&self.person);
        let renewed = columns.map(|(column, stored)| self.renewed(vault, column, stored.as_ref()));
        let renewed: Vec<Option<String>> = renewed.collect::<Result<_, _>>()?;
        conn.execute(
            "UPDATE person SET first_name = $3, last_name = $4, email = $5, phone = $6,
                 preferred_contact = $7, address = $8, message = $9, vehicle = $10,
                 trade_in = $11, appointment_notes = $12
             WHERE dealer = $1 AND lead_id = $2",
            &self.args(renewed.iter().map(Option::as_ref)),
        )?;
        Ok(())
    }

    /// A stored text in the form that the vault writes.
    fn renewed(
        &self,
        vault: &Vault,
        column: &'static str,
        stored: Option<&String>,
    ) -> Result<Option<String>, Error> {
        let place = Place::new(&self.dealer, &self.lead_id, column);
        let renew = |stored: &String| vault.seal(place, &vault.unseal(place, stored)?);
        Ok(stored.map(renew).transpose()?)
    }

    fn args<'a>(&'a self, texts: impl IntoIterator<Item = Option<&'a String>>) -> Vec<Value<'a>> {
        let mut args = vec![(&self.dealer).into(), (&self.lead_id).into()];
        args.extend(texts.into_iter().map(Value::from));
        args
    }
}
