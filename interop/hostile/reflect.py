"""By how much a server answers datagrams whose source is forged: bytes to the source, by bytes in its name, headers of IP and UDP included.

The source is a socket of ours. First it proves itself once, as a good client does; from then on what goes out in its name is what
any host can send that knows the server's numbers, but not what only the source has received: no cookie, no tag.

usage: reflect.py HOST WORD=NUMBER...    prints a row of JSON for each message type
"""
import json
import os
import socket
import struct
import sys
import time

sys.path.insert(0, os.environ.get('WIRE') or os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'datagram'))
import wire  # noqa: E402
from wire import *  # noqa: E402,F403

HEADERS = 28
COUNT = 100
SAID = {}


def source(address):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
    s.bind((address, 0))
    s.connect((sys.argv[1], SAID['udp']))
    return s


def heard(s, quiet=0.4, longest=8):
    """Datagrams that come until none has come for a while."""
    all_, end = [], time.monotonic() + longest
    s.settimeout(quiet)
    try:
        while time.monotonic() < end:
            all_.append(s.recv(65536))
    except socket.timeout:
        pass
    except OSError:
        pass
    return all_


def data(mid, opcode, payload=b'', dst='ud', stag=0, to=0, cookie=None, psn=None, key=None, src=777):
    shim = dict(dst=SAID[dst], src=src, key=SAID[dst + 'key'] if key is None else key, flags=0 if psn is None else D)
    segment = cut(opcode, payload, mid, shim, 1400, stag, to)[0]
    if cookie:
        segment.flags |= C
        segment.cookie = cookie
    if psn is not None:
        segment.psn, segment.ack, segment.window = psn, 0, 256
    return encode(segment)


def read(mid, size=1 << 20, stag=None, cookie=None):
    stag = SAID['stag'] if stag is None else stag
    return data(mid, READ_REQUEST, struct.pack('>IQIIQ', 5, 0, size, stag, SAID['base']), cookie=cookie)


def control(kind, mid, dst='ud', key=None, flags=0, **fields):
    return encode(Datagram(version=1, kind=kind, dst=SAID.get(dst, 1), src=1 if dst == 'resolver' else 777, flags=flags,
                           key=SAID[dst + 'key'] if key is None else key, mid=mid, **fields))


def probe(mid, dst, pad=16, **more):
    return control(PATH_PROBE, mid, dst=dst, features=0, token=mid, max_payload=65507, pad=pad, **more)


def another_version(mid):
    octets = bytearray(read(mid)[:-4])
    octets[0] = 0x20 | octets[0] & 15
    return seal(octets)


def types():
    tag = dict(tag=0x12345678, first_psn=1, window=256)
    return {
        'DATA: Send': lambda n: data(n, SEND, b'x' * 16),
        'DATA: Write-Record, key of no region': lambda n: data(n, WRITE_RECORD, b'x' * 16, stag=77),
        'DATA: Read Request, key of no region': lambda n: read(n, stag=77),
        'DATA: Read Request of 1 MiB that may be read': lambda n: read(n),
        'DATA: Read Request of 64 bytes that may be read': lambda n: read(n, 64),
        'DATA: Read Request of 1 MiB, a cookie made up': lambda n: read(n, cookie=bytes(range(16))),
        'DATA of a reliable channel, tag made up': lambda n: data(n, SEND, b'x', dst='rd', psn=n, key=99),
        'NOTIFY': lambda n: control(NOTIFY, n, flags=R, code=(0, 1, 1), index=0, size=0),
        'CHALLENGE': lambda n: control(CHALLENGE, n, flags=R, cookie_given=bytes(16)),
        'RESOLVE': lambda n: control(RESOLVE, n, dst='resolver', key=wire.RESOLVER_KEY, service=0x1122334455667788, types=3, versions=2, private=b''),
        'RESOLVED': lambda n: control(RESOLVED, n, dst='resolver', key=wire.RESOLVER_KEY, flags=R, status=1, type=0, versions=2, qpn=0, qkey=0,
                                      port=0, max_payload=0, max_message=0, max_read=0, private=b''),
        'RD-OPEN': lambda n: control(RD_OPEN, n, dst='rd', previous=0, **tag),
        'RD-OPEN, each of another queue pair': lambda n: encode(Datagram(
            version=1, kind=RD_OPEN, dst=SAID['rd'], src=1000 + n % 100000, flags=0, key=SAID['rdkey'], mid=n, previous=0, **tag)),
        'RD-ACCEPT, tag made up': lambda n: control(RD_ACCEPT, n, dst='rd', key=99, flags=R, ack=1, **tag),
        'RD-ACK, tag made up': lambda n: control(RD_ACK, n, dst='rd', key=99, flags=R, ack=1, window=256, rnr=0, sack=()),
        'RD-RESET, tag made up': lambda n: control(RD_RESET, n, dst='rd', key=99, flags=R, reflected=0, reason=3, code=None),
        'PATH-PROBE of the least length': lambda n: probe(n, 'ud'),
        'PATH-PROBE, long': lambda n: probe(n, 'ud', pad=1356),
        'PATH-PROBE of a reliable channel, tag made up': lambda n: probe(n, 'rd', key=99, flags=D),
        'PATH-REPLY': lambda n: control(PATH_REPLY, n, flags=R, features=0, token=n, received_length=1400, max_payload=65507, received=n, ce=0, ect=0, delay=0),
        'another version': another_version,
    }


def prove(s):
    """What a good client does once: asks, is challenged, shows the cookie, reads."""
    for n in range(1, 20):  # a busy machine answers late
        s.send(read(n, 64))
        cookies = [octets[24:40] for octets in heard(s) if octets[0] & 15 == CHALLENGE]
        s.send(read(n, 64, cookie=cookies[0] if cookies else None))
        if any(octets[0] & 15 == DATA for octets in heard(s)):
            return
    raise RuntimeError('the server does not answer a Read with its cookie')


def main():
    SAID.update((w.split('=')[0], int(w.split('=')[1])) for w in sys.argv[2:] if '=' in w)
    SAID['resolverkey'] = wire.RESOLVER_KEY
    mid = 1000
    for who in ('proved once', 'a stranger'):
        for n, (what, make) in enumerate(types().items()):
            s = source(f'127.0.{3 if who == "a stranger" else 4}.{n + 1}')
            if who == 'proved once':
                prove(s)
            sent = 0
            for _ in range(COUNT):
                mid += 1
                octets = make(mid)
                s.send(octets)
                sent += len(octets) + HEADERS
            answers = heard(s)
            print(json.dumps(dict(what=f'{what} ({who})', sent=sent, answered=sum(len(a) + HEADERS for a in answers))), flush=True)
            s.close()


if __name__ == '__main__':
    main()
