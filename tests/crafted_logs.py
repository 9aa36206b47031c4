"""Logs that no tegotae ever wrote: sound MCAP files with senseless content, and sound logs with bytes turned over."""

import json
import struct
from pathlib import Path

import numpy as np
from mcap.writer import CompressionType, Writer

from hybrid_logs import Impact, dynamics_rows, table_rows, write_log
from tegotae.hybrid.bus.rows import DYNAMICS, TABLE
from tegotae.hybrid.records.log import DESCRIBED, described
from tegotae.hybrid.records.log_reader import RECORDS

EVENT = {"time": 5_000_000_000, "node": "table", "level": "warning", "text": "late", "kind": "late"}
STATUS = {"deadlines": {"missed": 2}, "link": {"lost": 1}, "state": 1, "words": []}
SETTINGS = {"guard": True, "device": {"kind": "spring"}, "duration": 0.1}
ROWS = dynamics_rows(Impact(), length=0.1)
ROWS["felt_pose"][:, 3] = ROWS["felt_onset"][:, 3] = 1.0
DEEP = "[" * 50_000 + "]" * 50_000


def craft(path, channels, *, about=None, profile="tegotae-hybrid", crcs=False):
    """An MCAP file; channels are (topic, encoding, schema encoding, schema, messages)."""
    with open(path, "wb") as file:
        writer = Writer(file, compression=CompressionType.NONE, enable_crcs=crcs)
        writer.start(profile=profile, library="crafted")
        writer.add_metadata("about", {"settings": json.dumps(SETTINGS)} if about is None else about)
        for topic, encoding, schema_encoding, schema, messages in channels:
            number = writer.register_schema(name=topic, encoding=schema_encoding, data=schema)
            channel = writer.register_channel(topic, encoding, number)
            for sequence, data in messages:
                writer.add_message(channel, 5_000_000_000, data, 5_000_000_000, sequence)
        writer.finish()
    return path


def rows_of(kind, rows, *, sequence=0, schema=None):
    text = described(kind, rows.dtype) if schema is None else schema
    return (f"rows/{kind}", RECORDS, DESCRIBED, text, [(sequence, rows.tobytes())])


def json_of(topic, *values):
    data = [value if isinstance(value, bytes) else json.dumps(value).encode() for value in values]
    return (topic, "json", "jsonschema", b"{}", list(enumerate(data)))


def schema_with(dtype=DYNAMICS, **changes):
    return json.dumps(json.loads(described("dynamics", dtype)) | changes).encode()


def field_with(which, **changes):
    told = json.loads(described("dynamics", DYNAMICS))
    told["fields"] = [each | changes if each["name"] == which else each for each in told["fields"]]
    return json.dumps(told).encode()


def spoilt(name, value, at=slice(None), source=ROWS):
    rows = source.copy()
    rows[name][at] = value
    return rows


def without(*names):
    dtype = np.dtype([(name, DYNAMICS[name]) for name in DYNAMICS.names if name not in names])
    rows = np.zeros(ROWS.size, dtype)
    for name in dtype.names:
        rows[name] = ROWS[name]
    return rows


def retyped(name, kind):
    """The rows with one field of another type; numbers where they fit."""
    dtype = np.dtype([(one, kind if one == name else DYNAMICS[one]) for one in DYNAMICS.names])
    rows = np.zeros(ROWS.size, dtype)
    for one in dtype.names:
        if one != name:
            rows[one] = ROWS[one]
    return rows


