//! Telling the processor which memory will be needed soon.
//!
//! # Safety
//! A prefetch has no effect that a program can observe: it cannot fault, and it reads nothing.

/// Asks for the cache line where a value starts.
#[inline]
#[allow(unsafe_code, reason = "an instruction of the processor")]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: see the module documentation; the address is that of a living value.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
