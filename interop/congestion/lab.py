"""Two namespaces with a bottleneck between them, flows from one to the other, and what was measured of each."""
import bisect
import os
import re
import resource
import select
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
JAVA = os.path.join(os.environ['JAVA_HOME'], 'bin', 'java') if os.environ.get('JAVA_HOME') else 'java'
NEAR, FAR = '10.77.0.1', '10.77.0.2'
PACKET = 1500
# Bytes of a message in a datagram of jwarp's of that length. Messages fill theirs, as TCP does its segments.
FILLED = 1408
KERNEL = ('cubic', 'reno', 'bbr', 'cubic-paced')
PROGRESS = 'inline'
TICKS = os.sysconf('SC_CLK_TCK')
CORES = os.cpu_count()
# Disturbed is a run in which others took more of the machine than this (in cores) and left less than that idle, so that someone had to wait; or the
# box was later than this, or than a full queue takes to leave, with one packet of a hundred.
MOST_FOREIGN, LEAST_IDLE = 0.2, 0.5
MOST_LATE_MS = 0.5
EMPTIED = 5  # seconds: a pipe holds what a child tells in 40; whose pipe is full waits
# A JVM of 15 s spends more on its compiler than on its work: where a path is slow and long the quick compiler is enough.
QUICK_COMPILER = '-XX:TieredStopAtLevel=1'
STARTS = 60  # seconds that a process may take to begin


def slow(path):
    return path.rate <= 100 and path.rtt >= 10


class Broken(Exception):
    """A flow could not begin, or ended early; says why."""


def go_first(pid):
    """Before other work of the machine, so that this is not what is measured. Linux may schedule by sessions, which have a priority of their own."""
    try:
        os.setpriority(os.PRIO_PROCESS, pid, -10)
        with open(f'/proc/{pid}/autogroup', 'w') as group:
            group.write('-10')
    except OSError:
        pass


class NoPath(Exception):
    """There is no bottleneck here; says why."""


