"""The bus between processes and computers, by zenoh.

Nodes are meshed: each listens at an address of its own and is connected to every other, so that the death of any one
leaves the rest as they are. All are given the same list of addresses; each connects to those that stand before its own
in the list, again and again until somebody is there, and those after it connect to it. Nothing is searched for on the
network, and nothing is passed on for others. A visitor, such as a second viewer, listens nowhere and connects to all.

A peer must know a password that is derived from the shared key; zenoh has it proven without sending it. Besides,
every message is sealed with another secret derived from the key, since zenoh has only the one who connects prove
anything. Contents are not encrypted, and a message that is sent again is not told from the first: what must not happen
twice needs more than a seal, see `messages`.
"""

from __future__ import annotations

import atexit
import hashlib
import hmac
import json
import os
import re
import secrets
import socket
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from tegotae import checks
from tegotae.errors import InputError
from tegotae.extras import require
from tegotae.hybrid.bus.bus import About, Bus, Reply, Take, mismatches
from tegotae.hybrid.bus.messages import object_of
from tegotae.hybrid.links.datagrams import LOOPBACK, Address, bound, checked_address, checked_key

_SEAL = 16  # bytes

_NAME = "ZenohBus"
_USER = "tegotae"
_LEASE = 10_000  # ms of silence after which a peer is given up; a process that is killed is noticed at once
_QUEUE = 16  # batches that wait for a slow peer, the most that zenoh allows: seconds of rows
_OPENING = 1.0  # s, for a peer to let us in; tried again if it takes longer
_QUIET = {"multicast": {"enabled": False}, "gossip": {"enabled": False}, "delay": 0}


def free_address(host: str = "127.0.0.1") -> Address:
    """An address at which no program listens now."""
    with bound(_NAME, "host", host, socket.SOCK_STREAM) as it:
        return host, int(it.getsockname()[1])


def endpoint(address: Address) -> str:
    """An address as zenoh writes it."""
    host, port = address
    return f"tcp/[{host}]:{port}" if ":" in host else f"tcp/{host}:{port}"


class Access:
    """What a key gives: a password to open sessions with, and a seal for messages."""

    def __init__(self, key: bytes) -> None:
        key = checked_key(_NAME, key)
        self._password = hmac.digest(key, b"tegotae bus password", "sha256").hex()
        self._secret = hmac.digest(key, b"tegotae bus seal", "sha256")

    def seal(self, purpose: bytes, topic: str, payload: bytes) -> bytes:
        """Bytes that only those with the key can give for this message."""
        it = hashlib.blake2b(key=self._secret, digest_size=_SEAL)
        for part in (purpose, topic.encode()):
            it.update(len(part).to_bytes(4, "little") + part)
        it.update(payload)
        return it.digest()

    def peer(self, listen: Address | None, connect: Sequence[Address]) -> Any:
        """A session that listens here, and connects there as soon as a peer is there."""
        retry = {"period_init_ms": 50, "period_max_ms": 500, "period_increase_factor": 2}
        queue = {"size": {"data": _QUEUE}, "congestion_control": {"drop": {"wait_before_drop": 0}}}
        settings: dict[str, object] = {
            "mode": "peer",
            "listen": {"endpoints": [] if listen is None else [endpoint(listen)], "exit_on_failure": True},
            "connect": {
                "endpoints": [endpoint(one) for one in connect],
                "timeout_ms": -1,
                "exit_on_failure": False,
                "retry": retry,
            },
        }
        return self._opened(settings, {"tx": {"lease": _LEASE, "queue": queue}})

    def refusal(self, address: Address) -> str:
        """Why the peer that listens there refuses us, in words; nothing if none listens, or all is well."""
        from zenoh import ZError

        try:
            socket.create_connection(address, _OPENING).close()
        except OSError:  # nobody is there, which is no refusal
            return ""
        connect = {"endpoints": [endpoint(address)], "timeout_ms": 0, "exit_on_failure": True}
        try:
            self._opened({"mode": "client", "connect": connect}, {}).close()
        except ZError:
            return (
                f"{address[0]}:{address[1]} listens but refuses this node: it has another key, or is no node of "
                "tegotae. Give all nodes the same key file, and addresses that nothing else uses."
            )
        return ""

    def _opened(self, settings: dict[str, object], link: dict[str, object]) -> Any:
        """A session that proves our key to others and has them prove theirs."""
        import zenoh

        handle, path = tempfile.mkstemp(prefix="tegotae-")  # zenoh reads passwords from a file only; this is private
        try:
            with os.fdopen(handle, "w") as file:
                file.write(f"{_USER}:{self._password}\n")
            transport = {
                "auth": {"usrpwd": {"user": _USER, "password": self._password, "dictionary_file": path}},
                "link": {"protocols": ["tcp"], **link},
                "shared_memory": {"enabled": False},  # a killed process would leave its segments behind
                "unicast": {"open_timeout": round(1e3 * _OPENING)},
            }
            config = json.dumps({**settings, "scouting": _QUIET, "transport": transport})
            return zenoh.open(zenoh.Config.from_json5(config))
        finally:
            os.unlink(path)


