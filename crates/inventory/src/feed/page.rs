//! Web pages: the schema.org data in their scripts (JSON-LD) and in their markup (microdata).

use std::collections::HashSet;

use scraper::{ElementRef, Html, Selector};
use serde_json::{Map, Value};

use super::names::Names;
use super::report::{Finding, FindingCode, Refusal, RefusalCode};
use super::schema_org;
use super::source::Document;

/// Bytes of a page that is read.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Tags of a page that is read: the rules of HTML make the time for misnested ones grow faster
/// than their number.
const MOST_TAGS: usize = 100_000;

/// How deep items of microdata may nest.
const DEEPEST: usize = 16;

/// Reads the vehicles of a page.
///
/// # Errors
/// The page has none, ends in the middle, or is larger than any page of a dealer.
pub(super) fn read<'o>(text: &str, names: Names<'o>) -> Result<Document<'o>, Refusal> {
    refuse_what_is_too_large(text)?;
    let page = Html::parse_document(text);
    let (scripts, findings) = scripts(&page);
    let mut items = microdata(&page);
    items.retain(schema_org::holds_vehicle);
    let documents = without_repeats(scripts, items);
    let Some(mut document) = schema_org::read(&documents, names) else {
        return Err(no_vehicle(&findings));
    };
    if is_cut_off(text) {
        return Err(Refusal {
            code: RefusalCode::CutOff,
            message: "the page has no `</html>` at its end; its transfer was cut off".to_owned(),
        });
    }
    document.findings = findings;
    Ok(document)
}

fn refuse_what_is_too_large(text: &str) -> Result<(), Refusal> {
    let tags = text.bytes().filter(|byte| *byte == b'<').count();
    if text.len() <= MOST_BYTES && tags <= MOST_TAGS {
        return Ok(());
    }
    Err(Refusal {
        code: RefusalCode::TooLarge,
        message: format!(
            "the web page has {} bytes and {tags} tags; expected at most {MOST_BYTES} and {MOST_TAGS}",
            text.len()
        ),
    })
}

/// True for a page that opens its root element and does not close it.
fn is_cut_off(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.contains("<html") && !lower.contains("</html")
}

fn no_vehicle(findings: &[Finding]) -> Refusal {
    let broken = findings
        .first()
        .map(|finding| format!("; {}", finding.message))
        .unwrap_or_default();
    Refusal {
        code: RefusalCode::HtmlPage,
        message: format!(
            "the file is a web page without a vehicle, such as a server's error or log-in page; expected a table with \
             a header, or a page with schema.org data{broken}"
        ),
    }
}

/// The documents in a page's JSON-LD scripts, and a finding for each that cannot be read.
fn scripts(page: &Html) -> (Vec<Value>, Vec<Finding>) {
    let mut documents = Vec::new();
    let mut findings = Vec::new();
    let scripts = elements(page, "script").filter(|script| {
        let kind = script.attr("type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/ld+json")
    });
    for (place, script) in scripts.enumerate() {
        let text: String = script.text().collect();
        match parse(&text) {
            Ok(values) => documents.extend(values),
            Err(error) => findings.push(Finding {
                row: 1,
                column: None,
                value: None,
                code: FindingCode::BrokenScript,
                message: format!(
                    "JSON-LD script {} of the page cannot be read ({error}); vehicles in it are left out",
                    place + 1
                ),
            }),
        }
    }
    (documents, findings)
}

/// Parses a script. Line breaks inside strings, which templates leave there, are taken as blanks.
fn parse(script: &str) -> serde_json::Result<Vec<Value>> {
    let text = without_wrapper(script);
    let values = |text: &str| {
        serde_json::Deserializer::from_str(text)
            .into_iter()
            .collect::<serde_json::Result<Vec<Value>>>()
    };
    values(text).or_else(|error| {
        let tidy = text.replace(|c: char| c.is_ascii_control(), " ");
        values(&tidy).map_err(|_| error)
    })
}

