"""The exchanges of RD: section 11 of docs/draft-jwarp-datagram-iwarp-00.md."""
import random

from agent import crc, pattern
from cases import SIZES, case, completion, heard, message, recv_is, same
from wire import *


@case(*SIZES)
def to_rd_send(t, n):
    qp, ah = t.reliable()
    t.ask('recv', 'rd', n)
    qp.post(ah, SEND, pattern(n, 21), padded=n == 5)
    o = decode(t.port.sent[0][0])
    a = heard(t, RD_ACCEPT)
    same('RD-ACCEPT', (a.key, a.mid, a.ack, a.src, a.dst), (o.tag, o.mid, o.first_psn, t.info['rd'], qp.qpn))
    ack = heard(t, RD_ACK)
    same('RD-ACK', (ack.key, ack.mid, ack.rnr), (o.tag, 0, False))
    recv_is(t, 'rd', n, 21, src=qp.qpn)
    completion(t, 'send', qp, status='SUCCESS')


@case(*SIZES)
def from_rd_send(t, n):
    qp, _ = t.reliable()
    qp.post_receive(n)
    t.ask('send', 'rdpeer', n, 22)
    o = heard(t, RD_OPEN)
    same('RD-OPEN', (o.src, o.dst, o.key, o.previous), (t.info['rd'], qp.qpn, qp.qkey, 0))
    channel = qp.channels[t.to, t.info['rd']]
    d = message(t, SEND, n, 22, 18 + 12, key=channel.tag)
    same('first PSN and Ack', (d.psn, d.ack), (o.first_psn, channel.first))
    completion(t, 'recv', qp, len=n, data=pattern(n, 22), src=t.info['rd'])
    t.told('done', qp='rd', op='send', status='SUCCESS')


@case()
def to_rd_send_solicited(t):
    qp, ah = t.reliable()
    t.ask('recv', 'rd', 9)
    qp.post(ah, SEND_SE, pattern(9, 3))
    recv_is(t, 'rd', 9, 3, src=qp.qpn)


@case()
def from_rd_send_solicited(t):
    qp, _ = t.reliable()
    qp.post_receive(9)
    t.ask('sendse', 'rdpeer', 9, 3)
    message(t, SEND_SE, 9, 3, 18 + 12)
    completion(t, 'recv', qp, data=pattern(9, 3), se=True)
    t.told('done', qp='rd', op='send', status='SUCCESS')


@case()
def to_rd_all(t):
    """Write, Write-Record, Read and Send in a row: completions in their order."""
    qp, ah = t.reliable()
    stag, base = t.info['stag'], t.info['base']
    t.ask('recv', 'rd', 6000)
    t.ask('fill', 20000, 5000, 23)
    mids = [qp.post(ah, WRITE, pattern(5000, 24), stag, base), qp.post(ah, WRITE_RECORD, pattern(5000, 25), stag, base + 8192),
            qp.read(ah, stag, base + 20000, 5000), qp.read(ah, stag, base, 0), qp.post(ah, SEND, pattern(6000, 26))]
    t.told('record', qp='rd', status='SUCCESS', stag=stag, to=base + 8192, len=5000, placed=5000, map='0-5000', src=qp.qpn)
    recv_is(t, 'rd', 6000, 26)
    t.port.until(lambda: len(qp.completions) == 5, 3)
    same('completions', {(c['mid'], c['status']) for c in qp.completions}, {(m, 'SUCCESS') for m in mids})
    same('order', [c['mid'] for c in qp.completions if c['what'] == 'send'], [mids[0], mids[1], mids[4]])
    same('read', [c['data'] for c in qp.completions if c['mid'] == mids[2]], [pattern(5000, 23)])
    t.crc_is(0, 5000, 24)
    t.crc_is(8192, 5000, 25)


@case()
def from_rd_all(t):
    qp, _ = t.reliable()
    stag, base = t.region.stag, t.region.base
    qp.post_receive(6000)
    t.region.memory[20000:25000] = pattern(5000, 27)
    t.ask('write', 'rdpeer', stag, base, 5000, 28)
    t.ask('record', 'rdpeer', stag, base + 8192, 5000, 29)
    t.ask('read', 'rdpeer', stag, base + 20000, 5000, 3000)
    t.ask('send', 'rdpeer', 6000, 30)
    done = [t.told('done', qp='rd', status='SUCCESS') for _ in range(4)]
    same('order', [e['op'] for e in done if e['op'] != 'read'], ['write', 'record', 'send'])
    same('read', [e['crc'] for e in done if e['op'] == 'read'], [crc(pattern(5000, 27))])
    same('memory', bytes(t.region.memory[:5000]), pattern(5000, 28))
    same('memory', bytes(t.region.memory[8192:13192]), pattern(5000, 29))
    completion(t, 'record', qp, status='SUCCESS', len=5000, map=[[0, 5000]])
    completion(t, 'recv', qp, data=pattern(6000, 30))


