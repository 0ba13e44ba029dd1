//! The words that the data itself knows: the values of its columns, and their headers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use strsim::osa_distance;

use super::ColumnName;
use super::language::Language;
use super::lexicon;
use super::words::{self, Gap, Word};
use crate::{Role, Table};

/// A column with more values than this is text that nobody filters by.
const MOST_VALUES: usize = 100_000;
/// A column of unknown meaning takes part only with few values.
const MOST_VALUES_OF_UNKNOWN: usize = 200;
/// A misspelt word has at least so many letters; a shorter one is another word.
const LEAST_LETTERS_OF_TYPO: usize = 5;

/// The meanings whose values a question may name, from the likeliest on.
const ROLES: [Role; 17] = [
    Role::Make,
    Role::Model,
    Role::Brand,
    Role::Category,
    Role::ProductType,
    Role::Body,
    Role::Condition,
    Role::Fuel,
    Role::Colour,
    Role::Material,
    Role::Transmission,
    Role::Rooftop,
    Role::Size,
    Role::Trim,
    Role::LeadAgent,
    Role::Status,
    Role::Availability,
];

/// The values of a table's columns by their words. Built once for a table and kept with it: it costs a
/// pass over the distinct values, not over the rows.
#[derive(Debug, Default)]
pub struct Vocabulary {
    columns: Vec<ColumnName>,
    roles: BTreeSet<Role>,
    headers: Vec<(ColumnName, Vec<String>)>,
    entries: Vec<Entry>,
    words: Vec<Spelling>,
    /// The place of a word in `words`.
    by_word: HashMap<String, u32>,
    /// Values of several words by their words run together: `F-150` by `f150`.
    by_run: HashMap<String, Vec<u32>>,
    by_stem: [OnceLock<HashMap<String, Vec<u32>>>; 6],
}

/// A value, or the beginning of a category path.
#[derive(Debug)]
struct Entry {
    column: u32,
    /// As the data spells it.
    value: String,
    /// The words of the value, of a path those of its last part.
    words: Vec<u32>,
}

/// A word of the data.
#[derive(Debug)]
struct Spelling {
    folded: String,
    entries: Vec<u32>,
}

/// Values of one column that words of a question stand for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Values {
    pub(super) column: ColumnName,
    /// Sorted, without repeats.
    pub(super) values: Vec<String>,
}

impl Vocabulary {
    /// The vocabulary of a table.
    #[must_use]
    pub fn of(table: &Table) -> Self {
        let mut vocabulary = Self::default();
        let mut seen = BTreeSet::new();
        for column in table.columns() {
            // Of two columns of one meaning the first speaks for it.
            let role = column.role().filter(|role| seen.insert(*role));
            if let Some(role) = role {
                vocabulary.roles.insert(role);
            }
            let name = role.map_or_else(
                || ColumnName::Header(column.header().to_owned()),
                ColumnName::Role,
            );
            if role.is_none() {
                let header = words::of_value(column.header());
                vocabulary.headers.push((name.clone(), header));
            }
            let most = match role {
                Some(role) if ROLES.contains(&role) => MOST_VALUES,
                None if column.role().is_none() => MOST_VALUES_OF_UNKNOWN,
                _ => continue,
            };
            let symbols: Vec<u32> = column.distinct().take(most + 1).collect();
            if symbols.len() > most {
                continue;
            }
            let place = u32::try_from(vocabulary.columns.len()).unwrap_or(u32::MAX);
            vocabulary.columns.push(name);
            if role == Some(Role::Category) {
                let paths: BTreeSet<&str> = symbols
                    .into_iter()
                    .flat_map(|symbol| beginnings(column.symbol_text(symbol)))
                    .collect();
                for path in paths {
                    let last = path.rsplit(PATH_MARKS).next().unwrap_or(path);
                    vocabulary.add(place, path, last);
                }
            } else {
                for symbol in symbols {
                    let value = column.symbol_text(symbol);
                    vocabulary.add(place, value, value);
                }
            }
        }
        vocabulary
    }

