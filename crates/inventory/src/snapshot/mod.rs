//! Each dealer's published stock, immutable, answering search, facets and look-ups.
