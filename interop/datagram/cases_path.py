"""Exchanges about the path (section 10): PATH-PROBE and PATH-REPLY."""
import path
from agent import pattern
from cases import case, completion, heard, same
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
