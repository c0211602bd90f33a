"""`gamecommbench --help` against a bare Python start, paired: the target is three times a bare start plus 0.15 s.

Run: python benchmarks/startup.py [--repeats 11]
"""
import argparse
import statistics
import subprocess
import sys
import time


def seconds(*command: str) -> float:
    "Wall time of one process."
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=11)
    options = parser.parse_args()
    script = "import sys; sys.argv = ['gamecommbench', '--help']; from gamecommbench.cli import main; main()"
    pairs = [(seconds(sys.executable, "-c", "pass"), seconds(sys.executable, "-c", script)) for _ in range(options.repeats + 1)][1:]
    bare, ours = (statistics.median(values) for values in zip(*pairs))
    print(f"bare start {bare * 1000:.0f} ms, --help {ours * 1000:.0f} ms: {ours / bare:.1f} x; allowed {(3 * bare + 0.15) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