INT, GOOD = np.iinfo(np.int64), rows_of("dynamics", ROWS)
CONTENTS = {
    "no channels": [],
    "empty schema": [rows_of("dynamics", ROWS, schema=b"")],
    "schema no JSON": [rows_of("dynamics", ROWS, schema=b"{")],
    "schema a list": [rows_of("dynamics", ROWS, schema=b"[]")],
    "schema deep": [rows_of("dynamics", ROWS, schema=DEEP.encode())],
    "schema no fields": [rows_of("dynamics", ROWS, schema=schema_with(fields=[]))],
    "schema fields text": [rows_of("dynamics", ROWS, schema=schema_with(fields="abc"))],
    "schema size 0": [rows_of("dynamics", ROWS, schema=schema_with(record_size=0))],
    "schema size -1": [rows_of("dynamics", ROWS, schema=schema_with(record_size=-1))],
    "schema size huge": [rows_of("dynamics", ROWS, schema=schema_with(record_size=1 << 40))],
    "schema size text": [rows_of("dynamics", ROWS, schema=schema_with(record_size="528"))],
    "schema type object": [rows_of("dynamics", ROWS, schema=field_with("energy", type="O"))],
    "schema type text": [rows_of("dynamics", ROWS, schema=field_with("energy", type="<U2"))],
    "schema type nonsense": [rows_of("dynamics", ROWS, schema=field_with("energy", type="zzz"))],
    "schema type list": [rows_of("dynamics", ROWS, schema=field_with("energy", type=["<f8"]))],
    "schema shape huge": [rows_of("dynamics", ROWS, schema=field_with("energy", shape=[1 << 40]))],
    "schema shape negative": [rows_of("dynamics", ROWS, schema=field_with("energy", shape=[-1]))],
    "schema offset far": [rows_of("dynamics", ROWS, schema=field_with("energy", offset=1 << 40))],
    "schema offset negative": [rows_of("dynamics", ROWS, schema=field_with("energy", offset=-8))],
    "schema names twice": [rows_of("dynamics", ROWS, schema=field_with("energy", name="time"))],
    "schema name number": [rows_of("dynamics", ROWS, schema=field_with("energy", name=5))],
    "rows cut": [("rows/dynamics", RECORDS, DESCRIBED, described("dynamics", DYNAMICS), [(0, ROWS.tobytes()[:-5])])],
    "rows empty": [("rows/dynamics", RECORDS, DESCRIBED, described("dynamics", DYNAMICS), [(0, b"")])],
    "rows of the table": [rows_of("dynamics", np.zeros(9, TABLE))],
    "rows as JSON": [("rows/dynamics", "json", "jsonschema", b"{}", [(0, b"{}")])],
    "no time": [rows_of("dynamics", without("time"))],
    "no wrench": [rows_of("dynamics", without("wrench", "pose"))],
    "no offset": [rows_of("dynamics", without("offset"))],
    "time of floats": [rows_of("dynamics", retyped("time", "<f8"))],
    "time of text": [rows_of("dynamics", retyped("time", "<U3"))],
    "time a pair": [rows_of("dynamics", retyped("time", ("<i8", (2,))))],
    "simulated of text": [rows_of("dynamics", retyped("simulated", "<U3"))],
    "simulated complex": [rows_of("dynamics", retyped("simulated", "<c16"))],
    "wrench a number": [rows_of("dynamics", retyped("wrench", "<f8"))],
    "wrench of two": [rows_of("dynamics", retyped("wrench", ("<f8", (2,))))],
    "pose of bytes": [rows_of("dynamics", retyped("pose", "S7"))],
    "state of floats": [rows_of("dynamics", retyped("state", "<f8"))],
    "times at the ends": [rows_of("dynamics", spoilt("time", [INT.min, INT.max] * 25))],
    "times going back": [rows_of("dynamics", spoilt("time", ROWS["time"][::-1]))],
    "ticks at the ends": [rows_of("dynamics", spoilt("tick", [INT.min, INT.max] * 25))],
    "steps negative": [rows_of("dynamics", spoilt("steps", -5))],
    "steps endless": [rows_of("dynamics", spoilt("steps", 2_000_000_000))],
    "simulated NaN": [rows_of("dynamics", spoilt("simulated", np.nan))],
    "simulated infinite": [rows_of("dynamics", spoilt("simulated", np.inf, slice(3, 9)))],
    "simulated going back": [rows_of("dynamics", spoilt("simulated", ROWS["simulated"][::-1]))],
    "simulated standing": [rows_of("dynamics", spoilt("simulated", 0.5))],
    "simulated huge": [rows_of("dynamics", spoilt("simulated", 1e300, slice(20, 30)))],
    "offset huge": [rows_of("dynamics", spoilt("offset", 1e300)), rows_of("table", table_rows(Impact(), length=0.1))],
    "all NaN": [rows_of("dynamics", np.frombuffer(b"\xff" * ROWS.nbytes, DYNAMICS))],
    "all huge": [
        rows_of("dynamics", spoilt("wrench", -1e300, source=spoilt("twist", 1e300, source=spoilt("energy", -1e308))))
    ],
    "forces huge and back": [rows_of("dynamics", spoilt("wrench", [[-1e308] * 6, [1e308] * 6] * 25))],
    "delay huge": [rows_of("dynamics", spoilt("delay", 1e300))],
    "lateness infinite": [rows_of("dynamics", spoilt("lateness", np.inf))],
    "felt nonsense": [rows_of("dynamics", spoilt("felt_pose", np.nan, source=spoilt("felt_state", -1)))],
    "labels NaN": [rows_of("dynamics", spoilt("label", np.nan))],
    "sequence far": [GOOD, rows_of("table", np.zeros(3, TABLE), sequence=(1 << 32) - 1)],
    "lost rows": [(*GOOD[:4], [(0, ROWS[:9].tobytes()), (1 << 31, ROWS[9:].tobytes())])],
    "topic twice": [GOOD, rows_of("dynamics", np.zeros(5, TABLE))],
    "table NaN": [GOOD, rows_of("table", np.frombuffer(b"\xff" * (TABLE.itemsize * 50), TABLE))],
    "event a list": [json_of("events", [1, 2])],
    "event a number": [json_of("events", 5)],
    "event no JSON": [json_of("events", b"{")],
    "event deep": [json_of("events", DEEP.encode())],
    "event empty": [json_of("events", {})],
    "event time 10**30": [GOOD, json_of("events", EVENT | {"time": 10**30})],
    "event time NaN": [GOOD, json_of("events", EVENT | {"time": float("nan")})],
    "event time text": [GOOD, json_of("events", EVENT | {"time": "soon"})],
    "event node list": [GOOD, json_of("events", EVENT | {"node": []})],
    "event text number": [GOOD, json_of("events", EVENT | {"text": 5})],
    "event level": [GOOD, json_of("events", EVENT | {"level": "panic"})],
    "event surrogate": [GOOD, json_of("events", EVENT | {"text": "\ud800"})],
    "event digits": [GOOD, json_of("events", b'{"time": ' + b"9" * 6000 + b"}")],
    "status a list": [GOOD, json_of("status/dynamics", [1])],
    "status null": [GOOD, json_of("status/dynamics", None)],
    "status counts text": [GOOD, json_of("status/dynamics", {"deadlines": {"missed": "many"}, "link": {"lost": []}})],
    "status counts huge": [GOOD, json_of("status/dynamics", {"deadlines": {"missed": 10**300}})],
    "status counts inf": [GOOD, json_of("status/dynamics", b'{"link": {"lost": NaN}, "deadlines": {"missed": 1e999}}')],
    "status link text": [GOOD, json_of("status/dynamics", {"link": "none"})],
    "status of nobody": [GOOD, json_of("status/", STATUS)],
    "configuration of text": [GOOD, ("configuration", "json", "jsonschema", b"{}", [(0, b"{}")])],
    "configuration cut": [
        (
            "configuration",
            RECORDS,
            DESCRIBED,
            described("configuration", np.dtype([("simulated", "<f8"), ("q", "<f8", (3,))])),
            [(0, bytes(31))],
        )
    ],
}  # fmt: skip
ABOUTS = {
    "about no JSON": {"settings": "{"},
    "about deep": {"settings": DEEP},
    "about a list": {"settings": "[1, 2]"},
    "about a number": {"settings": "5", "versions": "7", "started": "[]"},
    "about digits": {"settings": "9" * 6000},
    "about unknown": {"settings": '{"gard": true}'},
    "about period 0": {"settings": '{"period": 0}'},
    "about huge": {"settings": '{"period": 1e999}'},
    "about other device": {"settings": '{"device": {"kind": "own", "factory": "os:abort"}}'},
    "about words": {"settings": '{"guard": "yes"}', "versions": '["x"]', "settings_text": "5"},
    "about none": {},
}


