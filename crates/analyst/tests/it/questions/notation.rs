//! Intents in the notation of the question files.

use analyst::question::{Beyond, Change, ColumnName, Filter, Intent, Measure, Skill, Understood};
use rust_decimal::Decimal;

pub(super) fn skills(intents: &[Intent]) -> Vec<String> {
    intents
        .iter()
        .map(|intent| skill(intent.skill).to_owned())
        .collect()
}

pub(super) fn skill(skill: Skill) -> &'static str {
    match skill {
        Skill::Overview => "overview",
        Skill::Gaps => "gaps",
        Skill::PriceLadder => "price_ladder",
        Skill::PriceOutliers => "price_outliers",
        Skill::FeedQuality => "feed_quality",
        Skill::Duplicates => "duplicates",
        Skill::Availability => "availability",
        Skill::Aging => "aging",
        Skill::Velocity => "velocity",
        Skill::PriceToMarket => "price_to_market",
        Skill::Markdowns => "markdowns",
        Skill::Freshness => "freshness",
        Skill::Changes => "changes",
        Skill::Lookup => "lookup",
        Skill::Leads => "leads",
        _ => "another",
    }
}

pub(super) fn beyond(understood: &Understood) -> Vec<String> {
    understood
        .beyond
        .iter()
        .map(|beyond| {
            match beyond {
                Beyond::Future => "future",
                Beyond::Profit => "profit",
                Beyond::Visits => "visits",
                Beyond::Person => "person",
                _ => "another",
            }
            .to_owned()
        })
        .collect()
}

pub(super) fn filters(intent: &Intent) -> Vec<String> {
    intent.scope.filters.iter().map(filter).collect()
}

fn filter(filter: &Filter) -> String {
    match filter {
        Filter::Is {
            column,
            values,
            negated,
        } => {
            let sign = if *negated { "!=" } else { "=" };
            format!("{} {sign} {}", name(column), values.join(" | "))
        }
        Filter::Within {
            column,
            at_least,
            at_most,
            exclusive,
            currency,
        } => {
            let range = range(*at_least, *at_most, *exclusive);
            let currency = currency
                .map(|currency| format!(" {currency}"))
                .unwrap_or_default();
            format!("{} {range}{currency}", name(column))
        }
        Filter::Dated {
            column,
            from,
            until,
        } => {
            format!("{} {from:?}..{until:?}", name(column))
        }
        Filter::Titled { words } => format!("title ~ {}", words.join(" ")),
        Filter::AnyOf(any) => any
            .iter()
            .map(self::filter)
            .collect::<Vec<_>>()
            .join(" or "),
        Filter::Available => "available".to_owned(),
        Filter::Lacks { column, negated } => {
            format!(
                "{} {}",
                if *negated { "has" } else { "lacks" },
                name(column)
            )
        }
        _ => "another".to_owned(),
    }
}

fn range(at_least: Option<Decimal>, at_most: Option<Decimal>, exclusive: bool) -> String {
    let equal = if exclusive { "" } else { "=" };
    match (at_least, at_most) {
        (Some(least), Some(most)) => format!("{least}..{most}"),
        (Some(least), None) => format!(">{equal} {least}"),
        (None, Some(most)) => format!("<{equal} {most}"),
        (None, None) => "any".to_owned(),
    }
}

pub(super) fn params(intent: &Intent) -> Vec<String> {
    let params = &intent.params;
    let mut said = Vec::new();
    said.extend(
        params
            .group_by
            .iter()
            .map(|column| format!("by {}", name(column))),
    );
    said.extend(params.measure.iter().map(measure));
    said.extend(params.order.iter().map(|order| {
        let direction = if order.descending { "desc" } else { "asc" };
        format!("order {} {direction}", name(&order.by))
    }));
    said.extend(params.top.map(|top| format!("top {top}")));
    said.extend(
        params
            .missing
            .iter()
            .map(|role| format!("missing {role:?}")),
    );
    said.extend(params.days.map(|days| format!("days {days}")));
    said.extend(params.window.map(|days| format!("window {days}")));
    said.extend(
        params
            .between
            .map(|(least, most)| format!("between {least}..{most}")),
    );
    said.extend(params.changes.iter().map(|change| {
        let change = match change {
            Change::New => "new",
            Change::Gone => "gone",
            Change::PriceUp => "up",
            Change::PriceDown => "down",
            _ => "another",
        };
        format!("changes {change}")
    }));
    said
}

fn measure(measure: &Measure) -> String {
    match measure {
        Measure::Count => "count".to_owned(),
        Measure::Sum(column) => format!("sum {}", name(column)),
        Measure::Median(column) => format!("median {}", name(column)),
        Measure::Mean(column) => format!("mean {}", name(column)),
        Measure::Minimum(column) => format!("min {}", name(column)),
        Measure::Maximum(column) => format!("max {}", name(column)),
        _ => "another".to_owned(),
    }
}

fn name(column: &ColumnName) -> String {
    match column {
        ColumnName::Role(role) => format!("{role:?}"),
        ColumnName::Header(header) => header.clone(),
    }
}
