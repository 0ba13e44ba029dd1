//! What words and phrases mean, whatever the data is.

mod dutch;
mod english;
mod french;
mod german;
mod italian;
mod spanish;

use std::collections::HashSet;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::language::{Language, fold};
use super::words::{self, Word};
use super::{Beyond, Change, Skill};
use crate::Role;

/// The meaning of a phrase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sense {
    /// It asks for an analysis: 4 whatever else is named, 3 hardly means anything else, 1 only where
    /// nothing else is asked.
    Skill(Skill, u8),
    /// Money that stands in the stock: aging, with its cost.
    TiedUp,
    /// "How many".
    Count,
    /// "How many pieces": the total of the quantities, where there are any.
    Pieces,
    Mean,
    Median,
    Total,
    /// "Dearest".
    Dearest,
    Cheapest,
    Oldest,
    Newest,
    /// "Highest", of the field that follows.
    Highest,
    Lowest,
    /// "Top", of the number that follows.
    Top,
    /// A field, by the meanings that it can have in a table, the likeliest first.
    Field(&'static [Role]),
    /// "By", "per".
    By,
    /// "Without", "no", "missing".
    Lack,
    /// "Missing": of a field it is empty; of a category something is not in it.
    Missing,
    /// "Need": of a field, that it is empty.
    Need,
    With,
    Not,
    Under,
    /// "Fewer than": of pieces rather than of money.
    FewerThan,
    Over,
    AtMost,
    AtLeast,
    Between,
    To,
    /// Behind a number: "or less".
    OrLess,
    OrMore,
    OlderThan,
    NewerThan,
    CheaperThan,
    DearerThan,
    Number(u32),
    /// A unit of time, in days.
    Unit(u32),
    /// "This week": so many days up to the snapshot.
    Span(u32),
    /// "Last", of the unit that follows.
    Last,
    /// A month by its name, counted from 1.
    Month(i8),
    Distance,
    /// The name of a currency, by its code.
    Money(&'static str),
    Available,
    Sold,
    Changed(Change),
    /// Prices that rose or fell.
    Repriced,
    /// "Came in": new, in a history; young, in a stock list.
    Arrived,
    Beyond(Beyond),
    /// "Cars", "products": what is sold, without narrowing it.
    Subject,
    /// "Which", "show me": a list is wanted.
    Ask,
    /// "What about": goes on from the question before.
    FollowUp,
    /// "Those": what the question before was about.
    Those,
    And,
    Or,
    /// A word that asks: "what", "how".
    Question,
    Filler,
}

impl Sense {
    /// Whether a value of the data that reads the same is what is meant.
    pub(super) fn yields_to_data(self) -> bool {
        matches!(
            self,
            Self::Subject
                | Self::Sold
                | Self::Changed(_)
                | Self::Newest
                | Self::Skill(_, 1)
                | Self::Distance
                | Self::Money(_)
                | Self::Total
                | Self::Month(_)
        )
    }
}

/// The fields that questions name.
pub(super) mod field {
    use crate::Role;

    pub(in crate::question) const PRICE: &[Role] = &[Role::Price, Role::SalePrice];
    pub(super) const COST: &[Role] = &[Role::Cost];
    pub(super) const IMAGE: &[Role] = &[Role::Image, Role::PhotoCount];
    pub(super) const VIN: &[Role] = &[Role::Vin];
    pub(super) const GTIN: &[Role] = &[Role::Gtin];
    pub(super) const ID: &[Role] = &[Role::Id];
    pub(super) const TITLE: &[Role] = &[Role::Title];
    pub(super) const DESCRIPTION: &[Role] = &[Role::Description];
    pub(super) const CATEGORY: &[Role] = &[Role::Category, Role::ProductType, Role::Body];
    pub(super) const TYPE: &[Role] = &[Role::ProductType, Role::Category, Role::Body];
    pub(super) const BRAND: &[Role] = &[Role::Brand, Role::Make];
    pub(super) const MAKE: &[Role] = &[Role::Make, Role::Brand];
    pub(super) const MODEL: &[Role] = &[Role::Model];
    pub(super) const TRIM: &[Role] = &[Role::Trim];
    pub(super) const YEAR: &[Role] = &[Role::Year];
    pub(super) const BODY: &[Role] = &[Role::Body];
    pub(super) const FUEL: &[Role] = &[Role::Fuel];
    pub(super) const TRANSMISSION: &[Role] = &[Role::Transmission];
    pub(super) const COLOUR: &[Role] = &[Role::Colour];
    pub(super) const SIZE: &[Role] = &[Role::Size];
    pub(super) const MATERIAL: &[Role] = &[Role::Material];
    pub(super) const CONDITION: &[Role] = &[Role::Condition];
    pub(super) const QUANTITY: &[Role] = &[Role::Quantity];
    pub(super) const STATUS: &[Role] = &[Role::Status, Role::Availability];
    pub(super) const ROOFTOP: &[Role] = &[Role::Rooftop];
    pub(super) const ODOMETER: &[Role] = &[Role::Odometer];
    pub(super) const AGE: &[Role] = &[Role::AgeDays];
    pub(super) const LINK: &[Role] = &[Role::Link];
    pub(super) const CURRENCY: &[Role] = &[Role::Currency];
    pub(super) const MSRP: &[Role] = &[Role::Msrp, Role::CompareAtPrice];
    pub(super) const AGENT: &[Role] = &[Role::LeadAgent];
    pub(super) const LEAD_STATE: &[Role] = &[Role::LeadState];
}

/// Phrases of one meaning, divided by `|`.
pub(super) type Phrases = (Sense, &'static str);

/// A phrase that was found in a question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// Its first word.
    pub(super) from: usize,
    /// The word behind its last one.
    pub(super) until: usize,
    pub(super) sense: Sense,
    /// Whether it was written as the lexicon has it, not only of the same stems.
    pub(super) is_exact: bool,
}

/// The phrases of one language, ready to be looked for.
struct Lexicon {
    language: Language,
    /// The phrases as they are written.
    exact: AhoCorasick,
    /// Their stems.
    stems: AhoCorasick,
    senses: Vec<Sense>,
    /// The words of all phrases, and those that tell the language best.
    words: HashSet<String>,
    function_words: HashSet<String>,
}

static LEXICONS: LazyLock<Vec<Lexicon>> = LazyLock::new(|| {
    Language::ALL
        .into_iter()
        .map(|language| Lexicon::new(language, phrases(language)))
        .collect()
});

fn phrases(language: Language) -> &'static [Phrases] {
    match language {
        Language::English => english::PHRASES,
        Language::German => german::PHRASES,
        Language::French => french::PHRASES,
        Language::Spanish => spanish::PHRASES,
        Language::Italian => italian::PHRASES,
        Language::Dutch => dutch::PHRASES,
    }
}