def crafted(folder: Path):
    """Every file of senseless content, by name."""
    for name, channels in CONTENTS.items():
        yield name, craft(folder / "crafted.mcap", channels)
    for name, about in ABOUTS.items():
        yield name, craft(folder / "crafted.mcap", [GOOD], about=about)
    yield "another profile", craft(folder / "crafted.mcap", [GOOD], profile="ros2")
    for name, content in files():
        (folder / "crafted.mcap").write_bytes(content)
        yield name, folder / "crafted.mcap"


def record(opcode, data):
    return struct.pack("<BQ", opcode, len(data)) + data


def text(words):
    return struct.pack("<I", len(words)) + words


MAGIC = b"\x89MCAP0\r\n"
HEADER = record(1, text(b"tegotae-hybrid") + text(b"crafted"))


def chunk(data, size, compression=b"", crc=0):
    return record(6, struct.pack("<QQQI", 0, 0, size, crc) + text(compression) + struct.pack("<Q", len(data)) + data)


def files():
    """Files that are wrong in their bones."""
    import zstandard

    packer = zstandard.ZstdCompressor(level=1).compressobj(size=1 << 28)  # a quarter of a gigabyte of zeros
    bomb = b"".join([*(packer.compress(bytes(1 << 22)) for _ in range(64)), packer.flush()])
    yield "bomb", MAGIC + HEADER + chunk(bomb, 1 << 28, b"zstd")
    yield "bomb that lies", MAGIC + HEADER + chunk(bomb, 100, b"zstd")
    yield "bombs", MAGIC + HEADER + 200 * chunk(bomb, 1 << 28, b"zstd")
    yield "chunk of lz4", MAGIC + HEADER + chunk(b"abc", 3, b"lz4")
    yield "chunk of nothing known", MAGIC + HEADER + chunk(b"abc", 3, b"brotli")
    yield "chunk too long", MAGIC + HEADER + chunk(record(5, b"")[:1] + b"\xff" * 8, 9)
    yield "message of a million bytes", MAGIC + HEADER + chunk(struct.pack("<BQ", 5, 1 << 40) + bytes(40), 49)
    yield "crc", MAGIC + HEADER + chunk(b"abc", 3, crc=7)
    yield "metadata cut", MAGIC + HEADER + record(12, text(b"about") + struct.pack("<I", 1 << 31))
    yield "no header", MAGIC + record(15, bytes(4)) + record(2, bytes(20)) + MAGIC
    yield "header twice", MAGIC + HEADER + HEADER + record(15, bytes(4)) + record(2, bytes(20)) + MAGIC
    yield "footer short", MAGIC + HEADER + record(2, b"") + MAGIC
    yield "record of 2**63", MAGIC + HEADER + struct.pack("<BQ", 6, 1 << 63)
    yield "header not text", MAGIC + record(1, text(b"\xff\xfe") + text(b""))


