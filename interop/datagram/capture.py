#!/usr/bin/env python3
"""What tshark makes of a capture of the exchanges, by interop/wireshark/jwarp-datagram.lua: every octet has to be part of a field,
nothing malformed, nothing that an expert says, and every message type has to be there."""
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

# Of a datagram to one of some ports, whoever sent it.
TRACEROUTE = 'Possible traceroute'
SCRIPT = Path(__file__).resolve().parent.parent / 'wireshark' / 'jwarp-datagram.lua'
DATA, SEALED, AES_128_GCM = 0, 9, 2
KINDS = ('DATA', 'NOTIFY', 'CHALLENGE', 'RESOLVE', 'RESOLVED', 'RD-OPEN', 'RD-ACCEPT', 'RD-ACK', 'RD-RESET', None, None, 'PATH-PROBE',
         'PATH-REPLY')
OPCODES = {0: 'RDMA Write', 1: 'Read Request', 2: 'Read Response', 3: 'Send', 5: 'Send with solicited event', 15: 'Write-Record'}
# What has to be there: each Kind, each opcode over each service that has it.
WANTED = ({*KINDS[1:9], 'PATH-PROBE', 'PATH-REPLY', 'VERSION LIST'} | {f'{name} of {service}' for code, name in OPCODES.items() for service in ('UD', 'RD') if code or service == 'RD'}
          | {'a cookie', 'pad'})
# A run over IPv6 has no groups: its loopback has none.
WANTED_OF_GROUPS = {f'{OPCODES[opcode]} of a group' for opcode in (3, 15)}


def number(packet, name):
    field = packet.find(f".//field[@name='dgiwarp.{name}']")
    return None if field is None else int(field.get('value'), 16)


def names(packet):
    """What this datagram is an example of."""
    if number(packet, 'version') == 0:
        return ['VERSION LIST']
    kind = number(packet, 'kind')
    if kind == SEALED:
        if number(packet, 'inner.version') == number(packet, 'inner.kind') == 0:
            return ['a greeting']
        if number(packet, 'inner.version') == 0:
            return ['an envelope', 'VERSION LIST']
        if number(packet, 'algorithm') == AES_128_GCM:
            return [f"{KINDS[number(packet, 'inner.kind')]} encrypted"]
        kind = number(packet, 'inner.kind')
        return ['an envelope'] + inner(packet, kind)
    return inner(packet, kind)


def inner(packet, kind):
    """What the datagram is that may stand in an envelope."""
    if kind != DATA:
        return [KINDS[kind]] + ['a cookie'] * bool(number(packet, 'flags') & 2)
    flags = number(packet, 'flags')
    service = 'RD' if flags & 4 else 'a group' if flags & 8 else 'UD'
    opcode = number(packet, 'ddp.opcode')
    return [f'{OPCODES.get(opcode, opcode)} of {service}'] + ['a cookie'] * bool(flags & 2) + ['pad'] * bool(flags & 32)


def other_version(packet):
    """Whether it is a question in a version to come: only its destination is known."""
    payload = packet.find(".//field[@name='udp.payload']")
    octets = bytes.fromhex(payload.get('value')) if payload is not None else b'\0'
    first = octets[28] if octets[0] == 0x10 | SEALED and len(octets) > 28 else octets[0]
    return first >> 4 > 1


def complaints(packet):
    """What is wrong with it: what tshark says, and octets that are in no field."""
    all_ = [p.get('name') for p in packet.findall('proto') if 'malformed' in p.get('name')]
    udp = packet.find("proto[@name='udp']")
    first = int(udp.get('pos')) + 8
    end = int(udp.get('pos')) + int(udp.find("field[@name='udp.length']").get('show'))
    seen = set()
    for field in packet.iter('field'):
        name = field.get('name')
        if (name == '_ws.expert' and TRACEROUTE not in field.get('showname')) or name.startswith('dgiwarp.bad_'):
            all_.append(f"{name} {field.get('showname')}")
        elif name.startswith('dgiwarp.'):
            seen.update(range(int(field.get('pos')), int(field.get('pos')) + int(field.get('size'))))
    unknown = [i - first for i in range(first, end) if i not in seen]
    return all_ + ([f'octets {unknown[0]} to {unknown[-1]} are in no field'] if unknown else [])


def guesses():
    """Options that keep protocols out which tshark guesses from the octets: of random ones each may be right by chance."""
    said = subprocess.run(['tshark', '-G', 'heuristic-decodes'], capture_output=True).stdout.decode()
    names = [line.split('\t')[1] for line in said.splitlines() if line.startswith('udp\t')]
    # A port that the system has chosen may be one that Wireshark knows for another protocol, whose dissector would come first.
    return ['-o', 'udp.try_heuristic_first:TRUE'] + [option for name in names for option in ('--disable-protocol', name)]


def main(capture, groups=True):
    tshark = subprocess.run(['tshark', '-n', *guesses(), '-X', f'lua_script:{SCRIPT}', '-r', capture, '-T', 'pdml'], capture_output=True)
    said = tshark.stderr.decode()
    if tshark.returncode or 'Lua:' in said:
        return f'tshark ends with {tshark.returncode}: {said}'
    packets = [p for p in ElementTree.fromstring(tshark.stdout).findall('packet') if not other_version(p)]
    found = set()
    for i, packet in enumerate(packets, 1):
        wrong = complaints(packet)
        if wrong:
            return f'datagram {i} of {capture}: ' + '; '.join(wrong)
        found.update(names(packet))
    wanted = WANTED | (WANTED_OF_GROUPS if groups else set())
    if 'DATA encrypted' in found:
        wanted = {f'{kind} encrypted' for kind in KINDS if kind and kind not in ('NOTIFY', 'CHALLENGE')}
    if not wanted <= found:
        return f'{capture} has no ' + ', no '.join(sorted(wanted - found))
    print(f'{len(packets)} datagrams of {len(found)} types: every octet known, nothing malformed, no expert has anything to say')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], '--no-groups' not in sys.argv[2:]))
