//! A table of cells, row by row.

use super::ReadOptions;
use super::cells::{Cells, Findings};
use super::clean::text;
use super::columns::Columns;
use super::dates::{DOUBTFUL_DATE, DateOrder};
use super::detect::{self, Text};
use super::duplicates::{self, Seen};
use super::field::Field;
use super::price::PriceMeaning;
use super::records::MOST_COLUMNS;
use super::report::{FeedReport, Finding, FindingCode, ReadVehicle, Refusal, RefusalCode};
use super::rooftops::Rooftops;
use super::rows::Row;
use super::source::Source;
use super::vehicle::{self, Context};

/// Reads a decoded file into a report.
///
/// # Errors
/// Why nothing of the file is taken. What was found until then stays in the report.
pub(super) fn read(
    decoded: &Text<'_>,
    options: &ReadOptions,
    report: &mut FeedReport,
) -> Result<(), Refusal> {
    let format = detect::format(&decoded.text)?;
    let text = &detect::with_line_feeds(&decoded.text);
    let mut source = Source::open(text, format, options, report)?;
    let columns = header(&mut source, options, report)?;
    let context = Context {
        options,
        price: PriceMeaning::of(&options.price)?,
        rooftops: Rooftops::new(options),
    };
    report.set_columns(columns.uses(context.price.field()));
    let mut warnings = Findings::default();
    warnings.extend(columns.findings.iter().cloned());
    warnings.extend(decoded.mixed_at.map(mixed_encoding));
    warnings.extend(source.take_findings());
    let mut skipped = Findings::default();
    let outcome = read_rows(
        &mut source,
        &columns,
        &context,
        &mut skipped,
        &mut warnings,
        report,
    );
    report.warnings = warnings.into_list(FindingCode::MoreWarnings, "warnings");
    report.rows_skipped = skipped.count();
    report.skipped = skipped.into_list(FindingCode::MoreRows, "rows");
    outcome?;
    report.published = report.vehicles.len() as u64;
    check_published(report)
}

/// Warns of bytes that are not of the file's encoding.
fn mixed_encoding(row: u64) -> Finding {
    Finding {
        row,
        column: None,
        value: None,
        code: FindingCode::MixedEncoding,
        message: "bytes that are not UTF-8 in a file that otherwise is, here and perhaps below; they are read as \
                  Windows-1252"
            .to_owned(),
    }
}

fn header(
    source: &mut Source<'_>,
    options: &ReadOptions,
    report: &mut FeedReport,
) -> Result<Columns, Refusal> {
    let header = source.header(options)?;
    let cells = &header.cells;
    let no_header = |message: String| {
        Err(Refusal {
            code: RefusalCode::NoHeader,
            message,
        })
    };
    if cells.len() > MOST_COLUMNS {
        return no_header(format!(
            "the first line has {} cells; expected a header of at most {MOST_COLUMNS}",
            cells.len()
        ));
    }
    let columns = Columns::map(cells, source.layout(), options)?;
    if columns.known() == 0 {
        let found: Vec<String> = cells.iter().take(5).map(text::excerpt).collect();
        return no_header(format!(
            "none of the names in the first line is known as a column: {}; expected names such as VIN, Stock, Year, \
             Make, Model",
            found.join(", ")
        ));
    }
    report.header = header.written;
    report.layout = columns.layout;
    report.set_columns(columns.uses(Field::ListPrice));
    if !columns.has_identifier() {
        return Err(Refusal {
            code: RefusalCode::NoIdentifierColumn,
            message: "no column holds a VIN, a stock number or a vehicle id; name it in the feed's `columns`, for \
                      example `stock = \"Unit No\"`"
                .to_owned(),
        });
    }
    Ok(columns)
}

/// Rows of a file, which bounds the memory that a file of tiny rows takes.
const MOST_ROWS: u64 = 2_000_000;

