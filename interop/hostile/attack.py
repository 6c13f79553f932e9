"""The attackers: each a program that does one thing at full strength until its standard input ends. Constant octets, no stack of its own.

usage: attack.py NAME HOST WORD=NUMBER...    what the server said; prints "on" when it is at full strength
"""
import os
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, os.environ.get('WIRE') or os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'datagram'))
import wire  # noqa: E402
from wire import CHALLENGE, C, D, DATA, RD_ACCEPT, RD_ACK, RD_OPEN, RESOLVE, Datagram, crc32c  # noqa: E402

HOST, SAID = '', {}
# Attackers are another host than good clients, as far as a server can tell.
FROM = os.environ.get('FROM', '127.0.0.2')
SECONDS = 600  # it ends after so long in any case


def on(text=''):
    print('on', text, flush=True)


# ------------------------------------------------------------------------------------------------ connections
def fpdu(ulpdu):
    head = struct.pack('>H', len(ulpdu)) + ulpdu
    head += bytes(-len(head) % 4)
    return head + struct.pack('<I', crc32c(head))


def tagged(stag, to, payload=b''):
    return fpdu(struct.pack('>BBIQ', 0xC1, 0x40, stag, to) + payload)


def read_request(msn, size, stag, to):
    return fpdu(struct.pack('>BBIIII', 0x41, 0x41, 0, 1, msn, 0) + struct.pack('>IQIIQ', 1, 0, size, stag, to))


def connect(receive=None, patience=20):
    """A connection whose start-up is over: the socket, and address and key of the server's memory. None if it is refused."""
    s = socket.socket()
    if receive:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    s.settimeout(patience)
    try:
        s.bind((FROM, 0))
        s.connect((HOST, SAID['tcp']))
        s.sendall(b'MPA ID Req Frame' + struct.pack('>BBH', 0x40, 1, 0))
        reply = b''
        while len(reply) < 32:
            more = s.recv(32 - len(reply))
            if not more:
                raise OSError('closed')
            reply += more
    except OSError:
        s.close()
        return None, 0, 0
    address, key = struct.unpack('>QI', reply[20:32])
    return s, address, key


def a():
    """Peers that ask for much and read nothing: they hold buffers for sending."""
    held = []
    for _ in range(1100):
        s, address, key = connect(2048, 5)
        if s is None:
            continue
        s.sendall(b''.join(read_request(n, 1 << 20, key, address) for n in range(1, 5)))
        held.append(s)
    on(f'{len(held)} connections that do not read')
    time.sleep(SECONDS)


def b():
    """Peers that leave an FPDU of 64 KiB one byte short: they hold buffers for putting together."""
    held = []
    s, address, key = connect()
    whole = tagged(key, address, bytes(65_000 - 14))
    s.close()
    for _ in range(1024):
        s, _, _ = connect(None, 5)
        if s is None:
            continue
        try:
            s.sendall(whole[:-1])
            held.append(s)
        except OSError:
            s.close()
    on(f'{len(held)} FPDUs one byte short')
    while True:  # who is thrown out comes again
        time.sleep(0.2)
        for i, s in enumerate(held):
            s.setblocking(False)
            try:
                if s.recv(4096):
                    continue
            except BlockingIOError:
                continue
            except OSError:
                pass
            s.close()
            s, _, _ = connect(None, 1)
            if s is not None:
                s.sendall(whole[:-1])
                held[i] = s
            else:
                held[i] = socket.socket()


def e():
    """Floods of FPDUs that carry nothing."""
    s, address, key = connect()
    flood = tagged(key, address) * 20_000
    on(f'FPDUs of {len(tagged(key, address))} bytes as fast as they are taken')
    s.settimeout(SECONDS)
    while True:
        s.sendall(flood)


