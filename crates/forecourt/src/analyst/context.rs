//! `catalog_context`: what a question is about beside its words, by a caller who may say so.

use a2a::{
    error::Error,
    fault::{Fault, Segment},
};
use analyst::{Currency, Filter, Plan, Role, question::ColumnName};
use dealers::DealerId;
use serde_json::{Map, Value, value::RawValue};

use super::contract::CATALOG_CONTEXT;

/// What a request's `catalog_context` says.
#[derive(Debug, Default)]
pub(super) struct Context {
    filters: Vec<Filter>,
    /// What the answer says about it.
    remarks: Vec<String>,
}

/// The names of filters, as the data's columns mean them.
const FILTERS: [(&str, Role); 12] = [
    ("category", Role::Category),
    ("brand", Role::Brand),
    ("make", Role::Make),
    ("model", Role::Model),
    ("trim", Role::Trim),
    ("body", Role::Body),
    ("colour", Role::Colour),
    ("color", Role::Colour),
    ("fuel", Role::Fuel),
    ("rooftop", Role::Rooftop),
    ("condition", Role::Condition),
    ("status", Role::Status),
];

impl Context {
    /// Reads what a request has sent. From callers who are not trusted nothing is taken.
    ///
    /// # Errors
    /// Invalid params with every fault: another dealer or catalog, no currency, no filters.
    pub(super) fn read(
        sent: Option<&RawValue>,
        is_trusted: bool,
        dealer: &DealerId,
    ) -> Result<Self, Error> {
        let Some(sent) = sent else {
            return Ok(Self::default());
        };
        if !is_trusted {
            let ignored = "catalog_context was ignored: the key has not the scope analyst-context.";
            return Ok(Self {
                remarks: vec![ignored.to_owned()],
                ..Self::default()
            });
        }
        let members: Map<String, Value> = serde_json::from_str(sent.get())
            .map_err(|_| Error::invalid_params(&[fault(&[], "is not an object")]))?;
        let mut context = Self::default();
        let mut faults = Vec::new();
        let mut unknown = Vec::new();
        let mut currency = None;
        for (name, value) in &members {
            match name.as_str() {
                "dealer" | "catalog" if value.as_str() == Some(dealer.as_str()) => {}
                "dealer" | "catalog" => {
                    faults.push(fault(&[name], "is not the one that the key opens"));
                }
                "currency" => {
                    currency = value.as_str().and_then(Currency::from_code);
                    if currency.is_none() {
                        faults.push(fault(
                            &[name],
                            "is not a code of three letters, such as EUR",
                        ));
                    }
                }
                "filters" => context.read_filters(value, &mut faults, &mut unknown),
                _ => unknown.push(name.clone()),
            }
        }
        if !faults.is_empty() {
            return Err(Error::invalid_params(&faults));
        }
        if let Some(currency) = currency {
            context.filters.push(Filter::Within {
                column: ColumnName::Role(Role::Price),
                at_least: None,
                at_most: None,
                exclusive: false,
                currency: Some(currency),
            });
        }
        if !unknown.is_empty() {
            let names = unknown.join(", ");
            let remark = format!("catalog_context has members that mean nothing here: {names}.");
            context.remarks.push(remark);
        }
        Ok(context)
    }

    /// Every filter is a name with a text, or with several of which one must hold.
    fn read_filters(&mut self, sent: &Value, faults: &mut Vec<Fault>, unknown: &mut Vec<String>) {
        let Some(filters) = sent.as_object() else {
            faults.push(fault(&["filters"], "is not an object"));
            return;
        };
        for (name, value) in filters {
            let role = FILTERS.iter().find(|(known, _)| known == name);
            let Some((_, role)) = role else {
                unknown.push(format!("filters.{name}"));
                continue;
            };
            let values = match value {
                Value::String(value) => Some(vec![value.clone()]),
                Value::Array(values) => {
                    let texts = values.iter().map(|it| it.as_str().map(str::to_owned));
                    texts.collect::<Option<Vec<_>>>()
                }
                _ => None,
            };
            match values.filter(|values| !values.is_empty()) {
                Some(values) => self.filters.push(Filter::Is {
                    column: ColumnName::Role(*role),
                    values,
                    negated: false,
                }),
                None => faults.push(fault(&["filters", name], "is neither a text nor some")),
            }
        }
    }

    /// Narrows every analysis of a plan to it.
    pub(super) fn narrow(self, plan: &mut Plan) {
        plan.narrow(&self.filters, &self.remarks);
    }
}

fn fault(path: &[&str], words: &str) -> Fault {
    let path = std::iter::once(&CATALOG_CONTEXT).chain(path);
    let path = path.map(|name| Segment::Member((*name).to_owned()));
    Fault::new(path.collect(), words)
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;

    use super::*;

    fn read(sent: &Value, is_trusted: bool) -> Result<Context, Error> {
        let sent = to_raw_value(sent).unwrap();
        Context::read(Some(&sent), is_trusted, &"north".parse().unwrap())
    }

    #[test]
    fn a_trusted_caller_narrows_the_question_and_hears_of_what_means_nothing() {
        let sent = serde_json::json!({
            "dealer": "north", "currency": "usd", "mood": 1,
            "filters": { "make": ["Honda", "Ford"], "wheels": "4" },
        });
        let context = read(&sent, true).unwrap();
        assert_eq!(context.filters.len(), 2);
        assert!(
            context.remarks[0].contains("mood") && context.remarks[0].contains("filters.wheels")
        );
    }

    #[test]
    fn nothing_is_taken_from_others_and_the_answer_says_so() {
        let context = read(&serde_json::json!({ "dealer": "south" }), false).unwrap();
        assert!(context.filters.is_empty());
        assert!(context.remarks[0].contains("ignored"));
    }

    #[test]
    fn every_fault_is_told_at_once() {
        let sent = serde_json::json!({
            "dealer": "south", "currency": "euros", "filters": { "make": 7 },
        });
        let error = read(&sent, true).unwrap_err();
        for place in ["dealer", "currency", "filters.make"] {
            assert!(
                error.message.contains(place) || format!("{error:?}").contains(place),
                "{error:?}"
            );
        }
    }
}
