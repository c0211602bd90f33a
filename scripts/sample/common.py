"""What the makers of the sample matches share: their source files, their clips, and how both are written.

Needs Pillow and PyYAML, and PyAV (`pip install 'gamecommbench[video]'`) to draw clips. A maker beside this file looks like

    from common import Clip, as_json, main, read_source

    def texts(source: Path) -> dict[str, str]: ...        # file name below the sample's folder, its text
    def clips(source: Path) -> list[Clip]: ...            # what to draw

    if __name__ == "__main__":
        main("football", texts, clips)
"""
import argparse
import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from PIL import Image, ImageDraw, ImageFont

SAMPLES = Path(__file__).parents[2] / "data" / "sample"
WIDTH, HEIGHT, FPS = 320, 180, 10  # of every clip
BANNER = 14  # pixels at the top for clock, score and the word SIMULATED
Colour = tuple[int, int, int]
Track = Sequence[Sequence[float]]  # rows of time (seconds, rising), x, y


# --- files ---------------------------------------------------------------------------------------

def read_source(path: Path) -> dict[str, Any]:
    "A match script."
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def as_json(value: Any) -> str:
    "JSON as the samples have it: lists of plain values and short objects on one line, so that people can read and compare."
    return _laid_out(value, "") + "\n"


def _laid_out(value: Any, margin: str) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    nested = isinstance(value, (dict, list)) and any(isinstance(item, (dict, list)) for item in _items(value))
    if not nested and (not isinstance(value, dict) or len(flat) + len(margin) <= 140):
        return flat
    inner = margin + " "
    heads = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value] if isinstance(value, dict) else [""] * len(value)
    rows = ",\n".join(f"{inner}{head}{_laid_out(item, inner)}" for head, item in zip(heads, _items(value)))
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{rows}\n{margin}{closing}"


def _items(value: dict | list) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def write_texts(folder: Path, texts: dict[str, str]) -> None:
    "Write a sample's text files."
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


# --- drawing -------------------------------------------------------------------------------------

def at_time(
    track: Track,
    time: float,  # seconds
) -> tuple[float, float]:  # x, y
    "Where something is: straight lines between the rows of its track, still before the first and after the last."
    after = bisect_right([row[0] for row in track], time)
    if after in (0, len(track)):
        _, x, y = track[min(after, len(track) - 1)]
        return x, y
    (t0, x0, y0), (t1, x1, y1) = track[after - 1], track[after]
    share = (time - t0) / (t1 - t0)
    return x0 + share * (x1 - x0), y0 + share * (y1 - y0)


def font(size: int = 10) -> ImageFont.FreeTypeFont:
    "The font that comes with Pillow."
    return ImageFont.load_default(size)


def blank(colour: Colour) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    "An empty picture of a clip's size, and the pen for it."
    image = Image.new("RGB", (WIDTH, HEIGHT), colour)
    return image, ImageDraw.Draw(image)


def dot(
    pen: ImageDraw.ImageDraw,
    x: float,  # pixels from the left
    y: float,  # pixels from the top
    colour: Colour,
    radius: int = 4,
    edge: Colour | None = None,
) -> None:
    "A player or a ball, on whole pixels."
    x, y = round(x), round(y)
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour, outline=edge)


def label(pen: ImageDraw.ImageDraw, x: float, y: float, text: str, colour: Colour = (255, 255, 255), size: int = 9, anchor: str = "mm") -> None:
    "A word in the picture; `anchor` as in Pillow, mm is the middle."
    pen.text((round(x), round(y)), text, font=font(size), fill=colour, anchor=anchor)


def banner(
    pen: ImageDraw.ImageDraw,
    clock: str,  # as the game shows it
    score: str,  # "KES 1-0 HAV"
) -> None:
    "The line over the picture: clock, score, and that none of it was filmed."
    pen.rectangle((0, 0, WIDTH, BANNER - 1), fill=(16, 18, 24))
    middle = BANNER // 2
    label(pen, 4, middle, clock, anchor="lm")
    label(pen, WIDTH // 2, middle, score)
    label(pen, WIDTH - 4, middle, "SIMULATED", (255, 214, 64), anchor="rm")


def caption(pen: ImageDraw.ImageDraw, text: str) -> None:
    "A line at the foot of the picture; empty for none."
    if text:
        pen.rectangle((0, HEIGHT - 13, WIDTH, HEIGHT), fill=(16, 18, 24))
        label(pen, WIDTH // 2, HEIGHT - 7, text)


# --- video ---------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Clip:
    "A clip to be drawn."
    file: str  # below the sample's folder, such as clips/1_03_07.mp4
    seconds: float
    picture: Callable[[float], Image.Image]  # seconds from the clip's start -> the picture
    quality: int = 35  # x264's crf: higher is smaller and coarser

    def pictures(self) -> Iterator[Image.Image]:
        "Every picture, in order."
        return (self.picture(number / FPS) for number in range(round(self.seconds * FPS)))


def encode(path: Path, clip: Clip) -> None:
    "Write a clip as H.264 in MP4, by one thread: the same pictures give the same bytes with the same libraries."
    import av
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart", "fflags": "+bitexact"}) as container:
        stream = container.add_stream("libx264", rate=FPS, options={"crf": str(clip.quality), "preset": "veryslow", "tune": "animation", "g": "600"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.thread_count = 1
        for picture in clip.pictures():
            container.mux(stream.encode(av.VideoFrame.from_image(picture)))
        container.mux(stream.encode(None))


@dataclass(frozen=True)
class Length:
    "What a clip file holds."
    frames: int
    seconds: float
    width: int
    height: int


def length_of(path: Path) -> Length:
    "Decode a clip to its end."
    import av
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        return Length(sum(1 for _ in container.decode(stream)), float(stream.duration * stream.time_base), stream.width, stream.height)


# --- the command ---------------------------------------------------------------------------------

def main(
    name: str,  # of the sample's folder
    texts: Callable[[Path], dict[str, str]],  # the folder of the source -> the text files
    clips: Callable[[Path], list[Clip]],  # the folder of the source -> the clips
) -> None:
    "Make a sample again from its source."
    parser = argparse.ArgumentParser(description=f"Make data/sample/{name} from data/sample/{name}/source.")
    parser.add_argument("--out", type=Path, default=SAMPLES / name, help="where to write (default: the sample's own folder)")
    parser.add_argument("--no-clips", action="store_true", help="write the text files only")
    asked = parser.parse_args()
    source = SAMPLES / name / "source"
    written = texts(source)
    write_texts(asked.out, written)
    drawn = [] if asked.no_clips else clips(source)
    for clip in drawn:
        encode(asked.out / clip.file, clip)
    print(f"{len(written)} text files and {len(drawn)} clips written to {asked.out}")
