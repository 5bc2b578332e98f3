//! The transition systems, one file each.