def refuse_address(address: Address | None, words: str) -> NoReturn:
    """Tell that zenoh cannot listen at an address."""
    if address is None:
        checks.refuse(_NAME, f"zenoh does not start ({words}).", "Check the addresses of the peers.")
    host, port = address
    if "Address already in use" in words:
        remedy = "End the program that listens there (`ss -ltnp` names it), or choose another port for this node."
        checks.refuse(_NAME, f"port {port} of {host} is in use.", remedy)
    problem = f"cannot listen at {host}:{port} ({words.split(' at /')[0]})."
    checks.refuse(_NAME, problem, "Name an address of this computer.")


_FRESH = 2.0  # s, for which the refusal of a peer is believed
_WAITING = 4096  # messages that wait to be taken here; a subscriber that is slower still loses some
_END = 1.0  # s, for a callback to end
_TRIES = 20  # ports, if the system is to choose one
_TOKEN = re.compile(r"(?P<where>(?P<node>[^/]+)/[^/]+)/(?P<seal>(?:[0-9a-f]{2})+)/(?P<words>(?:[0-9a-f]{2})+)")
_GOOD, _BAD = b"\0", b"\1"  # what an answer begins with


class ZenohBus(Bus):
    """A bus between processes, on one or several computers.

    What is published goes to those who are connected at that time. A peer that does not read for some seconds loses
    blocks, rather than hold up the publisher; a `BlockReader` counts them. Callbacks run in threads of their own.

    Args:
        session: its name, the same for all nodes.
        key: shared by all nodes, such as `new_key` makes.
        listen: address and port of this node; port 0 lets the system choose; None listens nowhere.
        peers: addresses of all nodes, in the same order for all; our own may be among them. If it is, this node
            connects to those before it and awaits the others; if not, it connects to all.

    Example:
        >>> from tegotae.hybrid import new_key
        >>> from tegotae.hybrid.bus.zenoh_bus import ZenohBus
        >>> key = new_key()
        >>> with ZenohBus("demo", key=key) as table, ZenohBus("demo", key=key, peers=[table.address]) as view:
        ...     table.answer("demo/parameters/table", lambda asked: asked.upper())
        ...     table.declare("table", {"device": "spring"})
        ...     view.wait_for(["table"], timeout=5.0), view.ask("demo/parameters/table", b"kp")
        ([], b'KP')
    """

    def __init__(
        self, session: str, *, key: bytes, listen: Address | None = LOOPBACK, peers: Sequence[Address] = ()
    ) -> None:
        require(_NAME, "zenoh")
        import zenoh

        super().__init__(session)
        self._zenoh: Any = zenoh
        self._access = Access(key)
        if listen is not None:
            listen = checked_address(_NAME, "listen", listen)
        listed: Any = checks.several(_NAME, "peers", peers, object, "Give a list of (host, port).")
        peers = [checked_address(_NAME, "peers", one, to=True) for one in listed]
        self._others = [one for one in peers if one != listen]
        before = peers[: peers.index(listen)] if listen is not None and listen in peers else self._others
        self._lock = threading.Lock()
        self._alive: dict[str, tuple[str, About]] = {}  # key of a token -> node and what it told
        self._unlike: dict[str, About] = {}  # nodes of another version; kept when they leave, as they should
        self._tokens: dict[str, Any] = {}
        self._publishers: dict[str, Any] = {}
        self._ears: list[threading.Thread] = []
        self._troubles: dict[str, str] = {}  # where -> what a callback raised last
        self._foreign = 0
        self._probed: dict[Address, tuple[float, str]] = {}
        self._tokens_key = f"{session}/alive"
        self.address: Address | None = None  # where this node listens
        self._open(listen, before)

    # ------------------------------------------------------------ opening

    def _open(self, listen: Address | None, connect: Sequence[Address]) -> None:
        for left in reversed(range(_TRIES)):
            self.address = free_address(listen[0]) if listen is not None and listen[1] == 0 else listen
            try:
                self._session = self._access.peer(self.address, connect)
                break
            except self._zenoh.ZError as error:
                if self.address == listen or not left:  # a port of our own choice may have been taken meanwhile
                    refuse_address(self.address, str(error))
        atexit.register(self.close)  # a session that is left open would keep its process from ending
        tokens, here = f"{self._tokens_key}/**", self._session.liveliness()
        self._hear("meeting", self._met, here.declare_subscriber, tokens, history=True)

    def _hear(
        self, what: str, act: Callable[[Any], None], declare: Callable[..., Any], topic: str, **options: bool
    ) -> None:
        """Act on all that comes, in a thread that ends with the session, or with the process."""
        source = declare(topic, self._zenoh.handlers.FifoChannel(_WAITING), **options)

        def listen() -> None:
            for it in source:
                try:
                    act(it)
                except Exception as error:  # told by problems(): one bad message must not make us deaf
                    self._noted(what, error)
                del it  # an asker waits for as long as its question is kept

        ear = threading.Thread(target=listen, name=f"{_NAME} {self.session}", daemon=True)
        self._ears.append(ear)
        ear.start()

    # ------------------------------------------------------------ publishing

    def _publish(self, topic: str, payload: bytes) -> None:
        publisher = self._publishers.get(topic)
        if publisher is None:
            zenoh = self._zenoh
            publisher = self._publishers[topic] = self._session.declare_publisher(
                topic, congestion_control=zenoh.CongestionControl.DROP, reliability=zenoh.Reliability.RELIABLE
            )
        publisher.put(payload, attachment=self._access.seal(b"say", topic, payload))

    def _subscribe(self, topic: str, take: Take) -> None:
        def heard(sample: Any) -> None:
            where, payload = str(sample.key_expr), sample.payload.to_bytes()
            if self._sealed(sample.attachment, b"say", where, payload):
                take(where, payload)

        self._hear(f"taking {topic}", heard, self._session.declare_subscriber, topic)

    # ------------------------------------------------------------ who is here

    def _declare(self, node: str, about: About) -> None:
        listens = None if self.address is None else endpoint(self.address)
        try:
            words = json.dumps({"bus": listens, **about}).encode()
        except (TypeError, ValueError) as error:
            raise InputError(f"{_NAME}: about={about!r} is not JSON ({error}).\n  Use text, numbers, lists.") from error
        self._leave(node)
        where = f"{self._tokens_key}/{node}/{secrets.token_hex(8)}"  # two nodes of one name are told apart
        seal = self._access.seal(b"here", where, words).hex()
        self._tokens[node] = self._session.liveliness().declare_token(f"{where}/{seal}/{words.hex()}")

    def _leave(self, node: str) -> None:
        token = self._tokens.pop(node, None)
        if token is not None:
            token.undeclare()

    def _met(self, sample: Any) -> None:
        token = str(sample.key_expr)
        if sample.kind == self._zenoh.SampleKind.DELETE:
            with self._lock:
                self._alive.pop(token, None)
            return
        matched = _TOKEN.fullmatch(token.removeprefix(f"{self._tokens_key}/"))
        words = b"" if matched is None else bytes.fromhex(matched["words"])
        seal, where = (b"", "") if matched is None else (bytes.fromhex(matched["seal"]), matched["where"])
        if self._sealed(seal, b"here", f"{self._tokens_key}/{where}", words) and matched is not None:
            node, about = matched["node"], object_of("node", words)
            with self._lock:
                self._alive[token] = node, about
                self._unlike.pop(node, None)
                if mismatches({node: about}):
                    self._unlike[node] = about

    def nodes(self) -> dict[str, About]:
        """Who is here now, and what each told of itself."""
        with self._lock:
            return {node: dict(about) for node, about in self._alive.values()}

    # ------------------------------------------------------------ questions

    def _answer(self, topic: str, reply: Reply) -> None:
        def asked(query: Any) -> None:
            payload = b"" if query.payload is None else query.payload.to_bytes()
            proof = b"" if query.attachment is None else query.attachment.to_bytes()
            nonce = proof[_SEAL:]
            if self._sealed(proof[:_SEAL], b"ask" + nonce, topic, payload):
                answer = self._answered(topic, reply, payload)
                query.reply(topic, answer, attachment=self._access.seal(b"answer" + nonce, topic, answer))

        self._hear(f"answering {topic}", asked, self._session.declare_queryable, topic, complete=True)

    def _answered(self, topic: str, reply: Reply, payload: bytes) -> bytes:
        try:
            return _GOOD + reply(payload)
        except InputError as error:
            return _BAD + str(error).encode()
        except Exception as error:  # told on both sides: by problems() here, by the error there
            return _BAD + self._noted(f"answering {topic}", error).encode()

    def _ask(self, topic: str, payload: bytes, timeout: float) -> bytes | None:
        nonce = secrets.token_bytes(_SEAL)
        proof = self._access.seal(b"ask" + nonce, topic, payload) + nonce
        at_once = self._zenoh.ConsolidationMode.NONE  # no waiting for other answers
        given = {"payload": payload, "attachment": proof, "timeout": timeout, "consolidation": at_once}
        for got in self._session.get(topic, **given):
            if got.ok is None:  # zenoh's own words, such as a timeout
                continue
            answer = got.ok.payload.to_bytes()
            if self._sealed(got.ok.attachment, b"answer" + nonce, topic, answer):
                if answer[:1] == _BAD:
                    raise InputError(f"{topic} refused: {answer[1:].decode('utf-8', 'replace')}")
                return bytes(answer[1:])
        return None

    # ------------------------------------------------------------ what is wrong

    def _sealed(self, seal: Any, purpose: bytes, topic: str, payload: bytes) -> bool:
        given = seal if isinstance(seal, bytes) else b"" if seal is None else seal.to_bytes()
        good = hmac.compare_digest(given, self._access.seal(purpose, topic, payload))
        if not good:
            with self._lock:
                self._foreign += 1
        return good

    def _noted(self, where: str, error: Exception) -> str:
        last = traceback.extract_tb(error.__traceback__)[-1]
        words = f"{type(error).__name__}: {error} ({os.path.basename(last.filename)}, line {last.lineno})"
        with self._lock:
            self._troubles[where] = words
        return words

    def versions(self) -> list[str]:
        """Nodes of another version than ours that came, in words, also if they have left."""
        with self._lock:
            return mismatches(self._unlike)

    def problems(self) -> list[str]:
        """What is wrong, in words: other versions, refused peers, foreign messages. Too slow for a loop."""
        here, words = self.nodes(), self.versions()
        with self._lock:
            names = [node for node, _ in self._alive.values()]
            troubles, foreign = dict(self._troubles), self._foreign
        words += [
            f"{names.count(node)} nodes are called {node!r}. End all but one." for node in here if names.count(node) > 1
        ]
        reached = {about.get("bus") for about in here.values()}
        words += filter(None, (self._refusal(one) for one in self._others if endpoint(one) not in reached))
        if foreign:
            words.append(f"{foreign} messages bore no seal of our key and were ignored. Give all nodes the same key.")
        return words + [f"{where} failed: {what}" for where, what in troubles.items()]

    def _refusal(self, address: Address) -> str:
        """Why no connection to the peer that listens there is made; nothing if none listens, or all is well."""
        now = time.monotonic()
        when, words = self._probed.get(address, (now - 2 * _FRESH, ""))
        if now - when > _FRESH:
            words = self._access.refusal(address)
            self._probed[address] = time.monotonic(), words
        return words

    # ------------------------------------------------------------ closing

    def close(self) -> None:
        """Leave with all nodes declared here; nothing is heard afterwards."""
        if not self._session.is_closed():
            for node in tuple(self._tokens):
                self._leave(node)
            self._session.close()
            for ear in self._ears:
                if ear is not threading.current_thread():
                    ear.join(_END)
            atexit.unregister(self.close)
