"""Faults in each state of a connection and of each tool, and what a good client sees of them.

usage: chaos.py JAR [--rounds N] [--seconds N] [--filter REGEX] [--first NAME] [--list] [--strict]
"""
import argparse
import os
import re
import signal
import struct
import subprocess
import sys
import time

import kit
from kit import NotRun, Job, Network, judge, jwarp, not_run, row
from peers import REPLY, REQUEST, Flood, StuckServer, garbage, let_go, strangers

HERE = os.path.dirname(os.path.abspath(__file__))
FAULTS, LASTS = {}, {}
BASE = 17500
TIMEOUT = '4'  # of the tools, seconds
PATIENT = '12'  # of those that have to survive: what a busy machine and TCP, which doubles its pauses, add to a fault of 1.5 s
LONG, SHORT = 30, 12  # seconds of work where the fault ends it, and where it has to survive the fault
ENDS = 40  # seconds in which a tool with that time-out has to be over, on a busy machine


def fault(seconds):
    """A fault, and how long it lasts at most where nothing fails: it is not begun when less is left."""
    def add(function):
        name = function.__name__.replace('_', '-')
        FAULTS[name], LASTS[name] = function, seconds
        return function
    return add


# ------------------------------------------------------------------------------------- a connection, in each state
class Pairs:
    """
    Servers, and a good client of each in a state of its own, all at once, so that one fault meets all states. WORK: seconds of work of each
    client; much more than the start of all takes, so that the fault finds them at it. The short one begins when the others are at work.
    """

    STATES = {
        'idle (rping)': (['rping', '-s', '-P'], ['rping', '-c', '-i', '0.5', '-C', 'TWICE', '-v'], r'ping data'),
        'streaming out, in (perf write_bw)': (['perf', 'write_bw'], ['perf', 'write_bw', '-D', 'WORK', '-e', '-i', '0.5', '-s', '65536'], r'\d s|MiB|\[s\]|MB'),
        'reading, read from (perf read_bw)': (['perf', 'read_bw'], ['perf', 'read_bw', '-D', 'WORK', '-e', '-i', '0.5', '-s', '65536'], r'\d s|MiB|\[s\]|MB'),
        'datagrams (udping)': (['udping', '-s'], ['udping', '-c', '-i', '0.3', '-C', '14', '-v'], r'\d+ bytes|ping|time'),
        'RD (perf write_bw -c RD)': (['perf', 'write_bw', '-c', 'RD'], ['perf', 'write_bw', '-c', 'RD', '-D', 'WORK', '-e', '-i', '0.5'], r'\d s|MiB|\[s\]|MB'),
    }

    def __init__(self, work, network=None, env=None, timeout=TIMEOUT):
        near, far = (network.at(network.near), network.at(network.far)) if network else ((), ())
        address = '10.99.7.2' if network else '127.0.0.1'
        self.servers, self.clients = {}, {}
        for n, (state, (server, client, _)) in enumerate(self.STATES.items()):
            port = str(BASE + n)
            bind = ['--bind_source_ip', address] if server[0] == 'perf' else ['-a', address]
            more = ['--timeout', timeout] if server[0] == 'perf' else []
            self.servers[state] = jwarp(*server, '-p', port, *bind, *more, prefix=far, env=env)
        for state, server in self.servers.items():
            server.says('listening|waiting|Waiting|serving|on ')
        for those in ([state for state in self.STATES if 'udping' not in state], [state for state in self.STATES if 'udping' in state]):
            for state in those:
                client = [dict(WORK=str(work), TWICE=str(2 * work)).get(word, word) for word in self.STATES[state][1]]
                to = [address] if client[0] == 'perf' else ['-a', address]
                self.clients[state] = jwarp(*client, *to, '-p', str(BASE + list(self.STATES).index(state)), '--timeout', timeout, prefix=near, env=env)
            for state in those:
                self.clients[state].says(self.STATES[state][2])
        for state, client in list(self.clients.items()):
            if client.process.poll() == 0:
                del self.clients[state]
                not_run(state, 'its work was over before the fault came: this machine is slow')
        self.since = time.monotonic()

    def judge(self, name, statuses, words='', datagrams=(0, 1), bound=ENDS):
        for state, client in self.clients.items():
            judge(name, 'client, ' + state, client, datagrams if 'udping' in state else statuses, bound, '' if 'udping' in state else words, self.since)

    def judge_servers(self, name, statuses):
        for state, server in self.servers.items():
            if state in self.clients and state.startswith(('streaming', 'reading', 'RD')):
                judge(name, 'server, ' + state, server, statuses, ENDS, '', self.since)


