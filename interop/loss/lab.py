#!/usr/bin/env python3
"""The path of `jwarp loss --lab`: two network namespaces, and between them a link that loses packets. Needs root.

Writes what it has made and reads the paths that are wanted: a JSON document a line, in docs/tools.md. Everything is inside the namespaces. They go at
the end of the input; the next run deletes those of a run that was killed."""
import argparse
import json
import math
import os
import re
import signal
import subprocess
import sys

NETWORK, HOSTS = '10.77.77.0/24', ('10.77.77.1', '10.77.77.2')
DEVICE, PREFIX, PACKET = 'jwloss', 'jwarp-loss-', 1500
LONG_QUEUE = 100_000  # packets: nothing is dropped but at random
# What a new connection uses, before its peer has answered.
PROBE = '''
import socket, sys
probe = socket.socket()
probe.setblocking(False)
probe.connect_ex((sys.argv[1], 9))
print(probe.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode())'''


class Failure(Exception):
    """What cannot be done, and why."""


def command(*words, hint=''):
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError as e:
        raise Failure(f'{words[0]} cannot be run: {e.strerror}{hint}') from e
    if done.returncode:
        raise Failure(f"'{' '.join(words)}' failed: {done.stdout.strip()}{hint}")
    return done.stdout.strip()


class Namespaces:
    """Two, with a congestion control of TCP that their routes to each other set."""

    def __init__(self, control):
        self.control, self.names = control, []

    def make(self):
        for line in command('ip', 'netns', 'list').split('\n'):
            left = re.match(PREFIX + '([0-9]+)-[ab]( |$)', line)
            if left and not os.path.exists(f'/proc/{left[1]}'):
                command('ip', 'netns', 'delete', line.split(' ')[0])
        for end in 'ab':
            name = f'{PREFIX}{os.getpid()}-{end}'
            command('ip', 'netns', 'add', name, hint='; it needs root, or CAP_SYS_ADMIN and CAP_NET_ADMIN')
            self.names.append(name)
            self.ip(name, 'link', 'set', 'lo', 'up')

    @staticmethod
    def ip(name, *words, hint=''):
        command('ip', '-n', name, *words, hint=hint)

    def set_routes(self):
        """The routes set the congestion control, so no setting of the machine changes."""
        for name, own, other in zip(self.names, HOSTS, reversed(HOSTS)):
            self.ip(name, 'route', 'replace', other, 'dev', DEVICE, 'src', own, 'congctl', self.control,
                    hint='; /proc/sys/net/ipv4/tcp_available_congestion_control tells what this kernel has; --tcp-congestion chooses')
            found = command('ip', 'netns', 'exec', name, sys.executable, '-c', PROBE, other)
            if found != self.control:
                raise Failure(f'TCP has to use {self.control}, and a connection uses {found}')

    def close(self):
        for name in self.names:
            command('ip', 'netns', 'delete', name)
        self.names = []


class Veth:
    """A veth pair, with faults of the kernel."""

    def __init__(self, spaces, netem):
        self.spaces, self.netem = spaces, netem
        by = "tc netem at both ends' egress" if netem else "nft at both ends' input hook"
        self.description = f'a veth pair (MTU {PACKET}, gso_max_segs 1); losses by {by}'
        near, far = spaces.names
        command('ip', 'link', 'add', DEVICE, 'netns', near, 'type', 'veth', 'peer', 'name', DEVICE, 'netns', far)
        for name, host in zip(spaces.names, HOSTS):
            spaces.ip(name, 'addr', 'add', host + '/24', 'dev', DEVICE)
            # With larger segments one dropped packet would be up to 64 KiB.
            spaces.ip(name, 'link', 'set', DEVICE, 'gso_max_segs', '1')
            spaces.ip(name, 'link', 'set', DEVICE, 'up')
        spaces.set_routes()
        self.become(dict(loss=0, delay=0, rate=None, queue=None, seed=0))

    def become(self, path):
        for name in self.spaces.names:
            if self.netem:
                command('tc', '-n', name, 'qdisc', 'replace', 'dev', DEVICE, 'root', 'netem', *self.netem_words(path),
                        hint='; it needs tc and the module sch_netem (CONFIG_NET_SCH_NETEM); nft and box do without')
            else:
                command('ip', 'netns', 'exec', name, 'nft', self.nft_rules(path), hint="; it needs nft and the kernel's nf_tables with numgen")

    @staticmethod
    def netem_words(path):
        limit = LONG_QUEUE
        if path['rate']:  # netem counts the packets that are on their way as well
            limit = math.ceil((path['queue'] + path['rate'] / 8e3 * path['delay']) / PACKET)
        words = ['limit', str(limit), 'loss', f'{path["loss"] * 100:.4f}%']
        if path['delay']:
            words += ['delay', f'{round(path["delay"] * 1000)}us']
        if path['rate']:
            words += ['rate', f'{path["rate"]}bit']
        return words

    @staticmethod
    def nft_rules(path):
        if path['delay'] or path['rate']:
            raise Failure('nft only drops packets: --rtt and --bottleneck are for netem and box')
        rules = 'add table inet jwarp; flush table inet jwarp; add chain inet jwarp in { type filter hook input priority 0; };'
        if path['loss']:
            rules += f' add rule inet jwarp in iifname {DEVICE} numgen random mod 100000 < {round(path["loss"] * 100_000)} drop;'
        return rules

    def close(self):
        """The pair goes with the namespaces."""


