//! Every error code that this service answers with, as spelt on the wire.
//!
//! Mirrors upstream's `internal/api/apierrors/errorcode.go`. A code has no fixed HTTP status:
//! `insufficient_aal`, for one, is answered with 401, 403 or 422 depending on the route.

use crate::named::named;

named! {
    /// What went wrong, for programs; in upstream's order.
    pub(crate) enum ErrorCode {
        Unknown = "unknown",
        UnexpectedFailure = "unexpected_failure",
        ValidationFailed = "validation_failed",
        BadJson = "bad_json",
        EmailExists = "email_exists",
        PhoneExists = "phone_exists",
        BadJwt = "bad_jwt",
        NotAdmin = "not_admin",
        NoAuthorization = "no_authorization",
        UserNotFound = "user_not_found",
        SessionNotFound = "session_not_found",
        SessionExpired = "session_expired",
        RefreshTokenNotFound = "refresh_token_not_found",
        RefreshTokenAlreadyUsed = "refresh_token_already_used",
        FlowStateNotFound = "flow_state_not_found",
        FlowStateExpired = "flow_state_expired",
        SignupDisabled = "signup_disabled",
        UserBanned = "user_banned",
        UnexpectedAudience = "unexpected_audience",
        SingleIdentityNotDeletable = "single_identity_not_deletable",
        EmailConflictIdentityNotDeletable = "email_conflict_identity_not_deletable",
        EmailProviderDisabled = "email_provider_disabled",
        PhoneProviderDisabled = "phone_provider_disabled",
        TooManyEnrolledMfaFactors = "too_many_enrolled_mfa_factors",
        MfaFactorNameConflict = "mfa_factor_name_conflict",
        MfaFactorNotFound = "mfa_factor_not_found",
        MfaIpAddressMismatch = "mfa_ip_address_mismatch",
        MfaChallengeExpired = "mfa_challenge_expired",
        MfaVerificationFailed = "mfa_verification_failed",
        InsufficientAal = "insufficient_aal",
        SamlProviderDisabled = "saml_provider_disabled",
        ManualLinkingDisabled = "manual_linking_disabled",
        EmailNotConfirmed = "email_not_confirmed",
        PhoneNotConfirmed = "phone_not_confirmed",
        UserAlreadyExists = "user_already_exists",
        Conflict = "conflict",
        ProviderDisabled = "provider_disabled",
        UserSsoManaged = "user_sso_managed",
        ReauthenticationNeeded = "reauthentication_needed",
        SamePassword = "same_password",
        ReauthenticationNotValid = "reauthentication_not_valid",
        CurrentPasswordInvalid = "current_password_invalid",
        CurrentPasswordRequired = "current_password_required",
        OtpExpired = "otp_expired",
        OtpDisabled = "otp_disabled",
        IdentityNotFound = "identity_not_found",
        WeakPassword = "weak_password",
        OverRequestRateLimit = "over_request_rate_limit",
        OverEmailSendRateLimit = "over_email_send_rate_limit",
        OverSmsSendRateLimit = "over_sms_send_rate_limit",
        BadCodeVerifier = "bad_code_verifier",
        AnonymousProviderDisabled = "anonymous_provider_disabled",
        RequestTimeout = "request_timeout",
        MfaPhoneEnrollNotEnabled = "mfa_phone_enroll_not_enabled",
        MfaPhoneVerifyNotEnabled = "mfa_phone_verify_not_enabled",
        MfaTotpEnrollNotEnabled = "mfa_totp_enroll_not_enabled",
        MfaTotpVerifyNotEnabled = "mfa_totp_verify_not_enabled",
        MfaWebauthnEnrollNotEnabled = "mfa_webauthn_enroll_not_enabled",
        MfaWebauthnVerifyNotEnabled = "mfa_webauthn_verify_not_enabled",
        InvalidCredentials = "invalid_credentials",
        EmailAddressNotAuthorized = "email_address_not_authorized",
        EmailAddressInvalid = "email_address_invalid",
        Web3ProviderDisabled = "web3_provider_disabled",
        FeatureDisabled = "feature_disabled",
        RequestEntityTooLarge = "request_entity_too_large",
        PasskeyDisabled = "passkey_disabled",
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body::MessageBody as _;
    use actix_web::http::StatusCode;
    use serde_json::{Value, json};

    use super::ErrorCode;
    use crate::error::{ApiVersion, Error, render};
    use crate::named::Named as _;

    const TABLE: &str = include_str!("../../tests/error_codes.txt");

    fn answer(error: &Error, version: ApiVersion) -> (u16, String, Value) {
        let response = render(error, version, None);
        let header = response.headers().get("x-sb-error-code").unwrap();
        let (status, header) = (
            response.status().as_u16(),
            header.to_str().unwrap().to_owned(),
        );
        let body = response.into_body().try_into_bytes().unwrap();
        (status, header, serde_json::from_slice(&body).unwrap())
    }

    #[test]
    fn every_code_of_the_table_is_answered_in_both_formats() {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
        let rows: Vec<Vec<&str>> = rows.map(|row| row.split_whitespace().collect()).collect();
        let codes: Vec<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        let listed: Vec<_> = rows.iter().map(|row| row[0]).collect();
        assert_eq!(listed, codes);
        for row in &rows {
            let (name, code) = (row[0], ErrorCode::named(row[0]));
            for status in &row[1..] {
                let status: u16 = status.trim_end_matches('*').parse().unwrap();
                let error = Error::status(StatusCode::from_u16(status).unwrap(), code, "Why");
                let body = json!({ "code": status, "error_code": name, "msg": "Why" });
                let expected = (status, name.to_owned(), body);
                assert_eq!(answer(&error, ApiVersion::Initial), expected);
                let body = json!({ "code": name, "message": "Why" });
                let expected = (status, name.to_owned(), body);
                assert_eq!(answer(&error, ApiVersion::V20240101), expected);
            }
        }
    }
}
