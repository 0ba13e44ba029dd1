//! The numbers of the answers, against those that `arithmetic.py` computes.

use std::fmt::Write as _;

use analyst::finding::{Outcome, Piece};
use analyst::table::Limits;
use analyst::{Column, Finding, Sources, Table, Value, analysis};
use serde::Deserialize;

use super::{Question, SETS, Set, ask, folder, set, sources};

/// What an answer must say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    set: String,
    ask: String,
    ids: Option<Vec<String>>,
    #[serde(default)]
    ordered: bool,
    says: Option<Vec<String>>,
    groups: Option<std::collections::BTreeMap<String, String>>,
}

/// Analyses that this build does not have yet would fail for that alone.
fn is_built(finding: &Finding) -> bool {
    finding
        .headline
        .0
        .iter()
        .any(|piece| !matches!(piece, Piece::Words(words) if words.is_empty()))
}

#[test]
fn every_number_is_the_one_that_decimal_arithmetic_gives() {
    compare(sources);
}

/// The same rows give the same numbers whatever they are written in.
#[test]
fn every_number_is_the_same_where_the_catalog_is_a_product_feed_in_xml() {
    compare(|set| {
        let mut sources = sources(set);
        sources.own = sources.own.map(|own| in_xml(&own).into());
        sources
    });
}

/// A table as a product feed in XML, read again.
fn in_xml(table: &Table) -> Table {
    let element = |column: &Column| {
        let header = column.header().chars();
        let name: String = header
            .map(|it| if it.is_alphanumeric() { it } else { '_' })
            .collect();
        format!("g:{name}")
    };
    let mut feed = "<rss xmlns:g=\"http://base.google.com/ns/1.0\"><channel>\n".to_owned();
    for row in 0..table.rows() {
        feed.push_str("<item>");
        for column in table.columns() {
            let (name, text) = (element(column), column.text(row).unwrap_or_default());
            let text = text.replace('&', "&amp;").replace('<', "&lt;");
            let _ = write!(feed, "<{name}>{text}</{name}>");
        }
        feed.push_str("</item>\n");
    }
    feed.push_str("</channel></rss>\n");
    let read = Table::read_catalog(table.name(), feed.as_bytes(), &Limits::default(), &[]);
    let read = read.expect("a product feed");
    assert_eq!(read.rows(), table.rows());
    read
}

fn compare(sources: impl Fn(&Set) -> Sources) {
    let text =
        std::fs::read_to_string(folder().join("numbers.json")).expect("the numbers can be read");
    let all: Vec<Expected> = serde_json::from_str(&text).expect("the numbers are JSON");
    let mut compared = 0;
    let mut wrong = String::new();
    for name in SETS {
        let set = set(name);
        let sources = sources(&set);
        for expected in all.iter().filter(|expected| expected.set == name) {
            let question: &Question = set
                .questions
                .iter()
                .find(|question| question.ask == expected.ask)
                .unwrap_or_else(|| panic!("{name} lacks {}", expected.ask));
            let understood = ask(question, &set, &sources);
            let Some(intent) = understood.intents.first() else {
                let _ = writeln!(wrong, "{name}: {}: no intent", expected.ask);
                continue;
            };
            let finding = analysis::run(intent, &sources);
            if !is_built(&finding) {
                println!(
                    "skipped, {:?} is not built: {}",
                    finding.skill, expected.ask
                );
                continue;
            }
            compared += 1;
            if let Some(difference) = difference(expected, &finding) {
                let _ = writeln!(wrong, "{name}: {}\n    {difference}", expected.ask);
            }
        }
    }
    for name in SETS {
        for question in set(name)
            .questions
            .iter()
            .filter(|question| question.number)
        {
            let is_there = all
                .iter()
                .any(|expected| expected.set == name && expected.ask == question.ask);
            if !is_there {
                let _ = writeln!(wrong, "{name}: {}: no number was computed", question.ask);
            }
        }
    }
    assert!(compared >= 60, "{compared} answers are too few");
    let count = wrong.lines().filter(|line| !line.starts_with(' ')).count();
    assert!(
        wrong.is_empty(),
        "{count} of {compared} are wrong:\n{wrong}"
    );
}

#[test]
fn every_answer_comes_out_as_it_must() {
    let mut wrong = String::new();
    for name in SETS {
        let set = set(name);
        let sources = sources(&set);
        for question in &set.questions {
            let understood = ask(question, &set, &sources);
            let Some(intent) = understood.intents.first() else {
                continue;
            };
            let expected = question.outcome.as_deref().unwrap_or("found");
            let finding = analysis::run(intent, &sources);
            let (found, missing) = match &finding.outcome {
                Outcome::Found => ("found", None),
                Outcome::Nothing { .. } => ("nothing", None),
                Outcome::Unanswerable { missing, .. } => ("unanswerable", Some(missing)),
                _ => ("another", None),
            };
            if expected != found {
                let _ = writeln!(
                    wrong,
                    "{name}: {}: expected {expected}, found {found} {missing:?}",
                    question.ask
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn difference(expected: &Expected, finding: &Finding) -> Option<String> {
    if let Outcome::Unanswerable { missing, .. } = &finding.outcome {
        return Some(format!("refused for {missing:?}"));
    }
    if let Some(ids) = &expected.ids {
        let mut wanted = ids.clone();
        let mut found = ids_of(finding);
        if !expected.ordered {
            wanted.sort();
            found.sort();
        }
        if wanted != found {
            return Some(format!("expected {wanted:?}, found {found:?}"));
        }
    }
    if let Some(numbers) = &expected.says {
        let found: Vec<String> = values(finding).filter_map(plain).collect();
        let absent: Vec<&String> = numbers
            .iter()
            .filter(|number| !found.contains(number))
            .collect();
        if !absent.is_empty() {
            return Some(format!("does not say {absent:?}, but {found:?}"));
        }
    }
    let groups = expected.groups.as_ref()?;
    let rows = finding.grid.as_ref().map_or(&[][..], |grid| &grid.rows);
    let absent: Vec<_> = groups
        .iter()
        .filter(|(name, number)| {
            !rows.iter().any(|row| {
                matches!(row.first(), Some(Value::Text(text)) if text == *name)
                    && row.last().and_then(plain).as_ref() == Some(*number)
            })
        })
        .collect();
    (!absent.is_empty()).then(|| format!("lacks {absent:?} in {rows:?}"))
}

fn ids_of(finding: &Finding) -> Vec<String> {
    let rows = finding.grid.iter().flat_map(|grid| &grid.rows);
    rows.filter_map(|row| {
        row.iter().find_map(|value| match value {
            Value::Id(id) => Some(id.clone()),
            _ => None,
        })
    })
    .collect()
}

fn values(finding: &Finding) -> impl Iterator<Item = &Value> {
    let sentences = std::iter::once(&finding.headline).chain(&finding.details);
    let said = sentences
        .flat_map(|sentence| &sentence.0)
        .filter_map(|piece| match piece {
            Piece::Value(value) => Some(value),
            Piece::Words(_) => None,
        });
    said.chain(
        finding
            .grid
            .iter()
            .flat_map(|grid| grid.rows.iter().flatten()),
    )
}

fn plain(value: &Value) -> Option<String> {
    Some(match value {
        Value::Count(count) => count.to_string(),
        Value::Number(number) => number.normalize().to_string(),
        Value::Money(money) => money.amount.normalize().to_string(),
        Value::Days(days) => days.to_string(),
        Value::Percent(percent) => percent.normalize().to_string(),
        _ => return None,
    })
}
