#!/usr/bin/env python3
"""How fast the server is beside the program, and how it bears many connections; on loopback.

    scripts/load_server.py target/release/crossarc novel.txt [--seconds 60] [--connections 200] [--udpipe MODEL]

Needs wrk. The text is cut into requests of some sentences. Three measures, all with two threads:
words a second of `crossarc parse`, words a second of the server with few connections, and requests,
errors, delays and memory with many connections for a longer time. Words a second of CPU time do not
depend on what else the machine does. With --udpipe, ufal.udpipe answers the same texts behind Python's
own WSGI server, and both are asked in UDPipe's protocol.
"""
import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

LUA = """
local texts = {}
for line in io.lines("%s") do texts[#texts + 1] = line end
local at = 0
request = function()
  at = at %% #texts + 1
  return wrk.format("POST", "%s", {["content-type"] = "%s"}, texts[at])
end
"""

# UDPipe behind WSGI: `POST /process`, and how many words it has parsed.
UDPIPE = '''
import json
import sys
import threading
import urllib.parse
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from ufal.udpipe import Model, Pipeline

model = Model.load(sys.argv[1])
words = 0
lock = threading.Lock()


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 500


class Handler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def answer(environ, start):
    global words
    if environ["PATH_INFO"] == "/metrics":
        start("200 OK", [("Content-Type", "text/plain")])
        return [f"words_total {words}\\n".encode()]
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])).decode()
    pipeline = Pipeline(model, "tokenize", Pipeline.DEFAULT, Pipeline.DEFAULT, "conllu")
    result = pipeline.process(urllib.parse.parse_qs(body)["data"][0])
    with lock:
        words += sum(line.partition("\\t")[0].isdigit() for line in result.split("\\n"))
    start("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"model": "udpipe", "acknowledgements": [], "result": result}).encode()]


server = make_server("127.0.0.1", 0, answer, Server, Handler)
print(f"http://127.0.0.1:{server.server_port}/", file=sys.stderr, flush=True)
server.serve_forever()
'''


def words_of(address):
    with urllib.request.urlopen(address + "metrics") as answer:
        return int(re.search(r"^(?:crossarc_)?words_total (\d+)", answer.read().decode(), re.M)[1])


def memory_of(process):
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) // 1024


def cpu_of(process):
    with open(f"/proc/{process.pid}/stat") as status:
        fields = status.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wrk(address, script, connections, seconds):
    command = ["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "--latency", "-s", script, address]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@contextlib.contextmanager
def started(command):
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        yield server, re.search(r"http://\S+", server.stderr.readline())[0]
    finally:
        server.terminate()
        print("exit code", server.wait())


def measured(name, server, address, script, connections, seconds, of_program, by_cpu):
    """Loads a server, and tells its speed beside that of the program."""
    before, start, used = words_of(address), time.time(), cpu_of(server)
    memory = memory_of(server)
    told = wrk(address, script, connections, seconds)
    words = words_of(address) - before
    speed, of_cpu = words / (time.time() - start), words / (cpu_of(server) - used)
    told = [line.strip() for line in told.splitlines() if re.search(r"50%|99%|requests in|Non-2xx|Socket errors", line)]
    print(f"{name}, {connections} connections, {seconds} s: {speed:,.0f} words/s, {speed / of_program:.0%} of the program; "
          f"{of_cpu:,.0f} by CPU time, {of_cpu / by_cpu:.0%}; "
          f"memory {memory} MB before, {memory_of(server)} MB after; {'; '.join(told)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("text")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--characters", type=int, default=1_000_000, metavar="N", help="of the text that are used")
    parser.add_argument("--udpipe", metavar="MODEL", help="model of UDPipe, whose library must be installed")
    options = parser.parse_args()
    with open(options.text, encoding="utf-8") as file:
        paragraphs = [part for part in file.read(options.characters).split("\n\n") if part.strip()]

    with tempfile.TemporaryDirectory() as folder:
        sample = os.path.join(folder, "sample.txt")
        with open(sample, "w", encoding="utf-8") as file:
            file.write("\n\n".join(paragraphs))
        start, used = time.time(), os.times()
        out = subprocess.run([options.program, "parse", sample, "--threads", "2"], capture_output=True, check=True).stdout
        seconds = time.time() - start
        words = sum(re.match(rb"\d+\t", line) is not None for line in out.split(b"\n"))
        after = os.times()
        used = after.children_user + after.children_system - used.children_user - used.children_system
        of_program, by_cpu = words / seconds, words / used
        print(f"crossarc parse: {words} words in {seconds:.1f} s: {of_program:,.0f} words/s, {by_cpu:,.0f} by CPU time")

        texts = ["\n\n".join(paragraphs[at:at + 10]) for at in range(0, len(paragraphs), 10)]

        def script_of(path, kind, bodies):
            """A script for wrk that sends these bodies in turn."""
            name = path.strip("/").replace("/", "-")
            requests, script = (os.path.join(folder, f"{name}.{ending}") for ending in ("txt", "lua"))
            with open(requests, "w", encoding="utf-8") as file:
                file.writelines(body + "\n" for body in bodies)
            with open(script, "w", encoding="utf-8") as file:
                file.write(LUA % (requests, path, kind))
            return script

        ours = script_of("/v1/parse", "application/json", [json.dumps({"text": text}) for text in texts])
        steps = {"tokenizer": "", "tagger": "", "parser": ""}
        forms = [urllib.parse.urlencode({**steps, "data": text}) for text in texts]
        theirs = script_of("/process", "application/x-www-form-urlencoded", forms)
        few = min(20, options.seconds)
        with started([options.program, "serve", "--address", "127.0.0.1:0", "--concurrent", "2", "--queue", "500"]) as served:
            measured("crossarc", *served, ours, 4, few, of_program, by_cpu)
            measured("crossarc", *served, ours, options.connections, options.seconds, of_program, by_cpu)
            if options.udpipe:
                measured("crossarc, /process", *served, theirs, 4, few, of_program, by_cpu)
        if options.udpipe:
            with started([sys.executable, "-c", UDPIPE, options.udpipe]) as served:
                measured("ufal.udpipe, /process", *served, theirs, 4, few, of_program, by_cpu)


if __name__ == "__main__":
    main()
