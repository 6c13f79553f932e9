"""The exchanges. to_X: this side asks; from_X: the agent is told to ask. Each checks the fields and octets of what it hears."""
import random
import struct
import time
from types import SimpleNamespace

import rd
from agent import LENGTH, SERVICE_HANDLER, SERVICE_RD, SERVICE_UD, crc, pattern
from endpoint import Port
from wire import *

CASES = {}


class NotRun(Exception):
    """A case cannot be run here; says why."""


def case(*arguments):
    """Makes a case of each argument of the function: NAME for None, else NAME-ARGUMENT."""
    def add(function):
        for a in arguments or (None,):
            name = function.__name__.replace('_', '-') + (f'-{a}' if a is not None else '')
            CASES[name] = (lambda t, a=a: function(t, a)) if a is not None else function
        return function
    return add


def same(what, got, wanted):
    if got != wanted:
        raise AssertionError(f'{what}: {got!r}, not {wanted!r}')


def heard(t, kind, port=None, dst=None):
    """The next datagram of this Kind that comes; the octets must be those that its fields make."""
    port = port or t.port
    found = []

    def look():
        while port.heard and not found:
            octets, source = port.heard.pop(0)
            d = decode(octets, source)
            if d.kind == kind and dst in (None, d.dst):
                found.append((octets, d))
        return found
    if not port.until(look, 4):
        raise AssertionError(f'no {KINDS[kind] if kind < 9 else "VERSION LIST"} came')
    octets, d = found[0]
    if d.kind == DATA:
        check_data(d, 16 << 20)
    same('octets', octets.hex(), encode(d).hex())
    return d


def message(t, opcode, length, seed, header, port=None, **shim):
    """The segments of a message that comes: all fields, and the cut that section 4.5 wants at an MTU of 1500."""
    pieces, data = {}, pattern(length, seed) if seed is not None else None
    while not pieces or len(pieces) < d.count:
        d = heard(t, DATA, port)
        if d.opcode != opcode:
            continue
        largest = (1472 - 28 - header) // 4 * 4
        same('Segment Size', d.size, length if d.count == 1 else largest)
        first = pieces.setdefault(0, d) if d.index == 0 else pieces.get(0, d)
        same('fields that all segments share', (d.mid, d.length, d.dst, d.src, d.key, d.base), (
            first.mid, length, first.dst, first.src, first.key, first.base))
        for name, value in shim.items():
            same(name, getattr(d, name), value)
        if data is not None:
            same('payload', d.payload, data[d.index * d.size:d.index * d.size + len(d.payload)])
        pieces[d.index] = d
    return pieces[0]


def completion(t, what, qp=None, **wanted):
    qp = qp or t.ud
    if not t.port.until(lambda: any(c['what'] == what for c in qp.completions), 6):
        raise AssertionError(f'no completion {what}; there are {qp.completions}, {qp.events}')
    c = next(c for c in qp.completions if c['what'] == what)
    qp.completions.remove(c)
    for name, value in wanted.items():
        same(f'{name} of {what}', c[name], value)
    return c


def event(t, what, qp=None, **wanted):
    qp = qp or t.ud
    if not t.port.until(lambda: any(e['what'] == what for e in qp.events), 4):
        raise AssertionError(f'no event {what}')
    e = next(e for e in qp.events if e['what'] == what)
    qp.events.remove(e)
    for name, value in wanted.items():
        same(f'{name} of {what}', e[name], value)


def recv_is(t, qp, length, seed, **more):
    t.told('recv', qp=qp, status='SUCCESS', len=length, crc=crc(pattern(length, seed)), port=t.port.address[1], **more)


SIZES = (0, 5, 1400, 5000, 100000)


# ---------------------------------------------------------------------------------------------------- UD: Send
@case(*SIZES)
def to_send(t, n):
    t.ask('recv', 'ud', n + 3)
    t.ud.post(t.ah, SEND, pattern(n, 1))
    recv_is(t, 'ud', n, 1, src=t.ud.qpn)