/// The language whose words a question has most of; English where two have as many.
pub(super) fn language_of(words: &[Word]) -> Language {
    let mut best = (0, Language::English);
    for lexicon in LEXICONS.iter() {
        let score = words
            .iter()
            .map(|word| {
                2 * usize::from(lexicon.function_words.contains(&word.folded))
                    + usize::from(lexicon.words.contains(&word.folded))
            })
            .sum();
        if score > best.0 {
            best = (score, lexicon.language);
        }
    }
    best.1
}

/// The phrases of a question from left to right, the longest at each place. Words that are taken
/// already are not looked at. A question in another language may use an English term for an analysis.
pub(super) fn find(words: &[Word], language: Language, taken: &[bool]) -> Vec<Found> {
    let mut taken = taken.to_vec();
    let mut found = LEXICONS[language as usize].find(words, &taken);
    if language != Language::English {
        for phrase in &found {
            taken[phrase.from..phrase.until].fill(true);
        }
        found.extend(
            LEXICONS[Language::English as usize]
                .find(words, &taken)
                .into_iter()
                .filter(|phrase| matches!(phrase.sense, Sense::Skill(_, 2..) | Sense::Field(_))),
        );
        found.sort_by_key(|phrase| phrase.from);
    }
    found
}

impl Lexicon {
    fn new(language: Language, phrases: &[Phrases]) -> Self {
        let mut exact = Vec::new();
        let mut stems = Vec::new();
        let mut senses = Vec::new();
        let mut all = HashSet::new();
        let mut function_words = HashSet::new();
        for (sense, list) in phrases {
            for phrase in list.split('|') {
                let mut written = String::new();
                let mut stem = String::new();
                for word in words::of_question(phrase) {
                    append(&mut written, &word.folded);
                    append(&mut stem, &language.stem(&word.lower));
                    if matches!(
                        sense,
                        Sense::Filler | Sense::Question | Sense::Lack | Sense::Missing | Sense::And
                    ) {
                        function_words.insert(word.folded.clone());
                    }
                    all.insert(word.folded);
                }
                exact.push(written);
                stems.push(stem);
                senses.push(*sense);
            }
        }
        let automaton = |patterns: &[String]| {
            AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(patterns)
                .expect("the phrases are few and short")
        };
        Self {
            language,
            exact: automaton(&exact),
            stems: automaton(&stems),
            senses,
            words: all,
            function_words,
        }
    }

    /// Phrases as they are written go before those of the same stems, where both are as long.
    fn find(&self, words: &[Word], taken: &[bool]) -> Vec<Found> {
        let mut found = self.matches(words, taken, true);
        found.extend(self.matches(words, taken, false));
        found.sort_by_key(|phrase| {
            let length = phrase.until - phrase.from;
            (phrase.from, std::cmp::Reverse(length), !phrase.is_exact)
        });
        let mut free = 0;
        found.retain(|phrase| {
            let is_free = phrase.from >= free;
            if is_free {
                free = phrase.until;
            }
            is_free
        });
        found
    }