# ------------------------------------------------------------------------------------------------ sockets
def rsocket(half_made):
    """A Request of an rsocket: the record that librdmacm's has, behind the depths; with the peer-to-peer set-up the connection stays half made."""
    depths = struct.pack('>HH', 0x8010, 0x4010) if half_made else struct.pack('>HH', 16, 16)
    record = bytes([1, 3]) + struct.pack('>HI', 384, 0) + struct.pack('>QII', 4096, 77, 2) + struct.pack('>QII', 8192, 78, 65536)
    return b'MPA ID Req Frame' + struct.pack('>BBH', 0x50, 2, len(depths + record)) + depths + record


def begin(request, patience=2):
    """A connection that has said its Request, and does not wait for the Reply. None if it cannot be had."""
    s = socket.socket()
    s.settimeout(patience)
    try:
        s.bind((FROM, 0))
        s.connect((HOST, SAID['tcp']))
        s.sendall(request)
        s.setblocking(False)
        return s
    except OSError:
        s.close()
        return None


def gone(s):
    """Whether it was refused, or has ended."""
    try:
        some = s.recv(4096)
        return not some or (len(some) > 16 and some[16] & 0x20 != 0)
    except BlockingIOError:
        return False
    except OSError:
        return True


def i():
    """As many connections as a listener of sockets has room for, each in the middle of its set-up. Who is thrown out comes again."""
    held, told = [], False
    while True:
        held += [s for s in (begin(rsocket(True)) for _ in range(50 - len(held))) if s]
        if not told:
            told = True
            on(f'{len(held)} half-made connections')
        time.sleep(0.05)
        for s in list(held):
            if gone(s):
                s.close()
                held.remove(s)


def j():
    """Connections that say nothing, as many as are let in, and some that try on and on."""
    held, refused = [], 0
    while refused < 20 and len(held) < 2000:
        s = begin(rsocket(False))
        time.sleep(0.002)
        if s is None or gone(s):
            refused += 1
        else:
            held.append(s)
    on(f'{len(held)} idle connections, and more that try')
    trying = []
    while True:
        s = begin(rsocket(False))
        if s:
            trying.append(s)
        if len(trying) > 200:
            trying.pop(0).close()
        time.sleep(0.003)


# ------------------------------------------------------------------------------------------------ datagrams
def bound(address='127.0.0.1'):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    s.bind((address, 0))
    s.connect((HOST, SAID['udp']))
    s.settimeout(0.2)
    return s


def opening(qpn, tag, **more):
    flags = C if 'cookie' in more else 0
    return wire.encode(Datagram(version=1, kind=RD_OPEN, dst=SAID['rd'], src=qpn, flags=flags, key=SAID['rdkey'], mid=qpn, tag=tag,
                                first_psn=1000, previous=0, window=256, **more))


def channels(s, numbers, patience=10):
    """Opens channels from this socket, and shows the server its tags, so that they are not half-open. {number: tag of the server}"""
    tags, end, waiting = {}, time.monotonic() + patience, list(numbers)
    while waiting and time.monotonic() < end:
        for at in range(0, len(waiting), 64):
            for n in waiting[at:at + 64]:
                s.send(opening(n, n))
            quiet, s_end = 0, time.monotonic() + 1
            while time.monotonic() < s_end:
                s.settimeout(0.02)
                try:
                    octets = s.recv(2048)
                except socket.timeout:
                    break
                except OSError:
                    continue
                kind, dst = octets[0] & 15, int.from_bytes(octets[1:4], 'big')
                if kind == CHALLENGE:
                    s.send(opening(dst, dst, cookie=octets[24:40]))
                elif kind == RD_ACCEPT:
                    tag, psn = struct.unpack_from('>II', octets, 24)
                    tags[dst] = tag, psn
                    s.send(wire.encode(Datagram(version=1, kind=RD_ACK, dst=SAID['rd'], src=dst, flags=1, key=tag, mid=0,
                                                ack=psn, window=256, rnr=0, sack=())))
        waiting = [n for n in waiting if n not in tags]
    return tags


