"""Processes with deadlines, namespaces of our own, and the table."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

JAVA = os.path.join(os.environ['JAVA_HOME'], 'bin', 'java') if os.environ.get('JAVA_HOME') else 'java'
JAR = ''
FOLDER = tempfile.mkdtemp(prefix='jwarp-chaos-')
ROWS, NOT_RUN, JOBS, CLEANUPS = [], [], [], []


class NotRun(Exception):
    """A fault cannot be had here; says why."""


class Job:
    """A process of ours. Nothing waits for it without a limit, and it does not outlive us."""

    def __init__(self, *command, env=None, prefix=()):
        n = len(os.listdir(FOLDER))
        self.command = command
        self.out_file, self.err_file = f'{FOLDER}/{n}.out', f'{FOLDER}/{n}.err'
        self.started = time.monotonic()
        with open(self.out_file, 'w') as out, open(self.err_file, 'w') as err:
            self.process = subprocess.Popen([*prefix, *command], stdin=subprocess.PIPE, stdout=out, stderr=err, start_new_session=True,
                                            env=dict(os.environ, **(env or {})))
        self.ended = None
        threading.Thread(target=self._end, daemon=True).start()
        JOBS.append(self)

    def _end(self):
        self.process.wait()
        self.ended = time.monotonic()

    def out(self):
        return open(self.out_file, errors='replace').read()

    def err(self):
        return open(self.err_file, errors='replace').read()

    def says(self, pattern, seconds=120):
        """Waits until it has said that on either output."""
        end = time.monotonic() + seconds
        while not re.search(pattern, self.out() + self.err()):
            if time.monotonic() > end or self.process.poll() is not None and not re.search(pattern, self.out() + self.err()):
                raise RuntimeError(f'{" ".join(self.command[-8:])} did not say "{pattern}": {self.sentence()}')
            time.sleep(0.05)
        return self

    def signal(self, number):
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)

    def wait(self, seconds):
        """Its exit status as the shell has it; None if it does not end in time."""
        end = time.monotonic() + seconds
        while self.ended is None and time.monotonic() < end:
            time.sleep(0.02)
        if self.ended is None:
            return None
        status = self.process.returncode
        return status if status >= 0 else 128 - status

    def sentence(self):
        """The first line that tells of an error, else the last line."""
        lines = [line.strip() for line in self.err().splitlines() if line.strip()]
        return next((line for line in lines if line.startswith(('error:', 'Exception', '#'))), lines[-1] if lines else '')

    def end(self):
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGKILL)
        self.process.wait(20)
        self.process.stdin.close()


def end_all():
    for job in JOBS:
        job.end()
    JOBS.clear()


def tidy():
    """After each fault: nothing of it stays."""
    end_all()
    while CLEANUPS:
        CLEANUPS.pop()()


def clean():
    tidy()
    shutil.rmtree(FOLDER, ignore_errors=True)


def jwarp(*words, options=(), **more):
    return Job(JAVA, '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', *options, '-jar', JAR, *words, **more)


def quietly(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=30)


def row(fault, state, expected, seen, well):
    ROWS.append((fault, state, expected, seen, well))
    print(f'{"ok  " if well else "FAIL"} {fault:24} {state:38} {expected:44} {seen[:110]}', flush=True)


def not_run(what, why):
    NOT_RUN.append((what, why))
    print(f'NOT RUN: {what}: {why}', flush=True)


def judge(fault, state, job, statuses, bound, words='', since=None):
    """A row: the job ends within `bound` seconds with one of the statuses, and where that is not 0, it says why."""
    since = since or job.started
    status = job.wait(bound - (time.monotonic() - since))
    took = (job.ended or time.monotonic()) - since
    expected = f'{" or ".join(map(str, statuses))} within {bound} s' + (f', says "{words}"' if words else '')
    if status is None:
        row(fault, state, expected, f'still there after {took:.1f} s', False)
        return
    sentence = job.sentence()
    told = status == 0 or status > 128 or sentence.startswith('error:')
    trace = re.search(r'^\s+at [\w.]+\(|Exception in thread|OutOfMemoryError.*thread', job.err(), re.M)
    well = took <= bound and status in statuses and told and not trace and (status == 0 or not words or re.search(words, job.err()) is not None)
    row(fault, state, expected, f'{status} after {took:.1f} s' + (f': {sentence}' if status else '') + (' [stack trace]' if trace else ''), well)


def apt(command, package):
    """Makes sure that a command or a file is there. @raise NotRun"""
    if shutil.which(command) is None and not os.path.exists(command):
        if os.geteuid() == 0 and shutil.which('apt-get'):
            env = dict(os.environ, DEBIAN_FRONTEND='noninteractive')
            for words in (['-qq', 'update'], ['-qq', '-o', 'DPkg::Lock::Timeout=60', 'install', '-y', '--no-install-recommends', package]):
                try:
                    subprocess.run(['apt-get', *words], env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
                except subprocess.TimeoutExpired:
                    break
    if shutil.which(command) is None and not os.path.exists(command):
        raise NotRun(f'{command} is not installed and cannot be (package {package})')


class Network:
    """Two namespaces and a wire between them, which go with us."""

    def __init__(self):
        if os.geteuid() != 0:
            raise NotRun('namespaces need root')
        apt('ip', 'iproute2')
        self.near, self.far = f'jwc{os.getpid()}a', f'jwc{os.getpid()}b'
        try:
            for name in (self.near, self.far):
                quietly('ip', 'netns', 'add', name)
                CLEANUPS.append(lambda name=name: subprocess.run(['ip', 'netns', 'del', name], capture_output=True, timeout=30))
            quietly('ip', '-n', self.near, 'link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v1', 'netns', self.far)
            for name, device, address in ((self.near, 'v0', '10.99.7.1/24'), (self.far, 'v1', '10.99.7.2/24')):
                quietly('ip', '-n', name, 'addr', 'add', address, 'dev', device)
                quietly('ip', '-n', name, 'link', 'set', device, 'up')
                quietly('ip', '-n', name, 'link', 'set', 'lo', 'up')
        except subprocess.CalledProcessError as e:
            raise NotRun('no namespaces here: ' + e.stderr.decode().strip()) from e

    def link(self, state):
        quietly('ip', '-n', self.far, 'link', 'set', 'v1', state)

    def settle(self, name, seconds=10):
        """Waits until all that TCP there has sent is acknowledged."""
        end = time.monotonic() + seconds
        while any(int(line.split()[2]) for line in subprocess.run([*self.at(name), 'ss', '-Htn'], capture_output=True, text=True, timeout=10).stdout.splitlines()):
            if time.monotonic() > end:
                raise RuntimeError(f'TCP in {name} has something under way for {seconds} s')
            time.sleep(0.05)

    def at(self, name):
        return ('ip', 'netns', 'exec', name)
