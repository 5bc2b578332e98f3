//! The format is recognised by content.
#![no_main]
#[path = "../../crates/conll/tests/stability/mod.rs"]
mod stability;

libfuzzer_sys::fuzz_target!(|input: &[u8]| stability::check(input, None));