class Child:
    """A process of ours that speaks in lines; waiting for one has a limit."""

    all = []

    def __init__(self, *command, space=None, first=True):
        command = (('ip', 'netns', 'exec', space) if space else ()) + command
        self.name = next(word for word in command[4 if space else 0:] if not word.startswith('-'))
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.buffer = b''
        self.lines = []
        Child.all.append(self)
        if first:
            go_first(self.process.pid)

    def until(self, word, seconds=STARTS):
        """The line that begins with that word. @raise Broken"""
        end = time.monotonic() + seconds
        seen = 0
        while True:
            for line in self.lines[seen:]:
                if line.split(' ', 1)[0] == word:
                    return line
            seen = len(self.lines)
            if not self.read(end - time.monotonic()):
                raise Broken(f'{self.name} did not say "{word}": {"; ".join(self.lines[-3:])[-300:] or "it said nothing"}')

    def read(self, seconds):
        """What has come meanwhile, into lines. Returns false at the end of all."""
        if seconds <= 0 or not select.select([self.process.stdout], [], [], seconds)[0]:
            return False
        some = os.read(self.process.stdout.fileno(), 1 << 16)
        *whole, self.buffer = (self.buffer + some).split(b'\n')
        self.lines += [line.decode(errors='replace') for line in whole]
        return bool(some)

    def say(self, text):
        try:
            self.process.stdin.write(text.encode() + b'\n')
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def end(self, how=signal.SIGKILL, seconds=5):
        """Ends it and hears its last words."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        end = time.monotonic() + seconds
        while self.read(end - time.monotonic()):
            pass
        try:
            self.process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5)
        self.process.stdin.close()
        self.process.stdout.close()
        Child.all.remove(self)


def fields(line):
    return dict(word.split('=', 1) for word in line.split()[1:] if '=' in word)


def command(*words):
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=20)


def make_spaces():
    """The run has mounts of its own already: here are the names of its network namespaces, and what its processes tell `jwarp stat`."""
    command('mount', '-t', 'tmpfs', 'none', '/run')
    os.makedirs('/run/netns')
    told = f'/tmp/jwarp-{os.getuid()}'
    os.makedirs(told, mode=0o700, exist_ok=True)
    command('mount', '-t', 'tmpfs', '-o', 'mode=700', 'none', told)


def new_spaces(*names):
    """New ones for each run: what sockets of the one before still want to send goes nowhere."""
    for space in names or ('a', 'b'):
        if os.path.exists(f'/run/netns/{space}'):
            command('ip', 'netns', 'del', space)
        command('ip', 'netns', 'add', space)
        command('ip', '-n', space, 'link', 'set', 'lo', 'up')


class Line:
    """Sums over time; what they were at a moment, between two samples too."""

    def __init__(self):
        self.times, self.sums = [], []

    def add(self, seconds, value):
        self.times.append(seconds)
        self.sums.append(value)

    def at(self, seconds):
        after = bisect.bisect_right(self.times, seconds)
        if after == 0 or after == len(self.times):
            return self.sums[-1] if after and self.sums else 0
        t0, t1, v0, v1 = self.times[after - 1], self.times[after], self.sums[after - 1], self.sums[after]
        return v0 + (v1 - v0) * (seconds - t0) / (t1 - t0)

    def between(self, start, end):
        return self.at(end) - self.at(start)


class BoxLog:
    """The time-line and the last words of the box."""

    COLUMNS = ('arrived', 'arrived_bytes', 'dropped', 'lost', 'outage', 'marked', 'left', 'left_bytes')

    def __init__(self, file, lines):
        self.flows, self.queue = {}, Line()
        for line in lines:
            if line.startswith('flow '):
                flow = {name: float(value) for name, value in fields(line).items()}
                self.flows[int(flow['id'])] = flow
            elif line.startswith('box '):
                self.itself = {name: float(value) for name, value in fields(line).items()}
            elif line.startswith('queue way=0'):
                self.most_queue = int(fields(line)['most_bytes'])
        self.overrun = sum(int(fields(line)['overrun']) for line in lines if line.startswith('queue '))
        for flow in self.flows.values():
            for column in self.COLUMNS:
                flow[column + '_line'] = Line()
        with open(file) as rows:
            for row in rows:
                cells = row.rstrip('\n').split(',')
                if cells[1] == 'q0':
                    self.queue.add(float(cells[0]), int(cells[2]))
                elif cells[1].isdigit() and len(cells) == 10:
                    for column, cell in zip(self.COLUMNS, cells[2:]):
                        self.flows[int(cells[1])][column + '_line'].add(float(cells[0]), int(cell))

    def of(self, protocol, source, destination, way=0):
        """The flow of data between two ports; None for any. @raise Broken if nothing of it came"""
        for flow in self.flows.values():
            if (flow['way'], flow['protocol']) == (way, protocol) and source in (None, flow['source']) and destination in (None, flow['destination']):
                return flow
        raise Broken('no packet of the flow came to the box')


class Flow:
    """One sender and its receiver. `data` and `acks` are what the box has of it."""

    def __init__(self, kind, number, settings, classes):
        self.kind, self.number, self.settings, self.classes = kind, number, settings, classes
        self.tcp = kind in KERNEL
        self.line, self.told, self.why = Line(), [], None

    # Who reads is at the far end, so that its data takes the way of all other data.
    def begin(self, size, depth, path):
        if self.tcp:
            port = 5001 + self.number
            control, *how = self.kind.split('-')
            for space, to, of in (('a', FAR, NEAR), ('b', NEAR, FAR)):
                command('ip', '-n', space, 'route', 'replace', to, 'dev', f'tun{space}', 'src', of, 'congctl', control)
            self.far = Child('python3', '-B', f'{HERE}/tcp.py', 'receive', FAR, str(port), space='b')
            self.far.until('ready')
            self.near = Child('python3', '-B', f'{HERE}/tcp.py', 'send', FAR, str(port), *how, space='a')
            said = fields(self.near.until('ready'))
            if said['control'] != control:
                raise Broken(f'TCP uses {said["control"]}, not {control}')
            self.counts, self.match = self.near, (6, None, port)
            return
        reads = self.kind.endswith('read')
        server, client, at, of = ('a', 'b', NEAR, FAR) if reads else ('b', 'a', FAR, NEAR)
        java = (JAVA, '-XX:+UseSerialGC', *([QUICK_COMPILER] if slow(path) else []), '-Dlogback.statusListenerClass=ch.qos.logback.core.status.NopStatusListener', '-cp', self.classes, 'Flow')
        self.far = Child(*java, 'serve', at, PROGRESS, *self.settings, space=server)
        words = self.far.until('ready').split()[1]
        self.near = Child(*java, self.kind, of, PROGRESS, at, str(size), str(depth), words, *self.settings, space=client)
        own = int(fields(self.near.until('ready'))['port'])
        theirs = int(words.split(',')[2 if self.kind.startswith('rd') else 5])
        self.counts = self.far if self.kind == 'ud-write' else self.near
        self.match = (17, theirs, own) if reads else (17, own, theirs)

    def go(self, seconds, tell):
        self.near.say(f'{seconds:.1f}' + (' tell' if tell and not self.tcp else ''))

    def end(self):
        for child in (self.near, self.far):
            child.end()

    def hear(self, started, log):
        for line in self.near.lines + self.far.lines:
            if line.startswith('failed '):
                self.why = line[7:]
        for line in self.counts.lines:
            words = line.split()
            if words and words[0] == 'at':
                seconds = (int(words[1]) - started) / 1e9
                self.line.add(seconds, int(words[2]))
                if len(words) > 3:
                    self.told.append((seconds, {name: float(value) for name, value in fields(line).items()}))
        self.data = log.of(*self.match)

    def figures(self, start, end):
        """Of a stretch of time: Mbit/s of the program's bytes, share of packets that the queue dropped."""
        arrived = self.data['arrived_line'].between(start, end)
        return dict(kind=self.kind, goodput=self.line.between(start, end) * 8e-6 / (end - start),
                    wire=self.data['left_bytes_line'].between(start, end) * 8e-6 / (end - start),
                    dropped=self.data['dropped_line'].between(start, end) / arrived if arrived else 0,
                    packets=arrived, why=self.why)


