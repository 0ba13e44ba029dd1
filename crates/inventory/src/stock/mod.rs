//! The stock in the database: feed runs, what is published, what was sold, price history.
