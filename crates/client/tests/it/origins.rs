//! Sixty ways to spell an address: whether a key may travel there is judged by what it parses to.

use std::io::ErrorKind;
use std::net::TcpListener;

use bourse_client::{Client, ClientConfig, Origin, Request, Secret};
use bourse_domain::Dialect;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    /// A key may be sent there.
    Key,
    /// It is an address, but a key would travel in the clear.
    Clear,
    /// It is no base address.
    No,
}

fn verdict(text: &str) -> Verdict {
    match Origin::parse(text).map(|origin| origin.judge_for_key()) {
        Ok(Ok(())) => Verdict::Key,
        Ok(Err(_)) => Verdict::Clear,
        Err(_) => Verdict::No,
    }
}

#[rustfmt::skip]
const SPELLINGS: [(&str, Verdict); 72] = {
    use Verdict::{Clear, Key, No};
    [
    // This computer, however it is written.
    ("http://127.0.0.1", Key), ("http://127.0.0.1:1", Key), ("http://127.0.0.1/p/", Key),
    ("http://127.1", Key), ("http://127.0.1", Key), ("http://0x7f.0.0.1", Key),
    ("http://0x7f000001", Key), ("http://017700000001", Key), ("http://0177.0.0.1", Key),
    ("http://2130706433", Key), ("http://127.255.255.254", Key), ("http://127.0.0.1.", Key),
    ("http://[::1]", Key), ("http://[::1]:80/x", Key), ("http://[0:0:0:0:0:0:0:1]", Key),
    ("http://localhost", Key), ("http://LocalHost:8", Key), ("http://%6cocalhost", Key),
    ("http://１２７.0.0.1", Key), ("  http://127.0.0.1  ", Key), ("HTTP://127.0.0.1", Key),
    // Anywhere by TLS.
    ("https://h.example", Key), ("HTTPS://H.EXAMPLE:8443/p", Key), ("https://10.0.0.1", Key),
    ("https://bücher.example", Key), ("https://[2001:db8::1]", Key), ("https://0.0.0.0", Key),
    // Names and numbers that only look like this computer.
    ("http://localhost.example.com", Clear), ("http://127.0.0.1.nip.io", Clear),
    ("http://127.0.0.1.example", Clear), ("http://localhost.", Clear), ("http://localhost..", Clear),
    ("http://localhost.localdomain", Clear), ("http://ip6-localhost", Clear),
    ("http://0.0.0.0", Clear), ("http://0", Clear), ("http://[::]", Clear),
    ("http://[::ffff:127.0.0.1]", Clear), ("http://[::ffff:7f00:1]", Clear),
    ("http://[::127.0.0.1]", Clear), ("http://[::2]", Clear), ("http://126.255.255.255", Clear),
    ("http://128.0.0.1", Clear), ("http://2130706432.example", Clear), ("http://10.0.0.1", Clear),
    ("http://169.254.169.254", Clear), ("http://192.168.1.1", Clear), ("http://h.example", Clear),
    ("http://evil.example\\127.0.0.1", Clear), ("http://evil.example/127.0.0.1", Clear),
    ("http://evil.example/@127.0.0.1", Clear), ("http://xn--lcalhost-54a.example", Clear),
    // No base addresses.
    ("http://127.0.0.1@evil.example", No), ("http://u:p@127.0.0.1", No), ("https://u@h.example", No),
    ("http://evil.example\\@127.0.0.1", Clear), ("http://h.example?x", No), ("http://h.example#x", No),
    ("https://h.example/?", No), ("ftp://127.0.0.1", No), ("file:///etc/passwd", No),
    ("javascript:alert(1)", No), ("data:text/plain,x", No), ("//127.0.0.1", No), ("127.0.0.1", No),
    ("localhost:80", No), ("http://", No), ("", No), ("http://[::1", No), ("http://a b", No),
    ("http://127.0.0.256", No), ("http://h.example:99999", No),
    ]
};

#[test]
fn every_spelling_is_judged_by_what_it_means() {
    for (text, wanted) in SPELLINGS {
        assert_eq!(verdict(text), wanted, "{text}");
    }
}

#[tokio::test]
async fn nothing_is_sent_where_a_key_must_not_go() {
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let client = |host: &str| {
        let origin = Origin::parse(&format!("http://{host}:{port}")).unwrap();
        Client::new(ClientConfig {
            sends_route_key: true,
            management: origin.clone(),
            route: origin,
            dialect: &Dialect::DOCUMENTED,
            key: Some(Secret::new("canary-key")),
        })
    };
    for host in ["0.0.0.0", "0", "[::ffff:127.0.0.1]", "[::]", "localhost."] {
        assert!(client(host).is_err(), "{host}");
        let none = listener.accept().unwrap_err();
        assert_eq!(none.kind(), ErrorKind::WouldBlock, "{host}");
    }
    // Control: the same listener hears of a good one.
    let good = client("127.0.0.1").unwrap();
    let call = tokio::spawn(async move { good.call(&Request::ListWorkergroups).await });
    while listener.accept().is_err() {
        tokio::task::yield_now().await;
    }
    call.abort();
}
