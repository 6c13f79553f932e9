"""The exchanges of UD: Send, Write-Record."""
from agent import LENGTH, pattern
from cases import SIZES, case, completion, event, heard, message, recv_is, same
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


# ---------------------------------------------------------------------------------------------------- UD: Write-Record
@case()
def to_record_refused(t):
    stag, base = t.info['stag'], t.info['base']
    for wrong, to, n, code in ((1, base, 8, (1, 1, 0)), (0, base - 1, 8, (1, 1, 1)), (0, 2**64 - 4, 8, (1, 1, 3)),
                               (0, base + LENGTH - 4999, 5000, (1, 1, 1))):
        t.ud.post(t.ah, WRITE_RECORD, pattern(n, 1), stag ^ wrong, to, order=lambda n: [0])
        same('code', heard(t, NOTIFY).code, code)
    t.ud.events.clear()


@case()
def from_record_refused(t):
    t.ask('record', 'ud', t.region.stag ^ 1, t.region.base, 8, 1)
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
    s = t.segment
    t.ask('record', 'ud', t.region.stag, t.region.base, 6 * s, 14)  # six segments by no other Segment Size
    completion(t, 'record', status='PARTIAL', len=6 * s, map=[[s, 3 * s], [4 * s, 6 * s]])


@case()
def to_record_last_only(t):
    t.ud.post(t.ah, WRITE_RECORD, pattern(3000, 13), t.info['stag'], t.info['base'], order=lambda n: [n - 1])
    t.told('record', status='PARTIAL', len=3000, map=f'{2 * t.segment}-3000')
