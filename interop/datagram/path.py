"""PATH-PROBE and PATH-REPLY: how long datagrams come through (section 10 of docs/draft-jwarp-datagram-iwarp-00.md)."""
import random

from wire import *

FEATURES = 0  # marks of ECN are not looked at
TAKES = 65507


def probe(qp, to, qpn, key, reliable=False, octets=0, cookie=None):
    """A PATH-PROBE of so many octets of UDP payload, of the least if there are fewer."""
    flags = D if reliable else C if cookie else 0
    around = 28 + (16 if cookie else 0) + qp.port.envelope
    qp.path_mid = (getattr(qp, 'path_mid', random.getrandbits(32)) + 1) % 2**32
    d = Datagram(version=1, kind=PATH_PROBE, flags=flags, dst=qpn, src=qp.qpn, key=key, mid=qp.path_mid, cookie=cookie,
                 features=FEATURES, token=random.getrandbits(64), max_payload=TAKES, pad=max(16, octets - around - 16))
    qp.path_asked = (to, qpn, d.token)
    qp.port.send(d, to)
    return d


def answer(qp, d, source, key):
    """PATH-REPLY, within 1,000 a second for one source."""
    if qp.port.limited('path', source, 1000, 50_000):
        return
    octets = 24 + 16 * d.has(C) + 16 + d.pad + 4 + qp.port.envelope  # of UDP payload
    qp.port.send(Datagram(version=1, kind=PATH_REPLY, flags=R | d.flags & D, dst=d.src, src=d.dst, key=key, mid=d.mid,
                          features=FEATURES, token=d.token, received_length=octets, max_payload=TAKES, received=0, ce=0, ect=0,
                          delay=0), source)


def answered(qp, d, source):
    """A PATH-REPLY for a queue pair: one that was asked for is kept."""
    if getattr(qp, 'path_asked', None) != (source, d.src, d.token):
        raise Drop('rx_reply_unmatched')
    qp.path_known = d
