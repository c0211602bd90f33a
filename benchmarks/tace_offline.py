"""Offline TACE on one core without the engine: candidates judged a second, and the ratio to reading their text with pysbd alone.

Run: python benchmarks/tace_offline.py [--repeats 3]
The floor is what any sentence-based evaluator pays first: splitting every candidate into sentences with pysbd.
"""
import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path

import pysbd

from gamecommbench.pipeline import evaluate, generate, prepare_records
from gamecommbench.runs import JudgementLog, RunConfig, open_run
from gamecommbench.setting import commentators_of, maker_of, resolve, setting_of
from gamecommbench.state.load import contexts_of


async def judged_seconds(place: Path) -> tuple[int, float, list[str]]:
    "Number of candidates, seconds to judge them, and their texts."
    config = resolve(RunConfig(engine="none"))
    folder = open_run(place, config)
    async with setting_of(config) as setting:
        records, _ = await prepare_records(folder, config, setting.judge)
        states = contexts_of(records, folder.path)
        candidates = await generate(records, states, commentators_of(config, None), folder.candidates, maker_of(setting, records))
        started = time.perf_counter()
        await evaluate(setting.judge, records, states, candidates, JudgementLog(folder.judgements), setting.config.tace)
        seconds = time.perf_counter() - started
    texts = [candidate.text for group in candidates.values() for candidate in group]
    return len(texts), seconds, texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    segmenter = pysbd.Segmenter(language="en", clean=False)
    rates, ratios = [], []
    for _ in range(options.repeats):
        with tempfile.TemporaryDirectory() as place:
            count, seconds, texts = asyncio.run(judged_seconds(Path(place) / "run"))
        started = time.perf_counter()
        for text in texts:
            segmenter.segment(text)
        floor = time.perf_counter() - started
        rates.append(count / seconds)
        ratios.append(seconds / floor)
    print(f"offline TACE, one core, no engine: {sorted(rates)[len(rates) // 2]:.0f} candidates/s (target 30); {sorted(ratios)[len(ratios) // 2]:.1f} x the time of sentence splitting alone; {count} candidates")


if __name__ == "__main__":
    main()