def still_serves(name, state, server, port, words=('rping', '-c', '-C', '3'), within=0):
    """Afterwards a good client is served: the first one, or else one that comes within so many seconds."""
    end = time.monotonic() + within
    while True:
        client = jwarp(*words, '-a', '127.0.0.1', '-p', str(port), '--timeout', '8')
        if time.monotonic() > end or client.wait(ENDS) in (0, None) or server.process.poll() is not None:
            break
    if server.process.poll() is not None:
        row(name, state + ', afterwards', 'still serves', f'the server ended: {server.sentence()}', False)
        return
    judge(name, state + ', next client', client, [0], ENDS)


@fault(50)
def kill_server(options):
    pairs = Pairs(LONG)
    for server in pairs.servers.values():
        server.signal(signal.SIGKILL)
    pairs.judge('server killed', [1])


@fault(50)
def kill_client(options):
    pairs = Pairs(LONG)
    for client in pairs.clients.values():
        client.signal(signal.SIGKILL)
    pairs.judge_servers('client killed', [1])
    still_serves('client killed', 'rping -P', pairs.servers['idle (rping)'], BASE)
    still_serves('client killed', 'udping', pairs.servers['datagrams (udping)'], BASE + 3, ('udping', '-c', '-C', '3'))


@fault(50)
def stop_short(options):
    pairs = Pairs(SHORT, timeout=PATIENT)
    for server in pairs.servers.values():
        server.signal(signal.SIGSTOP)
    time.sleep(1.5)
    for server in pairs.servers.values():
        server.signal(signal.SIGCONT)
    pairs.judge('server stopped for 1.5 s', [0], bound=ENDS + 10)


@fault(60)
def stop_for_good(options):
    pairs = Pairs(LONG)
    for server in pairs.servers.values():
        server.signal(signal.SIGSTOP)
    pairs.judge('server stopped', [1], 'within|acknowledge|answer|reset|lost|nothing')
    port = str(BASE)
    client = jwarp('rping', '-c', '-a', '127.0.0.1', '-p', port, '-C', '1', '--timeout', TIMEOUT)
    judge('server stopped', 'client, connecting (rping)', client, [3], ENDS, 'no answer|within')
    client = jwarp('perf', 'write_bw', '127.0.0.1', '-p', str(BASE + 1), '--timeout', TIMEOUT)
    judge('server stopped', 'client, connecting (perf)', client, [3], ENDS)
    looks = jwarp('stat', str(pairs.servers['idle (rping)'].process.pid))
    judge('server stopped', 'stat', looks, [3], ENDS, 'answer')


@fault(40)
def close_stopped(options):
    """Ctrl-C, so that the client closes, while the server is stopped."""
    pairs = Pairs(LONG)
    for server in pairs.servers.values():
        server.signal(signal.SIGSTOP)
    for client in pairs.clients.values():
        client.signal(signal.SIGINT)
    pairs.since = time.monotonic()
    pairs.judge('Ctrl-C, server stopped', [130, 1], datagrams=(130,), bound=30)


@fault(60)
def link_short(options):
    network = Network()
    pairs = Pairs(SHORT, network, timeout=PATIENT)
    network.link('down')
    time.sleep(1.5)
    network.link('up')
    pairs.judge('link down for 1.5 s', [0], bound=ENDS + 15)


@fault(60)
def link_for_good(options):
    network = Network()
    pairs = Pairs(LONG, network)
    network.link('down')
    pairs.judge('link down', [1], 'within|acknowledge|answer|reset|lost|nothing|unreach|route')
    client = jwarp('rping', '-c', '-a', '10.99.7.2', '-p', str(BASE), '-C', '1', '--timeout', TIMEOUT, prefix=network.at(network.near))
    judge('link down', 'client, connecting (rping)', client, [3], ENDS)


