"""Frames of videos: the awkward cases, and videos made here with known stamps, turns, offsets, B-frames and tears."""
import asyncio
import json
import struct
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

av = pytest.importorskip("av", reason="PyAV (extra video) is not installed")

from gamecommbench.frames import encode_jpeg, frame_at, frames_async, image_tokens, plan_frames, read_plan, sample_frames, sample_times, write_plan  # noqa: E402
from gamecommbench.schema import BenchError  # noqa: E402
from gamecommbench.video import VideoError, VideoStamps, orientation, read_stamps  # noqa: E402

TICK = Fraction(1, 16000)
VFR = [1600 * n for n in range(10)] + [16000 + 8000 * n for n in range(10)]  # as vid-01: ten a second, then two a second
STEADY = [1600 * n for n in range(80)]  # eight seconds
B_FRAMES = "bframes=3:b-adapt=0:scenecut=0:keyint=10:crf=10"


def shade(number: int) -> int:
    "The grey of frame `number`: two neighbours never look alike."
    return 20 + 11 * (number % 20)


def picture(number: int, width: int = 64, height: int = 32) -> np.ndarray:
    "Grey, with a bright block at the top left and half a one below it, so that every turn and mirroring can be told."
    image = np.full((height, width, 3), shade(number), np.uint8)
    image[: height // 4, : width // 2] = 250
    return image


def plain(number: int) -> np.ndarray:
    return np.full((32, 64, 3), shade(number), np.uint8)


def noisy(number: int) -> np.ndarray:
    "Grey by its median, but costly to store, so that a file's bytes are pictures and not headers."
    noise = np.random.default_rng(number).integers(-12, 13, (32, 64, 1))
    return np.clip(shade(number) + noise, 0, 255).astype(np.uint8).repeat(3, axis=2)


def video(path: Path, ticks: list[int], codec: str = "libx264", params: str = B_FRAMES, image_of: Callable[[int], np.ndarray] | None = None, turn: int = 0, matrix: tuple[int, ...] = (), seconds_of_sound: int = 0, **options: str) -> Path:
    "A video with one picture a tick."
    with av.open(str(path), "w", options=options) as container:
        stream = container.add_stream(codec, rate=10, options={"x264-params": params} if codec == "libx264" else {})
        unit = TICK if codec == "libx264" else Fraction(1, 10)
        stream.width, stream.height, stream.pix_fmt, stream.time_base, stream.codec_context.time_base = 64, 32, "yuv420p", unit, unit
        if turn:
            stream.set_display_rotation(turn)
        if matrix:
            stream.set_display_matrix(matrix)
        sound = container.add_stream("aac", rate=48000, layout="mono") if seconds_of_sound else None
        for number, tick in enumerate(ticks):
            frame = av.VideoFrame.from_ndarray((image_of or plain)(number), format="rgb24")
            frame.pts, frame.time_base = int(tick * TICK / unit), unit
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        for start in range(0, seconds_of_sound * 48000, 1024):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = 48000, start, Fraction(1, 48000)
            container.mux(sound.encode(frame))
        if sound:
            container.mux(sound.encode(None))
    return path


def shown(path: Path, plan=None, **options) -> list[int]:
    "The frames that the pictures themselves show, told by their grey."
    greys = [float(np.median(frame.image)) for frame in sample_frames(path, plan, **options)]
    return [min(range(20), key=lambda number: abs(shade(number) - grey)) for grey in greys]


def chosen(path: Path, **options) -> list[int]:
    return [sample.index for sample in plan_frames(path, **options).samples]


def by_rule(stamps: list[Fraction], times: list[Fraction]) -> list[int]:
    "The last frame at or before each moment, by looking at all."
    return [max((n for n, stamp in enumerate(stamps) if stamp <= t), default=0) for t in times]


# The awkward cases

def case_file(shared: Path, case: dict) -> Path:
    return shared / "cases" / case["input"]["file"]


@pytest.mark.parametrize("name", ["vid-01", "vid-04", "vid-06", "vid-07", "vid-09"])
def test_case_gives_the_expected_frames(shared: Path, cases: dict, name: str):
    case = cases[name]
    path, fps = case_file(shared, case), case["input"]["sample_fps"]
    assert chosen(path, fps=fps) == case["expected"]["frames"]
    assert [frame.index for frame in sample_frames(path, fps=fps)] == case["expected"]["frames"]


def test_vid_01_pictures_are_those_frames(shared: Path, cases: dict):
    case = cases["vid-01"]
    means = [frame.image.mean() for frame in sample_frames(case_file(shared, case), fps=2)]
    assert all(abs(mean - (19 + 10 * number)) < 5 for mean, number in zip(means, case["expected"]["frames"], strict=True))


def test_vid_03_is_turned(shared: Path, cases: dict):
    case = cases["vid-03"]
    path = case_file(shared, case)
    plan, image = plan_frames(path), next(sample_frames(path)).image
    assert [plan.height, plan.width] == case["expected"]["display_hw"] == list(image.shape[:2])
    corners = {"top-left": image[:8, :8], "top-right": image[:8, -8:], "bottom-left": image[-8:, :8], "bottom-right": image[-8:, -8:]}
    assert max(corners, key=lambda corner: corners[corner].mean()) == case["expected"]["bright_corner"]


def test_vid_04_counts_what_is_there(shared: Path, cases: dict):
    case = cases["vid-04"]
    assert plan_frames(case_file(shared, case)).n_frames == case["expected"]["decoded"]


def test_vid_06_and_07_clock_and_length(shared: Path, cases: dict):
    assert float(plan_frames(case_file(shared, cases["vid-06"])).zero) == cases["vid-06"]["expected"]["first_pts_s"]
    assert abs(float(plan_frames(case_file(shared, cases["vid-07"])).duration) - cases["vid-07"]["expected"]["video_s"]) < 1e-4


def test_vid_10_exact_end(cases: dict):
    case = cases["vid-10"]
    assert len(sample_times(case["input"]["duration_s"], case["input"]["fps"])) == case["expected"]["frames"]


# Moments

@given(st.fractions(min_value="1/1000", max_value=60, max_denominator=90000), st.fractions(min_value="1/10", max_value=30, max_denominator=1001))
def test_sample_times_are_all_and_only_those_before_the_end(duration: Fraction, fps: Fraction):
    times = sample_times(duration, fps)
    assert times == [number / fps for number in range(len(times))]
    assert times[-1] < duration <= len(times) / fps


@given(st.lists(st.integers(1, 9000), min_size=1, max_size=40), st.integers(0, 90000), st.fractions(min_value=0, max_value=8, max_denominator=997))
def test_frame_at_is_the_last_at_or_before(gaps: list[int], zero: int, t: Fraction):
    ticks = [zero + sum(gaps[:number]) for number in range(len(gaps))]
    stamps = VideoStamps("x", "", 1, 1, 1, 0, False, ticks, Fraction(1, 9000), zero, ticks[-1] + 1, [])
    assert frame_at(stamps, t) == by_rule([stamps.seconds(tick) for tick in ticks], [t])[0]


@pytest.mark.parametrize("wrong", [{"fps": 0}, {"fps": -4}, {"fps": float("nan")}, {"fps": "inf"}, {"fps": "1/0"}, {"start": -1}, {"start": 10}, {"start": 4, "end": 4}, {"end": 0}])
def test_moments_that_are_none_are_an_error(wrong: dict):
    with pytest.raises(BenchError):
        sample_times(10, **({"fps": 4} | wrong))


# Videos made here

@pytest.mark.parametrize("suffix", ["mp4", "mkv", "mov", "ts"])
@pytest.mark.parametrize("params", [B_FRAMES, "bframes=0:keyint=7:scenecut=0:crf=10", "bframes=2:b-adapt=0:open-gop=1:keyint=6:scenecut=0:crf=10"], ids=["b-frames", "in order", "open groups"])
def test_variable_rate(tmp_path: Path, suffix: str, params: str):
    path = video(tmp_path / f"clip.{suffix}", VFR, params=params)
    expected = by_rule([tick * TICK for tick in VFR], sample_times("5.6", 4))
    plan = plan_frames(path, end="5.6")
    assert plan.n_frames == 20 and [sample.index for sample in plan.samples] == expected == shown(path, plan)
    assert all(sample.stamp <= sample.t for sample in plan.samples)
    assert chosen(path, fps=2)[:12] == [0, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]


def test_rates_of_ntsc(tmp_path: Path):
    "30000/1001 frames a second: at 4 samples a second the choice follows the exact stamps."
    ticks = [round(Fraction(number * 1001, 30000) / TICK) for number in range(90)]
    path = video(tmp_path / "ntsc.mp4", ticks)
    assert chosen(path) == by_rule([tick * TICK for tick in ticks], sample_times(plan_frames(path).duration, 4))
    assert len(chosen(path)) == 13 and plan_frames(path).n_frames == 90


@pytest.mark.parametrize("codec, suffix", [("mpeg4", "avi"), ("mpeg4", "mp4"), ("mpeg2video", "ts"), ("mpeg2video", "mpg"), ("libvpx", "webm"), ("libvpx-vp9", "webm")])
def test_other_codecs(tmp_path: Path, codec: str, suffix: str):
    if codec not in av.codecs_available:
        pytest.skip(f"this PyAV has no encoder {codec}")
    rate = 25 if codec == "mpeg2video" else 10
    path = tmp_path / f"clip.{suffix}"
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = 64, 32, "yuv420p", 2_000_000
        for number in range(20):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.full((32, 64, 3), shade(number), np.uint8), format="rgb24")))
        container.mux(stream.encode(None))
    plan = plan_frames(path, fps=rate)
    assert plan.n_frames == 20 and [sample.index for sample in plan.samples] == list(range(20)) == shown(path, plan)


