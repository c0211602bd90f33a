"""Sampling 4 frames a second against the ffmpeg command line and against seeking, on one generated video, in one run.

    python benchmarks/frames.py [--seconds 60] [--repeats 5] [--seeks 24]

Needs the extra `video` and an ffmpeg on the PATH (opencv-python-headless is measured too where it is installed). The video: 1280 x 720, 30 a second, H.264 with B-frames and a
keyframe every 250 frames: a scrolling pattern over a gradient, with grain. Measured, in turn, in every repeat:
  ours      plan_frames (SHA-256, stamps, choice) and sample_frames: every sample an RGB array in memory
  ffmpeg    `ffmpeg -i VIDEO -vf fps=4 -pix_fmt rgb24 -f rawvideo` into /dev/null: the same number of RGB pictures, not kept
  av seek   PyAV: for each sample seek to the keyframe before, decode on to the sample, convert
  cv2 seek  OpenCV: for each sample set(CAP_PROP_POS_MSEC) and read
Targets: at least 5 times as fast as seeking, at most 1.2 times ffmpeg's time. The ratios are medians of the paired ratios. Seeking is slow, so it is
measured on --seeks samples spread over the whole video and scaled to all.
"""
import argparse
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import av
import numpy as np

from gamecommbench.frames import plan_frames, sample_frames

FPS = 4


def write_video(path: Path, seconds: int) -> Path:
    "A scrolling pattern over a gradient, with grain: 1280 x 720, 30 frames a second."
    chance = np.random.default_rng(1)
    noise = np.random.default_rng(0).integers(0, 60, (720 // 4, 1280 // 4 + seconds * 30), np.uint8).repeat(4, 0).repeat(4, 1)
    gradient = np.linspace(0, 170, 1280).astype(np.uint8)[None, :, None] + np.zeros((720, 1280, 3), np.uint8)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30, options={"preset": "veryfast", "crf": "26", "g": "250"})
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        for number in range(seconds * 30):
            image = gradient.copy()
            image[200:520] += noise[200:520, number * 2:number * 2 + 1280, None]
            image += chance.integers(0, 20, (180, 320, 1), np.uint8).repeat(4, 0).repeat(4, 1)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        container.mux(stream.encode(None))
    return path


def ours(path: Path) -> int:
    "How many samples the package takes."
    plan = plan_frames(path, FPS)
    return sum(frame.image.shape == (720, 1280, 3) for frame in sample_frames(path, plan))


def ffmpeg(path: Path) -> int:
    "How many pictures the command line tool writes."
    command = ["ffmpeg", "-v", "error", "-stats", "-y", "-i", str(path), "-vf", f"fps={FPS}", "-pix_fmt", "rgb24", "-f", "rawvideo", "/dev/null"]
    done = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return int(re.findall(r"frame=\s*(\d+)", done.stderr)[-1])


def av_seek(path: Path, numbers: range) -> int:
    "Samples by PyAV's seek, decoding on from the keyframe before."
    count = 0
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        for number in numbers:
            tick, taken = int(number / FPS / stream.time_base), None
            container.seek(tick, stream=stream)
            for frame in container.decode(stream):
                if frame.pts > tick:
                    break
                taken = frame
            count += taken.to_ndarray(format="rgb24").shape == (720, 1280, 3)
    return count


def cv2_seek(path: Path, numbers: range) -> int:
    "Samples by OpenCV's seek to a time."
    import cv2
    capture, count = cv2.VideoCapture(str(path)), 0
    for number in numbers:
        capture.set(cv2.CAP_PROP_POS_MSEC, number * 1000 / FPS)
        read, image = capture.read()
        count += read and cv2.cvtColor(image, cv2.COLOR_BGR2RGB).shape == (720, 1280, 3)
    return count


def seconds_of(work: Callable[[], int]) -> tuple[float, int]:
    start = time.perf_counter()
    count = work()
    return time.perf_counter() - start, count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="length of the video")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seeks", type=int, default=24, help="how many samples seeking is measured on")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = write_video(Path(folder) / "match.mp4", options.seconds)
        n_samples = len(plan_frames(path, FPS).samples)
        numbers = range(0, n_samples, max(1, n_samples // options.seeks))
        print(f"{options.seconds} s of 1280 x 720 at 30 a second, {path.stat().st_size / 1e6:.1f} MB, {n_samples} samples")
        ways: dict[str, Callable[[], int]] = {"ours": lambda: ours(path), "ffmpeg": lambda: ffmpeg(path), "av seek": lambda: av_seek(path, numbers)}
        if find_spec("cv2"):
            ways["cv2 seek"] = lambda: cv2_seek(path, numbers)
        took: dict[str, list[float]] = {name: [] for name in ways}
        for repeat in range(options.repeats):
            for name, work in list(ways.items())[::1 if repeat % 2 else -1]:
                elapsed, count = seconds_of(work)
                expected = len(numbers) if "seek" in name else n_samples
                took[name].append(elapsed * n_samples / expected)
                assert count == expected, f"{name} gave {count} of {expected} samples"
        for name, times in took.items():
            ratio = statistics.median(other / own for other, own in zip(times, took["ours"]))
            print(f"{name:9} {statistics.median(times):6.2f} s ({min(times):.2f} to {max(times):.2f})" + (f"   {ratio:.2f} x ours" if name != "ours" else ""))
        share = statistics.median(own / other for own, other in zip(took["ours"], took["ffmpeg"]))
        seeking = min(statistics.median(other / own for other, own in zip(took[name], took["ours"])) for name in ways if "seek" in name)
        print(f"ours takes {share:.2f} of ffmpeg's time (at most 1.20 is wanted); the faster way of seeking takes {seeking:.1f} times ours (at least 5 is wanted)")


if __name__ == "__main__":
    main()
