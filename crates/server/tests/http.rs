//! Requests to a server on a free port, as curl would send them.
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, OnceLock};

use crossarc_server::{Limits, Models, Shared, Sources, Treebanks};

fn address() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let (told, heard) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let limits = Limits { bytes: 20_000, queue: 1000, ..Limits::default() };
            let models = Models::open(Sources::default(), 1, &mut |_| ()).unwrap();
            let shared = Arc::new(Shared::new(limits, models, Treebanks::default(), false));
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                told.send(listener.local_addr().unwrap()).unwrap();
                crossarc_server::serve(shared, listener, std::future::pending()).await.unwrap();
            });
        });
        heard.recv().unwrap()
    })
}

fn send(method: &str, path: &str, kind: &str, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(address()).unwrap();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    // A server may refuse a body before it has been sent.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    (answer[9..12].parse().unwrap(), answer)
}

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

#[test]
fn models_and_process_are_those_of_udpipe() {
    let (status, answer) = send("GET", "/models", "", b"");
    assert_eq!(status, 200);
    assert!(answer.contains(r#""default_model":"english-ewt""#), "{answer}");
    let query = "/process?model=english&tokenizer&tagger=&parser=&data=The+cat+sleeps.";
    let (status, answer) = send("GET", query, "", b"");
    assert_eq!(status, 200);
    assert!(answer.contains(r"3\tsleeps\tsleep\tVERB"), "{answer}");
    let body = b"tokenizer=ranges&parser=none&data=Cats%20sleep.";
    let (status, answer) = send("POST", "/process", FORM, body);
    assert_eq!(status, 200);
    assert!(answer.contains("TokenRange=0:4") && !answer.contains("VERB"), "{answer}");
    let parts = b"--b\r\ncontent-disposition: form-data; name=\"data\"\r\n\r\na b\n\r\n--b\r\ncontent-disposition: form-data; name=\"input\"\r\n\r\nhorizontal\r\n--b\r\ncontent-disposition: form-data; name=\"output\"\r\n\r\nvertical\r\n--b--\r\n";
    let (status, answer) = send("POST", "/process", "multipart/form-data; boundary=b", parts);
    assert_eq!(status, 200);
    assert!(answer.contains(r#""result":"a\nb\n\n""#), "{answer}");
}

#[test]
fn empty_lines_part_paragraphs_as_in_udpipe() {
    for (body, expected) in [
        ("input=horizontal&output=horizontal=paragraphs&data=a%0Ab%0A%0Ac", r#""a\nb\n\nc\n""#),
        ("input=vertical&output=horizontal=paragraphs&data=a%0A%0Ab%0A%0A%0Ac", r#""a\nb\n\nc\n""#),
        (
            "tokenizer=presegmented&output=horizontal=paragraphs&data=A%0A%0AB%0AC",
            r#""A\n\nB\nC\n""#,
        ),
        (
            "tokenizer=presegmented&data=A%0AB",
            r##""# newdoc\n# newpar\n# sent_id = 1\n# text = A"##,
        ),
    ] {
        let (status, answer) = send("POST", "/process", FORM, body.as_bytes());
        assert!(status == 200 && answer.contains(expected), "{body}: {answer}");
    }
}

#[test]
fn every_system_shows_its_derivation() {
    let (_, answer) = send("GET", "/v1/systems", "", b"");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let systems: serde_json::Value = serde_json::from_str(body).unwrap();
    let systems = systems["systems"].as_array().unwrap();
    assert!(systems.len() > 20);
    let heads = [2, 4, 4, 0, 4];
    let rows = heads.iter().enumerate().map(|(at, head)| {
        format!(
            "{}\tw\t_\t_\t_\t_\t{head}\t{}\t_\t_\n",
            at + 1,
            if *head == 0 { "root" } else { "x" }
        )
    });
    let conllu = rows.collect::<String>() + "\n";
    for one in systems {
        let body = serde_json::json!({ "conllu": conllu, "system": one["system"], "oracle": one["oracle"] });
        let (status, answer) = send("POST", "/v1/derivation", JSON, body.to_string().as_bytes());
        assert_eq!(status, 200, "{one}: {answer}");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let derivation: serde_json::Value = serde_json::from_str(body).unwrap();
        let last = derivation["states"].as_array().unwrap().last().unwrap();
        let mut found = [9; 5];
        for arc in last["arcs"].as_array().unwrap() {
            found[arc[1].as_u64().unwrap() as usize - 1] = arc[0].as_u64().unwrap();
        }
        assert_eq!(found, heads, "{one}");
    }
}

#[test]
fn json_requests_are_answered() {
    let body = br#"{"text": "Cats <script>alert(1)</script> sleep.", "scores": true}"#;
    let (status, answer) = send("POST", "/v1/parse", JSON, body);
    assert_eq!(status, 200);
    assert!(answer.contains("nosniff") && answer.contains(r#""crossing":"#), "{answer}");
    let lines = b"{\"tokens\": [[\"Cats\", \"sleep\"]]}\nnonsense\n";
    let (status, answer) = send("POST", "/v1/parse", "application/x-ndjson", lines);
    assert_eq!(status, 200);
    assert!(answer.contains("Bad JSON") && answer.contains(r#"{"done":2}"#), "{answer}");
    let tree = r"1\tSaw\t_\t_\t_\t_\t0\troot\t_\t_\n2\thim\t_\t_\t_\t_\t1\tobj\t_\t_\n\n";
    let requests = [
        ("/v1/draw", format!(r#"{{"conllu": "{tree}"}}"#), "<svg"),
        ("/v1/eval", format!(r#"{{"gold": "{tree}", "system": "{tree}"}}"#), r#""LAS""#),
        ("/v1/derivation", format!(r#"{{"conllu": "{tree}", "system": "swap"}}"#), r#""stack""#),
    ];
    for (path, body, expected) in requests {
        let (status, answer) = send("POST", path, JSON, body.as_bytes());
        assert!(status == 200 && answer.contains(expected), "{path}: {answer}");
    }
    for path in [
        "/",
        "/page.js",
        "/page.css",
        "/v1/models",
        "/v1/systems",
        "/v1/treebanks",
        "/v1/openapi.json",
        "/healthz",
        "/readyz",
        "/metrics",
    ] {
        assert_eq!(send("GET", path, "", b"").0, 200, "{path}");
    }
}

#[test]
fn bad_requests_are_refused() {
    let long = vec![b'a'; 30_000];
    let requests: [(&str, &str, &str, &[u8], u16); 9] = [
        ("POST", "/process", FORM, b"tokenizer=", 400),
        ("POST", "/process", FORM, b"data=%ff", 400),
        ("POST", "/process", FORM, b"data=a&model=../../etc/passwd", 400),
        ("POST", "/process", FORM, b"data=1%09broken", 400),
        ("POST", "/process", "multipart/form-data; boundary=b", b"--b\r\nbroken", 400),
        ("POST", "/process", FORM, &long, 413),
        ("POST", "/v1/parse", JSON, br#"{"text": "a", "beam": 99999999}"#, 400),
        ("POST", "/v1/parse", JSON, b"{", 400),
        ("GET", "/no/such/thing", "", b"", 404),
    ];
    for (method, path, kind, body, expected) in requests {
        let (status, answer) = send(method, path, kind, body);
        assert_eq!(status, expected, "{path}: {answer}");
    }
}
