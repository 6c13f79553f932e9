"""The table: good clients' service without and under each attack, and by how much each message type is answered to a forged source.

usage: hostile.py JAR CLASSES [--quick] [--seconds N] [--deadline N] [--filter REGEX] [--progress inline|threaded]
"""
import argparse
import ctypes
import hashlib
import json
import mmap
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
JAVA = os.path.join(os.environ['JAVA_HOME'], 'bin', 'java') if os.environ.get('JAVA_HOME') else 'java'
TRUST = 'jwarp.udp.trust='  # loopback is a network like any other here
# A p99 below this is noise of a busy machine, not the attack's doing: what is compared is at least so much.
LEAST_P99_MS = 5.0
# The same where datagrams are lost on purpose: whether a time-out is among the worst rounds is chance (12 to 112 ms, without an attacker, too).
LEAST_P99_LOSS_MS = 50.0
# The attackers' own beginning takes the processors that they share with all others here: it is told, and not judged.
RAMP = 1
# The p99 of fewer rounds is about their worst, which a lost datagram or a pause of the machine makes: it is told, and not judged.
FEW = 75
STARTS = 60  # seconds that a process may take to begin its work

# What is attacked, and who is watched. Rounds in a second: fewer than the machine can do, as the attackers take a part of its processors.
CONNECTIONS = ['rc-read-kept:50', 'rc-write-kept:50', 'rc-new:10']
ATTACKS = {
    'a': ('1,100 peers that do not read', 'Server', CONNECTIONS, []),
    'b': ('1,024 FPDUs one byte short', 'Server', CONNECTIONS, []),
    'c': ('one socket takes all RD channels', 'Server', ['rd-kept:5', 'rd-new:5'], []),
    'd': ('1,024 RD datagrams ahead', 'Server', ['rd-kept:50', 'rd-new:5'], ['jwarp.udp.inject=loss=1%,seed=1']),
    'e': ('4 floods of empty FPDUs', 'Server', ['rc-small-kept:50', 'rc-new:10'], []),
    'f': ('30,000 RESOLVE/s of 500 strangers', 'Server', ['ud-kept:50', 'ud-new:5'], []),
    'i': ('50 half-made connections of sockets', 'Sockets', ['sock-kept:50', 'sock-new:10'], []),
    'j': ('idle connections of sockets, all it gets', 'Sockets', ['sock-kept:50', 'sock-new:10'], []),
    'g': ('1,000 silent clients of rping -P', 'rping', ['rping-new:1'], []),
    'k': ('200 senders of cp, a byte each 2 s', 'cp', ['cp-new:5'], []),
    'l': ('16 senders of cp with deep paths', 'cp', ['cp-new:5'], []),
    'm': ('8 ports take all UD Reads', 'Server', ['ud-kept:50', 'ud-new:5'], ['jwarp.udp.controlled=127.0.0.1']),
    'n': ('300 ports take all sessions of a proxy', 'proxy', ['proxied-new:20'], []),
}
TIMES = {'e': 4}


MAP_POPULATE = 0x8000  # mmap has it from Python 3.10 on
LIBC = ctypes.CDLL(None)


def ends_with_us():
    """In a new process: PR_SET_PDEATHSIG. It does not outlive us, whatever we die of."""
    LIBC.prctl(1, signal.SIGKILL)


class Child:
    """A process of ours that speaks in lines; all reading has a deadline."""

    all = []

    def __init__(self, *command, env=None, all_output=False):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        stderr=subprocess.STDOUT if all_output else subprocess.DEVNULL, env=env, start_new_session=True,
                                        preexec_fn=ends_with_us)
        self.buffer = ''
        Child.all.append(self)

    def line(self, seconds):
        end = time.monotonic() + seconds
        while '\n' not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError(f'{self.process.args[0]} said nothing for {seconds} s')
            some = os.read(self.process.stdout.fileno(), 65536).decode()
            if not some:
                raise EOFError(f'{" ".join(self.process.args[:6])} ended')
            self.buffer += some
        line, _, self.buffer = self.buffer.partition('\n')
        return line

    def say(self, text):
        self.process.stdin.write(text + '\n')
        self.process.stdin.flush()

    def hear_no_more(self):
        """From now on what it says is thrown away, so that it never waits for us."""
        def away():
            while os.read(self.process.stdout.fileno(), 65536):
                pass
        threading.Thread(target=away, daemon=True).start()

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        Child.all.remove(self)