    fn add(&mut self, column: u32, value: &str, text: &str) {
        let spellings = words::of_value(text);
        let has_letters = spellings
            .iter()
            .any(|word| word.chars().any(char::is_alphabetic));
        let is_known = matches!(self.columns[column as usize], ColumnName::Role(_));
        if spellings.is_empty() || !(has_letters || is_known) {
            return;
        }
        let entry = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        if spellings.len() > 1 {
            let run = spellings.concat();
            self.by_run.entry(run).or_default().push(entry);
        }
        let words = spellings
            .into_iter()
            .map(|folded| self.word(folded, entry))
            .collect();
        self.entries.push(Entry {
            column,
            value: value.to_owned(),
            words,
        });
    }

    fn word(&mut self, folded: String, entry: u32) -> u32 {
        let next = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let place = *self.by_word.entry(folded.clone()).or_insert(next);
        if place == next {
            self.words.push(Spelling {
                folded,
                entries: Vec::new(),
            });
        }
        let entries = &mut self.words[place as usize].entries;
        if entries.last() != Some(&entry) {
            entries.push(entry);
        }
        place
    }

    /// Whether a column has this meaning; the age also where a date tells it.
    pub(super) fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
            || role == Role::AgeDays
                && [Role::DateInStock, Role::DateAdded]
                    .iter()
                    .any(|date| self.roles.contains(date))
    }

    /// The first of these meanings that a column has, else the first.
    pub(super) fn resolve(&self, roles: &[Role]) -> ColumnName {
        let role = roles
            .iter()
            .copied()
            .find(|role| self.has(*role))
            .or(roles.first().copied());
        ColumnName::Role(role.unwrap_or(Role::Id))
    }

    /// The column of unknown meaning whose header begins here, and how many words it has.
    pub(super) fn header(&self, words: &[Word]) -> Option<(ColumnName, usize)> {
        self.headers
            .iter()
            .filter(|(_, header)| {
                !header.is_empty()
                    && header.len() <= words.len()
                    && header.iter().zip(words).all(|(part, word)| {
                        *part == word.folded || *part == Language::English.stem(&word.lower)
                    })
            })
            .max_by_key(|(_, header)| header.len())
            .map(|(name, header)| (name.clone(), header.len()))
    }

    /// The values of several words that begin here, and how many words they take; also a value written
    /// as one word, and the other way round.
    pub(super) fn phrase(&self, words: &[Word], language: Language) -> Option<(Values, usize)> {
        let first = words.first()?;
        let mut best: Option<(usize, Vec<u32>)> = None;
        let mut offer = |length: usize, entry: u32| match &mut best {
            Some((longest, entries)) if *longest == length => entries.push(entry),
            Some((longest, _)) if *longest > length => {}
            _ => best = Some((length, vec![entry])),
        };
        for place in self.spelled(first, language) {
            for &entry in &self.words[place as usize].entries {
                let parts = &self.entries[entry as usize].words;
                if parts.len() < 2 || parts.len() > words.len() || parts[0] != place {
                    continue;
                }
                let is_whole = parts.iter().zip(words).skip(1).all(|(part, word)| {
                    word.gap < Gap::Comma && self.spelled(word, language).contains(part)
                });
                if is_whole {
                    offer(parts.len(), entry);
                }
            }
        }
        for run in [first.folded.clone(), language.stem(&first.lower)] {
            for &entry in self.by_run.get(&run).into_iter().flatten() {
                offer(1, entry);
            }
        }
        if let Some(second) = words.get(1).filter(|word| word.gap < Gap::Comma)
            && let Some(place) = self
                .by_word
                .get(&format!("{}{}", first.folded, second.folded))
        {
            for &entry in &self.words[*place as usize].entries {
                if self.entries[entry as usize].words.len() == 1 {
                    offer(2, entry);
                }
            }
        }
        let (length, entries) = best?;
        Some((self.choose(&entries, true)?, length))
    }

    /// The values that one word stands for: equal to it, of the same stem, of the same meaning, or
    /// misspelt by one letter.
    pub(super) fn word_values(&self, word: &Word, language: Language) -> Option<Values> {
        let mut places = self.spelled(word, language);
        if places.is_empty() {
            if let Some((roles, spellings)) = lexicon::same(word, language) {
                let entries = self.of_roles(roles, &spellings);
                return self.choose(&entries, false);
            }
            places = self.compound(word, language);
        } else if let Some((roles, spellings)) = lexicon::same(word, language) {
            // "Trucks" are also what the data calls pickups.
            let mut entries = self.of_roles(roles, &spellings);
            if !entries.is_empty() {
                entries.extend(self.entries_of(&places));
                return self.choose(&entries, false);
            }
        }
        self.choose(&self.entries_of(&places), false)
    }

    /// The values of a word that is misspelt by one letter.
    pub(super) fn misspelt(&self, word: &Word) -> Option<Values> {
        let letters = word.folded.chars().count();
        if letters < LEAST_LETTERS_OF_TYPO {
            return None;
        }
        let first = word.folded.chars().next();
        let places: Vec<u32> = self
            .words
            .iter()
            .enumerate()
            .filter(|(_, spelling)| {
                spelling.folded.chars().next() == first
                    && spelling.folded.len().abs_diff(word.folded.len()) <= 1
                    && spelling.folded.chars().count() >= LEAST_LETTERS_OF_TYPO
                    && osa_distance(&spelling.folded, &word.folded) == 1
            })
            .filter_map(|(place, _)| u32::try_from(place).ok())
            .collect();
        self.choose(&self.entries_of(&places), false)
    }

    /// The values that are this one word and no more.
    pub(super) fn whole(&self, word: &Word, language: Language) -> Option<Values> {
        let entries: Vec<u32> = self
            .entries_of(&self.spelled(word, language))
            .into_iter()
            .filter(|entry| self.entries[*entry as usize].words.len() == 1)
            .collect();
        self.choose(&entries, true)
    }

    /// A value of this column that reads exactly like this number or letter.
    pub(super) fn exact(&self, column: &ColumnName, word: &Word) -> Option<Values> {
        let place = *self.by_word.get(&word.folded)?;
        let entries: Vec<u32> = self.words[place as usize]
            .entries
            .iter()
            .copied()
            .filter(|entry| {
                let entry = &self.entries[*entry as usize];
                entry.words.len() == 1 && self.columns[entry.column as usize] == *column
            })
            .collect();
        self.choose(&entries, true)
    }

    /// The values that a question may name in this column, as the data spells them.
    pub(super) fn values_of(&self, column: &ColumnName) -> impl Iterator<Item = &str> {
        let place = self.columns.iter().position(|known| known == column);
        let entries = self.entries.iter();
        entries
            .filter(move |entry| place == Some(entry.column as usize))
            .map(|entry| entry.value.as_str())
    }

    fn entries_of(&self, places: &[u32]) -> Vec<u32> {
        places
            .iter()
            .flat_map(|place| self.words[*place as usize].entries.iter().copied())
            .collect()
    }

    fn of_roles(&self, roles: &[Role], spellings: &[String]) -> Vec<u32> {
        spellings
            .iter()
            .filter_map(|spelling| self.by_word.get(spelling))
            .flat_map(|place| &self.words[*place as usize].entries)
            .copied()
            .filter(|entry| {
                let column = self.entries[*entry as usize].column;
                matches!(&self.columns[column as usize], ColumnName::Role(role) if roles.contains(role))
            })
            .collect()
    }

    /// The data's words that a word of a question is: equal, else of the same stem.
    fn spelled(&self, word: &Word, language: Language) -> Vec<u32> {
        if let Some(place) = self.by_word.get(&word.folded) {
            return vec![*place];
        }
        if word.number.is_some() {
            return Vec::new();
        }
        if let Some(place) = word
            .folded
            .strip_suffix('s')
            .and_then(|one| self.by_word.get(one))
        {
            return vec![*place];
        }
        for language in [language, Language::English] {
            let stems = self.by_stem[language as usize].get_or_init(|| {
                let mut stems: HashMap<String, Vec<u32>> = HashMap::new();
                for (place, spelling) in self.words.iter().enumerate() {
                    let place = u32::try_from(place).unwrap_or(u32::MAX);
                    stems
                        .entry(language.stem(&spelling.folded))
                        .or_default()
                        .push(place);
                }
                stems
            });
            let stem = language.stem(&word.folded);
            if let Some(places) = stems.get(&stem) {
                return places.clone();
            }
        }
        Vec::new()
    }

    /// The data's word that a German or Dutch compound begins with: `Gartengeräte` with `Garten`.
    fn compound(&self, word: &Word, language: Language) -> Vec<u32> {
        if !matches!(language, Language::German | Language::Dutch) {
            return Vec::new();
        }
        let ends = word.folded.char_indices().map(|(end, _)| end).rev();
        ends.take_while(|end| *end >= LEAST_LETTERS_OF_TYPO)
            .find_map(|end| self.by_word.get(&word.folded[..end]))
            .map(|place| vec![*place])
            .unwrap_or_default()
    }

    /// Of entries of several columns those of the likeliest one.
    fn choose(&self, entries: &[u32], all_whole: bool) -> Option<Values> {
        let mut by_column: BTreeMap<u32, Vec<(&Entry, bool)>> = BTreeMap::new();
        for &entry in entries {
            let entry = &self.entries[entry as usize];
            let is_whole = all_whole || entry.words.len() == 1;
            by_column
                .entry(entry.column)
                .or_default()
                .push((entry, is_whole));
        }
        let (column, found) = by_column.into_iter().min_by_key(|(column, found)| {
            let name = &self.columns[*column as usize];
            let has_whole = found.iter().any(|(_, is_whole)| *is_whole);
            (!has_whole, rank(name), *column)
        })?;
        let column = self.columns[column as usize].clone();
        let has_whole = found.iter().any(|(_, is_whole)| *is_whole);
        let only_whole = has_whole && !is_of_shades(&column);
        let mut values: Vec<String> = found
            .into_iter()
            .filter(|(_, is_whole)| !only_whole || *is_whole)
            .map(|(entry, _)| entry.value.clone())
            .collect();
        values.sort();
        values.dedup();
        if matches!(column, ColumnName::Role(Role::Category)) {
            values = without_lower_paths(&values);
        }
        Some(Values { column, values })
    }
}

