//! Whose a task is.

/// To whom tasks belong: a caller of a tenant. For everybody else they do not exist.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner {
    /// The tenant, empty where there are none.
    pub tenant: String,
    /// The caller, empty for those that prove nothing.
    pub caller: String,
}

impl Owner {
    /// The owner of what a call makes.
    #[must_use]
    pub fn new(tenant: Option<&str>, caller: Option<&str>) -> Self {
        Self {
            tenant: tenant.unwrap_or_default().to_owned(),
            caller: caller.unwrap_or_default().to_owned(),
        }
    }
}

/// A task by its id and its owner.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskKey {
    /// Whose it is.
    pub owner: Owner,
    /// Its id.
    pub id: String,
}

impl TaskKey {
    /// The task of this id, if it is this owner's.
    #[must_use]
    pub fn new(owner: Owner, id: impl Into<String>) -> Self {
        Self {
            owner,
            id: id.into(),
        }
    }
}
