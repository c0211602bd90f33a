"""What our door to models costs over a bare aiohttp client, paired against the same mock endpoint in the same run.

    python benchmarks/throughput.py                       all measurements, ratios printed
    python benchmarks/throughput.py --rounds 3 -n 3000    more rounds of each pair, medians printed

Machines are noisy: each of our runs is followed by a run of the bare client, and only ratios are worth quoting.
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


async def bare(url: str, count: int, concurrency: int, salt: str) -> None:
    "The floor: aiohttp with as many workers as calls in flight."
    import aiohttp
    numbers = iter(range(count))
    headers = {"Authorization": "Bearer x", "Content-Type": "application/json"}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=headers) as session:
        async def worker() -> None:
            for number in numbers:
                body = json.dumps({"model": "judge", "messages": messages(number, salt), "temperature": 0}).encode()
                async with session.post(url + "/chat/completions", data=body) as response:
                    json.loads(json.loads(await response.read())["choices"][0]["message"]["content"])
        await asyncio.gather(*(worker() for _ in range(concurrency)))


async def ours(url: str, count: int, concurrency: int, salt: str, ledger: Path, chain: int = 1, window: int | None = None) -> None:
    "Ledger, validation, retries and progress on; `chain` calls one after the other in each record."
    from pydantic import BaseModel
    from gamecommbench.llm.progress import Progress
    from gamecommbench.llm.replies import parse_reply
    from gamecommbench.llm.request import make_request
    from gamecommbench.llm.scheduler import ModelClient, map_items
    from gamecommbench.llm.settings import ModelSettings

    class Verdict(BaseModel):
        verdict: str
        confidence: float

    settings = ModelSettings(model="judge", api_base=url, concurrency=concurrency)
    progress = Progress(total=count // chain, show=True)
    client = ModelClient(ledger, allow_unpriced=True, progress=progress)

    async def record(number: int) -> None:
        for call in range(chain):
            request = make_request("judge", settings.endpoint, messages(number * chain + call, salt), {"temperature": 0}, "truth", "C.10", "hash")
            outcome = await client.complete(request, settings, lambda text: Verdict.model_validate(parse_reply(text)))
            assert outcome.value is not None
        progress.step()
    async for _ in map_items(record, range(count // chain), window=window or 2 * concurrency):
        pass
    await client.close()


def main() -> None:
    "One measurement in this process (used by the parent), or all of them."
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=2000, help="calls in a measurement")
    parser.add_argument("-c", type=int, default=64, help="calls in flight")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--records", type=int, default=18000, help="records of the cached rerun, 15 calls each; 0: leave it out")
    parser.add_argument("--peers", type=Path, help="folder with peer_inspect15.py and peer_litellm.py")
    parser.add_argument("--one", nargs=5, metavar=("KIND", "URL", "SALT", "LEDGER", "CHAIN"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return one(options)
    for latency in (0.2, 0.05):
        pair(options, latency)
    chained(options)
    if options.records:
        cached(options)


def one(options: argparse.Namespace) -> None:
    "Run one measurement and print it as JSON."
    kind, url, salt, ledger, chain = options.one
    work = bare(url, options.n, options.c, salt) if kind == "bare" else ours(url, options.n, options.c, salt, Path(ledger), int(chain))
    if kind == "ours":
        import gamecommbench.llm.scheduler  # noqa: F401  imports are no part of the measurement, for either
    before, cpu, begun = stats(url), processor_seconds(), time.perf_counter()
    asyncio.run(work)
    wall = time.perf_counter() - begun
    after = stats(url)
    print(json.dumps({"wall": wall, "cpu_ms": 1000 * (processor_seconds() - cpu) / options.n, "memory_mb": memory_mb(), "requests": after["requests"] - before["requests"],
                      "in_flight": (after["area"] - before["area"]) / wall}))


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


def pair(options: argparse.Namespace, latency: float) -> None:
    "Ours against the bare client at one latency."
    rows = []
    with Server(latency) as url, tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            mine = measure(options, "ours", url, f"o{number}", f"{folder}/{number}.sqlite")
            floor = measure(options, "bare", url, f"b{number}")
            rows.append((mine["wall"] / floor["wall"], mine["cpu_ms"], floor["cpu_ms"], mine["in_flight"] / options.c, floor["in_flight"] / options.c))
    ratio, cpu, cpu_bare, flying, flying_bare = (statistics.median(column) for column in zip(*rows))
    print(f"{1000 * latency:.0f} ms, {options.n} calls, {options.c} in flight: wall {ratio:.2f} x bare (rounds {', '.join(f'{row[0]:.2f}' for row in rows)}); "
          f"CPU {cpu:.2f} ms a call (bare {cpu_bare:.2f}); mean in flight {flying:.2f} of the limit (bare {flying_bare:.2f})", flush=True)


def chained(options: argparse.Namespace) -> None:
    "Fifteen calls one after the other in each record against inspect_ai, single calls against litellm, where they are installed."
    count = options.n // 15 * 15
    with Server(0.05) as url, tempfile.TemporaryDirectory() as folder:
        for name, chain, peer in (("15 chained calls a record", 15, "peer_inspect15.py"), ("single calls", 1, "peer_litellm.py")):
            mine = measure(options, "ours", url, f"chain{chain}", f"{folder}/{chain}.sqlite", count, chain)
            ours_cps = count / mine["wall"]
            line = f"{name}, 50 ms, {count} calls: {ours_cps:.0f} calls a second"
            if options.peers:
                command = [sys.executable, options.peers.resolve() / peer, "-n", str(count), "-c", str(options.c), "--latency-ms", "50", "--base-url", url]
                run = subprocess.run(command, capture_output=True, text=True, cwd=folder)
                rows = [json.loads(row) for row in run.stdout.splitlines() if row.startswith("{")]
                why = (run.stderr.strip().splitlines() or ["no output"])[-1][:120]
                line += f"; {peer}: {rows[-1]['cps']:.0f}, ours {ours_cps / rows[-1]['cps']:.1f} x" if rows else f"; {peer}: not measured ({why})"
            print(line, flush=True)


def cached(options: argparse.Namespace) -> None:
    "A rerun out of the ledger: no request, and how long it takes."
    count = options.records * 15
    with Server(0.0) as url, tempfile.TemporaryDirectory() as folder:
        measure(options, "ours", url, "cache", f"{folder}/c.sqlite", count, 15)
        again = measure(options, "ours", url, "cache", f"{folder}/c.sqlite", count, 15)
        size = Path(f"{folder}/c.sqlite").stat().st_size / 1e6
    print(f"cached rerun of {options.records} records x 15 calls: {again['wall']:.1f} s, {1000 * again['wall'] / count:.3f} ms a call, {again['requests']} requests, "
          f"{again['memory_mb']:.0f} MB of memory, ledger {size:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
