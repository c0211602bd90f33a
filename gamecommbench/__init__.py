"""A unified benchmark and type-aware evaluation for AI-generated game commentary."""
from importlib import import_module

__version__ = "0.1.0"

# The few doors that most users need. Each opens when it is first used, so that importing the package stays cheap.
_DOORS = {
    "load_records": "schema", "BenchError": "schema", "Record": "schema", "Candidate": "schema", "build_chess": "build", "RunConfig": "runs", "run_benchmark": "pipeline",
    "run_async": "pipeline", "report_run": "verbs", "TaceSettings": "tace.evaluate", "judge_record": "tace.evaluate", "OfflineJudge": "offline.judge", "score_rows": "tace.scores",
    "summary": "tace.scores", "paired_differences": "tace.scores", "qualify": "qualify"}
__all__ = ["__version__", *_DOORS]


def __getattr__(name: str):
    if name not in _DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_DOORS[name]}"), name)