    fn matches(&self, words: &[Word], taken: &[bool], is_exact: bool) -> Vec<Found> {
        let mut text = String::new();
        let mut starts = Vec::with_capacity(words.len() + 1);
        for (word, is_taken) in words.iter().zip(taken) {
            starts.push(text.len());
            if *is_taken || word.number.is_some() {
                append(&mut text, "\u{1}");
            } else if is_exact {
                append(&mut text, &word.folded);
            } else {
                append(&mut text, &self.language.stem(&word.lower));
            }
        }
        starts.push(text.len());
        let automaton = if is_exact { &self.exact } else { &self.stems };
        automaton
            .find_iter(&text)
            .filter_map(|found| {
                Some(Found {
                    from: starts.binary_search(&found.start()).ok()?,
                    until: starts.binary_search(&found.end()).ok()?,
                    sense: self.senses[found.pattern().as_usize()],
                    is_exact,
                })
            })
            .collect()
    }
}

/// Each word between bars, so that a phrase begins and ends with whole words.
fn append(text: &mut String, stem: &str) {
    text.push('|');
    text.push_str(stem);
    text.push('|');
}

/// Words for the same value of a field, in one language or several: the data may say `Schwarz` where
/// the question says "black".
pub(super) const SAME: &[(&[Role], &str)] = &[
    (
        &[Role::Body, Role::Category, Role::ProductType],
        "truck|pickup|pick-up|ute",
    ),
    (
        &[Role::Body, Role::Category, Role::ProductType],
        "suv|crossover|4x4|geländewagen|gelandewagen",
    ),
    (
        &[Role::Body, Role::Category, Role::ProductType],
        "sedan|saloon|limousine|berline|berlina",
    ),
    (
        &[Role::Body, Role::Category, Role::ProductType],
        "wagon|estate|kombi|break|familiare|touring",
    ),
    (
        &[Role::Body, Role::Category, Role::ProductType],
        "convertible|cabrio|cabriolet|roadster|descapotable",
    ),
    (
        &[Role::Body, Role::Category, Role::ProductType],
        "van|minivan|transporter|furgoneta|bestelwagen|furgone",
    ),
    (
        &[Role::Body, Role::Category, Role::ProductType],
        "hatchback|hatch|kleinwagen|schrägheck",
    ),
    (
        &[Role::Fuel],
        "electric|ev|bev|elektro|elektrisch|electrique|electrico|elettrica|elettrico",
    ),
    (
        &[Role::Fuel],
        "gasoline|gas|petrol|benzin|benziner|essence|gasolina|benzina|benzine",
    ),
    (&[Role::Fuel], "diesel|gasoil|gazole"),
    (
        &[Role::Fuel],
        "hybrid|hybride|hibrido|ibrida|ibrido|hev|phev",
    ),
    (
        &[Role::Condition],
        "used|pre-owned|preowned|secondhand|gebraucht|gebrauchtwagen|occasion|usado|usados|usata|usate|usato|tweedehands",
    ),
    (
        &[Role::Condition],
        "new|neu|neuwagen|neuf|neuve|nuevo|nueva|nuovo|nuova|nieuw|nieuwe",
    ),
    (&[Role::Condition], "certified|cpo"),
    (
        &[Role::Transmission],
        "automatic|automatik|automatique|automatico|automaat|auto",
    ),
    (
        &[Role::Transmission],
        "manual|schaltgetriebe|manuelle|manuale|handgeschakeld|stick",
    ),
    (
        &[Role::Colour],
        "black|schwarz|noir|noire|negro|negra|nero|nera|zwart",
    ),
    (
        &[Role::Colour],
        "white|weiss|weiß|blanc|blanche|blanco|blanca|bianco|bianca|wit",
    ),
    (&[Role::Colour], "grey|gray|grau|gris|grigio|grijs"),
    (&[Role::Colour], "silver|silber|argent|plata|argento|zilver"),
    (&[Role::Colour], "red|rot|rouge|rojo|roja|rosso|rossa|rood"),
    (&[Role::Colour], "blue|blau|bleu|bleue|azul|blu|blauw"),
    (&[Role::Colour], "green|grün|vert|verte|verde|groen"),
    (
        &[Role::Colour],
        "yellow|gelb|jaune|amarillo|amarilla|giallo|gialla|geel",
    ),
    (&[Role::Colour], "brown|braun|marron|marrón|marrone|bruin"),
    (&[Role::Material], "leather|leder|cuir|cuero|pelle"),
    (&[Role::Material], "wood|holz|bois|madera|legno|hout"),
    (&[Role::Size], "s|small"),
    (&[Role::Size], "m|medium"),
    (&[Role::Size], "l|large"),
    (
        &[Role::Status],
        "sold|verkauft|vendu|vendue|vendus|vendido|vendidos|venduto|vendute|verkocht",
    ),
];

/// The other words for a value, with the fields in which they are values.
pub(super) fn same(word: &Word, language: Language) -> Option<(&'static [Role], Vec<String>)> {
    let stem = language.stem(&word.lower);
    let singular = word.folded.strip_suffix('s').unwrap_or(&word.folded);
    SAME.iter()
        .find(|(_, list)| {
            list.split('|')
                .map(fold)
                .any(|other| other == word.folded || other == stem || other == singular)
        })
        .map(|(roles, list)| (*roles, list.split('|').map(fold).collect()))
}
