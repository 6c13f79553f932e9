"""Whether the bottleneck does what it is asked for: rate, delay, queue, loss, late packets, outage, ECN marks of plain UDP through it."""
import argparse
import functools
import math
import select
import signal
import socket
import struct
import sys
import time

from lab import FAR, NEAR, BoxLog, Child, Lab, Path, make_spaces

SIZE = 1472  # a packet of 1500 bytes
PORT = 7000
# A machine with work beside this one delays the bottleneck, which is no fault of its own: a part fails when it fails so often.
TRIES = 3
# Of the part that runs: whether each check held, and what it saw; how late the box was at the most with one of a hundred packets, in µs.
checks, late = [], []


def check(what, well, seen):
    checks.append((bool(well), f'{what}: {seen}'))


def within(what, seen, least, most, unit):
    check(f'{what} between {least:.4g} and {most:.4g} {unit}', least <= seen <= most, f'{seen:.4g} {unit}')


def near(what, share, expected, count):
    """A share of so many, within five standard deviations."""
    spread = 5 * math.sqrt(expected * (1 - expected) / count)
    within(what, share * 100, (expected - spread) * 100, (expected + spread) * 100, '%')


def send(count, every, tos):
    """A process in one namespace: numbered datagrams, so many seconds apart; all that are due at once."""
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
    sender.connect((FAR, PORT))
    rest = bytes(SIZE - 12)
    start = time.monotonic()
    for number in range(count):
        pause = start + number * every - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        sender.send(struct.pack('!Iq', number, time.clock_gettime_ns(time.CLOCK_MONOTONIC)) + rest)


def receive(seconds):
    """A process in the other: number, when sent, when received, its ECN field."""
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)  # SO_RCVBUFFORCE
    receiver.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
    receiver.setsockopt(socket.SOL_SOCKET, 35, 1)  # SO_TIMESTAMPNS: when the kernel had it, in real time
    receiver.bind((FAR, PORT))
    print('ready', flush=True)
    end = time.monotonic() + seconds
    offset = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    rows = []
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([receiver], [], [], left)[0]:
            break
        data, more, _, _ = receiver.recvmsg(2048, 256)
        at, ecn = 0, 0
        for level, kind, value in more:
            if level == socket.SOL_SOCKET and kind == 35:
                whole, nanos = struct.unpack('qq', value[:16])
                at = whole * 1_000_000_000 + nanos - offset
            elif level == socket.IPPROTO_IP and kind == socket.IP_TOS:
                ecn = value[0] & 3
        number, sent = struct.unpack_from('!Iq', data)
        rows.append(f'{number} {sent} {at} {ecn}')
    print('\n'.join(rows))


def through(lab, path, count, every, tos=0, seed=1):
    """Datagrams that came, in order: number, milliseconds on their way, when they came (s), their ECN field; and the box's log."""
    file = '/run/self.csv'
    box = lab.bottleneck(path, file, seed)
    receiver = Child('python3', '-B', __file__, 'receive', str(count * every + path.rtt / 1000 + path.queue * 8e-6 / path.rate + 0.7), space='b')
    receiver.until('ready')
    sender = Child('python3', '-B', __file__, 'send', str(count), str(every), str(tos), space='a')
    try:
        while receiver.read(30):
            pass
    finally:
        receiver.end()
        sender.end()
        box.end(signal.SIGTERM)
    rows = [[int(word) for word in line.split()] for line in receiver.lines if line[:1].isdigit()]
    log = BoxLog(file, box.lines)
    late.append(log.itself['late_p99_us'])
    return [(number, (came - sent) / 1e6, came / 1e9, ecn) for number, sent, came, ecn in rows], log


def overtaken(rows):
    """How many came after one with a higher number."""
    highest, count = -1, 0
    for row in rows:
        count += row[0] < highest
        highest = max(highest, row[0])
    return count


def stretch(rows, least):
    """The longest row of packets behind each other in the queue: it did not run empty between them, though the sender may have paused."""
    best, current = [], []
    for row in rows:
        if row[1] <= least:
            current = []
        current.append(row)
        if len(current) > len(best):
            best = current
    return best


def middle(values, share=0.5):
    values = sorted(values)
    return values[int(len(values) * share)]