MATRICES = {"none": (1, 0, 0, 1), "left": (0, -1, 1, 0), "half": (-1, 0, 0, -1), "right": (0, 1, -1, 0), "mirror": (-1, 0, 0, 1), "flip": (1, 0, 0, -1), "transpose": (0, 1, 1, 0), "transverse": (0, -1, -1, 0)}
TURNED = {"none": lambda i: i, "left": np.rot90, "half": lambda i: i[::-1, ::-1], "right": lambda i: np.rot90(i, -1), "mirror": lambda i: i[:, ::-1], "flip": lambda i: i[::-1], "transpose": lambda i: i.swapaxes(0, 1), "transverse": lambda i: i[::-1, ::-1].swapaxes(0, 1)}


@pytest.mark.parametrize("name", MATRICES)
def test_display_matrix(tmp_path: Path, name: str):
    a, b, c, d = MATRICES[name]
    path = video(tmp_path / "turned.mp4", VFR[:3], image_of=picture, matrix=(a << 16, b << 16, 0, c << 16, d << 16, 0, 0, 0, 1 << 30))
    plan, image, expected = plan_frames(path), next(sample_frames(path)).image, TURNED[name](picture(0))
    assert image.shape == expected.shape == (plan.height, plan.width, 3)
    assert np.abs(image.astype(int) - expected).mean() < 6
    assert image.flags.c_contiguous


