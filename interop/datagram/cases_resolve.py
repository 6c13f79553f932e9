"""The exchanges of UD: VERSION LIST, resolving, groups."""
import random

from agent import SERVICE_HANDLER, SERVICE_RD, SERVICE_UD, pattern
from cases import NotRun, case, completion, heard, message, recv_is, same
from wire import *


# ---------------------------------------------------------------------------------------------------- versions, resolving
@case()
def to_version(t):
    d = cut(SEND, b'hello', 77, dict(dst=t.info['ud'], src=t.ud.qpn, key=t.info['udkey'], flags=0), 1426)[0]
    octets = bytearray(encode(d)[:-4])
    octets[0] = 0x20
    t.port.send_inner(seal(octets), t.to)
    v = heard(t, VERSION_LIST)
    same('VERSION LIST', (v.dst, v.src, v.key, v.mid, v.versions), (t.ud.qpn, t.info['ud'], t.info['udkey'], 77, 2))
    octets[9] ^= 1
    t.port.send_inner(seal(octets), t.to)
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
    t.port.proved.clear()  # who has shown a cookie lately, with a Read too, is asked for none (9.1)
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
