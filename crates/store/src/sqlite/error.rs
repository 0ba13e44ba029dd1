//! SQLite's result codes as the door's errors.

use std::sync::Arc;

use rusqlite::ErrorCode;

use crate::Error;

/// Sorts an error of the engine by what the caller can do about it.
pub(super) fn sort(error: rusqlite::Error) -> Error {
    let code = error.sqlite_error_code();
    let source = Arc::new(error);
    match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy { source },
        Some(ErrorCode::DiskFull) => Error::Full { source },
        Some(ErrorCode::ConstraintViolation) => Error::Constraint { source },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Corrupt { source },
        Some(ErrorCode::ReadOnly) => Error::ReadOnly { source },
        Some(
            ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::OutOfMemory,
        ) => Error::Unavailable { path: None, source },
        _ => Error::Statement { source },
    }
}
