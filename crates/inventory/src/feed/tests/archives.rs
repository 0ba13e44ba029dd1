//! Files packed as `.gz` or `.zip`.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::super::{Container, Format, RefusalCode, read};
use super::{options, refused};

const CSV: &[u8] = b"Stock,VIN,Make\nA1,1HGCV1F35KA000001,Honda\nA2,,Kia\n";

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::default());
    to.write_all(bytes).expect("memory");
    to.finish().expect("memory")
}

pub(super) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut to = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        if name.ends_with('/') {
            to.add_directory(*name, SimpleFileOptions::default())
                .expect("memory");
        } else {
            to.start_file(*name, SimpleFileOptions::default())
                .expect("memory");
            to.write_all(bytes).expect("memory");
        }
    }
    to.finish().expect("memory").into_inner()
}

#[test]
fn one_file_in_an_archive_is_read_like_the_file() {
    let plain = read(CSV, &options());
    assert_eq!(plain.container, None);
    for (packed, container) in [
        (gzip(CSV), Container::Gzip),
        (
            [gzip(&CSV[..20]), gzip(&CSV[20..])].concat(),
            Container::Gzip,
        ),
        (zip(&[("feed.csv", CSV)]), Container::Zip),
        (
            zip(&[
                ("out/", b""),
                ("__MACOSX/out/._feed.csv", b"\0\x05\x16\x07"),
                ("out/.DS_Store", b"\0\0\0\x01Bud1"),
                ("out/feed.csv", CSV),
            ]),
            Container::Zip,
        ),
    ] {
        let report = read(&packed, &options());
        assert_eq!(report.container, Some(container));
        assert_eq!(report.vehicles, plain.vehicles);
        assert_eq!((report.refused, report.encoding.as_str()), (None, "utf-8"));
    }
    let xml = gzip(b"<cars><car><vin>1HGCV1F35KA000001</vin></car></cars>");
    let report = read(&xml, &options());
    assert_eq!((report.format, report.published), (Format::Xml, 1));
}

#[test]
fn an_archive_holds_exactly_one_file() {
    let report = refused(
        &zip(&[("new.csv", CSV), ("used.csv", CSV)]),
        RefusalCode::Archive,
        &["2 files", "`new.csv`", "`used.csv`", "exactly one"],
    );
    assert_eq!(report.container, Some(Container::Zip));
    refused(&zip(&[]), RefusalCode::Archive, &["no file"]);
    refused(
        &zip(&[("a/", b""), ("a/.DS_Store", b"x")]),
        RefusalCode::Archive,
        &["no file"],
    );
}

#[test]
fn an_archive_within_an_archive_is_not_opened() {
    let nested = &["archive itself", "packed once"];
    refused(&gzip(&gzip(CSV)), RefusalCode::Archive, nested);
    refused(
        &zip(&[("feed.csv.gz", &gzip(CSV))]),
        RefusalCode::Archive,
        nested,
    );
    refused(&gzip(&zip(&[("a.csv", CSV)])), RefusalCode::Archive, nested);
    let mut tar = vec![0_u8; 1024];
    tar[257..262].copy_from_slice(b"ustar");
    refused(&gzip(&tar), RefusalCode::Archive, nested);
}

#[test]
fn a_workbook_is_to_be_saved_as_csv() {
    let workbook = zip(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("xl/workbook.xml", b"<workbook/>"),
        ("xl/worksheets/sheet1.xml", b"<worksheet/>"),
    ]);
    refused(
        &workbook,
        RefusalCode::Spreadsheet,
        &["Excel", "save it as CSV"],
    );
}

#[test]
fn an_encrypted_file_is_refused_as_one() {
    let mut locked = zip(&[("feed.csv", CSV)]);
    // The flag of an encrypted entry, in its own header and in the directory.
    locked[6] |= 1;
    let directory = locked
        .windows(4)
        .position(|bytes| bytes == b"PK\x01\x02")
        .expect("a directory");
    locked[directory + 8] |= 1;
    refused(
        &locked,
        RefusalCode::Archive,
        &["encrypted", "without a password"],
    );
}

#[test]
fn an_archive_that_ends_in_the_middle_is_refused() {
    let packed = gzip(&CSV.repeat(50));
    refused(
        &packed[..packed.len() - 12],
        RefusalCode::CutOff,
        &["gzip", "cut off"],
    );
    refused(&packed[..5], RefusalCode::CutOff, &["gzip"]);
    let packed = zip(&[("feed.csv", CSV)]);
    refused(
        &packed[..packed.len() - 30],
        RefusalCode::Malformed,
        &["zip", "cut off"],
    );
    refused(
        b"PK\x03\x04\x14\x00\x00\x00",
        RefusalCode::Malformed,
        &["zip"],
    );
    let mut damaged = gzip(CSV);
    let last = damaged.len() - 6;
    damaged[last] ^= 0xFF;
    refused(&damaged, RefusalCode::Malformed, &["broken"]);
}

#[test]
fn an_archive_that_would_fill_the_memory_is_not_unpacked_to_its_end() {
    let bomb = vec![b' '; 17 * 1024 * 1024];
    for packed in [gzip(&bomb), zip(&[("feed.csv", &bomb)])] {
        assert!(packed.len() < 100_000);
        refused(&packed, RefusalCode::TooLarge, &["unpacks to more than"]);
    }
}