@case(*SIZES)
def from_send(t, n):
    t.ud.post_receive(n + 3)
    t.ask('send', 'ud', n, 2)
    message(t, SEND, n, 2, 18, src=t.info['ud'], dst=t.ud.qpn, key=t.ud.qkey, flags=0)
    completion(t, 'recv', len=n, data=pattern(n, 2), se=False, src=t.info['ud'])
    t.told('done', op='send', status='SUCCESS')


@case()
def to_send_solicited(t):
    t.ask('recv', 'ud', 9)
    t.ud.post(t.ah, SEND_SE, pattern(9, 3))
    recv_is(t, 'ud', 9, 3)


@case()
def from_send_solicited(t):
    t.ud.post_receive(9)
    t.ask('sendse', 'ud', 9, 3)
    message(t, SEND_SE, 9, 3, 18)
    completion(t, 'recv', data=pattern(9, 3), se=True)


@case(0, 5, 5000)
def to_send_padded(t, n):
    t.ask('recv', 'ud', 5000)
    t.ud.post(t.ah, SEND, pattern(n, 4), padded=True)
    recv_is(t, 'ud', n, 4)


@case('reversed', 'doubled', 'late')
def to_send_order(t, how):
    orders = {'reversed': lambda n: range(n)[::-1], 'doubled': lambda n: [i for i in range(n) for _ in '12'],
              'late': lambda n: list(range(n)) + [0, n - 1]}
    t.ask('recv', 'ud', 5000)
    t.ask('recv', 'ud', 5000)
    t.ud.post(t.ah, SEND, pattern(5000, 5), order=orders[how])
    recv_is(t, 'ud', 5000, 5)
    t.ud.post(t.ah, SEND, pattern(7, 6))
    recv_is(t, 'ud', 7, 6)


@case()
def to_send_lost(t):
    t.ask('recv', 'ud', 5000)
    t.ud.post(t.ah, SEND, pattern(5000, 5), order=lambda n: range(1, n))
    t.port.until(lambda: False, 0.3)
    t.ud.post(t.ah, SEND, pattern(8, 6))
    recv_is(t, 'ud', 8, 6)


@case()
def to_send_default(t):
    t.ask('recv', 'ud', 5)
    t.ud.post(t.handle(qpn=0), SEND, pattern(5, 7))
    recv_is(t, 'ud', 5, 7)


@case()
def to_send_too_long(t):
    t.ask('recv', 'ud', 4)
    mid = t.ud.post(t.ah, SEND, pattern(5, 1))
    d = heard(t, NOTIFY)
    same('NOTIFY', (d.code, d.mid, d.src, d.dst, d.key, d.index, d.size), ((1, 2, 5), mid, t.info['ud'], t.ud.qpn, t.info['udkey'], 0, 5))
    event(t, 'notify', code=(1, 2, 5))
    t.ud.post(t.ah, SEND, pattern(4, 1))
    recv_is(t, 'ud', 4, 1)


@case()
def from_send_too_long(t):
    t.ud.post_receive(4)
    t.ask('send', 'ud', 5, 1)
    t.told('notify', qp='ud', code='1/2/05')
    t.ud.receives.clear()


# ---------------------------------------------------------------------------------------------------- UD: Write, Write-Record
@case(5, 5000)
def to_write(t, n):
    t.ud.post(t.ah, WRITE, pattern(n, 9), t.info['stag'], t.info['base'] + 64, padded=n == 5)
    t.crc_is(64, n, 9)


@case(0, 5, 5000)
def from_write(t, n):
    t.ask('write', 'ud', t.region.stag, t.region.base + 64, n, 10)
    message(t, WRITE, n, 10, 14, stag=t.region.stag, base=t.region.base + 64)
    same('memory', bytes(t.region.memory[64:64 + n]), pattern(n, 10))


@case()
def to_write_refused(t):
    stag = t.info['stag']
    t.ud.post(t.ah, WRITE, b'', stag ^ 1, 0)
    for wrong, to, n, code in ((1, t.info['base'], 8, (1, 1, 0)), (0, t.info['base'] - 1, 8, (1, 1, 1)), (0, 2**64 - 4, 8, (1, 1, 3)),
                               (0, t.info['base'] + LENGTH - 4999, 5000, (1, 1, 1))):
        t.ud.post(t.ah, WRITE, pattern(n, 1), stag ^ wrong, to, order=lambda n: [0])
        same('code', heard(t, NOTIFY).code, code)
    t.ud.events.clear()


