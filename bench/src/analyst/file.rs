//! A file that is read and asked about, as the whole of a process: so that its memory is its own.

use std::path::Path;

use ::analyst::{Attachment, Finding, Plan, Sources, Table, Value, table::Limits};
use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::QUESTION;
use crate::{child, turns::process_cpu};

/// What a side answers, and what that took.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(super) rows: u64,
    /// CPU time of the process in seconds, from the file on disk to the answer.
    pub(super) cpu: f64,
    /// The part of it that reading took.
    pub(super) reading: f64,
    /// Bytes of memory that the process held at most.
    pub(super) peak: f64,
    /// Category, number of items and median price, by category.
    pub(super) groups: Vec<[String; 3]>,
}

/// Has a process of this program read the file and answer the question.
pub(super) fn ask(file: &Path) -> anyhow::Result<Answer> {
    let output = child::output_of(&["ask-file", &file.to_string_lossy()])?;
    Ok(serde_json::from_slice(&output)?)
}

/// What such a process does.
pub(crate) fn ask_file(file: &Path) -> anyhow::Result<()> {
    let before = process_cpu();
    let bytes = std::fs::read(file)?;
    let mut limits = Limits::default();
    limits.bytes = usize::MAX;
    let table = Table::read("catalog.csv", &bytes, &limits)?;
    drop(bytes);
    let reading = process_cpu() - before;
    let rows = table.rows() as u64;
    let mut sources = Sources::default();
    sources.attached.push(Attachment::Table(table));
    let plan = Plan::of(QUESTION, &sources, &[]);
    let finding = plan.find(0, &sources).context("no answer")?;
    let cpu = process_cpu() - before;
    let answer = Answer {
        rows,
        cpu: cpu.as_secs_f64(),
        reading: reading.as_secs_f64(),
        peak: child::peak_of_this_process()? as f64,
        groups: groups(&finding)?,
    };
    println!("{}", serde_json::to_string(&answer)?);
    Ok(())
}

fn groups(finding: &Finding) -> anyhow::Result<Vec<[String; 3]>> {
    let grid = finding.grid.as_ref().context("no table")?;
    let rows = grid.rows.iter().map(|row| match row.as_slice() {
        [Value::Text(name), Value::Count(count), Value::Money(median)] => {
            let median = median.amount.normalize().to_string();
            Ok([name.clone(), count.to_string(), median])
        }
        other => anyhow::bail!("{other:?} is no group"),
    });
    let mut groups: Vec<_> = rows.collect::<Result<_, _>>()?;
    groups.sort();
    Ok(groups)
}