@case()
def to_rd_lossy(t):
    """40 Sends with every fifth datagram lost in each direction: each once, in order."""
    qp, ah = t.reliable()
    dice = random.Random(1)
    t.port.lose_in = t.port.lose_out = lambda d: dice.random() < 0.2
    for i in range(40):
        t.ask('recv', 'rd', 4000)
    for i in range(40):
        qp.post(ah, SEND, pattern(100 * i, i))
    for i in range(40):
        recv_is(t, 'rd', 100 * i, i)
    t.port.until(lambda: len(qp.completions) == 40, 5)
    same('completions', [c['status'] for c in qp.completions], ['SUCCESS'] * 40)


@case()
def from_rd_lossy(t):
    qp, _ = t.reliable()
    dice = random.Random(2)
    t.port.lose_in = t.port.lose_out = lambda d: dice.random() < 0.2
    for i in range(40):
        qp.post_receive(4000)
        t.ask('send', 'rdpeer', 100 * i, i)
    for i in range(40):
        completion(t, 'recv', qp, len=100 * i, data=pattern(100 * i, i))
        t.told('done', qp='rd', op='send', status='SUCCESS')


@case()
def to_rd_read_lossy(t):
    qp, ah = t.reliable()
    dice = random.Random(3)
    t.port.lose_in = t.port.lose_out = lambda d: dice.random() < 0.15
    t.ask('fill', 0, 100000, 31)
    qp.read(ah, t.info['stag'], t.info['base'], 100000)
    completion(t, 'read', qp, status='SUCCESS', data=pattern(100000, 31))


@case()
def to_rd_rnr(t):
    qp, ah = t.reliable()
    qp.post(ah, SEND, pattern(5, 32))
    t.port.until(lambda: any(c.peer_rnr for c in qp.channels.values()), 3)
    d = [decode(o) for o, _ in t.port.heard if decode(o).kind == RD_ACK][-1]
    channel = next(iter(qp.channels.values()))
    same('RD-ACK', (d.rnr, d.ack), (True, channel.first))
    t.ask('recv', 'rd', 5)
    recv_is(t, 'rd', 5, 32)
    completion(t, 'send', qp, status='SUCCESS')


@case()
def from_rd_rnr(t):
    qp, _ = t.reliable()
    t.ask('send', 'rdpeer', 5, 33)
    t.port.until(lambda: any(c.rnr for c in qp.channels.values()), 3)
    t.port.until(lambda: False, 0.1)
    same('told', [e for e in t.events if e['what'] == 'done'], [])
    qp.post_receive(5)
    completion(t, 'recv', qp, data=pattern(5, 33))
    t.told('done', qp='rd', op='send', status='SUCCESS')


def opened(t, qp, ah):
    """A channel that is open, after one Send."""
    t.ask('recv', 'rd', 3)
    qp.post(ah, SEND, b'abc')
    completion(t, 'send', qp, status='SUCCESS')
    t.told('recv', qp='rd', len=3)
    t.port.until(lambda: False, 0.02)
    t.port.heard.clear()
    return next(iter(qp.channels.values()))


def data_of(t, qp, c, psn, payload, **more):
    d = cut(SEND, payload, qp.next_id(), dict(dst=t.info['rd'], src=qp.qpn, key=c.peer_tag, flags=D), 1400)[0]
    d.psn, d.ack, d.window = psn % 2**32, c.e, 64
    for name, value in more.items():
        setattr(d, name, value)
    return d


@case()
def to_rd_sack(t):
    """PSNs out of order, twice, before and beyond: what RD-ACK says of them."""
    qp, ah = t.reliable()
    c = opened(t, qp, ah)
    for _ in range(4):
        t.ask('recv', 'rd', 3)
    for offset, sack in ((1, [1 << 63]), (3, [5 << 61]), (3, [5 << 61])):
        t.port.send(data_of(t, qp, c, c.next + offset, bytes([offset] * 3)), t.to)
        d = heard(t, RD_ACK)
        same('RD-ACK', (d.ack, d.sack, d.rnr, d.key), (c.next, sack, False, c.tag))
    for offset in (-1, 2000):
        t.port.send(data_of(t, qp, c, c.next + offset, b'zzz'), t.to)
        same('Ack', heard(t, RD_ACK).ack, c.next)
    for offset in (0, 2):
        t.port.send(data_of(t, qp, c, c.next + offset, bytes([offset] * 3), flags=D | A), t.to)
        d = heard(t, RD_ACK)
        same('RD-ACK', (d.ack, d.sack), ((c.next + (4 if offset else 2)) % 2**32, [] if offset else [1 << 63]))
    for i in range(4):
        t.told('recv', qp='rd', len=3, crc=crc(bytes([i] * 3)))
    c.next = c.una = (c.next + 4) % 2**32


