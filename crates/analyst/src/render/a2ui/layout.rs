//! What stands where: a card with the answer, its table, how it was counted and the evidence.

use super::{
    super::{format, text},
    markdown,
};
use crate::{
    Finding, Value,
    finding::{Grid, Piece, Sentence},
};

/// At most this many rows of a table are drawn.
const MOST_ROWS: usize = 20;

/// A surface before it is encoded.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Every component; those that contain others come after them, the root last.
    pub(super) nodes: Vec<Node>,
    /// The data model: texts by key, of the rows by key of the row and of the cell.
    pub(super) texts: Vec<(String, String)>,
    pub(super) rows: Vec<(String, Vec<(String, String)>)>,
}

/// The id of the component that contains all others.
pub(super) const ROOT: &str = "root";

#[derive(Debug)]
pub(super) struct Node {
    pub(super) id: String,
    /// Its share of the width of a row.
    pub(super) weight: Option<u8>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// The text at a path of the data model.
    Text {
        path: String,
        style: Style,
    },
    Row(Vec<String>),
    Column(Vec<String>),
    Card(String),
    Divider,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Style {
    Heading,
    Body,
    Caption,
}

impl Style {
    /// The name is the same in all versions.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Heading => "h3",
            Self::Body => "body",
            Self::Caption => "caption",
        }
    }
}

impl Layout {
    pub(super) fn of(finding: &Finding) -> Self {
        let mut layout = Self::default();
        let mut column = vec![layout.sentence(&finding.headline, Style::Heading)];
        column.extend(layout.sentences(&finding.scope, Style::Caption));
        column.extend(layout.sentences(&finding.details, Style::Body));
        if let Some(grid) = &finding.grid {
            column.extend(layout.grid(grid));
        }
        column.push(layout.divider());
        column.extend(layout.sentences(&finding.rule, Style::Caption));
        column.extend(layout.sentences(&finding.limits, Style::Caption));
        for line in text::evidence_lines(&finding.evidence) {
            // Every line is a text of its own here; a dash before it would only look like a list.
            let line = line.strip_prefix("- ").unwrap_or(&line);
            column.push(layout.text(markdown::escape(line), Style::Caption));
        }
        layout.node("answer", None, Kind::Column(column));
        layout.node(ROOT, None, Kind::Card("answer".to_owned()));
        layout
    }

    fn node(&mut self, id: &str, weight: Option<u8>, kind: Kind) -> String {
        self.nodes.push(Node {
            id: id.to_owned(),
            weight,
            kind,
        });
        id.to_owned()
    }

    fn divider(&mut self) -> String {
        self.node("divider", None, Kind::Divider)
    }

    fn sentences(&mut self, sentences: &[Sentence], style: Style) -> Vec<String> {
        sentences
            .iter()
            .map(|sentence| self.sentence(sentence, style))
            .collect()
    }

    fn sentence(&mut self, sentence: &Sentence, style: Style) -> String {
        let pieces = sentence.0.iter().map(|piece| match piece {
            Piece::Words(words) => words.clone(),
            Piece::Value(value) => shown(value),
        });
        let text = pieces.collect();
        self.text(text, style)
    }

    fn text(&mut self, text: String, style: Style) -> String {
        // Renderers of 0.9 show headings and captions as they are, so that what is escaped stands in a body,
        // which all of them read as Markdown.
        let style = if markdown::has_escapes(&text) {
            Style::Body
        } else {
            style
        };
        let key = format!("t{}", self.texts.len());
        let path = format!("/{key}");
        let id = format!("text-{}", self.texts.len());
        self.texts.push((key, text));
        self.node(&id, None, Kind::Text { path, style })
    }

    fn grid(&mut self, grid: &Grid) -> Vec<String> {
        let mut lines = vec![self.header(grid)];
        for row in grid.rows.iter().take(MOST_ROWS) {
            lines.push(self.row(row));
        }
        let more = grid.total().saturating_sub(MOST_ROWS as u64);
        if more > 0 {
            let more = shown(&Value::Count(more));
            lines.push(self.text(format!("{more} more"), Style::Caption));
        }
        lines
    }

    fn header(&mut self, grid: &Grid) -> String {
        let cells: Vec<String> = grid
            .columns
            .iter()
            .enumerate()
            .map(|(number, header)| {
                let id = self.text(markdown::escape(header), Style::Caption);
                self.weigh(weight(grid, number));
                id
            })
            .collect();
        self.node("header", None, Kind::Row(cells))
    }

    fn row(&mut self, row: &[Value]) -> String {
        let number = self.rows.len();
        let key = format!("r{number}");
        let mut cells = Vec::with_capacity(row.len());
        let mut ids = Vec::with_capacity(row.len());
        for (place, value) in row.iter().enumerate() {
            let cell = format!("c{place}");
            let kind = Kind::Text {
                path: format!("/{key}/{cell}"),
                style: Style::Body,
            };
            ids.push(self.node(
                &format!("cell-{number}-{place}"),
                Some(weight_of(value)),
                kind,
            ));
            cells.push((cell, shown(value)));
        }
        self.rows.push((key, cells));
        self.node(&format!("row-{number}"), None, Kind::Row(ids))
    }

    fn weigh(&mut self, weight: u8) {
        if let Some(node) = self.nodes.last_mut() {
            node.weight = Some(weight);
        }
    }
}

/// A column is as wide as its first value wants, so that headers stand above their cells.
fn weight(grid: &Grid, column: usize) -> u8 {
    grid.rows
        .first()
        .and_then(|row| row.get(column))
        .map_or(1, weight_of)
}

fn weight_of(value: &Value) -> u8 {
    if matches!(value, Value::Text(_)) {
        2
    } else {
        1
    }
}

/// A value as it is drawn; what comes from data cannot be markup.
fn shown(value: &Value) -> String {
    let text = format::words(value);
    match value {
        Value::Text(_) | Value::Id(_) => markdown::escape(&text),
        // A hyphen alone is a list in Markdown.
        Value::None => "–".to_owned(),
        _ => text,
    }
}