@fault(60)
def idle_peer_gone(options):
    """The client's packets are dropped while the connection is idle: the server notices it within the times set."""
    network = Network()
    times = dict(JWARP_TCP_KEEP_ALIVE='2,1,3')
    servers = {}
    for n, progress in enumerate(('inline', 'threaded')):
        port = str(BASE + n)
        servers[progress] = jwarp('rping', '-s', '-P', '-a', '10.99.7.2', '-p', port, prefix=network.at(network.far), env=dict(times, JWARP_PROGRESS=progress))
        servers[progress].says('listening|waiting|Waiting|serving|on ')
        client = jwarp('rping', '-c', '-a', '10.99.7.2', '-p', port, '-i', '100', '-C', '2', '-v', prefix=network.at(network.near))
        client.says('ping data')
    network.settle(network.far)  # TCP asks whether a peer is there only where nothing is under way to it
    network.link('down')
    since = time.monotonic()
    for progress, server in servers.items():
        found = None
        while found is None and server.process.poll() is None and time.monotonic() < since + 30:
            looks = jwarp('stat', '--nonzero', str(server.process.pid))
            looks.wait(10)
            found = re.search(r'tcp_peer_timed_out [1-9]\d*', looks.out())
        row('idle peer gone', f'server, {progress}', 'tcp_peer_timed_out within 30 s',
            f'{found[0] if found else "nothing of it"} after {time.monotonic() - since:.1f} s', found is not None)


@fault(60)
def clock(options):
    """The clock of the day jumps by an hour, forth and back; the steady clock does not. For our processes alone, by a preloaded library."""
    kit.apt('gcc', 'gcc')
    kit.apt('/usr/include/stdio.h', 'libc6-dev')
    library, file = os.path.join(kit.FOLDER, 'clock.so'), os.path.join(kit.FOLDER, 'clock')
    made = subprocess.run(['gcc', '-shared', '-fPIC', '-O2', '-o', library, os.path.join(HERE, 'clock.c'), '-ldl'], capture_output=True, text=True, timeout=60)
    if made.returncode:
        raise NotRun('the library cannot be compiled (packages gcc, libc6-dev): ' + made.stderr.strip().split('\n')[0])
    set_clock(file, 0)
    env = dict(LD_PRELOAD=library, CHAOS_CLOCK=file)
    looks = Job(kit.JAVA, '-XX:+UseSerialGC', os.path.join(HERE, 'Clock.java'), env=env)
    looks.says('clock')
    pairs = Pairs(SHORT, env=env)
    for jump in (3600, -3600):
        set_clock(file, jump)
        time.sleep(1)
    pairs.judge('clock jumps by hours', [0], bound=ENDS + 10)
    looks.process.stdin.close()
    looks.wait(5)
    day = [float(m) for m in re.findall(r'day ([-\d.]+)', looks.out())]
    steady = [float(m) for m in re.findall(r'steady ([-\d.]+)', looks.out())]
    seen = f'day by {max(day, default=0):+.0f} s and {min(day, default=0):+.0f} s, steady by {max(steady, default=0):.1f} s at most'
    row('clock jumps by hours', 'what a JVM saw', 'day by hours, steady by seconds', seen,
        max(day, default=0) > 3000 and min(day, default=0) < -3000 and max(steady, default=0) < 60 and min(steady, default=0) >= 0)


def set_clock(file, seconds):
    with open(file, 'r+b' if os.path.exists(file) else 'w+b', buffering=0) as shared:
        shared.write(struct.pack('=q', seconds))


# -------------------------------------------------------------------------------------------- resources run out
@fault(60)
def disk_full(options):
    if os.geteuid() != 0:
        raise NotRun('a small tmpfs needs root')
    kit.apt('mount', 'mount')
    small = os.path.join(kit.FOLDER, 'small')
    os.mkdir(small)
    try:
        kit.quietly('mount', '-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', small)
    except subprocess.CalledProcessError as e:
        raise NotRun('no tmpfs here: ' + e.stderr.decode().strip()) from e
    kit.CLEANUPS.append(lambda: subprocess.run(['umount', '-l', small], capture_output=True, timeout=30))
    with open(small + '/filler', 'wb') as filler:
        try:
            filler.write(bytes(32 << 10))
            filler.flush()
        except OSError:
            pass
    full = 'space|full|written|write'
    cases = {
        'demo --pcap': ['demo', '--size', '1M', '--pcap', small + '/demo.pcap'],
        'perf --json-file': ['perf', 'write_bw', '--self', '-n', '50', '--warmup', '0', '--json-file', small + '/perf.json'],
        'perf --csv': ['perf', 'write_bw', '--self', '-n', '50', '--warmup', '0', '--csv', small + '/perf.csv'],
        'perf --plot': ['perf', 'write_bw', '--self', '-n', '50', '--warmup', '0', '--plot', small + '/perf.svg'],
        'loss --csv': ['loss', '--quick', '--quiet', '--services', 'ud-send', '--csv', small + '/loss.csv'],
    }
    jobs = {state: jwarp(*words) for state, words in cases.items()}
    for state, job in jobs.items():
        if '--pcap' in state:  # the traffic goes on without its capture, which says so
            judge('disk full', state, job, [0], 100)
            told = re.search('The capture .* is not complete.*', job.err())
            row('disk full', state + ', its log', 'says "is not complete"', told[0] if told else 'nothing of it', told is not None)
        else:
            judge('disk full', state, job, [1, 2, 3], 100, full)