def c():
    """One socket takes all channels of reliable datagrams."""
    s = bound(FROM)
    tags = channels(s, range(1000, 1000 + 16384), 60)
    on(f'{len(tags)} channels')
    while True:  # and keeps them, and tries for more
        for n, (tag, psn) in list(tags.items()):
            s.send(wire.encode(Datagram(version=1, kind=RD_ACK, dst=SAID['rd'], src=n, flags=1, key=tag, mid=0, ack=psn,
                                        window=256, rnr=0, sack=())))
            time.sleep(0.0005)
        tags.update(channels(s, [n for n in range(1000, 1000 + 16384) if n not in tags][:512], 5))


def d():
    """A hundred kilobytes that are ahead of what is missing, again and again."""
    s = bound(FROM)
    tags = channels(s, range(1000, 1008))
    ahead = []
    for n, (tag, first) in tags.items():
        for i in range(1, 256):
            ahead.append(wire.encode(Datagram(
                version=1, kind=DATA, dst=SAID['rd'], src=n, flags=D, key=tag, mid=i, psn=1000 + i, ack=first, window=256,
                length=0, index=0, size=0, t=True, last=True, opcode=0, stag=0, to=0, payload=b'')))
    on(f'{len(tags)} channels, {len(ahead)} datagrams, {sum(map(len, ahead))} bytes ahead')
    while True:
        for octets in ahead:
            s.send(octets)
            time.sleep(0.0001)
        s.setblocking(False)
        try:
            while True:
                s.recv(2048)
        except OSError:
            pass


def resolve(mid):
    return wire.encode(Datagram(version=1, kind=RESOLVE, dst=1, src=1, flags=0, key=wire.RESOLVER_KEY, mid=mid,
                                service=0x1122334455667788, types=3, versions=2, private=b''))


def f():
    """Thirty thousand questions a second for a service, from many strangers."""
    sockets = [bound(f'127.1.{i // 250}.{1 + i % 250}') for i in range(500)]
    questions = [resolve(i) for i in range(2000)]
    for s in sockets:
        s.setblocking(False)
    on('30,000 RESOLVE a second from 500 addresses')
    n, start = 0, time.monotonic()
    while True:
        for s in sockets:
            for _ in range(3):
                try:
                    s.send(questions[n % len(questions)])
                except OSError:
                    pass
                n += 1
        ahead = n / 30_000 - (time.monotonic() - start)
        if ahead > 0:
            time.sleep(ahead)


def m():
    """Eight ports of one host ask for all Reads that are served at a time, and take nothing. Ended ones are asked for again."""
    sockets = [bound(FROM) for _ in range(8)]
    mid = 0

    def read(cookie=None):
        nonlocal mid
        mid += 1
        shim = dict(dst=SAID['ud'], src=777, key=SAID['udkey'], flags=C if cookie else 0)
        segment = wire.cut(wire.READ_REQUEST, struct.pack('>IQIIQ', 5, 0, 1 << 20, SAID['stag'], SAID['base']), mid, shim, 1400, 0, 0)[0]
        segment.cookie = cookie
        return wire.encode(segment)

    def shown(s):
        """The cookie of a socket."""
        for _ in range(20):
            s.send(read())
            try:
                while True:
                    octets = s.recv(2048)
                    if octets[0] & 15 == CHALLENGE:
                        return octets[24:40]
            except socket.timeout:
                pass
        raise OSError('no CHALLENGE came')

    cookies, began = [shown(s) for s in sockets], time.monotonic()
    for turn in range(128):
        for s, cookie in zip(sockets, cookies):
            s.send(read(cookie))
        time.sleep(0.002)
    on(f'{8 * 128} Reads of 1 MiB from 8 ports')
    while True:
        for s, cookie in zip(sockets, cookies):
            s.send(read(cookie))
        time.sleep(0.02)
        if time.monotonic() - began > 30:  # a cookie is good for a minute
            cookies, began = [shown(s) for s in sockets], time.monotonic()


