"""What our door to models costs over a bare aiohttp client, paired against the same mock endpoint in the same run.

    python benchmarks/throughput.py                       all measurements, ratios printed
    python benchmarks/throughput.py --rounds 9 -n 3000    more rounds of each pair, medians printed
    python benchmarks/throughput.py --only judged         one part alone

Machines are noisy: each of our runs is followed by a run of what it is compared with, and only ratios are worth quoting.
The peers (inspect_ai, litellm) run where they are installed: --peers.
"""
import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
FILLER = "The commentator says white keeps the pressure on the f-file while black looks for counterplay on the queenside. " * 36
ANSWER = '{"verdict": "true", "confidence": 0.93}'


def messages(number: int, salt: str) -> list[dict[str, str]]:
    "A prompt of 4,000 characters, different for every number."
    head = f"[record {number} {salt}] "
    return [{"role": "system", "content": "You are a strict judge. Reply in JSON."}, {"role": "user", "content": head + FILLER[:4000 - len(head)]}]


def processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def stats(url: str) -> dict:
    return json.load(urlopen(url.removesuffix("/v1") + "/stats"))


class InFlight:
    "How many calls are under way at the client, from sending to the reply, averaged until the last one is sent."

    def __init__(self, count: int) -> None:
        self.left, self.flying, self.area, self.begun, self.ended = count, 0, 0.0, 0.0, 0.0

    def move(self, step: int) -> None:
        now = time.perf_counter()
        self.begun = self.begun or now
        if self.left:
            self.area += self.flying * (now - (self.ended or now))
            self.ended = now
        self.flying += step
        self.left -= step > 0

    def mean(self) -> float:
        return self.area / (self.ended - self.begun) if self.ended > self.begun else 0.0


async def bare(url: str, count: int, concurrency: int, salt: str, flights: InFlight) -> None:
    "The floor: aiohttp with as many workers as calls in flight."
    import aiohttp
    numbers = iter(range(count))
    headers = {"Authorization": "Bearer x", "Content-Type": "application/json"}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=headers) as session:
        async def worker() -> None:
            for number in numbers:
                body = json.dumps({"model": "judge", "messages": messages(number, salt), "temperature": 0}).encode()
                flights.move(1)
                async with session.post(url + "/chat/completions", data=body) as response:
                    raw = await response.read()
                flights.move(-1)
                json.loads(json.loads(raw)["choices"][0]["message"]["content"])
        await asyncio.gather(*(worker() for _ in range(concurrency)))


def watched(endpoint: Any, flights: InFlight) -> Any:
    "The endpoint with its calls in flight counted."
    send = endpoint.send

    async def counted(request: Any) -> Any:
        flights.move(1)
        try:
            return await send(request)
        finally:
            flights.move(-1)
    endpoint.send = counted
    return endpoint


