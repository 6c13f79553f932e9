package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Endpoint;
import dev.jwarp.conformance.decode.DatagramFields.Kind;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.List;

/** What is wrong with a datagram for everybody, whatever its receiver knows: checks 1-5 and 11-14 of docs/datagram-iwarp.md §5. */
final class DatagramJudge {
    private static final int WRITE_RECORD = 15;
    private static final int GROUP = 0xFF_FFFF;
    private static final int FIRST_QPN = 16;
    private static final int RESOLVE_LENGTH = 288;
    private static final int MOST_PRIVATE = 216;
    private static final int MOST_CONTENT = 65_467;

    private final DatagramFields d;
    private final List<Finding> findings;

    private DatagramJudge(DatagramFields d, List<Finding> findings) {
        this.d = d;
        this.findings = findings;
    }

    static void judge(DatagramFields datagram, Endpoint source, Crc crc, List<Finding> findings) {
        DatagramJudge judge = new DatagramJudge(datagram, findings);
        judge.source(source);
        judge.judge(crc);
    }

    /** Check 5: no answer can go there. */
    private void source(Endpoint source) {
        byte[] address = source.address().getAddress();
        boolean broadcast = address.length == 4 && Octets.number(address, 0, 4) == 0xFFFF_FFFFL;
        if (source.port() == 0 || source.address().isMulticastAddress() || broadcast) {
            say("DG-5.1-5", "the source " + source + " is not one of a host");
        }
    }

    private void judge(Crc crc) {
        if (crc == Crc.BAD) {
            say("DG-4.1-1", "the CRC is wrong");
            return;
        }
        Kind kind = d.kind();
        if (kind == null) {
            boolean other = d.version() != 1;
            say(other ? "DG-4.7-1" : "DG-5.1-3", other ? "version " + d.version() : "the Kind is reserved");
            return;
        }
        if (kind == Kind.SEALED) {
            envelope();
            return;
        }
        flags(kind);
        sourceQpn(kind);
        if (kind == Kind.DATA) {
            data();
        } else {
            body(kind);
        }
    }

    /** §4.8, and what is within. The tag is judged by {@link Seals}. */
    private void envelope() {
        DatagramFields within = d.within();
        unless(
                within != null && d.number(30, 2) == d.octets().length,
                "DG-4.8-3",
                "an envelope of %d bytes that states %d".formatted(d.octets().length, d.number(30, 2)));
        unless(d.number(29, 1) == 1, "DG-4.8-4", "algorithm " + d.number(29, 1));
        unless(d.number(40, 8) > 0, "DG-4.8-8", "number " + d.number(40, 8));
        if (within != null) {
            unless(within.kind() != Kind.SEALED, "DG-5.1-3", "an envelope in an envelope");
            if (within.kind() != Kind.SEALED) {
                new DatagramJudge(within, findings).judge(Crc.OK);
            }
        }
    }

    private void say(String id, String what) {
        findings.add(new Finding(id, what));
    }

    private void unless(boolean good, String id, String what) {
        if (!good) {
            say(id, what);
        }
    }

