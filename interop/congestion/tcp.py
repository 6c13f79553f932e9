"""A TCP flow of the kernel: who receives, and who sends and tells each 50 ms what was acknowledged, and the kernel's window, pace and round trip.

usage: tcp.py receive ADDRESS PORT
       tcp.py send ADDRESS PORT [paced]     on standard input: the seconds it is to send for, when it is to begin
"""
import re
import select
import socket
import struct
import subprocess
import sys
import time

STEP = 0.05
# A limit of the pace that is none; with any limit the kernel paces.
SO_MAX_PACING_RATE, NO_LIMIT = 47, 1 << 30
CHUNK = 1 << 18


def receive(address, port):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen(1)
    print('ready', flush=True)
    peer = listener.accept()[0]
    buffer = bytearray(CHUNK)
    # With MSG_TRUNC the kernel throws the bytes away; the pause lets them gather, which costs less.
    while peer.recv_into(buffer, CHUNK, socket.MSG_TRUNC):
        time.sleep(0.001)


def tell(sender):
    info = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    segment, = struct.unpack_from('I', info, 16)
    rtt, = struct.unpack_from('I', info, 8 + 4 * 15)
    window, = struct.unpack_from('I', info, 8 + 4 * 18)
    rate, _, acknowledged = struct.unpack_from('QQQ', info, 104)
    print(f'at {time.clock_gettime_ns(time.CLOCK_MONOTONIC)} {acknowledged} cwnd={window * segment} rate={rate if rate < 1 << 63 else 0} srtt={rtt * 1000}')


def control(sender):
    """The congestion control, as ss says it."""
    said = subprocess.run(['ss', '-tin', 'sport', '=', f':{sender.getsockname()[1]}'], capture_output=True, text=True, timeout=10).stdout
    found = re.search(r'^\s+.*?\b(cubic|reno|bbr)\b', said, re.M)
    return found.group(1) if found else sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).split(b'\0')[0].decode()


def send(address, port, how=''):
    sender = socket.create_connection((address, port), 20)
    if how == 'paced':
        sender.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, NO_LIMIT)
    print(f'ready control={control(sender)} port={sender.getsockname()[1]}', flush=True)
    seconds = float(sys.stdin.readline())
    sender.setblocking(False)
    chunk = bytes(CHUNK)
    end = time.monotonic() + seconds
    due = time.monotonic()
    while time.monotonic() < end:
        if time.monotonic() >= due:
            tell(sender)
            due += STEP
        if select.select([], [sender], [], max(0, due - time.monotonic()))[1]:
            try:
                sender.send(chunk)
            except BlockingIOError:
                pass
    tell(sender)
    sys.stdout.flush()
    # What is in the queues need not be waited for.
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    sender.close()


if __name__ == '__main__':
    {'receive': receive, 'send': send}[sys.argv[1]](sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