class Machine:
    """What else the machine does while a run goes on."""

    def __init__(self):
        self.load = os.getloadavg()[0]
        self.began, self.busy, self.ours = time.monotonic(), self.all_busy(), self.our_own()

    @staticmethod
    def all_busy():
        with open('/proc/stat') as lines:
            user, _, system, _, _, irq, softirq, steal = (int(word) for word in lines.readline().split()[1:9])  # who is nice gives way
        return (user + system + irq + softirq + steal) / TICKS

    @staticmethod
    def our_own():
        return sum(use.ru_utime + use.ru_stime for use in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))

    def foreign(self):
        """Cores that others took, on average, and those that nobody took."""
        seconds, busy = time.monotonic() - self.began, self.all_busy() - self.busy
        return max(0, (busy - self.our_own() + self.ours) / seconds), CORES - busy / seconds


class Path:
    """What the box is asked for. Queue and rate are those of the way of the data."""

    def __init__(self, rate, rtt, queue, **more):
        self.rate, self.rtt, self.more = rate, rtt, more
        self.bdp = rate * rtt * 125
        # A queue of less than three packets holds no two that come together.
        self.queue = max(3 * PACKET, round(self.bdp * queue))

    def words(self):
        words = [f'rate={self.rate}', f'delay={self.rtt / 2}', f'queue={self.queue}b'] + [f'{name.replace("_", "-")}={value}' for name, value in self.more.items()]
        return words


class Lab:
    def __init__(self, box, classes):
        self.box, self.classes = box, classes

    def bottleneck(self, path, file, seed):
        new_spaces()
        box = Child(self.box, *path.words(), f'seed={seed}', f'csv={file}')
        try:
            box.until('up', 20)
            for space, own, other in (('a', NEAR, FAR), ('b', FAR, NEAR)):
                command('ip', 'link', 'set', f'tun{space}', 'netns', space)
                command('ip', '-n', space, 'addr', 'add', own, 'peer', other, 'dev', f'tun{space}')
                command('ip', '-n', space, 'link', 'set', f'tun{space}', 'mtu', str(PACKET), 'txqueuelen', '20000', 'up')
                command('ip', 'netns', 'exec', space, 'sysctl', '-qw', 'net.ipv4.tcp_no_metrics_save=1', 'net.ipv4.tcp_rmem=4096 131072 67108864',
                        'net.ipv4.tcp_wmem=4096 131072 67108864')
        except (subprocess.CalledProcessError, Broken) as e:
            box.end()
            raise NoPath(f'{e} {(getattr(e, "stderr", None) or b"").decode().strip()}') from e
        return box

    def run(self, path, flows, warm, seconds, seed=1):
        """Flows that begin together, measured for so long after the warm-up. Returns what was seen of each, and of the run."""
        machine = Machine()
        file = '/run/box.csv'
        flows = [Flow(kind, number, settings, self.classes) for number, (kind, settings) in enumerate(flows)]
        size = FILLED * (46 if path.rate >= 50 else 12)
        # Enough for the path and its queue, twice.
        depth = int(max(16, min(2048, 2 * (path.bdp + path.queue) / size)))
        box = self.bottleneck(path, file, seed)
        try:
            for flow in flows:
                flow.begin(size, depth, path)
            for flow in flows:
                flow.go(warm + seconds + 0.5, seed == 1)
            started = int(box.until('start', 20).split()[1])
            end = started / 1e9 + warm + seconds + 0.3
            while (left := end - time.monotonic()) > 0:
                time.sleep(min(left, EMPTIED))
                for child in Child.all:
                    child.read(1e-6)
        finally:
            for flow in flows:
                for child in (getattr(flow, 'near', None), getattr(flow, 'far', None)):
                    if child in Child.all:
                        child.end()
            box.end(signal.SIGTERM)
        log = BoxLog(file, box.lines)
        for flow in flows:
            flow.hear(started, log)
        late = log.itself['late_p99_us'] / 1e3
        drained = path.queue * 8e-3 / path.rate
        foreign, idle = machine.foreign()
        run = dict(flows=flows, figures=[flow.figures(warm, warm + seconds) for flow in flows], log=log, path=path, warm=warm, seconds=seconds,
                   load=machine.load, foreign=foreign, late_ms=late, late_max_ms=log.itself['late_max_us'] / 1e3,
                   box_cpu=log.itself['cpu'] / log.itself['seconds'],
                   disturbed=(foreign > MOST_FOREIGN and idle < LEAST_IDLE) or late > min(MOST_LATE_MS, drained) or log.overrun > 0 or log.itself['refused'] > 0)
        run['queue'] = mean_queue(log, warm, warm + seconds)
        return run


def mean_queue(log, start, end):
    values = [value for seconds, value in zip(log.queue.times, log.queue.sums) if start <= seconds <= end]
    return sum(values) / len(values) if values else 0