    /** §4.2. */
    private void flags(Kind kind) {
        int allowed =
                switch (kind) {
                    case DATA ->
                        d.has(DatagramFields.FLAG_D)
                                ? DatagramFields.FLAG_D | DatagramFields.FLAG_A | DatagramFields.FLAG_R
                                : d.has(DatagramFields.FLAG_G)
                                        ? DatagramFields.FLAG_G
                                        : d.has(DatagramFields.FLAG_R) ? DatagramFields.FLAG_R : DatagramFields.FLAG_C;
                    case RESOLVE, RD_OPEN -> DatagramFields.FLAG_C;
                    case PATH_PROBE ->
                        d.has(DatagramFields.FLAG_D)
                                ? DatagramFields.FLAG_D
                                : d.has(DatagramFields.FLAG_R) ? DatagramFields.FLAG_R : DatagramFields.FLAG_C;
                    case PATH_REPLY -> DatagramFields.FLAG_R | DatagramFields.FLAG_D;
                    case RD_PART -> DatagramFields.FLAG_D | DatagramFields.FLAG_A | DatagramFields.FLAG_R;
                    default -> DatagramFields.FLAG_R;
                };
        if (kind == Kind.DATA || kind == Kind.RD_PART) {
            allowed |= DatagramFields.FLAG_P;
        }
        unless((d.flags() & ~allowed) == 0, "DG-5.1-4", "flags 0x%02X are not all for this Kind".formatted(d.flags()));
        boolean question = kind == Kind.DATA
                || kind == Kind.RESOLVE
                || kind == Kind.RD_OPEN
                || kind == Kind.PATH_PROBE
                || kind == Kind.RD_PART;
        unless(kind != Kind.RD_PART || d.has(DatagramFields.FLAG_D), "DG-5.1-4", "flag D is not set in an RD-PART");
        unless(question || d.has(DatagramFields.FLAG_R), "DG-5.1-4", "flag R is not set in a reply");
        if (kind != Kind.DATA && kind != Kind.RD_PART && kind != Kind.NOTIFY) {
            unless(d.number(20, 4) == 0, "DG-4.2-1", "bytes 20-23 are not zero");
        }
        unless(kind != Kind.RD_ACK || d.messageId() == 0, "DG-4.2-1", "the Message Id of RD-ACK is not zero");
    }

    /** §5.4. */
    private void sourceQpn(Kind kind) {
        int qpn = d.sourceQpn();
        boolean ordinary = qpn >= FIRST_QPN && qpn < GROUP;
        boolean legal =
                switch (kind) {
                    case DATA ->
                        ordinary || (qpn == 0 && d.has(DatagramFields.FLAG_R) && !d.has(DatagramFields.FLAG_D));
                    case NOTIFY -> ordinary || qpn == 0;
                    case PATH_PROBE -> ordinary || (qpn == 0 && d.has(DatagramFields.FLAG_R));
                    case PATH_REPLY -> ordinary || (qpn == 0 && !d.has(DatagramFields.FLAG_D));
                    case RESOLVE, RESOLVED -> qpn == 1;
                    case CHALLENGE, VERSION_LIST -> ordinary || qpn <= 1;
                    default -> ordinary;
                };
        unless(legal, "DG-5.4-1", "the Source QPN 0x%X is not legal for this Kind".formatted(qpn));
        if (d.has(DatagramFields.FLAG_G)) {
            unless(d.targetQpn() == GROUP, "DG-5.1-6", "flag G, but the Destination QPN is not that of a group");
        }
    }

    /** §4.4, Kinds other than DATA. */
    private void body(Kind kind) {
        int b = d.body();
        switch (kind) {
            case NOTIFY -> {
                exact(32, 4, "DG-4.4-1");
                unless(d.number(26, 2) == 0, "DG-4.4-1", "bytes 26-27 are not zero");
            }
            case CHALLENGE -> exact(44, 16, "DG-4.4-2");
            case RESOLVE -> {
                exact(RESOLVE_LENGTH, 16 + (int) d.number(b + 12, 2), "DG-4.4-3");
                unless(d.number(b + 12, 2) <= MOST_PRIVATE, "DG-5.1-5", "more than 216 bytes of private data");
                int wanted = (int) d.number(b + 8, 1);
                unless(wanted >= 1 && wanted <= 3, "DG-5.1-5", "types wanted are " + wanted);
                unless(d.number(b + 9, 1) == 0 && d.number(b + 14, 2) == 0, "DG-4.2-1", "a zero field is not zero");
            }
            case RESOLVED -> resolved();
            case RD_OPEN -> {
                exact(44 + d.extension(), 16, "DG-5.1-5");
                tagAndWindow(b, b + 12);
            }
            case RD_ACCEPT -> {
                exact(44, 16, "DG-5.1-5");
                tagAndWindow(24, 36);
            }
            case RD_ACK -> {
                int words = (int) d.number(31, 1);
                exact(36 + 8 * words, 8 + 8 * words, "DG-5.1-5");
                unless(words <= 16, "DG-5.1-5", words + " SACK words");
                unless(d.number(28, 2) > 0, "DG-5.1-5", "the window is 0");
                unless((d.number(30, 1) & ~1) == 0, "DG-4.2-1", "flags of RD-ACK are not zero");
                unless(
                        words == 0 || d.number(32 + 8 * (words - 1), 8) != 0,
                        "DG-4.4-7",
                        "the last SACK word is all zeros");
            }
            case RD_RESET -> {
                exact(36, 8, "DG-5.1-5");
                long reason = d.number(25, 1);
                unless(d.number(24, 1) <= 1 && reason >= 1 && reason <= 4, "DG-5.1-5", "reason " + reason);
                unless(d.number(26, 2) == 0 && d.number(30, 2) == 0, "DG-4.2-1", "bytes 26-27 or 30-31 are not zero");
                unless(reason == 2 || d.number(28, 4) == 0, "DG-4.2-1", "a Terminate Control with reason " + reason);
            }
            case RD_SACK -> sack();
            case PATH_PROBE -> {
                exact(
                        DatagramFields.SHORTEST + d.extension() + (int) d.messageLength(),
                        (int) d.messageLength(),
                        "DG-5.1-5");
                unless(d.messageLength() >= 36, "DG-5.1-1", "it is shorter than its answer");
                unless(d.number(b + 14, 2) == 0, "DG-4.2-1", "a zero field is not zero");
            }
            case PATH_REPLY -> {
                exact(64, 36, "DG-5.1-5");
                unless(d.number(58, 2) == 0, "DG-4.2-1", "bytes 58-59 are not zero");
            }
            case RD_PART -> part();
            case VERSION_LIST -> {
                unless(d.octets().length == 28, "DG-5.1-5", "it has " + d.octets().length + " bytes, not 28");
            }
            case DATA, SEALED -> {}
        }
    }

