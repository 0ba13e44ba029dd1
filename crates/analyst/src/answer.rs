//! From a question to findings.

use indexmap::IndexSet;

use crate::{
    Filter, Finding, Intent, Skill, Sources, Value, analysis,
    finding::{Grid, Outcome, Piece, Sentence, say},
    question::{
        self, Beyond,
        stated::{self, Misstated},
    },
    render::format::one_line,
};

/// A question that was understood, ready to be counted: one finding after the other, so that each can
/// be handed out as soon as it is there.
#[derive(Debug)]
pub struct Plan {
    steps: Vec<Step>,
    /// What every finding says of the request.
    remarks: Vec<String>,
    /// The analyses, for the next question of the conversation to go on with.
    pub intents: Vec<Intent>,
    /// Words of the question that neither the languages nor the data know.
    pub unknown: Vec<String>,
    is_help: bool,
}

#[derive(Debug)]
enum Step {
    Run(Intent),
    Say(Finding),
}

impl Plan {
    /// Understands a question about these sources. `previous` are the intents of the question before in
    /// the same conversation. Without words, files alone ask for an overview.
    #[must_use]
    pub fn of(question: &str, sources: &Sources, previous: &[Intent]) -> Self {
        if question.trim().is_empty() && sources.subject().is_some() {
            return Self::running(vec![Intent::new(Skill::Overview)]);
        }
        let understood = question::understand(question, sources, previous);
        let mut plan = Self::running(understood.intents);
        let scopes = plan.intents.iter().map(|intent| &intent.scope.unknown);
        let unknown: IndexSet<&String> = scopes.flatten().chain(&understood.unknown).collect();
        plan.unknown = unknown.into_iter().cloned().collect();
        for beyond in &understood.beyond {
            plan.steps
                .push(Step::Say(beyond_all_data(*beyond, sources)));
        }
        if plan.steps.is_empty() {
            let help = help(&understood.unknown, &understood.suggestions, sources);
            plan.steps.push(Step::Say(help));
            plan.is_help = true;
        }
        plan
    }

    /// Whether the question was understood in part or not at all, so that a language model may see more
    /// in it.
    #[must_use]
    pub fn leaves_words(&self) -> bool {
        self.is_help || !self.unknown.is_empty()
    }

    /// The plan that a language model of this name states, in the [form](stated::Form) for these sources, for a
    /// question that [leaves words](Self::leaves_words). Every finding says who read the question.
    ///
    /// # Errors
    /// [`Misstated`], where anything in the statement stands outside of the form or of the question.
    pub fn stated(
        statement: &str,
        model: &str,
        question: &str,
        sources: &Sources,
        previous: &[Intent],
    ) -> Result<Self, Misstated> {
        let intents = stated::read(statement, question, sources, previous)?;
        let mut plan = Self::running(intents);
        let model = one_line(model);
        plan.remarks.push(format!(
            "The question was read by the language model {model}; the scope says how."
        ));
        Ok(plan)
    }

    fn running(intents: Vec<Intent>) -> Self {
        Self {
            steps: intents.iter().cloned().map(Step::Run).collect(),
            remarks: Vec::new(),
            intents,
            unknown: Vec::new(),
            is_help: false,
        }
    }

    /// Narrows every analysis by further conditions, and has every finding say these remarks.
    pub fn narrow(&mut self, filters: &[Filter], remarks: &[String]) {
        for step in &mut self.steps {
            if let Step::Run(intent) = step {
                intent.scope.filters.extend_from_slice(filters);
            }
        }
        self.remarks.extend_from_slice(remarks);
    }

    /// What each finding will be about, in their order; at least one.
    pub fn skills(&self) -> impl ExactSizeIterator<Item = Skill> + '_ {
        self.steps.iter().map(|step| match step {
            Step::Run(intent) => intent.skill,
            Step::Say(finding) => finding.skill,
        })
    }

    /// The finding at a place below the number of [`skills`](Self::skills). Takes time.
    #[must_use]
    pub fn find(&self, place: usize, sources: &Sources) -> Option<Finding> {
        let mut finding = match self.steps.get(place)? {
            Step::Run(intent) => analysis::run(intent, sources),
            Step::Say(finding) => finding.clone(),
        };
        for remark in &self.remarks {
            let words = Piece::Words(one_line(remark));
            finding.scope.push(Sentence(vec![words]));
        }
        Some(finding)
    }
}

/// The answer to what no catalog tells.
fn beyond_all_data(beyond: Beyond, sources: &Sources) -> Finding {
    let mut finding = Finding::new(Skill::Help);
    finding.outcome = Outcome::Unanswerable {
        missing: Vec::new(),
        seen: headers(sources),
    };
    finding.headline = match beyond {
        Beyond::Future => say!(
            "This cannot be answered: the data says what is and what was, and no column says what will be."
        ),
        Beyond::Profit => say!(
            "This cannot be answered: no column has profit, margin or revenue, and none is computed from prices."
        ),
        Beyond::Visits => say!("This cannot be answered: no column has views, clicks or visits."),
        Beyond::Person => say!(
            "This cannot be answered: the analyst reads no personal data, so it cannot say who bought or asked."
        ),
    };
    finding.evidence = analysis::evidence(sources);
    finding
}

/// The answer to a question that was not understood.
fn help(unknown: &[String], suggestions: &[String], sources: &Sources) -> Finding {
    let mut finding = Finding::new(Skill::Help);
    finding.headline = say!("No analysis matches the question; this is what can be asked.");
    if !unknown.is_empty() {
        let mut named = Sentence::from("Nothing in the data is called ");
        for (place, word) in unknown.iter().enumerate() {
            if place > 0 {
                named.add(", ");
            }
            named.add(Value::from(word.as_str()));
        }
        named.add(".");
        finding.details.push(named);
    }
    for suggestion in suggestions {
        finding
            .details
            .push(say!("Try: ", Value::from(suggestion.as_str())));
    }
    let mut grid = Grid::new(&["analysis", "for example", "what it tells"]);
    for skill in Skill::ALL {
        grid.push(vec![
            skill.title().into(),
            skill.example().into(),
            skill.description().into(),
        ]);
    }
    finding.grid = Some(grid);
    finding.evidence = analysis::evidence(sources);
    finding
}

fn headers(sources: &Sources) -> Vec<String> {
    let columns = sources.subject().map(|table| table.columns());
    let columns = columns.unwrap_or_default().iter();
    columns.map(|column| column.header().to_owned()).collect()
}
