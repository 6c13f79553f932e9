"""The exchanges. to_X: this side asks; from_X: the agent is told to ask. Each checks the fields and octets of what it hears."""
from agent import crc, pattern
from wire import *

CASES = {}
SIZES = (0, 5, 1400, 5000, 100000)


class NotRun(Exception):
    """A case cannot be run here; says why."""


def case(*arguments):
    """Makes a case of each argument of the function: NAME for None, else NAME-ARGUMENT."""
    def add(function):
        for a in arguments or (None,):
            name = function.__name__.replace('_', '-') + (f'-{a}' if a is not None else '')
            CASES[name] = (lambda t, a=a: function(t, a)) if a is not None else function
        return function
    return add


def same(what, got, wanted):
    if got != wanted:
        raise AssertionError(f'{what}: {got!r}, not {wanted!r}')


def heard(t, kind, port=None, dst=None):
    """The next datagram of this Kind that comes; the octets must be those that its fields make."""
    port = port or t.port
    found = []

    def look():
        while port.heard and not found:
            octets, source = port.heard.pop(0)
            d = decode(octets, source)
            if d.kind == kind and dst in (None, d.dst):
                t.source = source
                found.append((octets, d))
        return found
    if not port.until(look, 4):
        raise AssertionError(f'no {"VERSION LIST" if kind == VERSION_LIST else KINDS[kind]} came')
    octets, d = found[0]
    if d.kind == DATA:
        check_data(d, 16 << 20)
    same('octets', octets.hex(), encode(d).hex())
    return d


def message(t, opcode, length, seed, header, port=None, **shim):
    """The segments of a message that comes: all fields, and the cut that section 4.5 wants at the path MTU."""
    pieces, data = {}, pattern(length, seed) if seed is not None else None
    while not pieces or len(pieces) < d.count:
        d = heard(t, DATA, port)
        if d.opcode != opcode:
            continue
        largest = (t.port.payload - 28 - header) // 4 * 4
        same('segments', d.count, max(1, -(-length // largest)))
        first = pieces.setdefault(0, d) if d.index == 0 else pieces.get(0, d)
        same('fields that all segments share', (d.mid, d.length, d.dst, d.src, d.key, d.base), (
            first.mid, length, first.dst, first.src, first.key, first.base))
        for name, value in shim.items():
            same(name, getattr(d, name), value)
        if data is not None:
            same('payload', d.payload, data[d.index * d.size:d.index * d.size + len(d.payload)])
        pieces[d.index] = d
    return pieces[0]


def completion(t, what, qp=None, **wanted):
    qp = qp or t.ud
    if not t.port.until(lambda: any(c['what'] == what for c in qp.completions), 6):
        raise AssertionError(f'no completion {what}; there are {qp.completions}, {qp.events}')
    c = next(c for c in qp.completions if c['what'] == what)
    qp.completions.remove(c)
    for name, value in wanted.items():
        same(f'{name} of {what}', c[name], value)
    return c


def event(t, what, qp=None, **wanted):
    qp = qp or t.ud
    if not t.port.until(lambda: any(e['what'] == what for e in qp.events), 4):
        raise AssertionError(f'no event {what}')
    e = next(e for e in qp.events if e['what'] == what)
    qp.events.remove(e)
    for name, value in wanted.items():
        same(f'{name} of {what}', e[name], value)


def recv_is(t, qp, length, seed, **more):
    t.told('recv', qp=qp, status='SUCCESS', len=length, crc=crc(pattern(length, seed)), port=t.port.address[1], **more)
