"""Whether the path MTU is found out: jwarp's datagrams through a router whose second link takes less, or other sizes from time to time.

Namespaces a, r and b; the ends' own links take 9,000 bytes. What is too long for a link of the router is dropped there: on the way from a with
an ICMP message, on the way from b, where the sending end of the link takes more than the receiving one, without a word.
"""
import argparse
import re
import sys
import time

from lab import JAVA, Child, command, fields, make_spaces, new_spaces

LARGE = 9000
A, B = '10.78.1.1', '10.78.2.1'
A6, B6 = 'fd00:78:1::1', 'fd00:78:2::1'
DEPTH = 8  # requests under way
FOUND = 75  # seconds that a search may take: three probes a size, a second each
failures = 0


def ip(space, *words):
    command('ip', '-n', space, *words)


def router(mtu):
    """Two hosts with a router between them, whose link to b takes so much."""
    new_spaces('a', 'r', 'b')
    for host, number, own, own6 in (('a', 1, A, A6), ('b', 2, B, B6)):
        command('ip', 'link', 'add', f'x{host}', 'type', 'veth', 'peer', 'name', f'y{host}')
        command('ip', 'link', 'set', f'x{host}', 'netns', host)
        command('ip', 'link', 'set', f'y{host}', 'netns', 'r')
        for space, end, address, address6 in ((host, f'x{host}', own, own6), ('r', f'y{host}', f'10.78.{number}.2', f'fd00:78:{number}::2')):
            ip(space, 'addr', 'add', f'{address}/24', 'dev', end)
            ip(space, 'addr', 'add', f'{address6}/64', 'dev', end, 'nodad')
            ip(space, 'link', 'set', end, 'mtu', str(LARGE), 'up')
        ip(host, 'route', 'add', 'default', 'via', f'10.78.{number}.2')
        ip(host, 'route', 'add', 'default', 'via', f'fd00:78:{number}::2')
    command('ip', 'netns', 'exec', 'r', 'sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1')
    narrow(mtu)


def narrow(mtu):
    ip('r', 'link', 'set', 'yb', 'mtu', str(mtu))


class Case:
    def __init__(self, classes, kind, progress, backwards=False, ipv6=False, settings=()):
        near, far = (B, A) if backwards else (A, B)
        if ipv6:
            near, far = (B6, A6) if backwards else (A6, B6)
        spaces = ('b', 'a') if backwards else ('a', 'b')
        java = (JAVA, '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', classes, 'Mtu')
        self.far = Child(*java, 'serve', far, progress, *settings, space=spaces[1], first=False)
        words = self.far.until('ready').split()[1]
        self.near = Child(*java, kind, near, progress, far, words, *settings, space=spaces[0], first=False)
        self.near.until('ready')
        self.said = {}

    def now(self):
        """What the flow told last."""
        while self.near.read(0.001):
            pass
        for line in self.near.lines:
            if line.startswith('at '):
                self.said = {name: int(value) for name, value in fields(line).items()}
            elif not line.startswith('ready'):
                self.why = line
        self.near.lines.clear()
        return self.said

    why = ''

    def until(self, what, seconds):
        """How long it took until that is so of what it told; None if it is not in time."""
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            if self.now() and what(self.said):
                return time.monotonic() - began
            time.sleep(0.1)
        return None

    def moves(self, seconds=40):
        """Whether data goes on: what is told grows."""
        before = self.now().get('done', 0)
        return self.until(lambda said: said['done'] > before + 40000, seconds) is not None

    def end(self):
        self.near.end()
        self.far.end()


def check(name, held, text):
    global failures
    failures += not held
    print(f'{"PASS" if held else "FAIL"}    mtu.{name}: {text}', flush=True)


def finds(name, case, mtu, seconds=FOUND, fail=0):
    """The search ends within 16 bytes below what the path takes, and data goes on; so many requests may have failed."""
    took = case.until(lambda said: mtu - 16 < said['mtu'] <= mtu, seconds)
    if took is None:
        check(name, False, f'it is {case.said.get("mtu")}, not {mtu}, after {seconds} s {case.why}')
        return
    moves = case.moves()
    said = case.said
    check(name, moves and said['failed'] <= fail, f'{said["mtu"]} after {took:.1f} s, {said["failed"]} requests failed{"" if moves else ", and nothing goes on"} {case.why}')


def fixed(classes, progress, kind, mtu, **how):
    def run(name):
        router(mtu)
        case = Case(classes, kind, progress, **how)
        finds(name, case, mtu)
        case.end()
    return run


def changing(classes, progress, kind, backwards):
    """RD goes through the black hole by IPv6, which loses datagrams that have their numbers already: the requests under way fail."""
    def run(name):
        router(LARGE)
        case = Case(classes, kind, progress, backwards=backwards, ipv6=backwards and kind == 'rd-write', settings=('jwarp.udp.path-raise=5',))
        finds(f'{name}.begins', case, LARGE)
        narrow(1400)
        fail = DEPTH if backwards and kind == 'rd-write' else 0
        finds(f'{name}.less', case, 1400, fail=fail)
        narrow(LARGE)
        finds(f'{name}.more-again', case, LARGE, fail=fail)
        case.end()
    return run


def read(classes, progress, kind):
    """What the responder sends has to come through: its way is the black hole."""
    def run(name):
        router(1400)
        case = Case(classes, kind, progress)
        took = case.until(lambda said: said['done'] > 400000, FOUND)
        check(name, took is not None, f'{case.now().get("done")} bytes were read after {took or FOUND:.0f} s, {case.said.get("failed")} Reads failed {case.why}')
        case.end()
    return run


def loopback(classes, progress):
    def run(name):
        new_spaces('a')
        java = (JAVA, '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', classes, 'Mtu')
        far = Child(*java, 'serve', '127.0.0.1', progress, space='a', first=False)
        near = Child(*java, 'rd-write', '127.0.0.1', progress, '127.0.0.1', far.until('ready').split()[1], space='a', first=False)
        near.until('at')
        time.sleep(1)
        while near.read(0.01):
            pass
        said = fields([line for line in near.lines if line.startswith('at ')][-1])
        check(name, said['mtu'] == '65535', f'{said["mtu"]} bytes')
        near.end()
        far.end()
    return run


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--classes', required=True)
    parser.add_argument('--only', default='.')
    options = parser.parse_args()
    classes = options.classes
    make_spaces()
    cases = {}
    for progress in ('inline', 'threaded'):
        cases[f'loopback-{progress}'] = loopback(classes, progress)
        for mtu in (576, 1280, 1400, 1500, LARGE):
            for kind in ('rd-write', 'ud-write'):
                cases[f'{kind}-{mtu}-{progress}'] = fixed(classes, progress, kind, mtu)
        for backwards in (False, True):
            for kind in ('rd-write', 'ud-write'):
                cases[f'{kind}-changes{"-black-hole" if backwards else ""}-{progress}'] = changing(classes, progress, kind, backwards)
        cases[f'rd-read-{progress}'] = read(classes, progress, 'rd-read')
        cases[f'rd-write-1280-ipv6-{progress}'] = fixed(classes, progress, 'rd-write', 1280, ipv6=True)
    for name, run in cases.items():
        if re.search(options.only, name):
            try:
                run(name)
            except Exception as e:  # whatever it is, the others go on
                check(name, False, f'{type(e).__name__}: {e}')
            for child in list(Child.all):
                child.end()
    print(f'{failures} failed')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
