//! The names that C has for scalar types, and for the values of enumerated ones.

use crate::{EnumDef, FloatName, IntName, IntType};

impl EnumDef {
    /// The enumerator of a value: of several, the first one.
    pub fn enumerator(&self, value: i128) -> Option<&str> {
        let of = |bits: u128| match self.underlying {
            IntType {
                signed: true,
                width: width @ 1..128,
                ..
            } => ((bits << (128 - width)) as i128) >> (128 - width),
            _ => bits as i128,
        };
        let mut enumerators = self.enumerators.iter();
        let named = enumerators.find(|(_, bits)| of(*bits) == value);
        named.map(|(name, _)| name.as_str())
    }
}

impl IntName {
    /// The type's name in C.
    pub fn c_name(self) -> &'static str {
        match self {
            IntName::Bool => "_Bool",
            IntName::Char => "char",
            IntName::SignedChar => "signed char",
            IntName::UnsignedChar => "unsigned char",
            IntName::Short => "short",
            IntName::UnsignedShort => "unsigned short",
            IntName::Int => "int",
            IntName::UnsignedInt => "unsigned int",
            IntName::Long => "long",
            IntName::UnsignedLong => "unsigned long",
            IntName::LongLong => "long long",
            IntName::UnsignedLongLong => "unsigned long long",
            IntName::Int128 => "__int128",
            IntName::UnsignedInt128 => "unsigned __int128",
        }
    }

    /// Whether it is one of C's three character types, whose reads may see any byte.
    pub fn is_character(self) -> bool {
        matches!(
            self,
            IntName::Char | IntName::SignedChar | IntName::UnsignedChar
        )
    }
}

impl FloatName {
    /// The type's name in C.
    pub fn c_name(self) -> &'static str {
        match self {
            FloatName::Half => "_Float16",
            FloatName::Float => "float",
            FloatName::Double => "double",
            FloatName::LongDouble => "long double",
            FloatName::Float128 => "__float128",
        }
    }

    /// Whether default promotions make another type of it.
    pub fn is_promoted(self) -> bool {
        self == FloatName::Float
    }
}