/// A script without the marks of comments and CDATA sections around it, and without the `;` of a
/// statement.
fn without_wrapper(script: &str) -> &str {
    const BEFORE: [&str; 7] = [
        "<!--",
        "<![CDATA[",
        "//<![CDATA[",
        "// <![CDATA[",
        "/*<![CDATA[*/",
        "/* <![CDATA[ */",
        "//",
    ];
    const AFTER: [&str; 8] = [
        "-->",
        "//-->",
        "// -->",
        "]]>",
        "//]]>",
        "// ]]>",
        "/*]]>*/",
        "/* ]]> */",
    ];
    let mut text = script.trim();
    while let Some(rest) = BEFORE.iter().find_map(|mark| text.strip_prefix(mark)) {
        text = rest.trim_start();
    }
    loop {
        let rest = AFTER
            .iter()
            .chain([&";", &"//"])
            .find_map(|mark| text.strip_suffix(mark));
        match rest {
            Some(rest) => text = rest.trim_end(),
            None => return text,
        }
    }
}

/// The scripts' documents and those items of the markup that say something about other vehicles:
/// many pages carry the same one in both forms.
fn without_repeats(scripts: Vec<Value>, items: Vec<Value>) -> Vec<Value> {
    let known: HashSet<String> = schema_org::identifiers(&scripts).into_iter().collect();
    let mut documents = scripts;
    documents.extend(items.into_iter().filter(|item| {
        let own = schema_org::identifiers(std::slice::from_ref(item));
        own.is_empty() || !own.iter().all(|identifier| known.contains(identifier))
    }));
    documents
}

fn elements<'p>(page: &'p Html, name: &'static str) -> impl Iterator<Item = ElementRef<'p>> {
    page.root_element()
        .descendent_elements()
        .filter(move |element| element.value().name() == name)
}

/// The outermost items of a page's microdata (HTML, section 5), in the shape that JSON-LD has.
fn microdata(page: &Html) -> Vec<Value> {
    let Ok(scoped) = Selector::parse("[itemscope]") else {
        return Vec::new();
    };
    page.select(&scoped)
        .filter(|element| !is_property_of_item(*element))
        .map(|element| item(element, 0))
        .collect()
}

/// True for an item that is the value of another one's property.
fn is_property_of_item(element: ElementRef<'_>) -> bool {
    element.attr("itemprop").is_some()
        && element
            .ancestors()
            .filter_map(ElementRef::wrap)
            .any(|outer| outer.attr("itemscope").is_some())
}

/// An item as an object: its type and its properties, each a value or a list of them.
fn item(element: ElementRef<'_>, depth: usize) -> Value {
    let mut object = Map::new();
    if let Some(kind) = element.attr("itemtype") {
        let kinds: Vec<Value> = kind.split_whitespace().map(Value::from).collect();
        object.insert("@type".to_owned(), Value::Array(kinds));
    }
    // Elements whose properties are still to be read.
    let mut inner: Vec<ElementRef<'_>> = reversed_children(element);
    while let Some(element) = inner.pop() {
        let is_item = element.attr("itemscope").is_some();
        if let Some(names) = element.attr("itemprop") {
            let value = match is_item {
                true if depth < DEEPEST => item(element, depth + 1),
                true => Value::Null,
                false => Value::from(property(element)),
            };
            for name in names.split_whitespace() {
                add(&mut object, name, value.clone());
            }
        }
        if !is_item {
            inner.extend(reversed_children(element));
        }
    }
    Value::Object(object)
}

fn reversed_children(element: ElementRef<'_>) -> Vec<ElementRef<'_>> {
    let mut children: Vec<_> = element.child_elements().collect();
    children.reverse();
    children
}

fn add(object: &mut Map<String, Value>, name: &str, value: Value) {
    match object.get_mut(name) {
        None => {
            object.insert(name.to_owned(), value);
        }
        Some(Value::Array(values)) => values.push(value),
        Some(first) => *first = Value::Array(vec![first.take(), value]),
    }
}

/// The value of a property (HTML, section 5.2.4). A `content` attribute counts on every element,
/// as search engines read it.
fn property(element: ElementRef<'_>) -> String {
    let attribute = match element.value().name() {
        "a" | "area" | "link" => "href",
        "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => "src",
        "object" => "data",
        "data" | "meter" => "value",
        "time" => "datetime",
        _ => "content",
    };
    element
        .attr("content")
        .or_else(|| element.attr(attribute))
        .map_or_else(|| element.text().collect(), str::to_owned)
}
