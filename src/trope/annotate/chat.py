"""A model behind an endpoint that speaks the OpenAI chat protocol, as an annotator.

The prompt is a file: the guidelines, the questions, and how to answer. An item is sent apart from
it, as JSON, and is data: whatever its text says, an answer is read by the questions alone, and one
that does not fit them is asked for once more and then kept as an error. The key is only ever in a
header of a request; it is taken out of whatever an endpoint sends back.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from trope.annotate.plan import Plan
from trope.annotate.prompts import item_message, prompt_version, read_reply
from trope.annotate.questions import Answers
from trope.core.errors import BadInput, MissingExtra, TropeError

if TYPE_CHECKING:
    import httpx

URL, MODEL, KEY = "TROPE_CHAT_URL", "TROPE_CHAT_MODEL", "TROPE_CHAT_KEY"
MOST_BYTES = 1_000_000
"""Bytes of a response; what is longer is cut off and refused."""

RAW_LIMIT = 20_000
"""Characters that are kept of a raw answer."""

TRIES = 5
_LONGEST_WAIT = 60.0
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_OF_AN_ITEM = frozenset({400, 413, 422})  # too long, or against a filter: others may do
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_KEY = re.compile(r"[!-~]{8,}")
_DATED = re.compile(r"[-@:]\d[\d-]*")


class EndpointRefused(TropeError):
    """What an endpoint does not do at all: another request would end in the same way."""


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Where a model answers and how it is asked; the key is not among them.

    `answers_as` is the name that the endpoint gives the model, if it is another one. `more` are
    further fields of a request; one that is None is left out of it. `timeout` bounds a request as
    a whole, in seconds.
    """

    address: str
    model: str
    temperature: float = 0.0
    seed: int | None = None
    max_tokens: int = 1_000
    answers_as: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 60.0

    def body(self, messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """The request."""
        fields = {
            "model": self.model,
            "messages": list(messages),
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
            **self.more,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def is_named(self, name: object) -> bool:
        """Whether an answer with this name is the model's; a date may follow its name."""
        wanted = self.answers_as or self.model
        if not isinstance(name, str) or not name.startswith(wanted):
            return False
        return name == wanted or bool(_DATED.fullmatch(name.removeprefix(wanted)))


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """An answer that was read, or why it could not be; with what it took."""

    answers: Answers
    confidence: float | None = None
    error: str = ""
    detail: str = ""
    raw: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Reply:
    """One response: what was said, and the tokens of it."""

    text: str = ""
    error: str = ""
    detail: str = ""
    tokens_in: int = 0
    tokens_out: int = 0


def settings_from(
    environment: Mapping[str, str], address: str = "", model: str = ""
) -> tuple[str, str]:
    """Address and model, as given or from the environment.

    Raises:
        BadInput: for one that is missing, or an address that cannot be used.
    """
    address, model = address or environment.get(URL, ""), model or environment.get(MODEL, "")
    if not address or not model:
        raise BadInput(f"no endpoint is named; set {URL} and {MODEL}, and {KEY} if it needs a key")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"{URL} is no address; write https://HOST/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadInput(f"{URL} must end with its path; a key belongs into {KEY}")
    return address.rstrip("/").removesuffix("/chat/completions"), model


def key_from(environment: Mapping[str, str], address: str) -> str:
    """The key in the environment; "" if there is none.

    Raises:
        BadInput: for one that no header can hold, or that would travel without encryption.
    """
    key = environment.get(KEY, "").strip()
    if key and not _KEY.fullmatch(key):
        raise BadInput(f"{KEY} has fewer than 8 characters, or some that no key has; check it")
    parts = urlsplit(address)
    if key and parts.scheme == "http" and parts.hostname not in _LOCAL:
        raise BadInput(f"{URL} has no https, so that anyone on the way could read {KEY}; use https")
    return key


def named_model(
    environment: Mapping[str, str],
    plan: Plan,
    prompt: str,
    prompt_file: str,
    given: Mapping[str, Any],
) -> tuple[ChatModel, dict[str, Any]]:
    """The model that the environment names, and the settings that are kept with its run.

    `given` has the fields of `ChatSettings`, all but address and model.

    Raises:
        BadInput: for an environment that names none, or a key that cannot be used.
    """
    address, wanted = settings_from(environment)
    settings = ChatSettings(address, wanted, **given)
    kept = {
        "model": wanted,
        "address": address,
        "temperature": settings.temperature,
        "seed": settings.seed,
        "max_tokens": settings.max_tokens,
        "answers_as": settings.answers_as,
        "parameters": settings.more,
        "prompt_file": prompt_file,
        "prompt_version": prompt_version(prompt),
        "prompt": prompt,
    }
    return ChatModel(settings, plan, prompt, key=key_from(environment, address)), kept


class ChatModel:
    """A model that is asked about items, several at a time; requests run beside the caller.

    `sleep` waits between tries; tests replace it.
    """

    def __init__(
        self,
        settings: ChatSettings,
        plan: Plan,
        prompt: str,
        *,
        key: str = "",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.settings, self.plan, self.prompt = settings, plan, prompt
        self._key, self._sleep = key, sleep
        self._loop: asyncio.AbstractEventLoop
        self._thread: threading.Thread
        self._client: httpx.AsyncClient

    def __enter__(self) -> Self:
        try:
            import httpx
        except ModuleNotFoundError as error:
            raise MissingExtra("a model behind an endpoint", "annotate", "httpx") from error
        for name in ("httpx", "httpcore"):  # they log headers, which an endpoint may echo
            logging.getLogger(name).setLevel(logging.WARNING)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # plain bytes: a packed response could be far larger than what is read of it
        headers |= {"Accept-Encoding": "identity"}
        self._client = httpx.AsyncClient(headers=headers, timeout=self.settings.timeout)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        closing = asyncio.run_coroutine_threadsafe(self._close(), self._loop)
        closing.result(timeout=10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()

    async def _close(self) -> None:
        mine = asyncio.current_task()
        under_way = [task for task in asyncio.all_tasks() if task is not mine]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await self._client.aclose()

    def most_tokens(self, text: str, payload: Mapping[str, Any]) -> tuple[int, int]:
        """The most tokens that an item can take in and out, asked twice: a token has a byte."""
        once = (
            len(self.prompt.encode()) + len(item_message(self.plan, text, payload).encode()) + 500
        )
        out = self.settings.max_tokens
        return 2 * once + out, 2 * out

    def ask(self, text: str, payload: Mapping[str, Any]) -> Future[ChatAnswer]:
        """The answer to come; EndpointRefused if no item can be answered there."""
        return asyncio.run_coroutine_threadsafe(self._answer(text, payload), self._loop)

    async def _answer(self, text: str, payload: Mapping[str, Any]) -> ChatAnswer:
        began = time.monotonic()
        messages = [
            {"role": "system", "content": self.prompt},
            {"role": "user", "content": item_message(self.plan, text, payload)},
        ]
        replies: list[_Reply] = []
        answers: Answers = {}
        confidence, fault = None, ""
        for _ in range(2):
            reply = await self._reply(messages)
            replies.append(reply)
            if reply.error:
                break
            answers, confidence, fault = self._read(reply.text, text, payload)
            if not fault:
                break
            messages += [
                {"role": "assistant", "content": reply.text[:RAW_LIMIT]},
                {"role": "user", "content": f"This cannot be used: {fault}. Answer again, "
                 "with the JSON object alone."},
            ]  # fmt: skip
        last = replies[-1]
        raw = "\n---\n".join(reply.text for reply in replies)
        return ChatAnswer(
            answers,
            confidence,
            error=last.error or ("invalid" if fault else ""),
            detail=last.detail or fault,
            raw=_storable(raw)[:RAW_LIMIT],
            tokens_in=sum(reply.tokens_in for reply in replies),
            tokens_out=sum(reply.tokens_out for reply in replies),
            seconds=time.monotonic() - began,
        )

    def _read(
        self, said: str, text: str, payload: Mapping[str, Any]
    ) -> tuple[Answers, float | None, str]:
        """The answers in a reply, their confidence, and what is wrong with them."""
        try:
            answers, confidence = read_reply(self.plan.questions, said, text, payload)
        except ValueError as error:
            return {}, None, str(error)
        if self._key and self._key in json.dumps(answers, ensure_ascii=False):
            return {}, None, "the answer holds a secret"
        return answers, confidence, ""

    async def _reply(self, messages: Sequence[Mapping[str, str]]) -> _Reply:
        """The reply to the messages, after as many tries as it may take."""
        import httpx

        problem, wait = "", 0.0
        for number in range(TRIES):
            if number:
                await self._sleep(min(max(2.0 ** (number - 1), wait), _LONGEST_WAIT))
            wait = 0.0
            try:
                status, headers, body = await self._response(messages)
            except TimeoutError:
                problem = f"no answer within {self.settings.timeout:g} s"
                continue
            except (httpx.HTTPError, httpx.StreamError) as error:
                problem = self._clean(f"{type(error).__name__}: {error}")
                continue
            if len(body) > MOST_BYTES:
                return _Reply(error="too_large", detail=f"more than {MOST_BYTES:,} bytes were sent")
            if status == 200:
                return self._understood(body, messages)
            problem = f"{status} {self._clean(body.decode('utf-8', 'replace'))[:200]}".strip()
            if status in _OF_AN_ITEM:
                return _Reply(error="refused", detail=problem)
            if status not in _AGAIN:
                raise EndpointRefused(f"{self.settings.address} refused the request: {problem}")
            wait = _seconds_to_wait(headers)
        return _Reply(error="unavailable", detail=f"after {TRIES} tries: {problem}")

    async def _response(
        self, messages: Sequence[Mapping[str, str]]
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of one request, which ends in time and at a size."""
        address, body = f"{self.settings.address}/chat/completions", bytearray()
        async with (
            asyncio.timeout(self.settings.timeout),
            self._client.stream("POST", address, json=self.settings.body(messages)) as response,
        ):
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > MOST_BYTES:
                    break
            return response.status_code, response.headers, bytes(body)

    def _understood(self, body: bytes, messages: Sequence[Mapping[str, str]]) -> _Reply:
        """What a response says, with the key taken out; bytes count where it names no tokens."""
        try:
            given = json.loads(body)
            said = given["choices"][0]["message"]["content"]
            if not isinstance(said, str):
                raise TypeError
        except (ValueError, LookupError, TypeError, RecursionError):
            return _Reply(error="invalid", detail="the response is not one of the chat protocol")
        sent = sum(len(message["content"].encode()) for message in messages)
        tokens_in = _whole(given.get("usage"), "prompt_tokens", sent)
        tokens_out = _whole(given.get("usage"), "completion_tokens", len(body))
        said, error, detail = self._clean(said), "", ""
        if not self.settings.is_named(given.get("model")):
            error = "other_model"
            detail = f"the answer is of {self._clean(str(given.get('model')))[:100]!r}"
        return _Reply(said, error, detail, tokens_in, tokens_out)

    def _clean(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


def _storable(text: str) -> str:
    """The text without what no database takes."""
    return _UNSTORABLE.sub("\ufffd", text)


def _whole(usage: object, name: str, default: int) -> int:
    value = usage.get(name) if isinstance(usage, dict) else None
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9
    return value if is_count else default  # type: ignore[return-value]  # which is checked


def _seconds_to_wait(headers: Mapping[str, str]) -> float:
    """What Retry-After asks for, in seconds; 0 for anything else."""
    try:
        return min(max(float(headers.get("Retry-After", "0")), 0.0), _LONGEST_WAIT)
    except ValueError:
        return 0.0