@case()
def from_write_refused(t):
    t.ask('write', 'ud', t.region.stag ^ 1, t.region.base, 8, 1)
    t.told('notify', qp='ud', code='1/1/00')


@case(*SIZES)
def to_record(t, n):
    t.ud.post(t.ah, WRITE_RECORD, pattern(n, 11), t.info['stag'], t.info['base'] + 128)
    t.told('record', qp='ud', status='SUCCESS', stag=t.info['stag'], to=t.info['base'] + 128, len=n, placed=n, map=f'0-{n}' if n else '-',
           port=t.port.address[1], src=t.ud.qpn)
    t.crc_is(128, n, 11)


@case(*SIZES)
def from_record(t, n):
    t.ask('record', 'ud', t.region.stag, t.region.base + 128, n, 12)
    message(t, WRITE_RECORD, n, 12, 14, stag=t.region.stag, base=t.region.base + 128, key=t.ud.qkey)
    completion(t, 'record', status='SUCCESS', len=n, placed=n, map=[[0, n]] if n else [])
    same('memory', bytes(t.region.memory[128:128 + n]), pattern(n, 12))


@case()
def to_record_partial(t):
    t.ud.post(t.ah, WRITE_RECORD, pattern(8000, 13), t.info['stag'], t.info['base'] + 4096, order=lambda n: [5, 1, 2])
    t.told('record', status='PARTIAL', len=8000, placed=2 * 1428 + 860, map='1428-4284,7140-8000')
    t.crc_is(4096 + 1428, 100, 13, 1428)


@case()
def from_record_partial(t):
    t.port.lose_in = lambda d: d.kind == DATA and d.index in (0, 3)
    t.ask('record', 'ud', t.region.stag, t.region.base, 8000, 14)
    completion(t, 'record', status='PARTIAL', len=8000, map=[[1428, 4284], [5712, 8000]])


@case()
def to_record_last_only(t):
    t.ud.post(t.ah, WRITE_RECORD, pattern(3000, 13), t.info['stag'], t.info['base'], order=lambda n: [n - 1])
    t.told('record', status='PARTIAL', len=3000, map='2856-3000')


# ---------------------------------------------------------------------------------------------------- UD: Read
@case(*SIZES)
def to_read(t, n):
    t.ask('fill', 32, n, 15)
    mid = t.ud.read(t.ah, t.info['stag'], t.info['base'] + 32, n)
    read = t.ud.reads[mid]
    message(t, READ_RESPONSE, n, 15, 14, flags=R, mid=mid, key=t.info['udkey'], src=t.info['ud'], dst=t.ud.qpn, stag=read.sink_stag,
            base=read.sink_to)
    completion(t, 'read', status='SUCCESS', data=pattern(n, 15))


@case(*SIZES)
def from_read(t, n):
    t.region.memory[32:32 + n] = pattern(n, 16)
    t.ask('read', 'ud', t.region.stag, t.region.base + 32, n, 3000)
    d = message(t, READ_REQUEST, 28, None, 18, flags=0, key=t.ud.qkey)
    sink_stag, sink_to, size, stag, to = struct.unpack('>IQIIQ', d.payload)
    same('request', (size, stag, to, sink_to % 2**32), (n, t.region.stag, t.region.base + 32, 0))
    same('sink STag is a region', sink_stag == t.info['stag'], False)
    t.told('done', op='read', status='SUCCESS', map=f'0-{n}' if n else '-', crc=crc(pattern(n, 16)))


@case()
def to_read_default(t):
    t.ask('fill', 0, 10, 17)
    mid = t.ud.read(t.handle(qpn=0), t.info['stag'], t.info['base'], 10)
    message(t, READ_RESPONSE, 10, 17, 14, flags=R, mid=mid, src=0)
    completion(t, 'read', status='SUCCESS', data=pattern(10, 17))


