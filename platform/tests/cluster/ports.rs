//! Ports that are free, taken, or picked.

use std::net::TcpListener;

use platform::cluster::{Cluster, ClusterError};

use super::{binaries, open_folder};

#[tokio::test]
async fn a_taken_port_is_refused_before_anything_is_created() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let error = Cluster::builder(binaries(), &data_dir)
        .port(port)
        .start()
        .await
        .unwrap_err();
    assert!(
        matches!(error, ClusterError::PortTaken { port: named } if named == port),
        "{error}"
    );
    assert!(!data_dir.exists());
}

#[tokio::test]
async fn port_zero_picks_a_free_port() {
    let cluster = Cluster::temporary(binaries())
        .port(0)
        .start()
        .await
        .unwrap();
    assert_ne!(cluster.port(), 0);
    cluster.stop().await.unwrap();
}