fn read_rows(
    source: &mut Source<'_>,
    columns: &Columns,
    context: &Context<'_>,
    skipped: &mut Findings,
    warnings: &mut Findings,
    report: &mut FeedReport,
) -> Result<(), Refusal> {
    let mut seen = Seen::default();
    let mut dates = DateOrder::default();
    let mut short_rows = 0_u64;
    let mut row = Row::default();
    let mut cut_off = None;
    let mut prices_differ = None;
    while source.next(&mut row) {
        if columns.is_header(&row.cells) {
            continue;
        }
        report.rows += 1;
        if report.rows > MOST_ROWS {
            return Err(Refusal {
                code: RefusalCode::TooLarge,
                message: format!("the file has more than {MOST_ROWS} rows, which no feed has"),
            });
        }
        if row.open {
            cut_off = Some(row.line);
        }
        if let Err(finding) = fits_header(&row, columns) {
            if finding.code == FindingCode::TooFewFields {
                short_rows += 1;
                if row.unfinished && short_rows == 1 {
                    cut_off = Some(row.line);
                }
            }
            skipped.push(finding);
            continue;
        }
        if !row.open {
            // Whole rows follow: the quote before them was a slip.
            cut_off = None;
        }
        let mark = warnings.mark();
        let mut cells = Cells::new(columns, &row.cells, row.line, warnings);
        if row.mended {
            let message =
                "a quote inside the row is not doubled, or not closed; it is read as text";
            cells.push(cells.finding(None, None, FindingCode::StrayQuote, message));
        }
        match vehicle::read(&mut cells, context, &mut seen, row.line) {
            Ok(mut vehicle) => {
                let place = report.vehicles.len();
                if cells.prices_differ {
                    prices_differ.get_or_insert(row.line);
                }
                vehicle.inventory_date =
                    dates.read(&mut cells, context.options.today, place, row.line);
                report.vehicles.push(ReadVehicle {
                    row: row.line,
                    vehicle,
                });
            }
            Err(skip) => {
                warnings.back_to(mark);
                skipped.push(skip.why);
                report.sold.extend(skip.sold);
            }
        }
    }
    leave_out_dates(&dates, columns, warnings, report);
    let vin = columns.of(Field::Vin).map(|column| columns.header(column));
    warnings.extend(duplicates::price_differences(&report.vehicles, vin));
    if let Some(first) = prices_differ {
        warnings.push_first(columns.price_doubt(first, context.price.field()));
    }
    cut_off.map_or(Ok(()), |line| {
        Err(Refusal {
            code: RefusalCode::CutOff,
            message: format!("the file ends in the middle of the row that begins at line {line}; its transfer was cut off"),
        })
    })
}

/// A row with another number of cells than the header may have lost or gained a delimiter
/// anywhere, and every cell behind it would be published under the wrong name. Blank cells beyond
/// the header are a delimiter at the end of the line.
fn fits_header(row: &Row, columns: &Columns) -> Result<(), Finding> {
    let found = row.cells.len();
    let finding = |column: Option<&str>, code, message| Finding {
        row: row.line,
        column: column.map(str::to_owned),
        value: None,
        code,
        message,
    };
    let expected = columns.least_width();
    if found < expected {
        let first = columns.header(found);
        return Err(finding(
            Some(first),
            FindingCode::TooFewFields,
            format!(
                "the row has {found} cells, the header {expected}; nothing stands from `{first}` on, or a delimiter is \
                 missing before; the row is not published"
            ),
        ));
    }
    let expected = columns.width();
    let surplus = row.cells.iter().skip(expected);
    if surplus.filter_map(text::cell).next().is_some() {
        let cause = if row.cells.iter().any(|cell| cell.contains('\r')) {
            "a line in it ends with a carriage return alone, and others of the file with a line feed; end all alike"
        } else {
            "a cell with the delimiter in it must stand in quotes"
        };
        return Err(finding(
            None,
            FindingCode::TooManyFields,
            format!(
                "the row has {found} cells, the header {expected}; {cause}; the row is not published"
            ),
        ));
    }
    Ok(())
}

fn leave_out_dates(
    dates: &DateOrder,
    columns: &Columns,
    warnings: &mut Findings,
    report: &mut FeedReport,
) {
    let column = columns.of(Field::InventoryDate);
    for (place, row, cell) in dates.doubtful() {
        if let Some(read) = report.vehicles.get_mut(place) {
            read.vehicle.inventory_date = None;
        }
        warnings.push(Finding {
            row,
            column: column.map(|column| columns.header(column).to_owned()),
            value: Some(text::excerpt(cell)),
            code: FindingCode::AmbiguousDate,
            message: DOUBTFUL_DATE.to_owned(),
        });
    }
}

/// A file from which nothing is published would take the whole stock down. Only a feed that names
/// every unit as sold means that.
fn check_published(report: &FeedReport) -> Result<(), Refusal> {
    if report.rows == 0 {
        return Err(Refusal {
            code: RefusalCode::NoRows,
            message: "the file has a header and no rows; the stock is not taken down for it"
                .to_owned(),
        });
    }
    let all_sold = report.sold.len() as u64 == report.rows;
    if report.vehicles.is_empty() && !all_sold {
        return Err(Refusal {
            code: RefusalCode::NothingToPublish,
            message: format!(
                "none of the {} rows can be published; `skipped` says why",
                report.rows
            ),
        });
    }
    Ok(())
}