@case()
def to_read_refused(t):
    stag, base = t.info['stag'], t.info['base']
    for wrong, to, n, code in ((1, base, 8, (0, 1, 0)), (0, base - 1, 8, (0, 1, 1)), (0, 2**64 - 4, 8, (0, 1, 4)),
                               (0, base, (1 << 20) + 1, (2, 1, 2))):
        t.ud.read(t.ah, stag ^ wrong, to, n)
        d = heard(t, NOTIFY)
        same('code and offender', (d.code, d.index, d.size), (code, 0, 28))
        completion(t, 'read', status='REM_INV_REQ_ERR' if code[0] == 2 else 'REM_ACCESS_ERR')
    t.ud.events.clear()


@case()
def from_read_refused(t):
    t.ask('read', 'ud', t.region.stag ^ 1, t.region.base, 8, 3000)
    t.told('done', op='read', status='REM_ACCESS_ERR')


@case()
def from_read_partial(t):
    t.port.lose_out = lambda d: d.kind == DATA and d.has(R) and d.index == 1
    t.ask('read', 'ud', t.region.stag, t.region.base, 5000, 300)
    t.told('done', op='read', status='PARTIAL', map='0-1428,2856-5000')


@case()
def from_read_timeout(t):
    t.port.lose_out = lambda d: True
    t.ask('read', 'ud', t.region.stag, t.region.base, 50, 200)
    t.told('done', op='read', status='RESP_TIMEOUT_ERR')


@case()
def from_read_order(t):
    """The response backwards and doubled, after a stray one with another sink."""
    t.region.memory[0:5000] = pattern(5000, 18)
    sending, queue = t.port.send, []
    t.port.send = lambda d, to: queue.append((d, to))
    t.ask('read', 'ud', t.region.stag, t.region.base, 5000, 3000)
    t.port.until(lambda: len(queue) == 4, 3)
    t.port.send = sending
    stray = Datagram(**{**vars(queue[0][0]), 'stag': queue[0][0].stag ^ 1, 'payload': bytes(1428)})
    for d, to in [(stray, queue[0][1])] + [q for q in queue[::-1] for _ in '12']:
        t.port.send(d, to)
    t.told('done', op='read', status='SUCCESS', crc=crc(pattern(5000, 18)))


@case()
def to_read_challenged(t):
    """A stranger's Read: CHALLENGE, the cookie, the response; the next one needs no cookie."""
    port, ud, ah = t.stranger('UD')
    t.ask('fill', 0, 3000, 19)
    mid = ud.read(ah, t.info['stag'], t.info['base'], 3000)
    d = heard(t, CHALLENGE, port)
    same('CHALLENGE', (d.mid, d.key, d.src, d.dst), (mid, t.info['udkey'], t.info['ud'], ud.qpn))
    message(t, READ_RESPONSE, 3000, 19, 14, port, flags=R, mid=mid)
    port.until(lambda: ud.completions, 3)
    same('status', ud.completions.pop()['status'], 'SUCCESS')
    mid = ud.read(ah, t.info['stag'], t.info['base'], 30)
    message(t, READ_RESPONSE, 30, 19, 14, port, flags=R, mid=mid)
    ud.read(ah, t.info['stag'] ^ 1, t.info['base'], 30)
    same('code for one who has proved its address', heard(t, NOTIFY, port).code, (0, 1, 0))


@case()
def to_read_wrong_cookie(t):
    port, ud, ah = t.stranger('UD')
    ud.post(ah, READ_REQUEST, struct.pack('>IQIIQ', 1, 0, 8, t.info['stag'], t.info['base']), cookie=bytes(16))
    heard(t, CHALLENGE, port)
    same('datagrams', len(port.heard), 0)


@case()
def to_stranger_notify(t):
    """A stranger hears 0/1/FF only, once a second."""
    port, ud, ah = t.stranger('UD')
    for _ in range(2):
        ud.post(ah, WRITE_RECORD, b'x', t.info['stag'] ^ 1, 0)
    same('code', heard(t, NOTIFY, port).code, (0, 1, 0xFF))
    port.until(lambda: False, 0.1)
    same('datagrams', len(port.heard), 0)


