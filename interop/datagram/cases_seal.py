"""Exchanges of a port with keys (docs/draft-jwarp-datagram-iwarp-keys-00.md): what is not authentic, or not new, is dropped without an answer; what is, is answered."""
import path
from cases import NotRun, case, heard, same
from wire import *


def probe(t):
    """The octets of a PATH-PROBE in its envelope, which are not sent."""
    if t.to not in t.port.sealing.known:
        path.probe(t.ud, t.to, t.info['ud'], t.info['udkey'])
        heard(t, PATH_REPLY)
    kept, sendto = [], t.port.send_octets
    t.port.send_octets = lambda octets, to: kept.append(octets)
    try:
        asked = path.probe(t.ud, t.to, t.info['ud'], t.info['udkey'])
    finally:
        t.port.send_octets = sendto
    return asked, kept[0]


def again(octets):
    return seal(octets[:-4])


WRONG = {
    'last-octet-of-tag': lambda t, o: again(o[:-5] + bytes([o[-5] ^ 1, 0, 0, 0, 0])),
    'first-octet-of-tag': lambda t, o: again(o[:-20] + bytes([o[-20] ^ 1]) + o[-19:]),
    'inner-octet': lambda t, o: again(o[:68] + bytes([o[68] ^ 1]) + o[69:]),
    'key-id': lambda t, o: again(o[:24] + bytes([o[24] ^ 1]) + o[25:]),
    'bare': lambda t, o: encode(t.asked),
    'old': lambda t, o: t.port.sealing.build(encode(t.asked), t.port.sealing.keys[0], b'\1\2\3\4\5\6\7\10', 1, int(t.port.sealing.clock()) - 1000, t.port.sealing.known[t.to]),
    'another-receiver': lambda t, o: t.port.sealing.wrap(encode(t.asked), t.to, b'\1\2\3\4\5\6\7\10'),
    'no-receiver': lambda t, o: t.port.sealing.wrap(encode(t.asked), t.to, bytes(8)),
}


@case(*WRONG)
def to_seal_wrong(t, what):
    """It is dropped in silence; a good one is answered."""
    if not t.port.sealing:
        raise NotRun('keys are wanted')
    t.asked, octets = probe(t)
    t.port.send_octets(WRONG[what](t, octets), t.to)
    asked, octets = probe(t)
    t.port.send_octets(octets, t.to)
    same('token', heard(t, PATH_REPLY).token, asked.token)


@case()
def to_seal_replay(t):
    """The same octets are answered once."""
    if not t.port.sealing:
        raise NotRun('keys are wanted')
    first, octets = probe(t)
    for _ in range(3):
        t.port.send_octets(octets, t.to)
    second, octets = probe(t)
    t.port.send_octets(octets, t.to)
    same('token', heard(t, PATH_REPLY).token, first.token)
    same('token', heard(t, PATH_REPLY).token, second.token)


@case()
def to_seal_reflected(t):
    """What the other side sent is not taken when it comes back: it would ask its sender otherwise."""
    if not t.port.sealing:
        raise NotRun('keys are wanted')
    raw = []
    unwrap = t.port.sealing.unwrap
    t.port.sealing.unwrap = lambda octets, source, group: raw.append(octets) or unwrap(octets, source, group)
    try:
        path.probe(t.ud, t.to, t.info['ud'], t.info['udkey'])
        heard(t, PATH_REPLY)
    finally:
        t.port.sealing.unwrap = unwrap
    t.port.send_octets(raw[0], t.to)
    asked = path.probe(t.ud, t.to, t.info['ud'], t.info['udkey'])
    same('token', heard(t, PATH_REPLY).token, asked.token)
