"""A chat endpoint for tests: OpenAI's form, fixed latency, answers that fit the schema, and faults on demand.

In a test:            with MockEndpoint(latency=0.01, p429=0.1) as mock: ... mock.url ... mock.counts["requests"]
As its own process:   python mock_endpoint.py --latency 0.05 --p429 0.1      prints one line: ready PORT

Faults are a function of the seed, the request's body and how often that body was sent before, so that a run fails the same
way whatever the order of its calls, and a second try draws again. `mode` makes every chat call fail in one way (see MODES).
GET /stats gives the counts. POST /v1/files, /v1/batches and GET on them play the batch API (see `batches`).
"""
import argparse
import asyncio
import hashlib
import json
import re
import threading
import time
from typing import Any

MODES: dict[str, tuple[int, dict[str, Any]]] = {
    "key_refused": (401, {"error": {"message": "Incorrect API key provided: {key}. You can find your key in your account.", "type": "invalid_request_error", "code": "invalid_api_key"}}),
    "model_unknown": (404, {"error": {"message": "The model `nope` does not exist or you do not have access to it.", "type": "invalid_request_error", "code": "model_not_found"}}),
    "context_too_long": (400, {"error": {"message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
                                         "type": "invalid_request_error", "code": "context_length_exceeded"}}),
    "content_filtered": (400, {"error": {"message": "The response was filtered due to the prompt triggering content management policy.", "code": "content_filter"}}),
    "schema_unsupported": (400, {"error": {"message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
                                           "type": "invalid_request_error", "param": "response_format", "code": None}}),
    "parameter_unsupported": (400, {"error": {"message": "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
                                              "type": "invalid_request_error", "param": "temperature", "code": "unsupported_value"}}),
    "quota": (429, {"error": {"message": "You exceeded your current quota, please check your plan and billing details.", "type": "insufficient_quota", "code": "insufficient_quota"}}),
    "always_429": (429, {"error": {"message": "Rate limit reached.", "type": "rate_limit_error", "code": "rate_limit_exceeded"}}),
    "always_500": (500, {"error": {"message": "The server had an error.", "type": "server_error"}}),
    "not_json": (200, {}), "filtered_reply": (200, {}), "cut": (200, {}), "no_usage": (200, {}), "always_malformed": (200, {}), "reasoning": (200, {}),
}
FAULTS = ("p429", "p500", "p_malformed", "p_hang", "p_drop")


