#!/usr/bin/env python3
"""Hostile requests to a server of one's own, on loopback: it must answer clearly and stay alive.

    scripts/hostile_server.py target/release/crossarc            # all, with 10,000 random requests
    scripts/hostile_server.py target/debug/crossarc --random 300 # a short run

Starts `crossarc serve` with small limits, sends oversized, truncated, slow, malformed and random
requests, tries paths as model names, overloads it, reloads its models and stops it in the middle of
fifty requests. Prints a line for each check; the exit code is the number of those that failed.
Only Python's own library is needed.
"""
import argparse
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

LIMITS = ["--max-bytes", "200000", "--max-words", "300", "--max-sentences", "2000", "--max-seconds", "60",
          "--header-seconds", "2", "--body-seconds", "2", "--concurrent", "2", "--connections", "128",
          "--log", "json"]
FORM = "application/x-www-form-urlencoded"


class Server:
    def __init__(self, program, queue):
        self.log = tempfile.TemporaryFile(mode="w+")
        command = [program, "serve", "--address", "127.0.0.1:0", *LIMITS, "--queue", str(queue)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self.log)
        for _ in range(600):
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", self.said())
            if found:
                self.port = int(found[1])
                return
            time.sleep(0.1)
        raise SystemExit("the server does not start: " + self.said())

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) // 1024

    def connect(self, seconds=30):
        return socket.create_connection(("127.0.0.1", self.port), timeout=seconds)

    def raw(self, data, seconds=30, finish=False):
        """Sends bytes; gives back the status, 0 if the connection ended without one, and the answer."""
        with self.connect(seconds) as stream:
            try:
                stream.sendall(data)
                if finish:
                    stream.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            return receive(stream)

    def post(self, path, body, kind=FORM, seconds=60):
        if isinstance(body, str):
            body = body.encode()
        head = f"POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
        return self.raw(head.encode() + body, seconds)

    def get(self, path):
        return self.raw(f"GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())

    def parse(self, value):
        return self.post("/v1/parse", json.dumps(value), "application/json")


def receive(stream):
    answer = b""
    try:
        while True:
            part = stream.recv(1 << 16)
            if not part:
                break
            answer += part
    except OSError:
        pass
    found = re.match(rb"HTTP/1\.[01] (\d+)", answer)
    return int(found[1]) if found else 0, answer


def is_whole(answer):
    """Whether an answer has the bytes that it tells; another answer may be behind it."""
    head, _, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    if length is not None:
        return int(length[1]) <= len(body)
    while found := re.match(rb"([0-9a-fA-F]+)\r\n", body):
        size = int(found[1], 16)
        body = body[found.end() + size:]
        if not body.startswith(b"\r\n"):
            return False
        body = body[2:]
        if size == 0:
            return True
    return False


failed = 0


def check(name, right, told=""):
    global failed
    failed += not right
    print(f"{'ok  ' if right else 'FAIL'} {name}{': ' if told else ''}{told}", flush=True)


def expect(name, answer, *statuses):
    status, text = answer
    message = text.partition(b"\r\n\r\n")[2][:90].decode("utf-8", "replace").strip()
    check(name, status in statuses, f"{status} {message!r}")


def malformed(server):
    expect("oversized", server.post("/process", b"data=" + b"a" * 300_000), 413)
    huge = b"POST /process HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999999999\r\n\r\n"
    expect("gigantic content-length", server.raw(huge), 400, 413)
    head = b"POST /process HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: " + FORM.encode()
    expect("truncated", server.raw(head + b"\r\ncontent-length: 500\r\n\r\ndata=a", 10, True), 400, 0)
    expect("slow body", server.raw(head + b"\r\ncontent-length: 500\r\n\r\ndata=a", 10), 408)
    chunks = head + b"\r\ntransfer-encoding: chunked\r\n\r\n" + b"1000\r\n" + b"a" * 4096 + b"\r\n"
    expect("chunks without end", server.raw(chunks * 1 + (b"1000\r\n" + b"a" * 4096 + b"\r\n") * 100, 10), 413, 400)
    expect("chunks that stop", server.raw(chunks, 10), 408)
    expect("bad chunk", server.raw(head + b"\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", 10), 400, 0)
    expect("long head", server.raw(b"GET / HTTP/1.1\r\nx: " + b"a" * 2_000_000 + b"\r\n\r\n"), 431, 400, 0)
    expect("many heads", server.raw(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 5000 + b"\r\n"), 431, 400, 0)
    expect("no HTTP", server.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20, 10), 400, 0)
    multi = "multipart/form-data; boundary=b"
    expect("multipart broken", server.post("/process", b"--b\r\nbroken", multi), 400)
    expect("multipart without boundary", server.post("/process", b"x", "multipart/form-data"), 400)
    expect("multipart without end", server.post("/process", b'--b\r\ncontent-disposition: form-data; name="data"\r\n\r\nabc', multi), 400)
    expect("bad UTF-8 in a form", server.post("/process", b"tokenizer=&data=%ff%fe"), 400)
    expect("bad UTF-8 in a body", server.post("/weblicht/tokenize", b"\xff\xfe"), 400)
    expect("bad UTF-8 in JSON", server.post("/v1/parse", b'{"text": "\xff"}', "application/json"), 400)
    expect("lone surrogate", server.post("/v1/parse", b'{"text": "\\ud800"}', "application/json"), 400)
    expect("deep JSON", server.post("/v1/parse", b"[" * 100_000, "application/json"), 400)
    expect("other type", server.post("/process", b"<a/>", "text/xml"), 415)
    for name in ["../../etc/passwd", "/etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e", "a%00b", "\u202e", "english-ewt/../x"]:
        expect(f"model {name!r}", server.post("/process", f"data=a&tokenizer=&model={name}"), 400)
    expect("path", server.get("/../../etc/passwd"), 404, 400)
    expect("encoded path", server.get("/%2e%2e/%2e%2e/etc/passwd"), 404, 400)
    expect("method", server.raw(b"DELETE /process HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"), 405)
    expect("parameters", server.post("/process", "&".join(f"a{i}=" for i in range(5000))), 400)
    for options in [{"beam": 10**30}, {"beam": -1}, {"beam": 0}, {"k_best": 10**9}, {"k_best": 1.5}, {"scores": 2}]:
        expect(f"options {options}", server.parse({"text": "a b", **options}), 400)
    expect("long sentence", server.parse({"text": "very " * 400 + "long"}), 413)
    expect("many sentences", server.parse({"tokens": [["a"]] * 3000}), 413)
    expect("gigantic numbers", server.post("/process", "data=99999999999999999999%09a" + "%09_" * 8), 400)
    cycle = "1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
    expect("given cycle", server.parse({"conllu": cycle, "keep_heads": True}), 400)
    far = "1\ta\t_\t_\t_\t_\t4000000000\tx\t_\t_\n\n"
    expect("given head far away", server.parse({"conllu": far, "keep_heads": True}), 400)
    expect("draw of no tree", server.post("/v1/draw", json.dumps({"conllu": cycle}), "application/json"), 200, 400)
    expect("derivation of no tree", server.post("/v1/derivation", json.dumps({"conllu": cycle, "system": "swap"}), "application/json"), 400)
    script = "<script>alert(1)</script> <img src=x onerror=alert(1)> sleeps."
    status, answer = server.parse({"text": script})
    check("HTML in words", status == 200 and b"application/json" in answer and b"nosniff" in answer, str(status))
    sentence = json.loads(answer.partition(b"\r\n\r\n")[2])["sentences"][0]["conllu"]
    status, answer = server.post("/v1/draw", json.dumps({"conllu": sentence}), "application/json")
    check("HTML in pictures", status == 200 and b"<script>" not in answer and b"<img" not in answer, str(status))