@case()
def from_read_challenged(t):
    port, ud, _ = t.stranger('UD', known=True)
    region = port.register(3000, ('REMOTE_READ',))
    region.memory[:] = pattern(3000, 20)
    t.turning(port)
    t.ask('read', 'other', region.stag, region.base, 3000, 3000)
    first, second = heard(t, DATA, port), heard(t, DATA, port)
    same('flag C', (first.flags, second.flags), (0, C))
    same('Message Id and payload', (first.mid, first.payload), (second.mid, second.payload))
    t.told('done', op='read', status='SUCCESS', crc=crc(pattern(3000, 20)))
    t.ask('read', 'other', region.stag, region.base, 300, 3000)
    t.told('done', op='read', status='SUCCESS', crc=crc(pattern(300, 20)))


# ---------------------------------------------------------------------------------------------------- versions, resolving
@case()
def to_version(t):
    d = cut(SEND, b'hello', 77, dict(dst=t.info['ud'], src=t.ud.qpn, key=t.info['udkey'], flags=0), 1426)[0]
    octets = bytearray(encode(d)[:-4])
    octets[0] = 0x20
    t.port.socket.sendto(seal(octets), t.to)
    v = heard(t, VERSION_LIST)
    same('VERSION LIST', (v.dst, v.src, v.key, v.mid, v.versions), (t.ud.qpn, t.info['ud'], t.info['udkey'], 77, 2))
    octets[9] ^= 1
    t.port.socket.sendto(seal(octets), t.to)
    t.port.until(lambda: False, 0.1)
    same('datagrams', len(t.port.heard), 0)


@case()
def from_version(t):
    t.ud.post_receive(9)
    t.ask('send', 'ud', 9, 1)
    d = heard(t, DATA)
    t.port.send(Datagram(kind=VERSION_LIST, dst=d.src, src=d.dst, key=d.key, mid=d.mid, versions=4), t.to)
    t.told('versions', qp='ud')


@case()
def to_resolve(t):
    for service, types, kind in ((SERVICE_UD, 1, 'ud'), (SERVICE_UD, 3, 'ud'), (SERVICE_RD, 2, 'rd')):
        q = t.port.resolve(t.to, service, types)
        d = heard(t, RESOLVED)
        same('RESOLVED', (d.mid, d.status, d.type, d.qpn, d.qkey, d.versions, d.max_message, d.max_read), (
            q.mid, 0, 1 if kind == 'ud' else 2, t.info[kind], t.info[kind + 'key'], 2, 16 << 20, 1 << 20))
        same('port', d.port in (0, t.to[1]), True)


@case()
def to_resolve_not(t):
    for service, types, versions, status in ((SERVICE_UD, 2, 2, 3), (7, 3, 2, 1), (SERVICE_UD, 1, 4, 5)):
        t.port.resolve(t.to, service, types, versions=versions)
        same('status', heard(t, RESOLVED).status, status)


@case()
def to_resolve_handler(t):
    port, _, _ = t.stranger('UD')
    port.resolve(t.to, SERVICE_HANDLER, 1, b'abc')
    heard(t, CHALLENGE, port)
    d = heard(t, RESOLVED, port)
    same('answer', (d.status, d.qpn, d.private), (0, t.info['ud'], b'cba'))
    q = port.resolve(t.to, SERVICE_HANDLER, 1, b'no')
    d = heard(t, RESOLVED, port)
    same('answer', (d.status, d.private), (2, b'no'))
    port.resolves[q.mid] = q
    port._ask(q)
    same('the same answer again', heard(t, RESOLVED, port), d)


@case()
def from_resolve(t):
    t.port.services[SERVICE_UD] = t.ud
    t.port.lose_in = lambda d: d.kind == RESOLVE and t.once('resolve')
    t.ask('resolve', '127.0.0.1', t.port.address[1], SERVICE_UD, 1, 'x', wait=False)
    d = heard(t, RESOLVE)
    same('RESOLVE', (d.service, d.types, d.versions, d.private, d.src, d.dst, d.key), (SERVICE_UD, 1, 2, b'', 1, 1, RESOLVER_KEY))
    t.told('resolved', status=0, type=1, port=t.port.address[1], qpn=t.ud.qpn, qkey=t.ud.qkey, longest=16 << 20, read=1 << 20, private='x')


