//! Values that have names outside of this program: in the database, in bodies, in tokens.

/// A kind of value that has names.
pub(crate) trait Named: Copy + 'static {
    /// Every value.
    const ALL: &'static [Self];

    /// What the value is called.
    fn name(self) -> &'static str;

    /// What is called so.
    fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|value| value.name() == name)
    }
}

/// Makes an enum of names and what they stand for.
macro_rules! named {
    ($(#[$about:meta])* $seen:vis enum $type:ident {
        $($(#[$meta:meta])* $value:ident = $name:literal,)+
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $seen enum $type { $($(#[$meta])* $value,)+ }

        impl $type {
            $seen fn as_str(self) -> &'static str {
                match self { $(Self::$value => $name,)+ }
            }
        }

        impl $crate::named::Named for $type {
            const ALL: &'static [Self] = &[$(Self::$value,)+];

            fn name(self) -> &'static str {
                self.as_str()
            }
        }
    };
}

pub(crate) use named;
