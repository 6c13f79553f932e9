"""The listener: does what lines on its standard input say, and tells on its standard output what came. README.md has the words."""
import sys
import threading
import zlib
from collections import deque

from port import Port
from wire import *

SERVICE_UD, SERVICE_RD, SERVICE_HANDLER = 0x1122334455667788, 0x1122334455667799, 0x11223344556677AA
LENGTH = 1 << 20
RIGHTS = ('REMOTE_WRITE', 'RECORD', 'REMOTE_READ', 'GROUP')


def pattern(length, seed):
    return bytes((seed + 7 * i + (i >> 8)) & 0xFF for i in range(length))


def crc(octets):
    return f'{zlib.crc32(octets):08x}'


def ranges(map_):
    return ','.join(f'{a}-{b}' for a, b in map_) or '-'


class Agent:
    def __init__(self, address):
        self.port = port = Port(address)
        port.allowed.clear()
        self.qps = {'ud': port.qp('UD'), 'rd': port.qp('RD')}
        port.default = self.qps['ud']
        self.region = port.register(LENGTH, RIGHTS)
        port.services.update({SERVICE_UD: self.qps['ud'], SERVICE_RD: self.qps['rd'], SERVICE_HANDLER: self.handle})
        self.handles, self.ops, self.questions, self.asked = {}, {}, [], 0
        self.line('ready', port=port.address[1], ud=self.qps['ud'].qpn, udkey=self.qps['ud'].qkey, rd=self.qps['rd'].qpn,
                  rdkey=self.qps['rd'].qkey, stag=self.region.stag, base=self.region.base, len=LENGTH)

    @staticmethod
    def line(*words, **values):
        print(*words, *(f'{k}={v}' for k, v in values.items()), flush=True)

    def handle(self, private):
        self.asked += private == b'count'
        if private == b'count':
            return (0, self.qps['ud'], bytes([self.asked]))
        return (2, None, b'no') if private == b'no' else (0, self.qps['ud'], private[::-1])

    def do(self, word, *w):
        """One command. Returns what the answer says."""
        if word == 'peer':  # peer NAME ud|rd ADDRESS PORT QPN QKEY
            self.handles[w[0]] = (self.qps[w[1]], self.qps[w[1]].handle(w[2], int(w[3]), int(w[4]), int(w[5])))
        elif word == 'recv':  # recv ud|rd LENGTH
            self.qps[w[0]].post_receive(int(w[1]))
        elif word in ('send', 'sendse'):  # send NAME LENGTH SEED
            self.post(w[0], SEND if word == 'send' else SEND_SE, pattern(int(w[1]), int(w[2])))
        elif word in ('write', 'record'):  # write NAME STAG TO LENGTH SEED
            self.post(w[0], WRITE if word == 'write' else WRITE_RECORD, pattern(int(w[3]), int(w[4])), int(w[1]), int(w[2]))
        elif word == 'read':  # read NAME STAG TO LENGTH MILLISECONDS
            qp, ah = self.handles[w[0]]
            self.ops[qp, qp.read(ah, int(w[1]), int(w[2]), int(w[3]), int(w[4]) / 1000)] = 'read'
        elif word == 'fill':  # fill OFFSET LENGTH SEED
            self.region.memory[int(w[0]):int(w[0]) + int(w[1])] = pattern(int(w[1]), int(w[2]))
        elif word == 'crc':  # crc OFFSET LENGTH
            return dict(crc=crc(self.region.memory[int(w[0]):int(w[0]) + int(w[1])]))
        elif word == 'resolve':  # resolve ADDRESS PORT SERVICE TYPES PRIVATE
            self.questions.append(self.port.resolve((w[0], int(w[1])), int(w[2]), int(w[3]), bytes.fromhex(w[4][1:])))
        elif word == 'join':  # join NAME ADDRESS PORT QKEY
            qp = self.qps['ud']
            self.port.join(qp, w[1], int(w[2]), int(w[3]))
            self.handles[w[0]] = (qp, qp.handle(w[1], int(w[2]), GROUP_QPN, int(w[3]), group=True))
        elif word == 'renew':  # renew: the RD queue pair is destroyed, and another made
            old = self.qps['rd']
            for channel in list(old.channels.values()):
                channel.close()
            self.tell()
            del self.port.qps[old.qpn]
            self.qps['rd'] = self.port.services[SERVICE_RD] = self.port.qp('RD')
            return dict(rd=self.qps['rd'].qpn, rdkey=self.qps['rd'].qkey)
        else:
            raise ValueError('no such command: ' + word)
        return {}

    def post(self, name, opcode, octets, *where):
        qp, ah = self.handles[name]
        self.ops[qp, qp.post(ah, opcode, octets, *where)] = {SEND: 'send', SEND_SE: 'send', WRITE: 'write', WRITE_RECORD: 'record'}[opcode]

    def tell(self):
        for name, qp in self.qps.items():
            done, qp.completions = qp.completions, []
            for c in done:
                from_ = dict(port=c['source'][1], src=c['src']) if 'source' in c else {}
                if c['what'] == 'recv':
                    self.line('* recv', qp=name, status=c['status'], len=c['len'], crc=crc(c['data']), **from_)
                elif c['what'] == 'record':
                    self.line('* record', qp=name, status=c['status'], stag=c['stag'], to=c['to'], len=c['len'], placed=c['placed'],
                              map=ranges(c['map']), **from_)
                else:
                    read = dict(map=ranges(c['map']), crc=crc(c['data'])) if 'data' in c else {}
                    self.line('* done', qp=name, op=self.ops.get((qp, c['mid']), c['what']), status=c['status'], **read)
            events, qp.events = qp.events, []
            for e in events:
                self.line('*', e['what'], qp=name, code='%d/%d/%02x' % e['code'] if e.get('code') else '-', reason=e.get('reason', '-'))
        for question in [q for q in self.questions if q.result]:
            self.questions.remove(question)
            a = question.result
            if a.status == 0:
                self.line('* resolved', status=0, type=a.type, port=a.port or question.to[1], qpn=a.qpn, qkey=a.qkey, longest=a.max_message,
                          read=a.max_read, private='x' + a.private.hex())
            else:
                self.line('* resolved', status=a.status)

    def run(self):
        lines = deque()
        threading.Thread(target=lambda: [lines.append(line) for line in sys.stdin] + [lines.append('quit')], daemon=True).start()
        while True:
            while lines:
                words = lines.popleft().split()
                if words[0] == 'quit':
                    return
                try:
                    self.line('ok', **self.do(*words))
                except Exception as e:  # the other side decides what to make of it
                    self.line('error', repr(e).replace('\n', ' '))
            self.port.turn(0.002)
            self.tell()
