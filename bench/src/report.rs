//! A measured figure beside its baseline and its budget, as a line and as JSON.

use std::fmt;

use serde::Serialize;

use crate::turns::Spread;

/// One figure.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) name: &'static str,
    /// What the figure counts, `times` the baseline unless it says something else.
    pub(crate) unit: &'static str,
    pub(crate) figure: Spread,
    pub(crate) budget: Budget,
    /// The other condition under which the budget is kept, when it holds.
    pub(crate) kept_because: Option<&'static str>,
    pub(crate) sides: Vec<Side>,
}

/// What a figure may be.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Budget {
    AtMost(f64),
    AtLeast(f64),
    /// The figure stands beside others for comparison.
    Open,
    /// The figure is our side alone, because `peer/` is not built.
    NoPeer,
}

/// What was measured of one side.
#[derive(Debug, Serialize)]
pub(crate) struct Side {
    pub(crate) name: &'static str,
    pub(crate) measured: Vec<Measured>,
}

/// A number that stands beside the figure.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
}

impl Report {
    /// A number that stands beside the figure and belongs to neither side.
    pub(crate) fn about(&mut self, name: &'static str, value: f64) {
        self.sides.push(Side::new("both", [(name, value)]));
    }

    fn is_within(&self) -> bool {
        let median = self.figure.median;
        let kept = match self.budget {
            Budget::AtMost(most) => median <= most,
            Budget::AtLeast(least) => median >= least,
            Budget::Open | Budget::NoPeer => true,
        };
        kept || self.kept_because.is_some()
    }
}

impl Side {
    pub(crate) fn new<const N: usize>(
        name: &'static str,
        measured: [(&'static str, f64); N],
    ) -> Self {
        let measured = measured.map(|(name, value)| Measured { name, value });
        Self {
            name,
            measured: measured.into(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spread {
            median,
            lowest,
            highest,
        } = self.figure;
        let figure = format!("{} {}", short(median), self.unit);
        let range = format!("({} to {})", short(lowest), short(highest));
        let budget = match self.budget {
            Budget::AtMost(most) => format!("budget ≤ {most}"),
            Budget::AtLeast(least) => format!("budget ≥ {least}"),
            Budget::Open => "no budget".to_owned(),
            Budget::NoPeer => "no peer".to_owned(),
        };
        let verdict = match self.budget {
            Budget::Open | Budget::NoPeer => "",
            _ if self.is_within() => "within",
            _ => "over budget",
        };
        write!(
            f,
            "{:<24} {figure:>13} {range:<18} {budget:<13} {verdict:<12}",
            self.name
        )?;
        if let Some(because) = self.kept_because {
            write!(f, " ({because})")?;
        }
        for side in &self.sides {
            write!(f, " | {}:", side.name)?;
            for (place, Measured { name, value }) in side.measured.iter().enumerate() {
                let comma = if place == 0 { "" } else { "," };
                write!(f, "{comma} {name} {}", short(*value))?;
            }
        }
        Ok(())
    }
}

/// Three digits are as much as such measurements carry.
fn short(value: f64) -> String {
    match value.abs() {
        0.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Prints each figure when it is there, or all of them as one document at the end.
#[derive(Debug)]
pub(crate) struct Reporter {
    json: bool,
    document: Document,
}

#[derive(Debug, Serialize)]
struct Document {
    /// Little was measured; the figures mean nothing.
    quick: bool,
    cores: usize,
    figures: Vec<Report>,
}

impl Reporter {
    pub(crate) fn new(json: bool, quick: bool) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, Into::into);
        Self {
            json,
            document: Document {
                quick,
                cores,
                figures: Vec::new(),
            },
        }
    }

    pub(crate) fn add(&mut self, report: Report) {
        if !self.json {
            println!("{report}");
        }
        self.document.figures.push(report);
    }

    pub(crate) fn finish(self) -> anyhow::Result<()> {
        if self.json {
            println!("{}", serde_json::to_string_pretty(&self.document)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(median: f64, budget: Budget, kept_because: Option<&'static str>) -> Report {
        Report {
            name: "echo",
            unit: "times",
            figure: Spread {
                median,
                lowest: 1.0,
                highest: 2.0,
            },
            budget,
            kept_because,
            sides: vec![Side::new("ours", [("requests/s", 12_345.6)])],
        }
    }

    #[test]
    fn a_miss_is_printed_as_it_is() {
        let line = report(1.31, Budget::AtMost(1.3), None).to_string();
        assert!(line.contains("over budget"), "{line}");
        let line = report(9.0, Budget::AtLeast(10.0), None).to_string();
        assert!(line.contains("over budget"), "{line}");
        let line = report(1.3, Budget::AtMost(1.3), None).to_string();
        assert!(line.contains("within"), "{line}");
        assert!(line.ends_with("| ours: requests/s 12346"), "{line}");
    }

    #[test]
    fn a_budget_may_be_kept_in_another_way_which_is_named() {
        let line = report(9.0, Budget::AtLeast(10.0), Some("one core saturated")).to_string();
        assert!(line.contains("within"), "{line}");
        assert!(line.contains("(one core saturated)"), "{line}");
    }
}