    private void sack() {
        int words = (int) d.number(31, 1);
        exact(60 + 8 * words, 32 + 8 * words, "DG-5.1-5");
        unless(words <= 128, "DG-5.1-5", words + " SACK words");
        unless(d.number(32, 2) + words <= 1024, "DG-5.1-5", "a SACK word for PSNs beyond any window");
        unless(d.number(28, 2) > 0, "DG-5.1-5", "the window is 0");
        unless((d.number(30, 1) & ~3) == 0, "DG-4.2-1", "flags of RD-SACK are not zero");
        boolean marks = d.number(40, 4) != 0 || d.number(44, 4) != 0;
        unless(!marks || (d.number(30, 1) & 2) != 0, "DG-5.1-5", "marks of the network that do not count");
    }

    private void part() {
        long length = d.number(34, 2);
        long total = d.number(36, 2);
        long offset = d.number(38, 2);
        long size = 44 + length;
        unless(d.octets().length == size, "DG-5.1-5", "it has " + d.octets().length + " bytes, not " + size);
        unless(d.number(32, 2) > 0, "DG-5.1-5", "the window is 0");
        boolean legal = length > 0
                && length < total
                && offset % 64 == 0
                && offset + length <= total
                && total <= MOST_CONTENT
                && (offset + length == total || length % 64 == 0);
        unless(legal, "DG-4.4-12", "%d bytes from %d on of %d".formatted(length, offset, total));
    }

    private void exact(int length, int messageLength, String id) {
        unless(d.octets().length == length, id, "it has " + d.octets().length + " bytes, not " + length);
        unless(
                d.messageLength() == messageLength,
                "DG-5.1-5",
                "Message Length is " + d.messageLength() + ", not " + messageLength);
    }

    private void resolved() {
        int length = (int) d.number(48, 2);
        exact(56 + length, 28 + length, "DG-4.4-4");
        long status = d.number(24, 1);
        unless(status <= 5 && length <= MOST_PRIVATE, "DG-5.1-5", "status " + status + ", private data " + length);
        unless(d.number(50, 2) == 0, "DG-4.2-1", "bytes 50-51 are not zero");
        if (status == 0) {
            long qpn = d.number(28, 4);
            long type = d.number(25, 1);
            unless(
                    (type == 1 || type == 2) && qpn >= FIRST_QPN && qpn < GROUP,
                    "DG-5.1-5",
                    "type or QPN are not legal");
        } else {
            boolean zero = d.number(25, 1) == 0;
            for (int at = 28; at < 48; at += 4) {
                zero &= d.number(at, 4) == 0;
            }
            unless(zero, "DG-4.4-4", "bytes 25 and 28-47 are not zero");
        }
    }

