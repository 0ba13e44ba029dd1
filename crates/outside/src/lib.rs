//! What the server sends and fetches of its own accord: feeds from folders and addresses, alarms.