def main():
    if sys.argv[1] == 'send':
        return send(int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
    if sys.argv[1] == 'receive':
        return receive(float(sys.argv[2]))
    parser = argparse.ArgumentParser()
    parser.add_argument('--box')
    lab = Lab(parser.parse_args().box, '')
    make_spaces()

    parts = (alone, *(functools.partial(full_queue, rate=rate) for rate in (100, 500)), loss, overtaking, outage, marks)
    failures = sum(failed(part, lab) for part in parts)
    print(f'{failures} failed')
    return 1 if failures else 0


def failed(part, lab):
    """Prints how its checks went. Returns how many failed, each time it was tried."""
    for count in range(1, TRIES + 1):
        checks.clear()
        late.clear()
        part(lab)
        failures = sum(not well for well, _ in checks)
        again = failures and count < TRIES
        for well, text in checks:
            print(f'{"ok  " if well else "once" if again else "FAIL"} {text}', flush=True)
        if not failures:
            return 0
        print(f'     the box was {max(late):.0f} µs late with one of a hundred packets{": once more" if again else ""}', flush=True)
    return failures


def alone(lab):
    rows, log = through(lab, Path(100, 40, 1), 200, 0.005)
    within('delay of a packet alone', middle(row[1] for row in rows), 20.12, 20.5, 'ms')
    check('no loss where there is room', len(rows) == 200, f'{len(rows)} of 200')


def full_queue(lab, rate):
    """Half as much again as the path carries: the queue is full, and stays so."""
    path = Path(rate, 20, 1)
    packet = 1500 * 8e-6 / rate
    count = int((1.5 if rate < 200 else 1) * 1.5 / packet)
    rows, log = through(lab, path, count, packet / 1.5)
    flow = log.of(17, None, PORT)
    offered = flow['arrived'] * 1500 * 8e-6 / (count * packet / 1.5)
    full = [row for row in rows if row[0] > count / 3]
    if offered < 1.2 * rate:
        print(f'NOT RUN rate {rate} Mbit/s: a sender of ours makes {offered:.0f} Mbit/s here')
        return
    busy = stretch(full, 11)
    within(f'rate of {rate} Mbit/s', (len(busy) - 1) * 1500 * 8e-6 / (busy[-1][2] - busy[0][2]), rate * 0.985, rate * 1.015, 'Mbit/s')
    most = 10 + path.queue * 8e-3 / rate
    within(f'delay behind a full queue of {path.queue} bytes', middle((row[1] for row in full), 0.9), most - 0.6, most + 0.6, 'ms')
    within('the queue at its longest', log.most_queue, path.queue - 1500, path.queue, 'bytes')
    check('what did not come is what the queue dropped', abs(flow['arrived'] - flow['dropped'] - len(rows)) <= 1,
          f'{flow["arrived"]:.0f} - {flow["dropped"]:.0f} and {len(rows)}')


def loss(lab):
    count, every = 8000, 0.00025
    rows, log = through(lab, Path(100, 20, 4, loss=0.05), count, every)
    near('loss of 5 %', 1 - len(rows) / count, 0.05, count)
    again, _ = through(lab, Path(100, 20, 4, loss=0.05), count, every)
    check('the same seed loses the same packets', [row[0] for row in rows] == [row[0] for row in again], f'{len(rows)} and {len(again)} came')


def overtaking(lab):
    count, every = 8000, 0.00025
    rows, _ = through(lab, Path(100, 20, 4, late='0.05,5'), count, every)
    near('5 % late', overtaken(rows) / count, 0.05, count)
    within('how late', middle([row[1] for row in rows if row[1] > 12.5] or [0]), 15.1, 15.6, 'ms')


def outage(lab):
    rows, log = through(lab, Path(100, 20, 4, outage='0.5-1'), 1500, 0.001)
    missing = sorted(set(range(1500)) - {row[0] for row in rows})
    check('an outage from 0.5 to 1 s', missing and missing == list(range(missing[0], missing[-1] + 1)) and abs(missing[0] - 500) <= 5 and abs(missing[-1] - 999) <= 5,
          f'{len(missing)} from {missing[:1]} to {missing[-1:]} are missing')


def marks(lab):
    path = Path(100, 20, 1, ecn=50000)
    for tos, what in ((2, True), (0, False)):
        rows, log = through(lab, path, 6000, 0.00008, tos)
        marked = sum(row[3] == 3 for row in rows)
        if what:
            few = [row for row in rows if row[3] == 3]
            check('marks beyond 50,000 bytes', few and min(row[1] for row in few) > 10 + 50000 * 8e-5 - 0.5 and marked == log.of(17, None, PORT)['marked'],
                  f'{marked} of {len(rows)}, the first after {min((row[1] for row in few), default=0):.2f} ms')
        else:
            check('no mark for who does not know them', marked == 0, f'{marked} of {len(rows)}')


if __name__ == '__main__':
    sys.exit(main())