def example_of(schema: dict[str, Any], draw: Any) -> Any:
    "A small value that fits `schema`; `draw(n)` is a repeatable number below n."
    if "enum" in schema:
        return schema["enum"][draw(len(schema["enum"]))]
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = kind[draw(len(kind))]
    if kind == "object":
        return {name: example_of(part, draw) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        least, most = schema.get("minItems", 0), schema.get("maxItems", max(schema.get("minItems", 0), 2))
        return [example_of(schema.get("items", {}), draw) for _ in range(least + draw(most - least + 1))]
    if kind in ("integer", "number"):
        return schema.get("minimum", 0) + draw(int(schema.get("maximum", 1)) - int(schema.get("minimum", 0)) + 1)
    return {"boolean": bool(draw(2)), "null": None}.get(kind, f"example {draw(1000)}")


def answer_of(schema: dict[str, Any], prompt: str, draw: Any) -> Any:
    "An example of `schema` that also passes the checks of the package's steps, which need the prompt's own text."
    value = example_of(schema, draw)
    names = set(schema.get("properties", {}))
    data = re.findall(r"<data-[0-9a-f]+>\n(.*?)\n</data-", prompt, flags=re.S)
    if names == {"units"}:
        value["units"] = [{"text": data[-1] if data else "?", "category": 1 + draw(3)}]
    if names == {"items"}:
        texts = schema["properties"]["items"]["items"]["properties"]["source_text"]["enum"]
        order = sorted(texts, key=lambda text: prompt.rfind(json.dumps(text, ensure_ascii=False)))
        value["items"] = [{"source_text": text, "propositions": [text]} for text in order]
    if names == {"sentences"}:  # A.3: one entry for each sentence, text and category as given
        lines = [re.match(r"\d+: \((\d)\) (.*)", line) for line in next((block for block in data if block.startswith("0: (")), "").splitlines()]
        value["sentences"] = [entry | {"text": line[2], "category": int(line[1])} for entry, line in zip(value["sentences"], lines)]
    if names == {"scores", "selected"}:  # A.7: marks in order, the best selected
        ids = re.findall(r"^\[(.*?)\]", data[-1], flags=re.M)
        value["scores"] = [entry | {"id": name} for entry, name in zip(value["scores"], ids)]
        totals = {entry["id"]: entry["descriptive"] + entry["analytical"] + entry["background"] for entry in value["scores"]}
        value["selected"] = sorted(ids, key=lambda name: -totals[name])[: len(value["selected"])]
    if names == {"edges"}:
        value["edges"] = list({edge["target_proposition_id"]: edge for edge in value["edges"]}.values())
    if names == {"claims"}:
        sentences = [line.partition(": ")[2] for line in next((block for block in data if block.startswith("0: ")), "").splitlines()]
        value["claims"] = [claim | {"claim_id": f"c{number}", "source_sentence_id": number, "source_sentence": sentences[number], "claim_text": sentences[number]}
                           for number, claim in enumerate(value["claims"][:len(sentences)])]
    if {"keep", "reason_code"} <= names:
        value["keep"] = value["is_correct"] and value["is_necessary"]
        value["reason_code"] = "KEEP" if value["keep"] else "DOUBTFUL"
    if "matched_descriptive_sentence_ids" in names:
        matched = value["matched_descriptive_sentence_ids"] or value["matched_analytical_sentence_ids"]
        value["label"] = "relevant" if matched else "irrelevant"
    return value


def drawer(seed: bytes) -> Any:
    "Repeatable numbers: draw(n) is below n."
    state = [int.from_bytes(hashlib.sha256(seed).digest(), "big")]

    def draw(below: int) -> int:
        state[0] = int.from_bytes(hashlib.sha256(state[0].to_bytes(32, "big")).digest(), "big")
        return state[0] % max(1, below)
    return draw


class MockEndpoint:
    "The server's settings, counts and rules; a context manager that runs it in a thread of its own."

    def __init__(self, latency: float = 0.0, mode: str = "", seed: int = 0, retry_after: float = 0.05, hang: float = 3600.0, reply: Any = None,
                 fail_first: int = 0, batch_polls: int = 1, batch_failures: int = 0, plain: str = "", **faults: float) -> None:
        self.latency, self.mode, self.seed, self.retry_after, self.hang, self.reply = latency, mode, seed, retry_after, hang, reply
        self.faults = {name: faults.pop(name, 0.0) for name in FAULTS}
        self.fail_first = fail_first  # this many chat calls get 503 before any is answered
        self.plain = plain  # one fixed answer to everything, for speed measurements
        self.batch_polls, self.batch_failures = batch_polls, batch_failures
        assert not faults, faults
        self.counts = dict(requests=0, answered=0, p429=0, p500=0, p_malformed=0, p_hang=0, p_drop=0, refused=0, repeats=0, in_flight=0, most_in_flight=0,
                           uploads=0, batches=0, polls=0)
        self.area = 0.0  # in flight, integrated over time
        self.since = time.monotonic()
        self.sent: dict[bytes, int] = {}
        self.paid: set[bytes] = set()
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.keep_bodies = False
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.port = 0
        self.connections: set[_Connection] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def injected(self) -> int:
        "How many calls were made to fail."
        return sum(self.counts[name] for name in FAULTS)

    def _fault(self, digest: bytes, before: int) -> str:
        number = int.from_bytes(hashlib.sha256(digest + f"{self.seed}|{before}".encode()).digest()[:7], "big") / 2**56
        for name, share in self.faults.items():
            if number < share:
                return name
            number -= share
        return ""

    def _move(self, step: int) -> None:
        now = time.monotonic()
        self.area += self.counts["in_flight"] * (now - self.since)
        self.since = now
        self.counts["in_flight"] += step
        self.counts["most_in_flight"] = max(self.counts["most_in_flight"], self.counts["in_flight"])

    def text_for(self, body: dict[str, Any], digest: bytes) -> str:
        "The reply's text: by the test's rule, else fitting the schema, else a sentence."
        prompt = "\n".join(message["content"] for message in body["messages"] if isinstance(message["content"], str))
        if self.reply is not None:
            made = self.reply(body) if callable(self.reply) else self.reply
            if made is not None:
                return made if isinstance(made, str) else json.dumps(made)
        schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
        if schema:
            return json.dumps(answer_of(schema, prompt, drawer(digest)), ensure_ascii=False)
        return f"White develops calmly here ({digest[:2].hex()})."

    def completion(self, body: dict[str, Any], text: str, finish: str = "stop") -> dict[str, Any]:
        message = {"role": "assistant", "content": text} | ({"reasoning_content": "Let me think."} if self.mode == "reasoning" else {})
        whole = {"id": f"chatcmpl-{self.counts['requests']}", "object": "chat.completion", "created": 1700000000, "model": body.get("model", ""),
                 "choices": [{"index": 0, "message": message, "finish_reason": finish}]}
        prompt_tokens = sum(len(str(message["content"])) for message in body["messages"]) // 4
        if self.mode != "no_usage":
            whole["usage"] = {"prompt_tokens": prompt_tokens, "completion_tokens": max(1, len(text) // 4), "total_tokens": prompt_tokens + max(1, len(text) // 4)}
        return whole

    def chat(self, raw: bytes, key: str) -> tuple[float, int, bytes | None, str]:
        "Decide one chat call: seconds to wait, status, body (None: drop the connection), extra header lines."
        digest = hashlib.sha256(raw).digest()
        before = self.sent.get(digest, 0)
        self.sent[digest] = before + 1
        if digest in self.paid:
            self.counts["repeats"] += 1
        self.counts["requests"] += 1
        fault = self._fault(digest, before) if any(self.faults.values()) else ""
        if self.plain and not fault and not self.keep_bodies:
            self.paid.add(digest)
            return self.latency, 200, PLAIN % (len(raw) // 4, len(raw) // 4 + 12, json.dumps(self.plain).encode()), ""
        body = json.loads(raw)
        if self.keep_bodies:
            self.bodies.append(body)
            self.keys.append(key)
        if self.counts["requests"] <= self.fail_first:
            return 0.0, 503, b'{"error":{"message":"loading model"}}', ""
        status, error = MODES.get(self.mode, (200, {}))
        if status != 200:
            self.counts["refused"] += 1
            return 0.0, status, json.dumps(error).replace("{key}", key).encode(), f"Retry-After: {self.retry_after}\r\n" if status == 429 else ""
        if fault:
            self.counts[fault] += 1
        if fault == "p429":
            return 0.002, 429, b'{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}', f"Retry-After: {self.retry_after}\r\n"
        if fault == "p500":
            return 0.002, 500, b'{"error":{"message":"The server had an error"}}', ""
        return self._answer(body, digest, fault)

    def _answer(self, body: dict[str, Any], digest: bytes, fault: str) -> tuple[float, int, bytes | None, str]:
        text, finish = self.text_for(body, digest), "stop"
        if self.mode == "not_json":
            return self.latency, 200, b"<html>proxy error</html>", ""
        if self.mode == "cut" or self.mode == "filtered_reply":
            text, finish = text[:len(text) // 2], {"cut": "length", "filtered_reply": "content_filter"}[self.mode]
        if fault == "p_malformed" or self.mode == "always_malformed":
            text = text[:max(1, len(text) // 2)]
        if not fault:
            self.paid.add(digest)
        whole = None if fault == "p_drop" else json.dumps(self.completion(body, text, finish)).encode()
        return (self.hang if fault == "p_hang" else self.latency), 200, whole, ""

    # The batch API -----------------------------------------------------------------------------------------------------------------

    def other(self, method: str, path: str, raw: bytes) -> tuple[int, bytes]:
        "Everything but chat: counts, models, files and batches."
        if path == "/stats":
            self._move(0)
            return 200, json.dumps(self.counts | {"area": self.area}).encode()
        if path.endswith("/models"):
            return 200, b'{"object":"list","data":[{"id":"judge","object":"model"}]}'
        parts = path.partition("?")[0].removeprefix("/v1/").split("/")
        if parts[0] == "files":
            return self._files(method, parts, raw)
        if parts[0] == "batches":
            return self._batches(method, parts, raw)
        return 404, b'{"error":{"message":"no such path"}}'

    def _files(self, method: str, parts: list[str], raw: bytes) -> tuple[int, bytes]:
        if method == "POST":
            self.counts["uploads"] += 1
            name = f"file-{self.counts['uploads']}"
            lines = [line for line in raw.splitlines() if line.startswith(b"{")]
            self.files[name] = b"\n".join(lines)
            return 200, json.dumps({"id": name, "object": "file", "bytes": len(raw), "created_at": 1, "filename": "b.jsonl", "purpose": "batch", "status": "processed"}).encode()
        return (200, self.files[parts[1]]) if parts[1] in self.files else (404, b'{"error":{"message":"no such file"}}')

    def _batches(self, method: str, parts: list[str], raw: bytes) -> tuple[int, bytes]:
        if method == "POST":
            self.counts["batches"] += 1
            name = f"batch_{self.counts['batches']}"
            self.batches[name] = {"id": name, "object": "batch", "endpoint": "/v1/chat/completions", "completion_window": "24h", "created_at": 1,
                                  "input_file_id": json.loads(raw)["input_file_id"], "metadata": json.loads(raw).get("metadata"), "status": "validating", "polls": 0}
            return 200, json.dumps(self.batches[name]).encode()
        if len(parts) == 1:
            return 200, json.dumps({"object": "list", "data": list(self.batches.values()), "has_more": False}).encode()
        batch = self.batches.get(parts[1])
        if batch is None:
            return 404, b'{"error":{"message":"no such batch"}}'
        self.counts["polls"] += 1
        batch["polls"] += 1
        if batch["polls"] >= self.batch_polls and batch["status"] != "completed":
            self._complete(batch)
        return 200, json.dumps(batch).encode()

    def _complete(self, batch: dict[str, Any]) -> None:
        good, bad = [], []
        for number, line in enumerate(self.files[batch["input_file_id"]].splitlines()):
            row = json.loads(line)
            if number < self.batch_failures and batch["id"] == "batch_1":
                bad.append({"id": f"r{number}", "custom_id": row["custom_id"], "response": None, "error": {"code": "server_error", "message": "failed in the batch"}})
                continue
            text = self.text_for(row["body"], hashlib.sha256(line).digest())
            good.append({"id": f"r{number}", "custom_id": row["custom_id"], "error": None,
                         "response": {"status_code": 200, "request_id": "q", "body": self.completion(row["body"], text)}})
        for name, rows in (("output_file_id", good), ("error_file_id", bad)):
            if rows:
                self.files[f"{batch['id']}-{name}"] = "\n".join(map(json.dumps, rows)).encode()
                batch[name] = f"{batch['id']}-{name}"
        batch["status"] = "completed"

    # Running -----------------------------------------------------------------------------------------------------------------------

    async def serve(self, port: int = 0) -> asyncio.AbstractServer:
        server = await asyncio.get_running_loop().create_server(lambda: _Connection(self), "127.0.0.1", port, backlog=2048)
        self.port, self.server = server.sockets[0].getsockname()[1], server
        return server

    def close(self) -> None:
        "Go away: connections are cut and no new ones taken."
        self.server.close()
        for connection in list(self.connections):
            connection.transport.abort()

    def __enter__(self) -> "MockEndpoint":
        started = threading.Event()
        self._loop = asyncio.new_event_loop()

        def run() -> None:
            asyncio.set_event_loop(self._loop)
            self._loop.run_until_complete(self.serve())
            started.set()
            self._loop.run_forever()
        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        assert started.wait(10)
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


PLAIN = (b'{"id":"c","object":"chat.completion","created":1,"model":"judge","usage":{"prompt_tokens":%d,"completion_tokens":12,"total_tokens":%d},'
         b'"choices":[{"index":0,"message":{"role":"assistant","content":%b},"finish_reason":"stop"}]}')
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable"}


class _Connection(asyncio.Protocol):
    def __init__(self, mock: MockEndpoint) -> None:
        self.mock, self.buffer, self.transport = mock, b"", None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.mock.connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.mock.connections.discard(self)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, rest = self.buffer.partition(b"\r\n\r\n")
            headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
            if headers.get(b"transfer-encoding") == b"chunked":
                if not rest.endswith(b"0\r\n\r\n"):
                    return
                raw, rest = b"".join(_chunks(rest)), b""
            else:
                length = int(headers.get(b"content-length", 0))
                if len(rest) < length:
                    return
                raw, rest = rest[:length], rest[length:]
            self.buffer = rest
            method, path, _ = head.split(b" ", 2)
            key = re.search(rb"(?im)^authorization: bearer (\S+)", head)
            self.handle(method.decode(), path.decode(), raw, key[1].decode() if key else "")

    def handle(self, method: str, path: str, raw: bytes, key: str) -> None:
        mock = self.mock
        if not path.endswith("/chat/completions"):
            return self.send(*mock.other(method, path, raw), "")
        delay, status, body, extra = mock.chat(raw, key)
        mock._move(1)
        if delay <= 0:
            self.finish(status, body, extra)
        else:
            asyncio.get_running_loop().call_later(delay, self.finish, status, body, extra)

    def finish(self, status: int, body: bytes | None, extra: str) -> None:
        self.mock._move(-1)
        if body is None:
            self.transport.abort()
            return
        self.mock.counts["answered"] += status == 200
        self.send(status, body, extra)

    def send(self, status: int, body: bytes, extra: str) -> None:
        if not self.transport.is_closing():
            self.transport.write(f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{extra}\r\n".encode() + body)


def _chunks(rest: bytes) -> list[bytes]:
    parts = []
    while rest and not rest.startswith(b"0\r\n"):
        size, _, rest = rest.partition(b"\r\n")
        parts.append(rest[:int(size, 16)])
        rest = rest[int(size, 16) + 2:]
    return parts


async def _main(options: argparse.Namespace) -> None:
    mock = MockEndpoint(latency=options.latency, mode=options.mode, seed=options.seed, hang=options.hang, plain=options.plain,
                        **{name: getattr(options, name) for name in FAULTS})
    server = await mock.serve(options.port)
    print("ready", mock.port, flush=True)
    async with server:
        await asyncio.sleep(options.seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hang", type=float, default=3600.0, help="seconds that a hanging call hangs")
    parser.add_argument("--seconds", type=float, default=600.0, help="stop by itself after this long")
    parser.add_argument("--mode", default="", choices=["", *MODES])
    parser.add_argument("--plain", default="", help="answer everything with this text")
    for fault in FAULTS:
        parser.add_argument("--" + fault.replace("_", "-"), type=float, default=0.0)
    asyncio.run(_main(parser.parse_args()))
