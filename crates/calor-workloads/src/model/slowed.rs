//! A kernel that takes a fifth longer than it has to, in builds with the feature `slow-kernel` and in no other: what a comparison
//! of two builds has to find and to name. In all others nothing of this is left, not even a frame on the stack.

/// When the kernel began.
pub(super) struct Begun(#[cfg(feature = "slow-kernel")] std::time::Instant);

/// Before the kernel.
#[inline(always)]
pub(super) fn begin() -> Begun {
    #[cfg(feature = "slow-kernel")]
    return Begun(std::time::Instant::now());
    #[cfg(not(feature = "slow-kernel"))]
    Begun()
}

/// After it. In such a build the processor is then kept busy for a fifth of the time that the kernel took: doing a fifth of the
/// work again would find its weights in the nearest cache, and take less than that. By the clock on the wall, since asking for CPU
/// time takes a tenth of what the kernel does.
#[inline(always)]
pub(super) fn end(begun: Begun) {
    #[cfg(feature = "slow-kernel")]
    keep_busy(begun.0);
    #[cfg(not(feature = "slow-kernel"))]
    let Begun() = begun;
}

#[cfg(feature = "slow-kernel")]
fn keep_busy(begun: std::time::Instant) {
    let until = begun.elapsed() * 6 / 5;
    while begun.elapsed() < until {
        std::hint::spin_loop();
    }
}
