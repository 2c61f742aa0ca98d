//! What is known of each byte of an allocation, as flags.

/// Flags of a byte: it was written or has an initial value.
pub(crate) const INITIALISED: u8 = 1;
/// Flags of a byte: an [`super::Entry`] covers it.
pub(crate) const SHADOWED: u8 = 2;
/// Flags of a byte: it is an input that nothing has looked at yet.
pub(crate) const UNSEEN: u8 = 4;
/// Flags of a byte: the program wrote it in this execution.
pub(crate) const WRITTEN: u8 = 8;
/// Flags of a byte that is [`UNSEEN`]: a call that was replaced may have changed it.
pub(crate) const CHANGED: u8 = 16;
/// Flags of a byte that is [`INITIALISED`] and not [`UNSEEN`]: some of its bits were copied from
/// padding beside a bit-field or the value of a `_Bool`.
pub(crate) const OPEN_BITS: u8 = 16;
/// Flags of a byte that is [`UNSEEN`]: it holds what it held, but a function without a body could
/// have changed it as no candidate offers.
pub(crate) const NARROWED: u8 = 32;
/// Flags of a byte that is [`INITIALISED`]: it was never written; it was read, and holds an input
/// since.
pub(crate) const UNWRITTEN: u8 = 128;
/// Flags of a byte that is [`INITIALISED`]: it was copied from padding.
pub(crate) const OF_PADDING: u8 = 64;
/// The flags that decide whether the bits are the whole value.
pub(crate) const STATE: u8 = INITIALISED | SHADOWED | UNSEEN | UNWRITTEN | OF_PADDING;
