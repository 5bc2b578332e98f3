//! CoNLL-U: what is read and written is read and written the same again.
#![no_main]
#[path = "../../crates/conll/tests/stability/mod.rs"]
mod stability;

libfuzzer_sys::fuzz_target!(|input: &[u8]| stability::check(input, Some(conll::Format::ConllU)));