class Box:
    """A TUN device in each namespace, and between them the bottleneck of interop/congestion: a process for each path."""

    description = f'two TUN devices (MTU {PACKET}) and a bottleneck (interop/congestion/box.c); losses at random behind its queue, in both directions'

    def __init__(self, spaces, program):
        self.spaces, self.program, self.process, self.now = spaces, program, None, None

    def become(self, path):
        if not path['rate']:
            raise Failure('the box is a bottleneck: say which, as --bottleneck 20M,64K')
        if path == self.now and self.process.poll() is None:
            return
        self.close()
        devices = [f'jwl{os.getpid()}{end}' for end in 'ab']
        # It ends with this process, however that ends.
        self.process = subprocess.Popen(['setpriv', '--pdeathsig', 'KILL', self.program, *self.words(path, *devices)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = self.process.stdout.readline().strip()
        if said != 'up':
            raise Failure(f'the bottleneck {self.program} did not begin: {said}; it needs /dev/net/tun (CONFIG_TUN)')
        for name, device, own, other in zip(self.spaces.names, devices, HOSTS, reversed(HOSTS)):
            command('ip', 'link', 'set', device, 'netns', name, 'name', DEVICE)
            self.spaces.ip(name, 'addr', 'add', own, 'peer', other, 'dev', DEVICE)
            self.spaces.ip(name, 'link', 'set', DEVICE, 'mtu', str(PACKET), 'txqueuelen', '20000', 'up')
        self.spaces.set_routes()  # they went with the devices
        self.now = path

    @staticmethod
    def words(path, a, b):
        loss, queue = f'{path["loss"]:.6f}', f'{path["queue"]}b'
        return [f'a={a}', f'b={b}', f'rate={path["rate"] / 1e6:.6f}', f'delay={path["delay"]:.6f}', f'queue={queue}', f'back-queue={queue}',
                f'loss={loss}', f'back-loss={loss}', f'seed={path["seed"]}']

    def close(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()
            self.process = None


def say(**document):
    print(json.dumps(document), flush=True)


def serve(arguments):
    spaces, link = Namespaces(arguments.tcp_congestion), None
    try:
        spaces.make()
        link = Box(spaces, arguments.box) if arguments.link == 'box' else Veth(spaces, arguments.link == 'netem')
        say(description=f'two network namespaces, between them {link.description}; TCP with {spaces.control}, set by the routes and read back',
            network=NETWORK, ends=[dict(address=host, command=['ip', 'netns', 'exec', name]) for name, host in zip(spaces.names, HOSTS)])
        for line in sys.stdin:
            link.become(json.loads(line))
            say()
    except Failure as e:
        say(failure=str(e))
    finally:
        if link:
            link.close()
        spaces.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('link', nargs='?', default='nft', choices=('netem', 'nft', 'box'), help="tc's netem; a rule of nft (default); the bottleneck of --box")
    parser.add_argument('--box', metavar='FILE', help='the program that interop/loss/run compiles from interop/congestion/box.c')
    parser.add_argument('--tcp-congestion', metavar='NAME', default='cubic', help='the congestion control of TCP; default: cubic')
    arguments = parser.parse_args()
    if (arguments.link == 'box') != bool(arguments.box):
        parser.error('box and --box FILE go together')
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # jwarp, which gets it too, ends the input
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    serve(arguments)


if __name__ == '__main__':
    main()
