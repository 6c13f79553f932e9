"""The exchanges of UD: Send, Write, Write-Record, Read, NOTIFY, CHALLENGE, VERSION LIST, resolving, groups."""
import random
import struct

from agent import LENGTH, SERVICE_HANDLER, SERVICE_RD, SERVICE_UD, crc, pattern
from cases import SIZES, NotRun, case, completion, event, heard, message, recv_is, same
from wire import *


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
    t.port.until(lambda: False, 0.6)
    t.ud.post(t.ah, SEND, pattern(8, 6))
    recv_is(t, 'ud', 8, 6)


@case()
def to_send_default(t):
    t.ask('recv', 'ud', 5)
    t.ud.post(t.handle(qpn=0), SEND, pattern(5, 7))
    recv_is(t, 'ud', 5, 7)


@case()
def to_send_cookie(t):
    """Any question may carry a cookie; one that is not good is as none."""
    for n in (5, 3000):
        t.ask('recv', 'ud', n)
        t.ud.post(t.ah, SEND, pattern(n, 8), cookie=bytes(16))
        recv_is(t, 'ud', n, 8)


@case()
def from_send_row(t):
    """Many messages in a row, whose last segments may be padded."""
    for i in range(12):
        t.ud.post_receive(2600)
    for i in range(12):
        t.ask('send', 'ud', 2500, i)
    for i in range(12):
        completion(t, 'recv', len=2500, data=pattern(2500, i))
        t.told('done', op='send', status='SUCCESS')
    for _ in range(24):
        heard(t, DATA)


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
    s = t.segment
    t.told('record', status='PARTIAL', len=8000, placed=8000 - 3 * s, map=f'{s}-{3 * s},{5 * s}-8000')
    t.crc_is(4096 + s, 100, 13, s)


@case()
def from_record_partial(t):
    t.port.lose_in = lambda d: d.kind == DATA and d.index in (0, 3)
    t.ask('record', 'ud', t.region.stag, t.region.base, 8000, 14)
    completion(t, 'record', status='PARTIAL', len=8000, map=[[t.segment, 3 * t.segment], [4 * t.segment, 8000]])


@case()
def to_record_last_only(t):
    t.ud.post(t.ah, WRITE_RECORD, pattern(3000, 13), t.info['stag'], t.info['base'], order=lambda n: [n - 1])
    t.told('record', status='PARTIAL', len=3000, map=f'{2 * t.segment}-3000')


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
    t.told('done', op='read', status='PARTIAL', map=f'0-{t.segment},{2 * t.segment}-5000')


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
    stray = Datagram(**{**vars(queue[0][0]), 'stag': queue[0][0].stag ^ 1, 'payload': bytes(t.segment)})
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
    port.resolve(t.to, SERVICE_HANDLER, 1, b'no')
    d = heard(t, RESOLVED, port)
    same('answer', (d.status, d.private), (2, b'no'))
    q = port.resolve(t.to, SERVICE_HANDLER, 1, b'count')
    d = heard(t, RESOLVED, port)
    port.resolves[q.mid] = q
    port._ask(q)
    same('the same answer again', heard(t, RESOLVED, port), d)
    port.resolve(t.to, SERVICE_HANDLER, 1, b'count')
    same('a new question', heard(t, RESOLVED, port).private, bytes([d.private[0] + 1]))


@case()
def from_resolve(t):
    t.port.services[SERVICE_UD] = t.ud
    t.port.lose_in = lambda d: d.kind == RESOLVE and t.once('resolve')
    t.ask('resolve', *t.port.address, SERVICE_UD, 1, 'x', wait=False)
    d = heard(t, RESOLVE)
    same('RESOLVE', (d.service, d.types, d.versions, d.private, d.src, d.dst, d.key), (SERVICE_UD, 1, 2, b'', 1, 1, RESOLVER_KEY))
    t.told('resolved', status=0, type=1, port=t.port.address[1], qpn=t.ud.qpn, qkey=t.ud.qkey, longest=16 << 20, read=1 << 20, private='x')


@case()
def from_resolve_handler(t):
    t.port.services[SERVICE_HANDLER] = lambda private: (0, t.ud, private[::-1])
    t.ask('resolve', *t.port.address, SERVICE_HANDLER, 3, 'x616263', wait=False)
    first, second = heard(t, RESOLVE), heard(t, RESOLVE)
    same('the question again', (first.flags, second.flags, first.mid), (0, C, second.mid))
    t.told('resolved', status=0, qpn=t.ud.qpn, private='x636261')


@case()
def from_resolve_not(t):
    t.port.services[SERVICE_UD] = t.ud
    t.ask('resolve', *t.port.address, 7, 1, 'x', wait=False)
    t.told('resolved', status=1)
    t.ask('resolve', *t.port.address, SERVICE_UD, 2, 'x', wait=False)
    t.told('resolved', status=3)


@case()
def from_resolve_version(t):
    """A VERSION LIST ends a RESOLVE."""
    t.ask('resolve', *t.port.address, SERVICE_UD, 1, 'x', wait=False)
    d = heard(t, RESOLVE)
    t.port.send(Datagram(kind=VERSION_LIST, dst=1, src=1, key=d.key, mid=d.mid, versions=4), t.source)
    same('no agreement', t.told('resolved')['status'] in ('3', '5'), True)


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
