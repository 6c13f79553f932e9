"""Holds this implementation to the vectors: good ones field by field and octet by octet, malformed ones by counter and answer."""
import json
import struct
from types import SimpleNamespace

import rd
from port import Port
from sealing import Key, Sealing
from wire import *

LETTERS = {'R': R, 'C': C, 'D': D, 'G': G, 'A': A, 'P': P}
NAMES = {'destination_qpn': 'dst', 'source_qpn': 'src', 'message_id': 'mid', 'segment_index': 'index', 'segment_size': 'size',
         'message_length': 'length', 'service_id': 'service', 'qp_types': 'types', 'qp_type': 'type', 'q_key': 'qkey',
         'largest_payload': 'max_payload', 'previous_tag': 'previous', 'first_word': 'first', 'length_received': 'received_length',
         'datagrams_received': 'received'}


def good(vector):
    octets, fields = bytes.fromhex(vector['hex']), vector['fields']
    d = decode(octets)
    if d.kind == DATA:
        check_data(d, 16 << 20)
        pad = d.rest[len(d.payload):]
    for name, value in fields.items():
        if name == 'ddp':
            was = {'T': d.t, 'L': d.last, 'DV': d.dv, 'RV': d.rv, 'opcode': d.opcode}
            was.update({'stag': d.stag, 'to': d.to} if d.t else {'ulp_word': 0, 'qn': d.qn, 'msn': d.msn, 'mo': d.mo})
        elif name == 'read':
            was = dict(zip(('sink_stag', 'sink_to', 'size', 'source_stag', 'source_to'), struct.unpack('>IQIIQ', d.payload)))
        elif name == 'flags':
            was, value = d.flags, sum(LETTERS[c] for c in value)
        elif name in ('payload', 'private'):
            was = getattr(d, name).hex()
        elif name == 'pad':
            was = pad.hex() if d.kind == DATA else octets[-4 - d.pad:-4].hex() if d.kind == PATH_PROBE else octets[-16:-4].hex() if d.kind in (RD_OPEN, RD_ACCEPT) else octets[24 + 16 * d.has(C) + 16 + len(d.private):-4].hex()
        elif name == 'cookie':
            was = (d.cookie_given if d.kind == CHALLENGE else d.cookie).hex()
        elif name == 'crc':
            was = octets[-4:].hex()
        elif name in ('layer', 'etype', 'code'):
            was = d.code[('layer', 'etype', 'code').index(name)]
        elif name == 'token':
            was, value = d.token, int(value, 16)
        elif name == 'sack':
            was, value = d.sack, [int(w, 16) if isinstance(w, str) else w for w in value]
        else:
            was = getattr(d, NAMES.get(name, name))
        if was != value:
            return f'{name} is {was}, not {value}'
    again = encode(d)
    return None if again == octets else 'written again it is ' + again.hex()


def receiver(about, vector):
    port = Port(now=lambda: 1000.0)
    source = (about['source']['address'], about['source']['port'])
    ud, rdq = about['ud'], about['rd']
    qp = port.default = port.qp('UD', ud['qpn'], ud['q_key'])
    for n in vector.get('receives', ud['receives']):
        qp.post_receive(n)
    qp.longest, qp.longest_read, qp.read_jobs = ud['max_message'], ud['max_read'], vector.get('read_jobs', ud['read_jobs'])
    qp.groups.add(('group', about['group']['q_key']))
    other = port.qp('RD', rdq['qpn'], rdq['q_key'])
    if vector.get('source_validated', True):
        port.allowed.add(source[0])
    ch = other.channels[source, about['source']['rd_qpn']] = rd.Channel(other, (source, about['source']['rd_qpn']), 0, 1472)
    c = rdq['channel']
    ch.state, ch.tag, ch.peer_tag, ch.e = 'OPEN', c['tag'], c['peer_tag'], c['expected_psn']
    ch.first = ch.una = ch.next = c['next_psn']
    ch.confirmed = True
    rd.WINDOW, ch.limit = c['window'], c['next_psn'] + c['window']
    port.services[about['resolver']['service_id']] = qp
    for region in about['regions']:
        port.register(region['length'], region['rights'], region['stag'], region['to'], region.get('bound_to'))
    for read in about['reads']:
        ah = SimpleNamespace(source=source, qpn=about['source']['qpn'], qkey=read['q_key'])
        qp.reads[read['message_id']] = SimpleNamespace(
            ah=ah, sink_stag=read['sink_stag'], sink_to=read['sink_to'], size=read['size'], buffer=bytearray(read['size']), record=None,
            challenges=0, cookie=None, mid=read['message_id'], deadline=2000)
    return port, (vector.get('source_address', source[0]), vector.get('source_port', source[1]))


def malformed(about, vector):
    port, source = receiver(about, vector)
    group = 'group' if vector.get('socket') == 'group' else None
    for octets in vector.get('setup', ()):
        port.input(bytes.fromhex(octets), source, group)
    port.counters.clear()
    port.sent.clear()
    octets = bytes.fromhex(vector['hex'])
    port.input(octets, source, group)
    wanted, sent = [vector['answer']] if 'answer' in vector else [], [s[0].hex() for s in port.sent]
    if wanted and sent and octets[0] == 0x10 and wanted[0][:2] == '12':  # the cookie is the receiver's own
        wanted, sent = [wanted[0][:48]], [sent[0][:48]]
    moved = {name: n for name, n in port.counters.items() if n}
    if moved != {vector['counter']: 1}:
        return f"counters {moved}, not {vector['counter']}"
    return None if sent == wanted else f'answers {sent}, not {wanted}'


def envelope(about, vector):
    """A vector of envelope.json."""
    time = [about['opened']]
    port = Sealing([Key(line) for line in about['keys']], lambda octets, to: None, lambda: time[0])
    port.origin, time[0] = bytes.fromhex(about['origin']), about['now']
    source, octets = (about['source'], 40000), bytes.fromhex(vector['hex'])
    for before in vector.get('setup', ()):
        decode(port.unwrap(bytes.fromhex(before), source), source)
    try:
        inner = port.unwrap(octets, source)
        decode(inner, source)
    except Drop as drop:
        counter = vector.get('counter', 'rx_greeting')
        if drop.counter != counter or vector['kind'] == 'envelope':
            return f'counter {drop.counter}, not {counter}'
        if vector['kind'] == 'malformed':
            return None
        inner = port.greeting(*(bytes.fromhex(vector['fields'][name]) for name in ('asks', 'answers')))
    if vector['kind'] == 'envelope' and vector['inner'] != inner.hex():
        return 'it is taken for ' + inner.hex()
    fields = vector['fields']
    key = next(k for k in port.keys if k.id == fields['key_id'])
    again = Sealing.build(inner, key, bytes.fromhex(fields['origin']), fields['sequence'], fields['time'], bytes.fromhex(fields['receiver']))
    return None if again == octets else 'written again it is ' + again.hex()


def check(path):
    """Yields (name, what is wrong or None)."""
    with open(path, encoding='utf-8') as file:
        book = json.load(file)
    for vector in book['vectors']:
        if 'keys' in book['receiver']:
            yield vector['id'], envelope(book['receiver'], vector)
            continue
        try:
            wrong = malformed(book['receiver'], vector) if vector['kind'] == 'malformed' else good(vector)
        except Exception as e:  # a vector that breaks the implementation is a finding
            wrong = repr(e)
        yield vector['id'], wrong
