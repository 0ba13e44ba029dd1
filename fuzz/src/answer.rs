//! What holds for every answer of the analyst, whatever was asked of whatever tables.

use analyst::finding::Outcome;
use analyst::render::a2ui::{self, Version};
use analyst::render::format::one_line;
use analyst::{Plan, Sources, Table, render};

/// More answers than that nobody asked for.
const MOST: usize = 8;

/// Answers a question in every form, and checks the forms.
pub fn check(question: &str, sources: &Sources) -> Plan {
    let plan = Plan::of(question, sources, &[]);
    hold(&plan, sources);
    // A question of the same conversation, which goes on from what the one before kept as JSON.
    let kept = serde_json::to_string(&plan.intents).expect("intents are JSON");
    let kept: Vec<analyst::Intent> = serde_json::from_str(&kept).expect("intents are read again");
    assert_eq!(kept, plan.intents);
    hold(&Plan::of("and by brand?", sources, &kept), sources);
    plan
}

fn hold(plan: &Plan, sources: &Sources) {
    let skills: Vec<_> = plan.skills().collect();
    assert!((1..=MOST).contains(&skills.len()), "{skills:?}");
    for (place, skill) in skills.iter().enumerate() {
        let finding = plan.find(place, sources).expect("a finding for each skill");
        assert_eq!(finding.skill, *skill);
        let text = render::text(&finding);
        let first = text.lines().next().unwrap_or_default();
        assert!(!first.is_empty(), "no sentence says what was found");
        let last = text.lines().last().unwrap_or_default();
        assert!(last.starts_with("Freshness: "), "{last}");
        let unknown = plan.intents.get(place).map(|intent| &intent.scope.unknown);
        for word in unknown.into_iter().flatten() {
            let is_refused = matches!(finding.outcome, Outcome::Unanswerable { .. });
            let is_said = text.contains(&one_line(word));
            assert!(is_said || is_refused, "{word:?} is dropped:\n{text}");
        }
        render::csv(&finding);
        for version in Version::ALL {
            assert_eq!(a2ui::messages(&finding, "surface", version).len(), 3);
        }
        let read: u64 = finding.evidence.iter().map(|source| source.rows_read).sum();
        let rows: usize = tables(sources).map(Table::rows).sum();
        assert!(read <= rows as u64, "{read} rows of {rows}");
    }
    assert_eq!(plan.find(skills.len(), sources), None);
}

fn tables(sources: &Sources) -> impl Iterator<Item = &Table> {
    let own = [&sources.own, &sources.history, &sources.leads];
    own.into_iter()
        .filter_map(|table| table.as_deref())
        .chain(sources.attached_tables())
}
