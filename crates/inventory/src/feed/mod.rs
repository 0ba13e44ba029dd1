//! Reading a vendor's feed file: detect, map, clean, report.
