#!/usr/bin/env python3
"""A second implementation of datagram-iWARP (docs/draft-jwarp-datagram-iwarp-00.md), for tests. See README.md.

  peer.py listen [ADDRESS]               the listener: commands on standard input
  peer.py [options] initiate COMMAND...  the initiator: starts a listener and runs the cases against it
  peer.py [options] --self               the same against `peer.py listen`
  peer.py --vectors FILE                 holds itself to datagram.json
"""
import argparse
import re
import subprocess
import sys
import threading
import time
from collections import deque

import cases
import cases_path  # noqa: F401
import cases_rd  # noqa: F401  (they enter themselves)
import cases_read  # noqa: F401
import cases_resolve  # noqa: F401
import cases_seal  # noqa: F401
import cases_ud  # noqa: F401
import vectors
from agent import LENGTH, RIGHTS, Agent
from port import Port
from sealing import read_keys


class Tester:
    """What a case has: this side's port and queue pairs, and the agent on the other."""

    def __init__(self, command, address):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines, self.answers, self.events, self.others, self.seen = deque(), deque(), [], [], set()
        self.address, self.port = address, Port(address)
        self.segment = (self.port.payload - 42) // 4 * 4  # octets of a tagged message in a datagram of UD
        self.port.allowed.clear()
        self.ud, self.region = self.port.qp('UD'), self.port.register(LENGTH, RIGHTS)
        threading.Thread(target=self._hear, daemon=True).start()
        words = self._answer(30)
        self.info = {k: int(v) for k, v in (w.split('=') for w in words.split()[1:])}
        self.to = (address, self.info['port'])
        self.ah = self.handle()
        self.ask('peer', 'ud', 'ud', *self.port.address, self.ud.qpn, self.ud.qkey)

    def _hear(self):
        for line in self.process.stdout:
            self.lines.append(line.strip())
        self.lines.append('error the other side has ended')

    def _sort(self):
        while self.lines:
            line = self.lines.popleft()
            if line.startswith('* '):
                what, *words = line[2:].split()
                self.events.append(dict([w.split('=', 1) for w in words], what=what))
            else:
                self.answers.append(line)

    def until(self, condition, timeout):
        def look():
            for port in self.others:
                port.turn()
            self._sort()
            return condition()
        return self.port.until(look, timeout)

    def _answer(self, timeout=10):
        self.until(lambda: self.answers, timeout)
        if not self.answers:
            raise AssertionError('the other side does not answer')
        line = self.answers.popleft()
        if line.startswith('error'):
            raise AssertionError(line)
        return line

    def ask(self, *words, wait=True):
        """A command for the agent. Without `wait` its answer has to come before the next one."""
        while self.late:
            self.late -= 1
            self._answer()
        self.process.stdin.write(' '.join(map(str, words)) + '\n')
        self.process.stdin.flush()
        self.late += not wait
        return dict(w.split('=', 1) for w in self._answer().split()[1:]) if wait else None

    late = 0

    def told(self, what, **wanted):
        """An event of the agent, the oldest of its name, with these values."""
        if not self.until(lambda: any(e['what'] == what for e in self.events), 6):
            raise AssertionError(f'not told: {what} {wanted}; told: {self.events}')
        found = next(e for e in self.events if e['what'] == what)
        self.events.remove(found)
        for name, value in wanted.items():
            cases.same(f'{name} of {what}', found.get(name), str(value))
        return found

    def once(self, name):
        new = name not in self.seen
        self.seen.add(name)
        return new

    def crc_is(self, offset, length, seed, skip=0):
        """The agent's memory has the pattern, soon."""
        wanted = cases.crc(cases.pattern(skip + length, seed)[skip:])
        end = time.monotonic() + 2
        while True:
            got = self.ask('crc', offset, length)['crc']
            if got == wanted or time.monotonic() > end:
                return cases.same('memory', got, wanted)

    def handle(self, qpn=None):
        return self.ud.handle(*self.to, self.info['ud'] if qpn is None else qpn, self.info['udkey'])

    def reliable(self):
        """A new RD queue pair here, known to the agent as rdpeer."""
        qp = self.port.qp('RD')
        self.ask('peer', 'rdpeer', 'rd', *self.port.address, qp.qpn, qp.qkey)
        self.port.sent.clear()
        return qp, qp.handle(*self.to, self.info['rd'], self.info['rdkey'])

    def stranger(self, type_, known=False):
        """A new port here that the agent does not know, or that does not know the agent's address (known: to the agent)."""
        port = Port(self.address)
        port.allowed.clear()
        qp, kind = port.qp(type_), type_.lower()
        if known:
            self.ask('peer', 'other', kind, *port.address, qp.qpn, qp.qkey)
        return port, qp, qp.handle(*self.to, self.info[kind], self.info[kind + 'key']) if not known else None

    def turning(self, port):
        self.others.append(port)

    def renew(self):
        self.info.update({k: int(v) for k, v in self.ask('renew').items()})

    def settle(self):
        """Between cases: nothing is left over."""
        self.port.lose_in = self.port.lose_out = None
        for qp in [q for q in self.port.qps.values() if q.type == 'RD']:
            for channel in list(qp.channels.values()):
                channel.close()
            del self.port.qps[qp.qpn]
        self.until(lambda: False, 0.01)
        for port in [self.port, *self.others]:
            port.heard.clear()
            port.sent.clear()
        self.ud.completions.clear()
        self.ud.events.clear()
        self.ud.receives.clear()
        self.port.services.clear()
        self.events, self.others, self.seen = [], [], set()

    def end(self):
        self.process.stdin.close()
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return -9


