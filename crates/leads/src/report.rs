//! What each buyer's agent sent, and what became of it.

use std::collections::BTreeMap;

use aap::text::fold;
use dealers::DealerId;
use jiff::Timestamp;
use serde::Serialize;
use store::{Conn, Error};

/// The leads of one buyer's agent, by the name that it gives itself, case and spacing aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AgentReport {
    /// The name as it was spelt last.
    pub agent: String,
    /// All of its leads.
    pub leads: i64,
    /// Those for which it proved its name.
    pub verified: i64,
    /// Those that repeat an earlier lead, whoever sent that.
    pub repeats: i64,
    /// Those that the dealer's policy rejected.
    pub rejected: i64,
    /// Those that wait for a person.
    pub held: i64,
    /// Those that a destination has, or the fallback.
    pub delivered: i64,
    /// Those that nobody has and that are not under way any more.
    pub failed: i64,
    /// Those that ask for an appointment.
    pub appointments: i64,
    /// When the last one came.
    pub last_at: Timestamp,
}

/// A dealer's leads by agent, those with the most leads first. Made-up and imported leads are not
/// among them. Only leads received at `since` or later count.
///
/// # Errors
/// When the database fails.
pub fn report(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    since: Option<Timestamp>,
) -> Result<Vec<AgentReport>, Error> {
    let rows = conn.all(
        "SELECT source_agent, COUNT(*),
             SUM(CASE WHEN verified <> 0 THEN 1 ELSE 0 END),
             SUM(CASE WHEN repeat_of IS NOT NULL THEN 1 ELSE 0 END),
             SUM(CASE WHEN status = 'rejected' THEN 1 ELSE 0 END),
             SUM(CASE WHEN held > 0 THEN 1 ELSE 0 END),
             SUM(CASE WHEN sent > 0 THEN 1 ELSE 0 END),
             SUM(CASE WHEN held = 0 AND sent = 0 AND due = 0 AND lost > 0 THEN 1 ELSE 0 END),
             SUM(CASE WHEN EXISTS (SELECT 1 FROM appointment
                     WHERE appointment.dealer = taken.dealer
                       AND appointment.lead_id = taken.lead_id) THEN 1 ELSE 0 END),
             MAX(received_at)
         FROM (
             SELECT lead.dealer, lead.lead_id, lead.source_agent, lead.verified, lead.repeat_of,
                 lead.status, lead.received_at,
                 COUNT(CASE WHEN delivery.state = 'held' THEN 1 END) AS held,
                 COUNT(CASE WHEN delivery.state = 'sent' THEN 1 END) AS sent,
                 COUNT(CASE WHEN delivery.state = 'due' THEN 1 END) AS due,
                 COUNT(CASE WHEN delivery.state IN ('failed', 'bounced') THEN 1 END) AS lost
             FROM lead LEFT JOIN delivery
               ON delivery.dealer = lead.dealer AND delivery.lead_id = lead.lead_id
                 AND delivery.purpose NOT IN ('copy', 'test', 'revocation')
             WHERE lead.dealer = $1 AND lead.received_at >= $2 AND lead.origin = 'agent'
             GROUP BY lead.dealer, lead.lead_id, lead.source_agent, lead.verified, lead.repeat_of,
                 lead.status, lead.received_at
         ) taken
         GROUP BY source_agent",
        &[dealer.into(), since.unwrap_or(Timestamp::MIN).into()],
        |row| {
            Ok(AgentReport {
                agent: row.text(0)?.to_owned(),
                leads: row.int(1)?,
                verified: row.int(2)?,
                repeats: row.int(3)?,
                rejected: row.int(4)?,
                held: row.int(5)?,
                delivered: row.int(6)?,
                failed: row.int(7)?,
                appointments: row.int(8)?,
                last_at: row.time(9)?,
            })
        },
    )?;
    let mut agents: BTreeMap<String, AgentReport> = BTreeMap::new();
    for row in rows {
        let name = fold(&row.agent).unwrap_or_default();
        match agents.get_mut(&name) {
            Some(known) => known.add(row),
            None => {
                agents.insert(name, row);
            }
        }
    }
    let mut agents: Vec<AgentReport> = agents.into_values().collect();
    agents.sort_by_key(|agent| std::cmp::Reverse(agent.leads));
    Ok(agents)
}

impl AgentReport {
    /// The same agent under another spelling.
    fn add(&mut self, other: Self) {
        self.leads += other.leads;
        self.verified += other.verified;
        self.repeats += other.repeats;
        self.rejected += other.rejected;
        self.held += other.held;
        self.delivered += other.delivered;
        self.failed += other.failed;
        self.appointments += other.appointments;
        if other.last_at > self.last_at {
            self.last_at = other.last_at;
            self.agent = other.agent;
        }
    }
}