@case()
def to_rd_violation(t):
    qp, ah = t.reliable()
    opened(t, qp, ah)
    mid = qp.post(ah, WRITE_RECORD, b'12345678', t.info['stag'] ^ 1, t.info['base'])
    c = next(iter(qp.channels.values()))
    d = heard(t, RD_RESET)
    same('RD-RESET', (d.reason, d.reflected, d.code, d.mid, d.key), (2, 0, (1, 1, 0), mid, c.tag))
    completion(t, 'send', qp, status='REM_ACCESS_ERR', mid=mid)
    again = data_of(t, qp, c, c.next, b'x')
    t.port.send(again, t.to)
    r = heard(t, RD_RESET)
    while r.mid == mid:  # the answer to a repetition of the first message, which a slow peer gets
        r = heard(t, RD_RESET)
    same('RD-RESET again', (r.reason, r.reflected, r.code, r.mid, r.key), (2, 0, (1, 1, 0), again.mid, c.tag))
    c.state = 'CLOSED'
    c.fresh()
    qp.post(ah, SEND, b'x')
    d = heard(t, RD_RESET)
    same('RD-RESET', (d.reason, d.reflected, d.key, d.mid), (4, 0, c.tag, c.open_d.mid))


@case()
def from_rd_violation(t):
    qp, _ = t.reliable()
    t.port.lose_in = lambda d: d.kind == DATA
    t.ask('write', 'rdpeer', t.region.stag ^ 1, t.region.base, 300000, 1)
    t.ask('send', 'rdpeer', 5, 1)
    t.port.lose_in = None
    t.told('done', qp='rd', op='write', status='REM_ACCESS_ERR')
    t.told('done', qp='rd', op='send', status='WR_FLUSH_ERR')
    t.ask('send', 'rdpeer', 5, 1)
    t.told('done', qp='rd', op='send', status='WR_FLUSH_ERR')


@case()
def to_rd_no_channel(t):
    qp, ah = t.reliable()
    c = opened(t, qp, ah)
    d = data_of(t, qp, c, c.next, b'abc', key=c.peer_tag ^ 1)
    t.port.send(d, t.to)
    r = heard(t, RD_RESET)
    same('RD-RESET', (r.reason, r.reflected, r.key, r.mid, r.code), (1, 1, d.key, d.mid, (0, 0, 0)))
    ack = c.shim(RD_ACK, c.peer_tag ^ 1, ack=c.e, window=9, rnr=False, sack=[])
    t.port.send(ack, t.to)
    r = heard(t, RD_RESET)
    same('RD-RESET', (r.reason, r.reflected, r.key, r.mid), (1, 1, ack.key, 0))
    accept = c.shim(RD_ACCEPT, c.peer_tag ^ 1, 5, tag=99, first_psn=1, ack=1, window=9)
    t.port.send(accept, t.to)
    r = heard(t, RD_RESET)
    same('RD-RESET', (r.reason, r.reflected, r.key, r.mid), (1, 0, 99, 5))
    opened(t, qp, ah)


@case()
def to_rd_open_again(t):
    """The same RD-OPEN again: RD-ACCEPT. A forged one: RD-ACK on the old channel. One with the previous tag: a new channel."""
    qp, ah = t.reliable()
    c = opened(t, qp, ah)
    tag, first = c.peer_tag, c.e
    o = decode(t.port.sent[0][0])
    t.port.send(o, t.to)
    a = heard(t, RD_ACCEPT)
    same('RD-ACCEPT', (a.tag, a.first_psn, a.ack, a.mid), (tag, first, c.next, o.mid))
    forged = c.shim(RD_OPEN, ah.qkey, 9, 0, tag=1234, first_psn=1, previous=tag ^ 1, window=9)
    t.port.send(forged, t.to)
    a = heard(t, RD_ACK)
    same('RD-ACK', (a.key, a.ack, a.sack), (c.tag, c.next, []))
    opened(t, qp, ah)
    c.fresh()
    c.open(tag)
    a = heard(t, RD_ACCEPT)
    same('RD-ACCEPT', (a.key, a.ack, a.tag != tag), (c.tag, c.first, True))
    opened(t, qp, ah)