def java(jar, classes, *words, options=()):
    return Child(JAVA, '-XX:TieredStopAtLevel=1', '-Dlogback.statusListenerClass=ch.qos.logback.core.status.NopStatusListener',
                 *options, '-cp', f'{jar}:{classes}', *words)


def touch_memory():
    """Has the machine at hand what kernels need for the attack: a virtual one that took free pages back gives them page by page, at a time of its own."""
    with open('/proc/meminfo') as lines:
        kilobytes = next(int(line.split()[1]) for line in lines if line.startswith('MemAvailable'))
    mmap.mmap(-1, min(kilobytes << 9, 3 << 30), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_POPULATE).close()


def measure(clients, seconds):
    clients.say(str(seconds))
    services = {}
    while True:
        line = clients.line(seconds + 60)
        if line == 'measured':
            return services
        name, rate, p50, p99, failed, *why = line.split(' ', 5)
        number = [float(word.split('=')[1]) for word in (rate, p50, p99, failed)]
        services[name] = dict(rate=number[0], p50=number[1] / 1e6, p99=number[2] / 1e6, failed=int(number[3]),
                              rounds=number[0] * seconds + number[3], why=' '.join(why))


def verdict(before, under, least, quick):
    """Ratios of rate and of p99, and whether that is service. A short run is judged by its rate only, and by what failed."""
    rate = under['rate'] / before['rate'] if before['rate'] else 0
    p99 = under['p99'] / max(before['p99'], least)
    if quick:
        return rate, p99, rate >= 0.5 and under['failed'] <= 3 + under['rounds'] / 10
    return rate, p99, rate >= 0.8 and (p99 <= 5 or under['rounds'] < FEW)


def strongest(attackers, seconds):
    """What the first attacker says when all are at full strength. The good clients count even if that takes an attacker too long."""
    try:
        return [attacker.line(seconds) for attacker in attackers][0]
    except TimeoutError:
        return f'not at full strength after {seconds} s'


def served(measured):
    """Service without an attack: measured again while a client is not yet at work."""
    for _ in range(5):
        services = measured()
        if all(service['rate'] for service in services.values()):
            break
    return services


def attack(options, name):
    title, server_kind, clients, more = ATTACKS[name]
    wire = dict(os.environ, WIRE=options.wire, FROM=options.source)
    if server_kind == 'rping':
        return against_command(options, name, wire, ['rping', '-s', '-P', '--quiet'], lambda port: pings(options, port))
    if server_kind == 'cp':
        with tempfile.TemporaryDirectory() as folder:
            return against_command(options, name, wire, ['cp', '--serve', folder, '--tcp'], lambda port: copies(port, 2 * options.seconds))
    if server_kind == 'proxy':
        return proxied(options, title, wire)
    children = []

    def start(child):
        children.append(child)
        return child
    try:
        server = start(java(options.jar, options.classes, server_kind, options.progress, TRUST, options=['-Xmx96m']))
        said = server.line(STARTS)
        good = start(java(options.jar, options.classes, 'Clients', '127.0.0.1', said, TRUST, *more, *clients))
        good.line(STARTS)
        time.sleep(options.warm)
        before = served(lambda: measure(good, options.seconds))
        touch_memory()
        attackers = [start(Child(sys.executable, '-B', os.path.join(HERE, 'attack.py'), name, '127.0.0.1', *said.split()[1:], env=wire))
                     for _ in range(TIMES.get(name, 1))]
        strength = strongest(attackers, STARTS)
        first = measure(good, RAMP)
        strength += f'; p99 of the first second up to {max(service["p99"] for service in first.values()):.0f} ms'
        under = measure(good, 2 * options.seconds)
        return title, strength, before, under
    finally:
        for child in reversed(children):
            child.end()


def summary(times, failed, seconds, why):
    """The service of the rounds that took these milliseconds."""
    times.sort()
    at = lambda part: times[min(len(times) - 1, int(len(times) * part))] if times else 0  # noqa: E731
    return dict(rate=len(times) / seconds, p50=at(0.5), p99=at(0.99), failed=failed, rounds=len(times) + failed, why=why)


