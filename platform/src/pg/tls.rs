//! TLS to Postgres with libpq's `sslmode` meanings: `prefer` (the default) and `require` encrypt,
//! `verify-ca` and `verify-full` also check the certificate against the system's roots.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::DbError;

/// Whether the server's certificate is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SslMode {
    /// `disable`, `prefer`, `require`.
    Unverified,
    /// `verify-ca`, `verify-full`.
    Verified,
}

impl SslMode {
    /// Takes the verifying modes out of a URL, since the driver only knows the other three.
    pub(super) fn take_from(url: &str) -> Result<(String, Self), DbError> {
        for mode in ["sslmode=verify-full", "sslmode=verify-ca"] {
            if url.contains(mode) {
                return Ok((url.replace(mode, "sslmode=require"), Self::Verified));
            }
        }
        if url.is_empty() {
            return Err(DbError::Config("the connection URL is empty".to_owned()));
        }
        Ok((url.to_owned(), Self::Unverified))
    }
}

pub(super) fn connector(mode: SslMode) -> Result<MakeRustlsConnect, DbError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| DbError::Config(error.to_string()))?;
    let config = match mode {
        SslMode::Verified => {
            let mut roots = rustls::RootCertStore::empty();
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            builder.with_root_certificates(roots).with_no_client_auth()
        }
        SslMode::Unverified => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
            .with_no_client_auth(),
    };
    Ok(MakeRustlsConnect::new(config))
}

/// Accepts any certificate, as libpq does unless told to verify.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