@fault(60)
def descriptors(options):
    """100 strangers at a server that may have 64 descriptors; when they have gone, a good client is served."""
    limit = ('bash', '-c', 'ulimit -n 64; exec "$@"', '-')
    servers = {
        'rping -P': (jwarp('rping', '-s', '-P', '-a', '127.0.0.1', '-p', str(BASE), prefix=limit), ('rping', '-c', '-C', '3')),
        'udping': (jwarp('udping', '-s', '-a', '127.0.0.1', '-p', str(BASE + 1), prefix=limit), ('udping', '-c', '-C', '3')),
    }
    exhaust('64 descriptors', servers, 100)


@fault(60)
def heap(options):
    servers = {'rping -P': (jwarp('rping', '-s', '-P', '-a', '127.0.0.1', '-p', str(BASE), options=['-Xmx20m']), ('rping', '-c', '-C', '3'))}
    exhaust('heap of 20 MiB', servers, 400)


@fault(60)
def direct_memory(options):
    servers = {'rping -P': (jwarp('rping', '-s', '-P', '-a', '127.0.0.1', '-p', str(BASE), options=['-XX:MaxDirectMemorySize=3m']), ('rping', '-c', '-C', '3'))}
    exhaust('direct memory of 3 MiB', servers, 400)
    small = jwarp('demo', '--size', '1M', options=['-XX:MaxDirectMemorySize=200k'])
    judge('direct memory of 200 KiB', 'demo', small, [1, 3], ENDS, 'memory')


def exhaust(name, servers, count):
    for n, (state, (server, words)) in enumerate(servers.items()):
        server.says('listening|serving|on ')
        for _ in range(2):
            held = strangers(BASE + n, count) if words[0] == 'rping' else []
            time.sleep(0.5)
            let_go(held)
        still_serves(name, state, server, BASE + n, words, ENDS)
        looks = jwarp('stat', '--nonzero', str(server.process.pid))
        judge(name, f'stat of {state}', looks, [0], ENDS)


# ------------------------------------------------------------------------------------------- peers of every kind
@fault(60)
def stuck_server(options):
    for state, say, statuses in (
            ('MPA start-up: silence', b'', [3]),
            ('MPA start-up: half a reply', REPLY[:9], [3]),
            ('MPA start-up: garbage', b'HTTP/1.0 400 Bad Request\r\n\r\n', [3, 4]),
            ('established, then silence', REPLY, [1, 3, 4])):
        server = StuckServer(say)
        clients = {
            'rping': jwarp('rping', '-c', '-a', '127.0.0.1', '-p', str(server.port), '-C', '1', '--timeout', TIMEOUT),
            'perf': jwarp('perf', 'write_bw', '127.0.0.1', '-p', str(server.port), '--timeout', TIMEOUT),
        }
        for tool, client in clients.items():
            judge('stuck server', f'{state} ({tool})', client, statuses, ENDS)
        server.close()


@fault(80)
def stuck_clients(options):
    """Strangers that are silent, half, garbage or gone at once, and afterwards a good client."""
    servers = {
        'rping -P': (jwarp('rping', '-s', '-P', '-a', '127.0.0.1', '-p', str(BASE)), ('rping', '-c', '-C', '3')),
        'perf --persistent': (jwarp('perf', 'write_bw', '--persistent', '--bind_source_ip', '127.0.0.1', '-p', str(BASE + 1), '--timeout', TIMEOUT), None),
        'perf --persistent, threaded': (jwarp('perf', 'write_bw', '--persistent', '--progress', 'threaded', '--bind_source_ip', '127.0.0.1',
                                              '-p', str(BASE + 2), '--timeout', TIMEOUT), None),
        'conform-target': (jwarp('conform-target', '--listen', f'127.0.0.1:{BASE + 3}'), None),
    }
    for n, (state, (server, words)) in enumerate(servers.items()):
        server.says('listening|waiting|Waiting|serving|on |:')
        port = BASE + n
        held = strangers(port, 3, b'') + strangers(port, 3, REQUEST[:11]) + strangers(port, 2, REQUEST)
        garbage(port, 5)
        let_go(strangers(port, 5, REQUEST), reset=True)
        if words is None:
            let_go(held)  # these serve one after the other
            held = []
        if state.startswith('perf'):
            client = jwarp('perf', 'write_bw', '127.0.0.1', '-p', str(port), '-n', '100', '--warmup', '0', '--timeout', '15')
            judge('stuck clients', f'{state}, next client', client, [0], ENDS + 10)
        elif state == 'conform-target':
            client = jwarp('conform', 'rfc5044/4.4', '--peer', f'127.0.0.1:{port}', '--profile', 'echo')
            judge('stuck clients', f'{state}, next tester', client, [0], 60)
        else:
            still_serves('stuck clients', state, server, port, words)
        let_go(held)


