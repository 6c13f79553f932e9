"""The exchanges of UD: Read, and what is answered to strangers: NOTIFY, CHALLENGE."""
import struct

from agent import crc, pattern
from cases import SIZES, case, completion, heard, message, same
from wire import *


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
    flags = C if t.to in t.port.proved else 0  # a cookie serves all Reads of a queue pair to that peer (9.2)
    t.ask('read', 'ud', t.region.stag, t.region.base + 32, n, 3000)
    d = message(t, READ_REQUEST, 28, None, 18, flags=flags, key=t.ud.qkey)
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
    """A stranger's Read: CHALLENGE, the cookie, the response; the next one shows the cookie, and without it is challenged."""
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
    ud.post(ah, READ_REQUEST, struct.pack('>IQIIQ', 1, 0, 8, t.info['stag'], t.info['base']))
    heard(t, CHALLENGE, port)
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
