//! Findings as text, JSON, CSV and A2UI.