@fault(60)
def flood(options):
    rping = jwarp('rping', '-s', '-P', '-a', '127.0.0.1', '-p', str(BASE)).says('listening|on ')
    udping = jwarp('udping', '-s', '-a', '127.0.0.1', '-p', str(BASE + 1)).says('listening|serving|on ')
    floods = [Flood(BASE, False), Flood(BASE + 1, True)]
    clients = {
        'rping -P': jwarp('rping', '-c', '-a', '127.0.0.1', '-p', str(BASE), '-C', '20', '-i', '0.1', '--timeout', '10'),
        'udping': jwarp('udping', '-c', '-a', '127.0.0.1', '-p', str(BASE + 1), '-C', '20', '-i', '0.1', '--timeout', '10'),
        'stat': jwarp('stat', str(rping.process.pid)),
    }
    for state, client in clients.items():
        judge('flood', state, client, [0], ENDS + 10)
    for one in floods:
        one.stop()


@fault(80)
def tools(options):
    """Tools without a peer, stopped and killed."""
    demo = jwarp('demo', '--size', '64M')
    demo.signal(signal.SIGSTOP)
    time.sleep(1.5)
    demo.signal(signal.SIGCONT)
    judge('stopped for 1.5 s', 'demo', demo, [0], 100)
    target = jwarp('conform-target', '--listen', f'127.0.0.1:{BASE + 3}').says(':')
    tester = jwarp('conform', 'rfc5044', '--peer', f'127.0.0.1:{BASE + 3}', '--profile', 'echo', '--delay', '20', '-i', '0.1')
    tester.says(r'\d of \d+ cases')
    target.signal(signal.SIGKILL)
    judge('target killed', 'conform', tester, [1, 3], 150)
    dead = jwarp('rping', '-s', '-P', '-a', '127.0.0.1', '-p', str(BASE)).says('listening|on ')
    dead.signal(signal.SIGKILL)
    dead.wait(5)
    judge('killed', 'stat', jwarp('stat', str(dead.process.pid)), [3], ENDS, 'no such process|There is no process')
    judge('killed', 'stat, list', jwarp('stat'), [0], ENDS)


def main():
    words = argparse.ArgumentParser()
    words.add_argument('jar')
    words.add_argument('--rounds', type=int, default=1)
    words.add_argument('--seconds', type=int, default=290)
    words.add_argument('--filter', default='.')
    words.add_argument('--first', metavar='NAME', choices=list(FAULTS))
    words.add_argument('--strict', action='store_true')
    words.add_argument('--list', action='store_true')
    options = words.parse_args()
    if options.list:
        print(*FAULTS, sep='\n')
        return 0
    kit.JAR = options.jar
    names = list(FAULTS)
    # Where not all are done in time, those that are left out are others every day.
    first = names.index(options.first) if options.first else int(time.time() // 86400 * 5) % len(names)
    names = [name for name in names[first:] + names[:first] if re.search(options.filter, name)]
    start = time.monotonic()
    for name in names * options.rounds:
        left = options.seconds - (time.monotonic() - start)
        if LASTS[name] > left:
            not_run(name, f'it may last {LASTS[name]} s, and {max(0, left):.0f} of {options.seconds} s are left')
            continue
        try:
            FAULTS[name](options)
        except NotRun as why:
            not_run(name, why)
        except (RuntimeError, OSError, subprocess.SubprocessError) as why:
            row(name, 'set-up', 'the fault can be brought about', str(why).replace('\n', ' '), False)
        finally:
            kit.tidy()
    failed = sum(not well for *_, well in kit.ROWS)
    print(f'{len(kit.ROWS)} rows, {failed} failed, {len(kit.NOT_RUN)} not run, {time.monotonic() - start:.0f} s, {names[0] if names else "nothing"} first')
    for name, why in kit.NOT_RUN:
        print(f'NOT RUN: {name}: {why}')
    return 1 if failed or options.strict and kit.NOT_RUN else 0


if __name__ == '__main__':
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        code = main()
    finally:
        kit.clean()
    sys.exit(code)