@case()
def from_resolve_handler(t):
    t.port.services[SERVICE_HANDLER] = lambda private: (0, t.ud, private[::-1])
    t.ask('resolve', '127.0.0.1', t.port.address[1], SERVICE_HANDLER, 3, 'x616263', wait=False)
    first, second = heard(t, RESOLVE), heard(t, RESOLVE)
    same('the question again', (first.flags, second.flags, first.mid), (0, C, second.mid))
    t.told('resolved', status=0, qpn=t.ud.qpn, private='x636261')


@case()
def from_resolve_not(t):
    t.port.services[SERVICE_UD] = t.ud
    t.ask('resolve', '127.0.0.1', t.port.address[1], 7, 1, 'x', wait=False)
    t.told('resolved', status=1)
    t.ask('resolve', '127.0.0.1', t.port.address[1], SERVICE_UD, 2, 'x', wait=False)
    t.told('resolved', status=3)


# ---------------------------------------------------------------------------------------------------- RD
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
    same('completions', [(c['mid'], c['status']) for c in qp.completions], [(m, 'SUCCESS') for m in mids])
    same('read', qp.completions[2]['data'], pattern(5000, 23))
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
    for op in ('write', 'record', 'read', 'send'):
        e = t.told('done', qp='rd', status='SUCCESS')
        same('order', e['op'], op)
        if op == 'read':
            same('read', e['crc'], crc(pattern(5000, 27)))
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
    same('told', t.events, [])
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
    same('RD-RESET again', heard(t, RD_RESET), d)
    c.state = 'CLOSED'
    c.fresh()
    qp.post(ah, SEND, b'x')
    d = heard(t, RD_RESET)
    same('RD-RESET', (d.reason, d.reflected, d.key, d.mid), (4, 0, c.tag, c.open_d.mid))


@case()
def from_rd_violation(t):
    qp, _ = t.reliable()
    t.ask('write', 'rdpeer', t.region.stag ^ 1, t.region.base, 8, 1)
    t.told('done', qp='rd', op='write', status='REM_ACCESS_ERR')
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
    t.port.send(c.open_d, t.to)
    a = heard(t, RD_ACCEPT)
    same('RD-ACCEPT', (a.tag, a.first_psn, a.ack, a.mid), (tag, first, c.next, c.open_d.mid))
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


# ---------------------------------------------------------------------------------------------------- groups
def grouped(t):
    if 'group' not in t.__dict__:
        t.group = ('239.193.71.74', random.randrange(20000, 30000), 0x0A0B0C0D)
        try:
            t.port.join(t.ud, *t.group)
        except OSError as e:
            del t.group
            raise NotRun(f'no multicast on loopback: {e}') from None
        t.ask('join', 'group', *t.group)
    return t.ud.handle(t.group[0], t.group[1], GROUP_QPN, t.group[2], group=True)


@case(5, 5000)
def to_group(t, n):
    ah = grouped(t)
    t.ask('recv', 'ud', n)
    t.ud.post_receive(n)
    t.ud.post(ah, SEND, pattern(n, 38))
    recv_is(t, 'ud', n, 38, src=t.ud.qpn)
    t.ud.post(ah, WRITE_RECORD, pattern(n, 39), t.info['stag'], t.info['base'])
    t.told('record', qp='ud', status='SUCCESS', stag=t.info['stag'], len=n, src=t.ud.qpn)
    t.crc_is(0, n, 39)
    t.ud.post(ah, WRITE_RECORD, b'x', t.info['stag'] ^ 1, 0)
    t.ud.post(t.ud.handle(*t.to, GROUP_QPN, t.group[2], group=True), SEND, b'x')
    t.port.until(lambda: False, 0.1)
    same('answers', [o for o, s in t.port.heard if s == t.to], [])


@case(5, 5000)
def from_group(t, n):
    grouped(t)
    t.ud.post_receive(n)
    t.ask('recv', 'ud', n)
    t.ask('send', 'group', n, 40)
    message(t, SEND, n, 40, 18, flags=G, dst=GROUP_QPN, key=t.group[2], src=t.info['ud'])
    completion(t, 'recv', data=pattern(n, 40), src=t.info['ud'])
    t.ask('record', 'group', t.region.stag, t.region.base, n, 41)
    message(t, WRITE_RECORD, n, 41, 14, flags=G, dst=GROUP_QPN, key=t.group[2])
    completion(t, 'record', status='SUCCESS', len=n)