def pings(options, port):
    """The good client here is jwarp rping itself, a new process each time; its start is a part of the time. Three of them."""
    times, failed, why = [], 0, ''
    for _ in range(3):
        start = time.monotonic()
        try:
            done = subprocess.run([JAVA, '-XX:TieredStopAtLevel=1', '-jar', options.jar, 'rping', '-c', '-a', '127.0.0.1', '-p', str(port), '-C', '3',
                                   '--timeout', '10', '--quiet'], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            failed, why = failed + 1, 'not over after 60 s'
            continue
        if done.returncode:
            failed, why = failed + 1, done.stderr.strip().split('\n')[0]
        else:
            times.append((time.monotonic() - start) * 1e3)
    return {'rping-new': summary(times, failed, 3, why)}


def copy(port, number):
    """Sends one file of 4 KiB as 'jwarp cp --tcp' does."""
    def exactly(count):
        octets = b''
        while len(octets) < count:
            more = good.recv(count - len(octets))
            if not more:
                raise EOFError('closed')
            octets += more
        return octets

    def done():
        if exactly(1) != b'\0':
            raise OSError(exactly(struct.unpack('>H', exactly(2))[0]).decode())
    with socket.create_connection(('127.0.0.1', port), 10) as good:
        good.sendall(struct.pack('>QBB', 0x6A776370, 1, 0))
        done()
        name, data = f'good{number % 8}'.encode(), bytes(4096)
        good.sendall(b'\2' + struct.pack('>H', len(name)) + name + struct.pack('>qq', len(data), 0))
        done()
        exactly(40)
        good.sendall(struct.pack('>q', 0) + data + hashlib.sha256(data).digest())
        done()
        good.sendall(b'\0')
        good.shutdown(socket.SHUT_WR)
        good.recv(1)


def copies(port, seconds, rate=5):
    """New senders, so many in a second."""
    times, failed, why, began, number = [], 0, '', time.monotonic(), 0
    while time.monotonic() - began < seconds:
        start = time.monotonic()
        try:
            copy(port, number)
            times.append((time.monotonic() - start) * 1e3)
        except OSError as refused:
            failed, why = failed + 1, str(refused)
        except EOFError as closed:
            failed, why = failed + 1, str(closed)
        number += 1
        time.sleep(max(0.0, began + number / rate - time.monotonic()))
    return {'cp-new': summary(times, failed, time.monotonic() - began, why)}


def against_command(options, name, wire, words, measured):
    """The server here is a command of jwarp."""
    children = []
    try:
        children.append(Child(JAVA, '-XX:TieredStopAtLevel=1', '-jar', options.jar, *words, '-a', '127.0.0.1', '-p', '0', all_output=True))
        said = ''
        while 'listening on' not in said:
            said = children[0].line(STARTS)
        port = int(said.rpartition(':')[2])
        children[0].hear_no_more()
        before = served(lambda: measured(port))
        children.append(Child(sys.executable, '-B', os.path.join(HERE, 'attack.py'), name, '127.0.0.1', f'tcp={port}', env=wire))
        strength = strongest(children[1:], STARTS)
        return ATTACKS[name][0], strength, before, measured(port)
    finally:
        for child in reversed(children):
            child.end()


def proxied(options, title, wire):
    """The good client here is a program of UDP, a new one each time, whose datagram is to come back through the proxy."""
    children = []
    echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    echo.bind(('127.0.0.1', 0))

    def answer():
        while True:
            octets, source = echo.recvfrom(2048)
            try:
                echo.sendto(octets, source)
            except OSError:
                pass

    def rounds(seconds):
        times, failed, begin = [], 0, time.monotonic()
        while time.monotonic() - begin < seconds:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
                client.bind(('127.0.0.1', 0))
                client.connect(('127.0.0.1', port))
                client.settimeout(1)
                start = time.monotonic()
                try:
                    client.send(b'good')
                    client.recv(64)
                    times.append((time.monotonic() - start) * 1e3)
                except OSError:
                    failed += 1
            time.sleep(max(0, 0.05 - (time.monotonic() - start)))
        times.sort()
        count = len(times)
        return {'proxied-new': dict(rate=count / seconds, p50=times[count // 2] if times else 0, p99=times[count * 99 // 100] if times else 0,
                                    failed=failed, rounds=count + failed, why='no answer within 1 s' if failed else '')}
    threading.Thread(target=answer, daemon=True).start()
    try:
        children.append(Child(JAVA, '-XX:TieredStopAtLevel=1', '-jar', options.jar, 'proxy', '-l', 'udp://127.0.0.1:0', '-t',
                              f'udp://127.0.0.1:{echo.getsockname()[1]}', '-T', '2', all_output=True))
        said = ''
        while 'listening on' not in said:
            said = children[0].line(STARTS)
        port = int(said.rpartition(':')[2])
        children[0].hear_no_more()
        before = served(lambda: rounds(options.seconds))
        children.append(Child(sys.executable, '-B', os.path.join(HERE, 'attack.py'), 'n', '127.0.0.1', f'udp={port}', env=wire))
        strength = strongest(children[1:], STARTS)
        return title, strength, before, rounds(2 * options.seconds)
    finally:
        for child in reversed(children):
            child.end()


def reflection(options):
    """The rows of the second table, made by the attackers of reflect.py."""
    server = java(options.jar, options.classes, 'Server', options.progress, TRUST, options=['-Xmx512m'])
    try:
        said = server.line(STARTS)
        done = subprocess.run([sys.executable, '-B', os.path.join(HERE, 'reflect.py'), '127.0.0.1', *said.split()[1:]], env=dict(os.environ, WIRE=options.wire),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().split('\n')[-1])
        return [json.loads(line) for line in done.stdout.splitlines()]
    finally:
        server.end()


def main():
    words = argparse.ArgumentParser()
    words.add_argument('jar')
    words.add_argument('classes')
    words.add_argument('--quick', action='store_true')
    words.add_argument('--deadline', type=float, default=float('inf'))
    words.add_argument('--seconds', type=float, default=5)
    words.add_argument('--warm', type=float, default=5)
    words.add_argument('--filter', default='.')
    words.add_argument('--progress', default='threaded')
    words.add_argument('--wire', default=os.path.join(HERE, '..', 'datagram'))
    words.add_argument('--from', dest='source', default='127.0.0.2')
    options = words.parse_args()
    status, start, left_out = 0, time.monotonic(), []

    def begins(name):
        if not re.search(options.filter, name):
            return False
        if time.monotonic() - start < options.deadline:
            return True
        left_out.append(name)
        return False
    head = f'{"attack":40} {"good client":14} {"rate/s":>17} {"ratio":>6} {"p50 ms":>19} {"p99 ms":>19} {"ratio":>6}  verdict'
    print(head, flush=True)
    for name in ATTACKS:
        if not begins(name):
            continue
        try:
            title, strength, before, under = attack(options, name)
        except Exception as failed:  # the table goes on
            print(f'{name} {ATTACKS[name][0]:38} FAIL {type(failed).__name__}: {failed}', flush=True)
            status = 1
            continue
        print(f'{name} {title:38} {strength}')
        least = LEAST_P99_LOSS_MS if any('loss=' in setting for setting in ATTACKS[name][3]) else LEAST_P99_MS
        for client, was in before.items():
            now = under[client]
            rate, p99, well = verdict(was, now, least, options.quick)
            status |= not well
            print(f'{"":40} {client:14} {was["rate"]:8.1f}→{now["rate"]:8.1f} {rate:6.2f} {was["p50"]:8.2f} → {now["p50"]:8.2f} '
                  f'{was["p99"]:8.2f} → {now["p99"]:8.2f} {p99:6.1f}  {"ok" if well else "FAIL"}'
                  + (f' ({now["failed"]} failed: {now["why"]})' if now['failed'] else ''), flush=True)
    if begins('h'):
        print(f'\n{"h: from a forged source, which proved itself once":60} {"sent":>10} {"answered":>10} {"factor":>8}  verdict')
        try:
            for row in reflection(options):
                factor = row['answered'] / row['sent']
                status |= factor > 3
                print(f'{row["what"]:60} {row["sent"]:10} {row["answered"]:10} {factor:8.2f}  {"ok" if factor <= 3 else "FAIL"}', flush=True)
        except Exception as failed:
            print(f'h FAIL {type(failed).__name__}: {failed}')
            status = 1
    for name in left_out:
        print(f'NOT RUN: {name}: {options.deadline:.0f} s were over before its turn', flush=True)
    return status


if __name__ == '__main__':
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        code = main()
    finally:
        for child in list(Child.all):
            child.end()
    sys.exit(code)