async def ours(url: str, count: int, concurrency: int, salt: str, flights: InFlight, ledger: Path, chain: int = 1) -> None:
    "Ledger, validation, retries and progress on; `chain` calls one after the other in each record."
    from pydantic import BaseModel
    from gamecommbench.llm.progress import Progress
    from gamecommbench.llm.replies import parse_reply
    from gamecommbench.llm.request import make_request
    from gamecommbench.llm.scheduler import ModelClient, about, map_items
    from gamecommbench.llm.settings import ModelSettings

    class Verdict(BaseModel):
        verdict: str
        confidence: float

    settings = ModelSettings(model="judge", api_base=url, concurrency=concurrency)
    progress = Progress(total=count // chain, show=True)
    client = ModelClient(ledger, allow_unpriced=True, progress=progress)
    watched(client.place(settings)[0], flights)

    async def record(number: int) -> None:
        with about(record=f"r{number}"):
            for call in range(chain):
                request = make_request("judge", settings.endpoint, messages(number * chain + call, salt), {"temperature": 0}, "truth", "C.10", "hash")
                outcome = await client.complete(request, settings, lambda text: Verdict.model_validate(parse_reply(text)))
                assert outcome.value is not None
        progress.step()
    async for _ in map_items(record, range(count // chain), window=2 * concurrency):
        pass
    await client.close()


async def judged(url: str, count: int, ledger: Path) -> None:
    "A whole judge over a full ledger: every question rendered, looked up, parsed, checked and typed."
    from gamecommbench.llm.judge import make_judge
    from gamecommbench.llm.progress import Progress
    from gamecommbench.llm.scheduler import ModelClient, about, map_items
    from questions import questions
    async with ModelClient(ledger, progress=Progress(show=False)) as client:
        judge = make_judge("openai/gpt-5.4-mini", client, api_base=url)

        async def record(number: int) -> None:
            with about(record=f"r{number}", commentator="model"):
                for step, inputs in questions(number):
                    answer = await judge.ask(step, inputs)
                    assert isinstance(answer.value, step.output) and answer.call.cached
        async for _ in map_items(record, range(count // 15), window=128):
            pass


def main() -> None:
    "One measurement in this process (used by the parent), or all of them."
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=2000, help="calls in a measurement")
    parser.add_argument("-c", type=int, default=64, help="calls in flight")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--records", type=int, default=18000, help="records of the cached reruns, 15 calls each; 0: leave them out")
    parser.add_argument("--peers", type=Path, help="folder with peer_inspect15.py and peer_litellm.py; run with a Python that has them installed")
    parser.add_argument("--only", choices=["pair", "peers", "cached", "judged"], help="one part alone")
    parser.add_argument("--one", nargs=5, metavar=("KIND", "URL", "SALT", "LEDGER", "CHAIN"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return one(options)
    parts = {"pair": lambda: [pair(options, latency) for latency in (0.2, 0.05)], "peers": lambda: peers(options), "cached": lambda: cached(options), "judged": lambda: judged_rerun(options)}
    for name, part in parts.items():
        if options.only in (None, name) and (options.records or name not in ("cached", "judged")):
            part()


def one(options: argparse.Namespace) -> None:
    "Run one measurement and print it as JSON."
    kind, url, salt, ledger, chain = options.one
    flights = InFlight(options.n)
    if kind != "bare":
        import gamecommbench.llm.judge  # noqa: F401  imports are no part of the measurement, for either
    if kind == "judged":
        import questions  # noqa: F401
    work = {"bare": lambda: bare(url, options.n, options.c, salt, flights), "judged": lambda: judged(url, options.n, Path(ledger)),
            "ours": lambda: ours(url, options.n, options.c, salt, flights, Path(ledger), int(chain))}[kind]
    before, cpu, begun = stats(url), processor_seconds(), time.perf_counter()
    asyncio.run(work())
    wall = time.perf_counter() - begun
    after = stats(url)
    print(json.dumps({"wall": wall, "cpu": processor_seconds() - cpu, "memory_mb": memory_mb(), "requests": after["requests"] - before["requests"],
                      "at_client": flights.mean(), "at_server": (after["area"] - before["area"]) / wall}))


def measure(options: argparse.Namespace, kind: str, url: str, salt: str, ledger: str = "", count: int = 0, chain: int = 1) -> dict:
    "One measurement in a process of its own."
    command = [sys.executable, __file__, "-n", str(count or options.n), "-c", str(options.c), "--one", kind, url, salt, ledger or "none", str(chain)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout)


class Server:
    "The mock endpoint in its own process."

    def __init__(self, latency: float) -> None:
        self.latency = latency

    def __enter__(self) -> str:
        script = Path(__file__).parents[1] / "tests" / "mock_endpoint.py"
        self.process = subprocess.Popen([sys.executable, script, "--latency", str(self.latency), "--plain", ANSWER, "--seconds", "3600"], stdout=subprocess.PIPE, text=True)
        return f"http://127.0.0.1:{self.process.stdout.readline().split()[1]}/v1"

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()


def rounds_of(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} x (rounds {', '.join(f'{ratio:.2f}' for ratio in ratios)})"


def pair(options: argparse.Namespace, latency: float) -> None:
    "Ours against the bare client at one latency, in turn."
    mine, floor = [], []
    with Server(latency) as url, tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            mine.append(measure(options, "ours", url, f"o{number}", f"{folder}/{number}.sqlite"))
            floor.append(measure(options, "bare", url, f"b{number}"))

    def middle(rows: list[dict], name: str, scale: float) -> float:
        return statistics.median(row[name] * scale for row in rows)
    per_call, share = 1000 / options.n, 1 / options.c
    print(f"{1000 * latency:.0f} ms, {options.n} calls, {options.c} in flight: wall {rounds_of([a['wall'] / b['wall'] for a, b in zip(mine, floor)])} of bare; "
          f"CPU {middle(mine, 'cpu', per_call):.2f} ms a call (bare {middle(floor, 'cpu', per_call):.2f}); mean in flight, of the limit: "
          f"between sending and reply {middle(mine, 'at_client', share):.2f} (bare {middle(floor, 'at_client', share):.2f}), "
          f"as the server sees it {middle(mine, 'at_server', share):.2f} (bare {middle(floor, 'at_server', share):.2f})", flush=True)


def peers(options: argparse.Namespace) -> None:
    "Single calls against litellm, fifteen calls one after the other in each record against inspect_ai, in turn; at 50 ms, and at 10 ms, where the client and not the network is what limits."
    if not options.peers:
        return print("peers: not measured; give their folder with --peers")
    for latency in (0.05, 0.01):
        for name, chain, peer in (("single calls", 1, "peer_litellm.py"), ("15 chained calls a record", 15, "peer_inspect15.py")):
            against(options, latency, name, chain, peer)


def against(options: argparse.Namespace, latency: float, name: str, chain: int, peer: str) -> None:
    "Our throughput over a peer's, round by round."
    count, mine, theirs = options.n // 15 * 15, [], []
    with Server(latency) as url, tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            mine.append(count / measure(options, "ours", url, f"{chain}-{number}", f"{folder}/{chain}-{number}.sqlite", count, chain)["wall"])
            command = [sys.executable, options.peers.resolve() / peer, "-n", str(count), "-c", str(options.c), "--latency-ms", f"{1000 * latency:g}", "--base-url", url]
            run = subprocess.run(command, capture_output=True, text=True, cwd=folder)
            rows = [json.loads(row) for row in run.stdout.splitlines() if row.startswith("{")]
            if not rows:
                return print(f"{peer}: not measured ({(run.stderr.strip().splitlines() or ['no output'])[-1][:120]})", flush=True)
            theirs.append(rows[-1]["cps"])
    print(f"{name}, {1000 * latency:g} ms, {count} calls: {statistics.median(mine):.0f} calls a second, {peer} {statistics.median(theirs):.0f}: "
          f"{rounds_of([a / b for a, b in zip(mine, theirs)])}; the network allows {options.c / latency:.0f} calls a second", flush=True)


def report(what: str, count: int, again: dict, ledger: Path) -> None:
    print(f"{what} of {count // 15:,} records x 15 calls: {again['wall']:.1f} s ({again['cpu']:.1f} s of processor), {1e6 * again['wall'] / count:.0f} us a call, "
          f"{again['requests']} requests, {again['memory_mb']:.0f} MB of memory, ledger {ledger.stat().st_size / 1e6:.0f} MB", flush=True)


def cached(options: argparse.Namespace) -> None:
    "A rerun out of the ledger, through the door alone: no request, and how long it takes."
    count = options.records * 15
    with Server(0.0) as url, tempfile.TemporaryDirectory() as folder:
        measure(options, "ours", url, "cache", f"{folder}/c.sqlite", count, 15)
        report("cached rerun through the door", count, measure(options, "ours", url, "cache", f"{folder}/c.sqlite", count, 15), Path(f"{folder}/c.sqlite"))


def judged_rerun(options: argparse.Namespace) -> None:
    "A rerun out of the ledger through the whole judge."
    from gamecommbench.llm.settings import load_config
    from questions import fill
    with Server(0.0) as url, tempfile.TemporaryDirectory() as folder:
        asyncio.run(fill(Path(f"{folder}/j.sqlite"), load_config("openai/gpt-5.4-mini", api_base=url), options.records))
        for _ in range(min(3, options.rounds)):
            report("cached rerun through the judge", options.records * 15, measure(options, "judged", url, "", f"{folder}/j.sqlite", options.records * 15), Path(f"{folder}/j.sqlite"))


if __name__ == "__main__":
    main()