def initiate(command, options):
    """Runs the chosen cases against the listener that the command starts."""
    began, count = time.monotonic(), {'PASS': 0, 'FAIL': 0, 'NOT RUN': 0}
    try:
        tester = Tester(command, options.address)
    except AssertionError as e:
        print(f'FAIL    {options.name}.start {e}')
        return 1
    for name in [n for n in cases.CASES if re.search(options.filter, n)]:
        if 'group' in name and ':' in options.address:
            continue  # groups are tried with IPv4 only
        if 'seal' in name and not options.keys:
            continue  # ports without keys know nothing of envelopes
        start, verdict, why = time.monotonic(), 'PASS', ''
        try:
            cases.CASES[name](tester)
        except cases.NotRun as e:
            verdict, why = 'NOT RUN', str(e)
        except Exception as e:
            verdict, why = 'FAIL', str(e) if isinstance(e, AssertionError) else f'{type(e).__name__}: {e}'
        count[verdict] += 1
        print(f'{verdict:7} {options.name}.{name} ({time.monotonic() - start:.2f} s) {why}'.rstrip(), flush=True)
        tester.settle()
    status = tester.end()
    print(f"{options.name}: {count['PASS']} passed, {count['FAIL']} failed, {count['NOT RUN']} not run in {time.monotonic() - began:.1f} s")
    return 1 if count['FAIL'] or status or not any(count.values()) or options.strict and count['NOT RUN'] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--self', action='store_true')
    parser.add_argument('--vectors', metavar='FILE')
    parser.add_argument('--filter', default='.', metavar='REGEX')
    parser.add_argument('--name', default='peer', help='what the lines of the cases begin with')
    parser.add_argument('--address', default='127.0.0.1', help='IPv4 or IPv6 address of this side, and of the listener with --self')
    parser.add_argument('--keys', metavar='FILE', help='every datagram is in an envelope; this side, and with --self both, have these keys')
    parser.add_argument('--strict', action='store_true', help='a case that cannot be run counts as failed')
    parser.add_argument('--list', action='store_true', help='print the names of the cases')
    parser.add_argument('words', nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.keys:
        Port.keys = read_keys(options.keys)
    if options.list:
        print('\n'.join(cases.CASES))
        return 0
    if options.vectors:
        results = list(vectors.check(options.vectors))
        failed = 0
        for name, wrong in results:
            if wrong:
                print(f'FAIL    vectors.{name} {wrong}')
                failed += 1
        print(f'vectors: {len(results) - failed} passed, {failed} failed')
        return 1 if failed or not results else 0
    if options.self:
        keys = ['--keys', options.keys] if options.keys else []
        return initiate([sys.executable, __file__, *keys, 'listen', options.address], options)
    if options.words[:1] == ['initiate'] and options.words[1:]:
        return initiate(options.words[1:], options)
    if options.words[:1] == ['listen']:
        Agent(options.words[1] if options.words[1:] else options.address).run()
        return 0
    parser.print_usage(sys.stderr)
    return 2


if __name__ == '__main__':
    sys.exit(main())