def slow(server):
    """Slow loris: heads that come letter by letter; others are served meanwhile."""
    streams = [server.connect() for _ in range(60)]
    start = time.time()
    for stream in streams:
        stream.sendall(b"GET / HTTP/1.1\r\nx: ")
    expect("a request beside 60 slow ones", server.get("/healthz"), 200)
    open_ones = len(streams)
    while open_ones and time.time() - start < 20:
        time.sleep(0.5)
        open_ones = 0
        for stream in streams:
            try:
                stream.sendall(b"a")
                stream.setblocking(False)
                try:
                    open_ones += stream.recv(1000) != b""
                except BlockingIOError:
                    open_ones += 1
                stream.setblocking(True)
            except OSError:
                pass
    check("slow heads are cut off", open_ones == 0, f"all closed after {time.time() - start:.0f} s")
    for stream in streams:
        stream.close()


def fuzz(server, number, seed):
    """Random requests: bytes, changed requests, values of the wrong kind."""
    chance = random.Random(seed)
    good = [
        b"GET /models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        b"POST /process HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 44\r\n\r\ntokenizer=&tagger=&parser=&data=Cats%20sleep.",
        b'POST /v1/parse HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n{"text": "Cats sleep.", "scores": false}',
        b'POST /process HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 66\r\n\r\n--b\r\ncontent-disposition: form-data; name="data"\r\n\r\nCats sleep.\r\n--b--\r\n',
        b'POST /v1/parse HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\ncontent-type: application/x-ndjson\r\n\r\n10\r\n{"text": "Cats"}\r\n0\r\n\r\n',
        b'POST /v1/derivation HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 88\r\n\r\n{"conllu": "1\\ta\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n", "system": "swap", "moves": ["SHIFT"]}',
        b"GET /v1/treebanks/0/0 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    ]
    pieces = [b"\x00", b"\xff", b"\r\n", b"%", b"&", b"{", b"}", b'"', b"9" * 30, b"-1", b"\t", b"\n\n", b"null", b"e999", "\u202e".encode(), b"--b", b"content-length: 5\r\n"]
    statuses = {}
    lock = threading.Lock()

    def work(requests):
        for data in requests:
            status, answer = server.raw(data, 10, True)
            # HEAD has no body. 0 is a connection that ended without an answer.
            whole = status != 200 or is_whole(answer) or data.startswith(b"HEAD")
            key = status if whole else "200 that broke off"
            if not whole:
                print(data, answer[:300])
            with lock:
                statuses[key] = statuses.get(key, 0) + 1

    requests = []
    for _ in range(number):
        if chance.random() < 0.1:
            requests.append(bytes(chance.randrange(256) for _ in range(chance.randrange(300))))
            continue
        data = bytearray(chance.choice(good))
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(data) + 1)
            what = chance.randrange(4)
            if what == 0:
                data[at:at] = chance.choice(pieces)
            elif what == 1:
                del data[at:at + chance.randrange(1, 20)]
            elif what == 2 and at < len(data):
                data[at] = chance.randrange(256)
            else:
                data[at:at] = data[at:at + chance.randrange(1, 40)]
        requests.append(bytes(data))
    threads = [threading.Thread(target=work, args=(requests[part::4],)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items(), key=str))
    check(f"{number} random requests (seed {seed})", 500 not in statuses and "200 that broke off" not in statuses, told)


