"""Peers that are slow, stuck or hostile: octets of their own, no stack."""
import os
import random
import socket
import struct
import threading
import time

REQUEST = b'MPA ID Req Frame' + struct.pack('>BBH', 0x40, 1, 0)
REPLY = b'MPA ID Rep Frame' + struct.pack('>BBH', 0x40, 1, 0)


def strangers(port, count, say=REQUEST, host='127.0.0.1'):
    """Connections that say this, and then nothing. Those that are refused are left out."""
    held = []
    for _ in range(count):
        s = socket.socket()
        s.settimeout(2)
        try:
            s.connect((host, port))
            s.sendall(say)
            held.append(s)
        except OSError:
            s.close()
    return held


def let_go(held, reset=False):
    for s in held:
        if reset:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        s.close()


def garbage(port, count, host='127.0.0.1'):
    """Connections that send bytes without meaning."""
    dice = random.Random(7)
    for _ in range(count):
        try:
            with socket.create_connection((host, port), 2) as s:
                s.sendall(dice.randbytes(200))
        except OSError:
            pass


class Flood:
    """Datagrams or connections without a pause, in a thread, until it is stopped."""

    def __init__(self, port, datagrams):
        self.over, self.sent = False, 0
        self.thread = threading.Thread(target=self.datagrams if datagrams else self.connections, args=(port,), daemon=True)
        self.thread.start()

    def datagrams(self, port):
        octets = [os.urandom(n) for n in (28, 64, 100, 1400)]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            while not self.over:
                for one in octets:
                    try:
                        s.sendto(one, ('127.0.0.1', port))
                        self.sent += 1
                    except OSError:
                        pass
                time.sleep(0.0002)

    def connections(self, port):
        while not self.over:
            let_go(strangers(port, 5, REQUEST[:7]), reset=True)
            self.sent += 5

    def stop(self):
        self.over = True
        self.thread.join(10)


class StuckServer:
    """Accepts one connection, says what it is told after the first octets, and nothing more."""

    def __init__(self, say):
        self.socket = socket.socket()
        self.socket.bind(('127.0.0.1', 0))
        self.socket.listen(8)
        self.port = self.socket.getsockname()[1]
        self.say, self.held = say, []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        try:
            while True:
                s, _ = self.socket.accept()
                self.held.append(s)
                if s.recv(20) and self.say:
                    s.sendall(self.say)
        except OSError:
            pass

    def close(self):
        self.socket.close()
        let_go(self.held)
