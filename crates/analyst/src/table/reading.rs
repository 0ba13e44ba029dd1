//! How a file was read, or why it was not.

/// How large a file may be. Beyond it, the file is refused and the answer says so.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the file. Above 4 GiB there is no table, whatever stands here.
    pub bytes: usize,
    /// Rows of data.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 32 << 20,
            rows: 2_000_000,
            columns: 500,
        }
    }
}

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Lines divided into cells, whatever divides them.
    Csv,
    /// An XML document.
    Xml,
}

impl Format {
    /// `csv` or `xml`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Xml => "xml",
        }
    }
}

/// How a file was read and what was wrong with it, for the evidence of an answer.
///
/// Every record of a CSV file is either the header, a row of the table, or counted in one of `skipped`,
/// `preamble`, `comments` and `empty_rows`; of XML, what stands behind `broken_off` is not counted. Lines are
/// counted from 1, as an editor shows them.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Reading {
    /// What the file is written in. None for own data.
    pub format: Option<Format>,
    /// The character encoding, by its WHATWG name: `UTF-8`, `windows-1252`. None for own data.
    pub encoding: Option<&'static str>,
    /// What stands between cells. None for own data and where the file has one column.
    pub delimiter: Option<char>,
    /// The line of the header; none where the file has no header, as in XML.
    pub header_line: Option<u64>,
    /// Rows that were left out, and why; each with its line in the file.
    pub skipped: Vec<(u64, String)>,
    /// Records before the header: a title, a date of the export.
    pub preamble: u64,
    /// Lines that begin with `#` and have another number of cells than the rows.
    pub comments: u64,
    /// Records without a value in any cell.
    pub empty_rows: u64,
    /// The line from which on an XML document is none any more, so that nothing behind it was read.
    pub broken_off: Option<u64>,
    /// What a reader of the answer should know of the file: "2 rows are shorter than the header".
    pub remarks: Vec<String>,
}

/// Why a file's rows cannot be part of an answer. The words continue "FILE was not read: …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// No byte, or nothing but blank lines.
    #[error("it is empty")]
    Empty,
    /// A header and no row.
    #[error("it has a header and no rows")]
    HeaderOnly,
    /// More bytes than the limit.
    #[error("it has {found} bytes; at most {limit} are read")]
    TooLarge {
        /// The bytes of the file.
        found: usize,
        /// The most that are read.
        limit: usize,
    },
    /// More rows than the limit.
    #[error("it has more than {limit} rows, the most that are read")]
    TooManyRows {
        /// The most that are read.
        limit: usize,
    },
    /// More columns than the limit.
    #[error("it has {found} columns; at most {limit} are read")]
    TooManyColumns {
        /// The columns of the file.
        found: usize,
        /// The most that are read.
        limit: usize,
    },
    /// It declares a media type, or has a name, that is not a CSV file's.
    #[error("it is {found}, not a CSV file")]
    NotCsv {
        /// What it says it is: a media type or an ending of a name.
        found: String,
    },
    /// It came as an address. Nothing is fetched on behalf of a question.
    #[error("it came as an address; send the bytes of the file instead")]
    ByAddress,
    /// The bytes did not arrive as base64.
    #[error("its content is not valid base64")]
    NotBase64,
    /// The bytes are those of another kind of file.
    #[error("it is {0}, not a CSV file")]
    OtherFormat(&'static str),
    /// A spreadsheet.
    #[error("it is {0}; save the sheet as CSV and send that")]
    Workbook(&'static str),
    /// Text does not hold NUL.
    #[error("it holds a NUL character in line {line}, as binary files do")]
    Nul {
        /// Where the first one stands.
        line: u64,
    },
    /// So many control characters that it cannot be text.
    #[error("it is binary data, not text")]
    Binary,
    /// Neither `,` nor `;`, tab or `|` divides its lines into cells.
    #[error("its lines are not divided into cells by a comma, semicolon, tab or vertical bar")]
    NoTable,
    /// What is left of it is less than what is damaged.
    #[error("it is damaged: {skipped} rows could not be read, the first in line {line} ({reason})")]
    Damaged {
        /// How many records were left out.
        skipped: usize,
        /// The first.
        line: u64,
        /// What was wrong there.
        reason: String,
    },
    /// An XML document that is not well-formed before its first row ends.
    #[error("it is no well-formed XML in line {line}, column {column}: {reason}")]
    Malformed {
        /// Where it is broken.
        line: u64,
        /// The character in that line, from 1.
        column: u64,
        /// What is wrong there.
        reason: String,
    },
    /// An XML document without an element for each row.
    #[error(
        "no element of the XML document “{root}” repeats as rows do, with elements or attributes in it; it has {found}"
    )]
    NoRows {
        /// The name of the document's element.
        root: String,
        /// The first names of its elements and attributes.
        found: String,
    },
    /// An XML document that declares entities: small ones of them can stand for gigabytes, or for files.
    #[error("it declares XML entities of its own in line {line}; none is read")]
    Entities {
        /// Where the document type begins.
        line: u64,
    },
    /// Elements in elements in elements.
    #[error("its elements nest deeper than {limit}, the most that are read")]
    TooDeep {
        /// The most that are read.
        limit: usize,
    },
    /// More names than any list of products has.
    #[error("it has more than {limit} different elements and attributes, the most that are read")]
    TooManyNames {
        /// The most that are read.
        limit: usize,
    },
    /// More attributes than any element has.
    #[error("an element in line {line} has more than {limit} attributes, the most that are read")]
    TooManyAttributes {
        /// Where it stands.
        line: u64,
        /// The most that are read.
        limit: usize,
    },
    /// So many different elements in so many rows that nearly every cell would be empty.
    #[error("its rows have {columns} different elements in all, and nearly none of them in each")]
    TooSparse {
        /// The columns that it would have.
        columns: usize,
    },
}
