"""Exchanges about the path (section 12): PATH-PROBE, PATH-REPLY and RD-PART. An end of the first edition has none of them."""
import path
from agent import crc, pattern
from cases import case, completion, heard, same
from cases_rd import data_of, opened
from wire import *


@case(60, 600, 1472)
def to_path_probe(t, octets):
    """It is answered with its token and its length, by a datagram that is no longer."""
    asked = path.probe(t.ud, t.to, t.info['ud'], t.info['udkey'], octets=octets)
    d = heard(t, PATH_REPLY)
    same('token', d.token, asked.token)
    same('length', d.received_length, max(octets, 60 + t.port.envelope))
    same('Message Id', d.mid, asked.mid)
    same('Key', d.key, t.info['udkey'])


@case()
def to_path_probe_wrong_key(t):
    """It is not answered; the next one is."""
    path.probe(t.ud, t.to, t.info['ud'], t.info['udkey'] ^ 1)
    asked = path.probe(t.ud, t.to, t.info['ud'], t.info['udkey'])
    same('token', heard(t, PATH_REPLY).token, asked.token)


@case()
def to_rd_path_probe(t):
    """Through a channel: the Keys are tags."""
    qp, ah = t.reliable()
    t.ask('recv', 'rd', 10)
    qp.post(ah, SEND, pattern(10, 3))
    completion(t, 'send', qp, status='SUCCESS')
    channel = next(iter(qp.channels.values()))
    asked = path.probe(qp, t.to, t.info['rd'], channel.peer_tag, reliable=True, octets=1000)
    d = heard(t, PATH_REPLY)
    same('token', d.token, asked.token)
    same('length', d.received_length, 1000)
    same('Key', d.key, channel.tag)
    same('flag D', d.has(D), True)


@case()
def to_rd_parts(t):
    """A datagram in parts, the last first and one of them twice, beside parts of another one that it begins behind."""
    qp, ah = t.reliable()
    c = opened(t, qp, ah)
    for _ in range(2):
        t.ask('recv', 'rd', 1000)
    first, second = (parts_of(data_of(t, qp, c, c.next + i, pattern(1000, i), flags=D | A), 384) for i in range(2))
    for part in (first[2], second[1], first[0], second[0], first[0], second[2]):
        t.port.send(part, t.to)
    d = heard(t, RD_ACK)
    same('RD-ACK', (d.ack, d.sack), (c.next, [1 << 63]))
    t.port.send(first[1], t.to)
    d = heard(t, RD_ACK)
    same('RD-ACK', (d.ack, d.sack), ((c.next + 2) % 2**32, []))
    for i in range(2):
        t.told('recv', qp='rd', len=1000, crc=crc(pattern(1000, i)))
    c.next = c.una = (c.next + 2) % 2**32