def mutations(folder: Path, many: int, seed: int):
    """A sound log with bits turned over, pieces cut out, doubled or swapped; chunks unpacked, so that it shows."""
    chance, path = np.random.default_rng(seed), folder / "mutated.mcap"
    table = table_rows(Impact(), length=0.1)
    channels = [GOOD, rows_of("table", table), json_of("events", EVENT, EVENT), json_of("status/dynamics", STATUS)]
    sound = [
        craft(path, channels).read_bytes(),
        write_log(folder / "sound.mcap", ROWS, table, events=[EVENT], status=[("table", STATUS)]).read_bytes(),
    ]
    for number in range(many):
        whole = bytearray(sound[number % 2])
        for _ in range(chance.integers(1, 6)):
            at, length = chance.integers(0, len(whole)), int(chance.integers(1, 300))
            match chance.integers(0, 5):
                case 0 | 1:
                    whole[at] ^= 1 << chance.integers(0, 8)
                case 2:
                    whole[at : at + 8] = chance.bytes(8)
                case 3:
                    del whole[at : at + length]
                case _:
                    whole[at:at] = whole[at : at + length]
        if chance.random() < 0.2:
            del whole[chance.integers(0, len(whole)) :]
        path.write_bytes(bytes(whole))
        yield f"mutation {number}", path