def n():
    """A host with more ports than a proxy has sessions, all of which go on to say something."""
    sockets = []
    for _ in range(300):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind((FROM, 0))
        s.connect((HOST, SAID['udp']))
        s.setblocking(False)
        sockets.append(s)
    told = False
    while True:
        for s in sockets:
            try:
                s.send(b'x')
                s.recv(64)
            except OSError:
                pass
            time.sleep(0.001)
        if not told:
            told = True
            on(f'{len(sockets)} ports, each of which says something three times a second')


def g():
    """Clients of rping that connect and say nothing; a few of them do not even begin MPA's start-up. Who is thrown out comes again."""
    def silent(i):
        s = socket.socket()
        s.settimeout(5)
        try:
            s.bind((FROM, 0))
            s.connect((HOST, SAID['tcp']))
            if i % 11:
                s.sendall(b'MPA ID Req Frame' + struct.pack('>BBH', 0x40, 1, 0))
        except OSError:
            pass
        return s

    held = [silent(i) for i in range(1300)]
    on(f'{len(held)} silent clients')
    while True:
        time.sleep(0.05)
        for i, s in enumerate(held):
            s.setblocking(False)
            try:
                gone = not s.recv(64)
            except BlockingIOError:
                gone = False
            except OSError:
                gone = True
            if gone:
                s.close()
                held[i] = silent(i)


# ------------------------------------------------------------------------------------------------ jwarp cp
def copying():
    """A sender of 'jwarp cp --tcp' that has said hello."""
    s = socket.socket()
    s.settimeout(5)
    try:
        s.bind((FROM, 0))
        s.connect((HOST, SAID['tcp']))
        s.sendall(struct.pack('>QBB', 0x6A776370, 1, 0))
    except OSError:
        pass
    return s


def k():
    """Senders that never get on with the name of a folder: a byte now and then. Who is thrown out comes again."""
    def begun():
        s = copying()
        try:
            s.sendall(b'\1' + struct.pack('>H', 4000))
        except OSError:
            pass
        s.setblocking(False)
        return s

    held = [begun() for _ in range(200)]
    on(f'{len(held)} senders')
    turn = 0
    while True:
        time.sleep(0.05)
        turn += 1
        for i, s in enumerate(held):
            try:
                if turn % 40 == 0:
                    s.sendall(b'a')
                gone = not s.recv(4096)
            except BlockingIOError:
                continue
            except OSError:
                gone = True
            if gone:
                s.close()
                held[i] = begun()


def l():  # noqa: E743
    """Paths of 2,040 names, which take a server long that looks at each path from its beginning; and of 256, which is what may be."""
    def asks(names):
        path = '/'.join('a' * names).encode()
        ask = b'\1' + struct.pack('>H', len(path)) + path
        while True:
            s = copying()
            s.settimeout(60)
            try:
                if s.recv(1) == b'\0':
                    s.sendall(ask)
                    while s.recv(1) == b'\0':
                        s.sendall(ask)
                    while s.recv(4096):
                        pass
            except OSError:
                pass
            s.close()

    for i in range(16):
        threading.Thread(target=asks, args=[2040 if i % 2 else 256], daemon=True).start()
    time.sleep(2)
    on('16 senders')
    time.sleep(SECONDS)


def end_with_input():
    """An attack ends with the process that started it."""
    while os.read(0, 4096):
        pass
    os._exit(0)


if __name__ == '__main__':
    HOST = sys.argv[2]
    SAID = {w.split('=')[0]: int(w.split('=')[1]) for w in sys.argv[3:] if '=' in w}
    import resource
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192 if hard == resource.RLIM_INFINITY else min(8192, hard), hard))
    threading.Thread(target=end_with_input, daemon=True).start()
    over = threading.Timer(SECONDS, os._exit, [0])
    over.daemon = True
    over.start()
    try:
        globals()[sys.argv[1]]()
    except (BrokenPipeError, ConnectionError) as gone:
        print('off', gone, flush=True)
        time.sleep(SECONDS)