@case()
def from_rd_open_anew(t):
    """The peer opens anew while the agent's Send is on its way: it goes on under the same PSN in the new channel."""
    qp, ah = t.reliable()
    c = opened(t, qp, ah)
    qp.post_receive(5)
    t.port.lose_in = lambda d: d.kind == DATA
    t.ask('send', 'rdpeer', 5, 42)
    t.port.until(lambda: False, 0.05)
    t.port.lose_in = None
    tag, e = c.peer_tag, c.e
    c.fresh()
    c.open(tag)
    a = heard(t, RD_ACCEPT)
    same('RD-ACCEPT', (a.key, a.first_psn, a.tag != tag), (c.tag, e, True))
    completion(t, 'recv', qp, data=pattern(5, 42))
    t.told('done', qp='rd', op='send', status='SUCCESS')


@case()
def from_rd_lost_state(t):
    """This side has lost its channel: RD-RESET 1 draws a new RD-OPEN from the agent."""
    qp, _ = t.reliable()
    for _ in range(3):
        qp.post_receive(5)
    t.ask('send', 'rdpeer', 5, 1)
    t.told('done', qp='rd', op='send', status='SUCCESS')
    qp.channels.clear()
    t.ask('send', 'rdpeer', 5, 2)
    t.told('done', qp='rd', op='send', status='PEER_RESET')
    t.ask('send', 'rdpeer', 5, 3)
    t.told('done', qp='rd', op='send', status='SUCCESS')
    same('receives', [c['data'] for c in qp.completions], [pattern(5, 1), pattern(5, 3)])


@case()
def to_rd_closed(t):
    qp, ah = t.reliable()
    c = opened(t, qp, ah)
    c.close()
    opened(t, qp, ah)


@case()
def from_rd_closed(t):
    qp, ah = t.reliable()
    tag = opened(t, qp, ah).tag
    t.renew()
    d = heard(t, RD_RESET, dst=qp.qpn)
    same('RD-RESET', (d.reason, d.reflected, d.key, d.mid, d.code), (3, 0, tag, 0, (0, 0, 0)))


@case('mine', 'theirs')
def rd_both_open(t, lost):
    """Both open at once; whose RD-OPEN is lost."""
    qp, ah = t.reliable()
    if lost == 'mine':
        t.port.lose_out = lambda d: d.kind == RD_OPEN and t.once('open')
    else:
        t.port.lose_in = lambda d: d.kind == RD_OPEN and t.once('open')
    t.ask('recv', 'rd', 5)
    qp.post_receive(5)
    if lost == 'mine':
        qp.post(ah, SEND, pattern(5, 34))
    t.ask('send', 'rdpeer', 5, 35)
    if lost == 'theirs':
        t.port.until(lambda: 'open' in t.seen, 2)
        qp.post(ah, SEND, pattern(5, 34))
    recv_is(t, 'rd', 5, 34)
    completion(t, 'recv', qp, data=pattern(5, 35))
    t.told('done', qp='rd', op='send', status='SUCCESS')
    completion(t, 'send', qp, status='SUCCESS')


@case()
def to_rd_challenged(t):
    port, qp, ah = t.stranger('RD')
    t.ask('recv', 'rd', 5)
    qp.post(ah, SEND, pattern(5, 36))
    o, d = decode(port.sent[0][0]), heard(t, CHALLENGE, port)
    same('CHALLENGE', (d.key, d.mid, d.src, d.dst), (o.key, o.mid, o.dst, o.src))
    heard(t, RD_ACCEPT, port)
    t.told('recv', qp='rd', len=5, crc=crc(pattern(5, 36)))
    port.until(lambda: qp.completions, 3)
    same('status', [c['status'] for c in qp.completions], ['SUCCESS'])


@case()
def from_rd_challenged(t):
    port, qp, _ = t.stranger('RD', known=True)
    t.turning(port)
    qp.post_receive(5)
    t.ask('send', 'other', 5, 37)
    first, second = heard(t, RD_OPEN, port), heard(t, RD_OPEN, port)
    same('the question again', (first.flags, second.flags, second.mid, second.tag, second.first_psn), (0, C, first.mid, first.tag, first.first_psn))
    t.told('done', qp='rd', op='send', status='SUCCESS')
    same('received', qp.completions[0]['data'], pattern(5, 37))
