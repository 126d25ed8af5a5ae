//! Connections that are kept open between calls, and when they are not used again.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bourse_client::{Pacer, Request, Session};
use bourse_domain::{Query, Resource};

use crate::recorder::read_request;
use crate::virtual_time::client;

/// A server that keeps its connections open; counts them.
fn keeping_alive() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            count.fetch_add(1, Ordering::SeqCst);
            std::thread::spawn(move || {
                let body = r#"{"offers":[]}"#;
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                while read_request(&mut stream).is_some() {
                    let _ = stream.write_all((head.clone() + body).as_bytes());
                }
            });
        }
    });
    (url, connections)
}

#[tokio::test]
async fn a_connection_from_before_a_suspend_is_not_used_again() {
    let (url, connections) = keeping_alive();
    let session = Session::new(client(&url), Pacer::default());
    let search = Request::Search(Query::empty(Resource::Offers));
    for _ in 0..3 {
        assert!(session.run(&search, |_| {}).await.is_ok());
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1, "kept");
    session.drop_connections();
    assert!(session.run(&search, |_| {}).await.is_ok());
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}