def test_small_angles_are_rounded():
    assert orientation(struct.pack("=9i", 65535, 300, 0, -300, 65535, 0, 0, 0, 1 << 30)) == (0, False)
    assert orientation(struct.pack("=9i", 0, 0, 0, 0, 0, 0, 0, 0, 0)) == (0, False)


def test_start_offset(tmp_path: Path):
    "The clip's clock starts with the video, whatever the file's own says."
    path = video(tmp_path / "late.mkv", [tick + 32000 for tick in VFR])
    plan = plan_frames(path, fps=2)
    assert plan.zero >= 2 and plan.samples[0].stamp == 0
    assert [sample.index for sample in plan.samples][:12] == [0, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19] == shown(path, plan)[:12]


def test_recording_that_begins_within_a_group(tmp_path: Path):
    "What cannot be decoded at the start is no frame; until the first, the first is shown."
    data = video(tmp_path / "whole.ts", STEADY, params="bframes=2:b-adapt=0:keyint=20:scenecut=0:crf=10").read_bytes()
    packets = [data[place:place + 188] for place in range(0, len(data), 188)]
    path = tmp_path / "joined.ts"
    path.write_bytes(b"".join(packets[:3] + packets[len(packets) // 3:]))
    plan = plan_frames(path)
    assert 20 < plan.n_frames < 80
    numbers = shown(path, plan)
    assert len(numbers) == len(plan.samples) and all(sample.stamp <= sample.t or sample.index == 0 for sample in plan.samples)


def test_sound_that_outlasts_the_pictures(tmp_path: Path):
    for suffix in ("mp4", "mkv"):
        path = video(tmp_path / f"sound.{suffix}", STEADY[:30], seconds_of_sound=5)
        plan = plan_frames(path, fps=1)
        assert float(plan.duration) == pytest.approx(3, abs=0.002) and [sample.index for sample in plan.samples] == [0, 10, 20]


@pytest.mark.parametrize("suffix", ["mp4", "mkv", "ts"])
def test_one_frame(tmp_path: Path, suffix: str):
    path = video(tmp_path / f"one.{suffix}", [0])
    assert chosen(path) == [0] == shown(path)


def test_streamed_matroska(tmp_path: Path):
    "No duration, no cues, as from a pipe."
    path = video(tmp_path / "streamed.mkv", STEADY[:30], live="1")
    with av.open(str(path)) as container:
        assert container.duration is None
    assert chosen(path, fps=1) == [0, 10, 20] and shown(path, fps=1) == [0, 10, 0]  # twenty greys


# Truncated, damaged, not a video

@pytest.mark.parametrize("suffix, options", [("mp4", {"movflags": "faststart"}), ("mp4", {"movflags": "frag_keyframe+empty_moov"}), ("mp4", {}), ("mkv", {}), ("ts", {})], ids=["index first", "fragments", "index last", "matroska", "transport stream"])
def test_truncated_is_an_error(tmp_path: Path, suffix: str, options: dict):
    whole = video(tmp_path / f"whole.{suffix}", STEADY, image_of=noisy, **options)
    assert len(plan_frames(whole).samples) == 32
    path = tmp_path / f"cut.{suffix}"
    path.write_bytes(whole.read_bytes()[: whole.stat().st_size * 6 // 10])
    with pytest.raises(VideoError, match="truncated") as caught:
        sample_frames(path)
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)


def test_truncated_says_both_numbers_and_the_usable_part_is_usable(tmp_path: Path):
    data = video(tmp_path / "whole.mp4", STEADY, image_of=noisy, movflags="faststart").read_bytes()
    path = tmp_path / "cut.mp4"
    for share in (5, 6, 7, 8, 9):
        path.write_bytes(data[: len(data) * share // 10])
        with pytest.raises(VideoError, match=r"\d+ whole frames were read where its index lists 80") as caught:
            plan_frames(path)
        end = str(caught.value).split("end of at most ")[1].removesuffix(" s")
        numbers = [number % 20 for number in chosen(path, fps=10, end=end)]
        assert numbers == shown(path, fps=10, end=end) and numbers
        with pytest.raises(VideoError, match="truncated"):
            plan_frames(path, end=8)


def test_damage_is_never_covered_by_a_neighbour(tmp_path: Path):
    "Bytes overwritten in the middle: the good part samples, then an error; never a wrong picture."
    data = bytearray(video(tmp_path / "whole.mp4", STEADY, params="bframes=0:keyint=80:scenecut=0:crf=10", movflags="faststart").read_bytes())
    with av.open(str(tmp_path / "whole.mp4")) as container:
        packets = [(packet.pos, packet.size) for packet in container.demux(video=0) if packet.size]
    position, size = packets[40]
    data[position:position + size] = bytes(byte ^ 0x5A for byte in data[position:position + size])
    path = tmp_path / "damaged.mp4"
    path.write_bytes(data)
    numbers = []
    with pytest.raises(VideoError, match="damaged"):
        for frame in sample_frames(path, fps=10):
            numbers.append(frame.index)
            assert abs(float(np.median(frame.image)) - shade(frame.index)) < 5
    assert numbers == list(range(len(numbers))) and 20 < len(numbers) <= 40


def test_what_is_no_video(tmp_path: Path):
    sound = tmp_path / "sound.mp4"
    with av.open(str(sound), "w") as container:
        stream = container.add_stream("aac", rate=48000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 48000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "text.mp4").write_text("White wins.\n" * 400)
    (tmp_path / "text.txt").write_text("White wins.\n" * 400)
    (tmp_path / "list.m3u8").write_text("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n")
    (tmp_path / "picture.jpg").write_bytes(encode_jpeg(picture(0)))
    expected = {"empty.mp4": "empty", "text.mp4": "not a video", "text.txt": "not a video", "sound.mp4": "no video stream", "missing.mp4": "no such file", ".": "directory", "picture.jpg": "not a video", "list.m3u8": "not a video"}
    for name, words in expected.items():
        with pytest.raises(VideoError, match=words) as caught:
            plan_frames(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_names_are_files_and_never_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    "A name with a colon is a file; an address is a file that does not exist."
    monkeypatch.chdir(tmp_path)
    video(tmp_path / "half1.mp4", VFR[:2]).rename(tmp_path / "half:1.mp4")
    assert len(chosen(Path("half:1.mp4"))) >= 1
    with pytest.raises(VideoError, match="no such file"):
        plan_frames("http://127.0.0.1:9/clip.mp4")


def test_without_av_the_line_says_what_to_install(tmp_path: Path):
    "The module imports without PyAV; reading says what is missing."
    path = video(tmp_path / "clip.mp4", VFR[:2])
    code = f"import sys; sys.modules['av'] = None\nfrom gamecommbench.frames import plan_frames\ntry: plan_frames({str(path)!r})\nexcept Exception as error: print(type(error).__name__, error)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "VideoError av is not installed; pip install 'gamecommbench[video]'"


# Plans, parts, JPEG

def test_plan_travels_as_json(tmp_path: Path):
    path = video(tmp_path / "clip.mp4", VFR)
    plan = plan_frames(path)
    assert read_plan(write_plan(tmp_path / "plan.json", plan)) == plan
    row = json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))
    assert row["name"] == "clip.mp4" and len(row["sha256"]) == 64 and row["size_bytes"] == path.stat().st_size and row["samples"][1] == {"t": "1/4", "index": 2, "stamp": "1/5"}
    assert row["tokens"] == len(row["samples"]) * image_tokens(64, 32) and row["token_rule"].startswith("estimate") and str(tmp_path) not in json.dumps(row)
    other = video(tmp_path / "other.mp4", VFR[:5])
    with pytest.raises(VideoError, match="not the file of the plan"):
        sample_frames(other, plan)
    with pytest.raises(BenchError, match="not a plan"):
        read_plan(path)


@pytest.mark.parametrize("suffix", ["mp4", "mkv", "ts"])
def test_a_part_gives_the_same_pictures_as_the_whole(tmp_path: Path, suffix: str):
    path = video(tmp_path / f"clip.{suffix}", STEADY, image_of=picture)
    whole = {frame.t: frame for frame in sample_frames(path, fps=5)}
    stamps = read_stamps(path)
    for start in ("0", "0.2", "1", "3.4", "7.8"):
        plan = plan_frames(path, fps=5, start=start, end=Fraction(start) + 1, stamps=stamps)
        part = list(sample_frames(path, plan))
        assert [frame.t for frame in part] == [t for t in whole if Fraction(start) <= t < Fraction(start) + 1]
        assert all(frame.index == whole[frame.t].index and np.array_equal(frame.image, whole[frame.t].image) for frame in part)


def test_listing_and_decoding_agree(tmp_path: Path):
    for suffix in ("mp4", "mkv"):
        path = video(tmp_path / f"clip.{suffix}", VFR)
        listed, decoded = read_stamps(path), read_stamps(path, decode=True)
        assert listed.keys and not decoded.keys and (listed.ticks, listed.end, listed.zero) == (decoded.ticks, decoded.end, decoded.zero)


# Beside an event loop, and memory

def big_video(path: Path, n_frames: int = 60) -> Path:
    "Noise at 1280 x 720, so that every frame costs something to decode."
    chance = np.random.default_rng(0)
    noise = chance.integers(0, 255, (720, 1280 + n_frames, 3), np.uint8)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30, options={"preset": "ultrafast", "crf": "30"})
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        for number in range(n_frames):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(noise[:, number:number + 1280]), format="rgb24")))
        container.mux(stream.encode(None))
    return path


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return big_video(tmp_path_factory.mktemp("big") / "big.mp4")


def test_event_loop_goes_on(big: Path):
    async def both() -> tuple[list[int], list[float]]:
        gaps, over = [], asyncio.Event()

        async def heart() -> None:
            last = time.perf_counter()
            while not over.is_set():
                await asyncio.sleep(0.002)
                now = time.perf_counter()
                gaps.append(now - last)
                last = now

        beat = asyncio.create_task(heart())
        numbers = [frame.index async for frame in frames_async(big, fps=10)]
        over.set()
        await beat
        return numbers, gaps

    started = time.perf_counter()
    numbers, gaps = asyncio.run(both())
    took = time.perf_counter() - started
    assert numbers == list(range(0, 60, 3))
    assert len(gaps) > 10 and sorted(gaps)[-2] < max(took / 4, 0.1)


def test_leaving_early_closes_the_file(big: Path):
    async def first() -> int:
        frames = frames_async(big)
        async for frame in frames:
            await frames.aclose()
            return frame.index
        raise AssertionError("no frame")

    async def errors() -> None:
        async for _ in frames_async(big.with_name("missing.mp4")):
            pass

    assert asyncio.run(first()) == 0
    with pytest.raises(VideoError, match="no such file"):
        asyncio.run(errors())


def test_memory_is_flat(big: Path):
    "Sampling every frame holds a few pictures, never all: sixty would be 166 MB."
    tracemalloc.start()
    count = sum(1 for _ in sample_frames(big, fps=30))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 60 and peak < 30e6


def test_jpeg(big: Path):
    image = next(sample_frames(big)).image
    small, large = encode_jpeg(image, 30), encode_jpeg(image, 95)
    assert small[:3] == large[:3] == b"\xff\xd8\xff" and len(small) < len(large)