def overload(server, text):
    statuses = []

    def one():
        statuses.append(server.post("/process", "tokenizer=&tagger=&parser=&data=" + text)[0])

    threads = [threading.Thread(target=one) for _ in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = {status: statuses.count(status) for status in sorted(set(statuses))}
    check("100 requests at once, room for 10", set(counts) <= {200, 503} and counts.get(503, 0) > 0 and counts.get(200, 0) >= 10, str(counts))
    expect("alive after that", server.post("/process", "tokenizer=&data=a"), 200)
    status, answer = server.get("/metrics")
    check("numbers", status == 200 and b'status="503"' in answer, f"{len(answer)} bytes")


def reload(server, text):
    statuses = []

    def one():
        for _ in range(5):
            statuses.append(server.post("/process", "tokenizer=&tagger=&parser=&data=" + text)[0])

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        time.sleep(0.3)
        server.process.send_signal(signal.SIGHUP)
    for thread in threads:
        thread.join()
    for _ in range(100):
        if server.said().count("read anew") == 3:
            break
        time.sleep(0.1)
    said = server.said()
    check("SIGHUP three times in 20 requests", statuses == [200] * 20 and "read anew" in said, f"{said.count('read anew')} reloads")


def stop(program, text):
    """SIGTERM in the middle of fifty requests."""
    server = Server(program, 64)
    answers = []

    def one():
        answers.append(server.post("/process", "tokenizer=&tagger=&parser=&data=" + text))

    threads = [threading.Thread(target=one) for _ in range(50)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        status, answer = server.get("/metrics")
        gauges = dict(re.findall(rb"^(crossarc_(?:running|queue)) (\d+)", answer, re.M))
        if sum(map(int, gauges.values())) + len(answers) >= 50:
            break
        time.sleep(0.05)
    before = len(answers)
    server.process.send_signal(signal.SIGTERM)
    for thread in threads:
        thread.join()
    code = server.process.wait(timeout=120)
    whole = sum(status == 200 and is_whole(answer) for status, answer in answers)
    check("SIGTERM in the middle of 50 requests", whole == 50 and before < 50 and code == 0, f"{whole} answered, {50 - before} of them after it, exit code {code}")
    try:
        server.connect(2)
        check("new connections are refused", False)
    except OSError:
        check("new connections are refused", True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--random", type=int, default=10_000, metavar="N", help="random requests (10,000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    server = Server(options.program, 8)
    try:
        text = "The cats that you saw yesterday sleep on the old sofa again. " * 20
        malformed(server)
        slow(server)
        server.get("/")
        before = server.memory()
        fuzz(server, options.random, options.seed)
        check("memory", server.memory() < before + 100, f"{before} MB before, {server.memory()} MB after")
        overload(server, text)
        reload(server, text)
        said = server.said()
        secrets = [word for word in ["Cats", "sofa", "passwd", "alert"] if word in said]
        check("the log holds no text of users", not secrets, f"{said.count(chr(10))} lines")
        check("no panic", "panicked" not in said)
        check("still there", server.process.poll() is None)
    finally:
        server.process.terminate()
        server.process.wait()
    stop(options.program, text * 8)
    sys.exit(min(failed, 100))


if __name__ == "__main__":
    main()