/// The likelier the lower.
fn rank(column: &ColumnName) -> usize {
    match column {
        ColumnName::Role(role) => ROLES
            .iter()
            .position(|known| known == role)
            .unwrap_or(ROLES.len()),
        ColumnName::Header(_) => ROLES.len(),
    }
}

/// Whether a value of two words is a kind of the value of one: `Midnight Black` is black, but the store
/// `North Shore` is not the store `North`.
fn is_of_shades(column: &ColumnName) -> bool {
    matches!(
        column,
        ColumnName::Role(
            Role::Colour
                | Role::Body
                | Role::Fuel
                | Role::Material
                | Role::Category
                | Role::ProductType
                | Role::Model
        )
    )
}

const PATH_MARKS: [char; 2] = ['>', '/'];

/// A category path and the paths above it.
pub(super) fn beginnings(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices(PATH_MARKS)
        .map(|(place, _)| path[..place].trim())
        .chain([path.trim()])
        .filter(|path| !path.is_empty())
}

/// What lies below another of the paths says nothing that the other does not say.
fn without_lower_paths(paths: &[String]) -> Vec<String> {
    paths
        .iter()
        .filter(|path| {
            !paths.iter().any(|above| {
                path.strip_prefix(above.as_str())
                    .is_some_and(|rest| rest.trim_start().starts_with(PATH_MARKS))
            })
        })
        .cloned()
        .collect()
}