    private void tagAndWindow(int tag, int window) {
        unless(d.number(tag, 4) != 0, "DG-4.4-5", "the tag is 0");
        unless(d.number(window, 2) != 0, "DG-4.4-5", "the window is 0");
        unless(d.number(window + 2, 2) == 0, "DG-4.2-1", "a zero field is not zero");
    }

    /** §5.2, checks 11-14. */
    private void data() {
        if (d.has(DatagramFields.FLAG_D)) {
            unless(d.number(32, 2) > 0, "DG-5.1-5", "the window is 0");
            unless(d.number(34, 2) == 0, "DG-4.2-1", "bytes 34-35 are not zero");
        }
        Segment segment = d.segment();
        if (segment == null) {
            say("DG-5.1-1", "it is too short for its DDP header");
            return;
        }
        unless(segment.ddpVersion() == 1, "DG-5.2-1", "DV is " + segment.ddpVersion());
        unless(segment.rdmapVersion() == 1, "DG-5.2-2", "RV is " + segment.rdmapVersion());
        if (segment.ddpReserved() != 0 || segment.rdmapReserved() != 0) {
            say("DG-4.2-1", "reserved bits of DDP or RDMAP are not zero");
        }
        if (!opcode(segment)) {
            return;
        }
        if (!segment.tagged()) {
            int queue = segment.opcodeNumber() == Opcode.READ_REQUEST.number() ? 1 : 0;
            unless(segment.queue() == queue, "DG-5.2-4", "QN is " + segment.queue() + ", not " + queue);
            long mo = (long) d.segmentIndex() * d.segmentSize();
            unless(segment.msn() == d.messageId(), "DG-5.2-5", "MSN is not the Message Id");
            unless(segment.mo() == mo, "DG-5.2-5", "MO is " + segment.mo() + ", not " + mo);
        }
        shape(segment);
    }

    /** §4.6. */
    private boolean opcode(Segment segment) {
        int opcode = segment.opcodeNumber();
        boolean known = opcode <= 3 || opcode == 5 || opcode == WRITE_RECORD;
        if (!known) {
            say("DG-4.6-1", "opcode " + opcode + " is none of datagrams");
            return false;
        }
        boolean tagged = opcode == 0 || opcode == 2 || opcode == WRITE_RECORD;
        unless(tagged == segment.tagged(), "DG-5.2-3", "T does not fit opcode " + opcode);
        unless(d.has(DatagramFields.FLAG_R) == (opcode == 2), "DG-4.2-8", "flag R does not fit opcode " + opcode);
        return tagged == segment.tagged();
    }

    /** §4.5, rules 1-6. */
    private void shape(Segment segment) {
        long length = d.messageLength();
        long size = d.segmentSize();
        long index = d.segmentIndex();
        long count = length == 0 ? 1 : size == 0 ? 0 : (length + size - 1) / size;
        if (index >= count) {
            say("DG-4.5-1", "segment " + index + " of " + count);
            return;
        }
        boolean last = index == count - 1;
        unless(
                segment.last() == last,
                "DG-4.5-1",
                last ? "L is not set in the last segment" : "L is set before the last segment");
        if (count > 1) {
            unless(size >= 256 && size % 4 == 0 && count <= 65_536, "DG-4.5-1", "Segment Size " + size);
        } else {
            boolean padded = d.has(DatagramFields.FLAG_P);
            unless(
                    size == length || (padded && size > length),
                    "DG-4.5-1",
                    "Segment Size " + size + " for a message of " + length);
        }
        unless(!d.has(DatagramFields.FLAG_P) || last, "DG-4.5-1", "flag P before the last segment");
        long payload = Math.min(size, length - index * size);
        long room = segment.payload().length + (long) d.pad();
        long wanted = last && !d.has(DatagramFields.FLAG_P) ? payload : size;
        unless(room == wanted, "DG-4.5-5", room + " bytes behind the DDP header, not " + wanted);
        if (d.pad() > 0) {
            int end = d.octets().length - DatagramFields.CRC;
            for (int at = end - d.pad(); at < end; at++) {
                if (d.octets()[at] != 0) {
                    say("DG-4.5-1", "the pad is not zero");
                    break;
                }
            }
        }
    }
}
