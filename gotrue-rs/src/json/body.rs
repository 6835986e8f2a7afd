//! The macro that declares request bodies.

/// Declares the body of a request and how a document fills it.
///
/// The string after `as` is the name the decoder prints for the struct. A field's name on the
/// wire is its own unless another follows it.
macro_rules! body {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident as $go:literal {
            $($(#[$field_meta:meta])* $field:ident $(as $wire:literal)?: $kind:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        $vis struct $name {
            $($(#[$field_meta])* pub(crate) $field: $kind,)*
        }

        impl $crate::json::Field for $name {
            fn decode(
                &mut self,
                node: &$crate::json::Node,
                at: $crate::json::At<'_>,
            ) -> Result<(), $crate::json::TypeError> {
                let pairs = match node {
                    $crate::json::Node::Null => return Ok(()),
                    $crate::json::Node::Object(pairs) => pairs,
                    other => return Err(at.mismatch(other.kind(), concat!("api.", $go))),
                };
                for (key, item) in pairs {
                    $(
                        let wire = $crate::json::body!(@wire $field $($wire)?);
                        if $crate::json::same_key(key, wire) {
                            $crate::json::decode_field(&mut self.$field, item, ($go, wire), at)?;
                        }
                    )*
                }
                Ok(())
            }
        }

        impl $crate::json::Body for $name {}
    };
    (@wire $field:ident) => { stringify!($field) };
    (@wire $field:ident $wire:literal) => { $wire };
}

pub(crate) use body;

#[cfg(test)]
mod tests {
    use crate::json::{Document, read};

    super::body! {
        struct Inner as "innerParams" { token: String, }
    }
    super::body! {
        struct Sample as "SampleParams" {
            email: String,
            password: Option<String>,
            create_user: Option<bool>,
            data: Option<Document>,
            meta as "gotrue_meta_security": Inner,
        }
    }

    #[test]
    fn keys_match_in_any_case_and_the_last_one_wins() {
        let body: Sample =
            read(br#"{"Email":"a","EMAIL":"b","x":1,"gotrue_meta_security":{"token":"t"}}"#)
                .unwrap();
        assert_eq!(body.email, "b");
        assert_eq!(body.meta.token, "t");
    }

    #[test]
    fn null_leaves_the_zero_value() {
        let body: Sample =
            read(br#"{"email":null,"password":"p","password":null,"create_user":null}"#).unwrap();
        assert_eq!(body.email, "");
        assert_eq!(body.password, None);
        assert_eq!(body.create_user, None);
    }

    #[test]
    fn wrong_kinds_are_named() {
        for (input, text) in [
            (
                "[]",
                "json: cannot unmarshal array into Go value of type api.SampleParams",
            ),
            (
                r#"{"email":1}"#,
                "json: cannot unmarshal number into Go struct field SampleParams.email of type string",
            ),
            (
                r#"{"data":[]}"#,
                "json: cannot unmarshal array into Go struct field SampleParams.data of type map[string]interface {}",
            ),
            (
                r#"{"gotrue_meta_security":{"token":{}}}"#,
                "json: cannot unmarshal object into Go struct field innerParams.gotrue_meta_security.token of type string",
            ),
            (
                r#"{"data":{"n":1e999}}"#,
                "json: cannot unmarshal number 1e999 into Go struct field SampleParams.data of type float64",
            ),
        ] {
            let error = read::<Sample>(input.as_bytes()).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("Could not parse request body as JSON: {text}")
            );
        }
    }
}
