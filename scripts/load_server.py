#!/usr/bin/env python3
"""How fast the server is beside the program, and how it bears many connections; on loopback.

    scripts/load_server.py target/release/crossarc novel.txt [--seconds 60] [--connections 200]

Needs wrk. The text is cut into requests of some sentences. Three measures, all with two threads:
words a second of `crossarc parse`, words a second of the server with few connections, and requests,
errors, delays and memory with many connections for a longer time. Words a second of CPU time do not
depend on what else the machine does.
"""
import argparse
import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request

LUA = """
local texts = {}
for line in io.lines("%s") do texts[#texts + 1] = line end
local at = 0
request = function()
  at = at %% #texts + 1
  return wrk.format("POST", "/v1/parse", {["content-type"] = "application/json"}, texts[at])
end
"""


def words_of(address):
    with urllib.request.urlopen(address + "metrics") as answer:
        return int(re.search(r"^crossarc_words_total (\d+)", answer.read().decode(), re.M)[1])


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("text")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--characters", type=int, default=1_000_000, metavar="N", help="of the text that are used")
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

        requests = os.path.join(folder, "requests")
        with open(requests, "w", encoding="utf-8") as file:
            for at in range(0, len(paragraphs), 10):
                file.write(json.dumps({"text": "\n\n".join(paragraphs[at:at + 10])}) + "\n")
        script = os.path.join(folder, "post.lua")
        with open(script, "w", encoding="utf-8") as file:
            file.write(LUA % requests)
        command = [options.program, "serve", "--address", "127.0.0.1:0", "--concurrent", "2", "--queue", "500"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        address = re.search(r"http://\S+", server.stderr.readline())[0]
        try:
            for connections, seconds in [(4, min(20, options.seconds)), (options.connections, options.seconds)]:
                before, start, used = words_of(address), time.time(), cpu_of(server)
                memory = memory_of(server)
                told = wrk(address, script, connections, seconds)
                words = words_of(address) - before
                speed, of_cpu = words / (time.time() - start), words / (cpu_of(server) - used)
                told = [line.strip() for line in told.splitlines() if re.search(r"50%|99%|requests in|Non-2xx|Socket errors", line)]
                print(f"{connections} connections, {seconds} s: {speed:,.0f} words/s, {speed / of_program:.0%} of the program; "
                      f"{of_cpu:,.0f} by CPU time, {of_cpu / by_cpu:.0%}; "
                      f"memory {memory} MB before, {memory_of(server)} MB after; {'; '.join(told)}")
        finally:
            server.terminate()
            print("exit code", server.wait())


if __name__ == "__main__":
    main()
