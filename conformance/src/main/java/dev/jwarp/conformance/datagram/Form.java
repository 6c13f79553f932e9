package dev.jwarp.conformance.datagram;

import static dev.jwarp.conformance.datagram.Datagram.A;
import static dev.jwarp.conformance.datagram.Datagram.C;
import static dev.jwarp.conformance.datagram.Datagram.CRC;
import static dev.jwarp.conformance.datagram.Datagram.D;
import static dev.jwarp.conformance.datagram.Datagram.G;
import static dev.jwarp.conformance.datagram.Datagram.P;
import static dev.jwarp.conformance.datagram.Datagram.R;
import static dev.jwarp.conformance.datagram.Datagram.SHIM;
import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.wire.Segment;

/** What must hold of every datagram that a device sends, whatever the case is about: datagram-iWARP §4. */
final class Form {
    private Form() {}

    /** Throws a deviation if a rule of the wire format is broken. */
    static void check(byte[] octets) {
        String it = Words.line(octets);
        unless(octets.length >= SHIM + CRC, "a datagram of at least 28 bytes (§4.1)", it);
        unless(Datagram.crcGood(octets), "a datagram with a right CRC (§4.1)", it);
        Datagram d = Datagram.parse(octets);
        Kind kind = d.kind();
        unless(kind != Kind.UNKNOWN, "a Kind of version 1, or a VERSION LIST (§4.4)", it);
        unless(
                (d.flags() & ~kind.may()) == 0 && (d.flags() & kind.must()) == kind.must(),
                "the flags of " + kind.words() + " (§4.2)",
                it);
        if (kind != Kind.DATA && kind != Kind.RD_PART && kind != Kind.NOTIFY && kind != Kind.VERSION_LIST) {
            unless(d.get(20, 4) == 0, "zero in bytes 20-23 of " + kind.words() + " (§4.2)", it);
        }
        unless(sourceLegal(d), "a legal Source QPN (§5.4)", it);
        switch (kind) {
            case DATA -> data(d, octets, it);
            case VERSION_LIST -> {
                exact(d, 28, it);
                unless(d.get(20, 4) == 0, "zero in bytes 20-23 (§4.7)", it);
            }
            case NOTIFY -> {
                exact(d, 32, it);
                unless(
                        d.length() == 4 && d.get(26, 2) == 0,
                        "Message Length 4 and 16 bits of zero behind the code (§4.4)",
                        it);
            }
            case CHALLENGE -> {
                exact(d, 44, it);
                unless(d.length() == 16, "Message Length 16 (§4.4)", it);
            }
            case RESOLVE -> resolve(d, octets, it);
            case RESOLVED -> resolved(d, it);
            case RD_OPEN -> {
                exact(d, d.body() + 20, it);
                int b = d.body();
                unless(
                        d.length() == 16 && d.get(b, 4) != 0 && d.get(b + 12, 2) >= 1 && d.get(b + 14, 2) == 0,
                        "a legal RD-OPEN (§4.4)",
                        it);
            }
            case RD_ACCEPT -> {
                exact(d, 44, it);
                unless(
                        d.length() == 16 && d.get(24, 4) != 0 && d.get(36, 2) >= 1 && d.get(38, 2) == 0,
                        "a legal RD-ACCEPT (§4.4)",
                        it);
            }
            case RD_ACK -> {
                unless(d.size() >= 36 && d.get(31, 1) <= 16, "an RD-ACK with 0 to 16 words (§4.4)", it);
                exact(d, (int) (36 + 8 * d.get(31, 1)), it);
                unless(
                        d.length() == 8 + 8 * d.get(31, 1)
                                && d.id() == 0
                                && d.get(28, 2) >= 1
                                && (d.get(30, 1) & ~1) == 0,
                        "a legal RD-ACK (§4.4)",
                        it);
            }
            case RD_RESET -> {
                exact(d, 36, it);
                long reason = d.get(25, 1);
                boolean legal = d.length() == 8
                        && d.get(24, 1) <= 1
                        && reason >= 1
                        && reason <= 4
                        && d.get(26, 2) == 0
                        && d.get(30, 2) == 0
                        && (reason == 2 || d.get(28, 4) == 0);
                unless(legal, "a legal RD-RESET (§4.4)", it);
            }
            case RD_SACK -> sack(d, it);
            case RD_PART -> part(d, it);
            case PATH_PROBE -> probe(d, octets, it);
            case PATH_REPLY -> {
                exact(d, 64, it);
                unless(d.length() == 36 && d.get(58, 2) == 0, "a legal PATH-REPLY (§4.4)", it);
            }
            case UNKNOWN -> throw new IllegalStateException();
        }
    }

    private static void exact(Datagram d, int length, String it) {
        unless(d.size() == length, length + " bytes (§4.4)", d.size() + " bytes: " + it);
    }

    private static boolean sourceLegal(Datagram d) {
        int q = d.from();
        boolean pair = q >= 16 && q <= 0xFFFFFE;
        return switch (d.kind()) {
            case DATA -> pair || (q == 0 && d.has(R) && !d.has(D));
            case NOTIFY -> pair || q == 0;
            case PATH_PROBE -> pair || (q == 0 && d.has(R));
            case PATH_REPLY -> pair || (q == 0 && !d.has(D));
            case RESOLVE, RESOLVED -> q == 1;
            case CHALLENGE, VERSION_LIST -> pair || q <= 1;
            default -> pair;
        };
    }

    private static void sack(Datagram d, String it) {
        unless(d.size() >= 60 && d.get(31, 1) <= 128, "an RD-SACK with 0 to 128 words (§4.4)", it);
        long n = d.get(31, 1);
        exact(d, (int) (60 + 8 * n), it);
        boolean counts = (d.get(30, 1) & 2) != 0;
        boolean legal = d.length() == 32 + 8 * n
                && d.get(28, 2) >= 1
                && (d.get(30, 1) & ~3) == 0
                && d.get(32, 2) + n <= 1024
                && (counts || d.get(40, 8) == 0);
        unless(legal, "a legal RD-SACK (§4.4)", it);
    }

    private static void part(Datagram d, String it) {
        unless(d.size() > 44, "an RD-PART with content (§4.4)", it);
        long length = d.get(34, 2);
        long total = d.get(36, 2);
        long end = d.get(38, 2) + length;
        exact(d, (int) (44 + length), it);
        boolean legal = d.get(32, 2) >= 1
                && d.get(38, 2) % 64 == 0
                && length < total
                && end <= total
                && total <= 65_467
                && (end == total || length % 64 == 0);
        unless(legal, "a legal RD-PART (§4.4)", it);
    }

    private static void probe(Datagram d, byte[] octets, String it) {
        unless(Integer.bitCount(d.flags() & (R | C | D)) <= 1, "flags that PATH-PROBE may have together (§4.2)", it);
        int b = d.body();
        unless(d.length() >= 36, "a PATH-PROBE that is not shorter than its answer (§4.4)", it);
        exact(d, b + (int) d.length() + CRC, it);
        unless(d.get(b + 14, 2) == 0, "zero in bytes %d-%d of PATH-PROBE (§4.4)".formatted(b + 14, b + 15), it);
        for (int i = b + 32; i < d.size() - CRC; i++) {
            unless(octets[i] == 0, "pad of zeros (§4.4)", it);
        }
    }

    private static void data(Datagram d, byte[] octets, String it) {
        boolean c = d.has(C);
        boolean rd = d.has(D);
        boolean g = d.has(G);
        boolean combined = (c && (rd || g || d.has(R))) || (rd && g) || (g && d.has(R)) || (d.has(A) && !rd);
        unless(!combined, "flags that DATA may have together (§4.2)", it);
        int b = d.body();
        unless(d.size() >= b + 2 + CRC, "a DDP header (§4.4)", it);
        boolean tagged = (d.get(b, 1) & 0x80) != 0;
        int header = tagged ? Segment.TAGGED : Segment.UNTAGGED;
        unless(d.size() >= b + header + CRC, "a DDP header (§4.4)", it);
        if (rd) {
            unless(d.get(32, 2) >= 1 && d.get(34, 2) == 0, "a window of at least 1 and zero behind it (§4.4)", it);
        }
        Segment s = d.segment();
        boolean response = s.opcodeNumber() == Message.READ_RESPONSE;
        boolean known = tagged
                ? s.opcodeNumber() == Message.WRITE || response || s.opcodeNumber() == Message.WRITE_RECORD
                : s.opcodeNumber() == Message.READ_REQUEST
                        || s.opcodeNumber() == Message.SEND
                        || s.opcodeNumber() == Message.SEND_SE;
        unless(known, "an opcode of datagrams, with the T bit that fits (§4.6)", it);
        unless(d.has(R) == response, "flag R exactly on a Read Response (§4.2)", it);
        unless(s.ddpVersion() == 1 && s.rdmapVersion() == 1, "DV 1 and RV 1 (§4.6)", it);
        unless(
                s.ddpReserved() == 0 && s.rdmapReserved() == 0 && s.invalidate() == 0,
                "reserved bits of DDP and RDMAP sent zero (§4.5)",
                it);
        shape(d, s, header, octets, it);
        if (!tagged) {
            unless(s.queue() == (s.opcodeNumber() == Message.READ_REQUEST ? 1 : 0), "the opcode's queue (§4.6)", it);
            unless(
                    s.msn() == d.id() && s.mo() == (long) d.index() * d.segmentSize(),
                    "MSN = Message Id and MO = i·S (§4.5)",
                    it);
        }
    }

    /** §4.5, rules 1 to 6. */
    private static void shape(Datagram d, Segment s, int header, byte[] octets, String it) {
        long length = d.length();
        int size = d.segmentSize();
        unless(size > 0 || length == 0, "a Segment Size for a message that has bytes (§4.5)", it);
        long count = length == 0 ? 1 : (length + size - 1) / size;
        unless(d.index() < count, "a Segment Index below the number of segments (§4.5)", it);
        boolean last = d.index() == count - 1;
        unless(s.last() == last, "the L bit in the last segment only (§4.5)", it);
        if (count > 1) {
            unless(
                    size >= 256 && size % 4 == 0 && count <= 65_536,
                    "a Segment Size of at least 256, a multiple of 4 (§4.5)",
                    it);
        } else {
            unless(
                    size == length || (size >= length && d.has(P)),
                    "S = len where there is one segment without pad (§4.5)",
                    it);
        }
        unless(last || !d.has(P), "pad in the last segment only (§4.5)", it);
        int n = d.payloadLength();
        int room = d.size() - CRC - d.body() - header;
        unless(room == (last && !d.has(P) ? n : size), "as many bytes as the segment states (§4.5)", it);
        for (int i = d.size() - CRC - (room - n); i < d.size() - CRC; i++) {
            unless(octets[i] == 0, "pad of zeros (§4.5)", it);
        }
    }

    private static void resolve(Datagram d, byte[] octets, String it) {
        exact(d, 288, it);
        int b = d.body();
        long n = d.get(b + 12, 2);
        boolean legal = d.to() == 1
                && d.key() == Datagram.RESOLVER_KEY
                && n <= 216
                && d.length() == 16 + n
                && d.get(b + 8, 1) >= 1
                && d.get(b + 8, 1) <= 3
                && d.get(b + 9, 1) == 0
                && d.get(b + 14, 2) == 0
                && (d.get(b + 10, 2) & 2) != 0;
        unless(legal, "a legal RESOLVE for the resolver, that lists version 1 (§4.4, §10)", it);
        for (int i = (int) (b + 16 + n); i < 284; i++) {
            unless(octets[i] == 0, "pad of zeros (§4.4)", it);
        }
    }

    private static void resolved(Datagram d, String it) {
        unless(d.size() >= 56, "a RESOLVED of at least 56 bytes (§4.4)", it);
        long n = d.get(48, 2);
        exact(d, (int) (56 + n), it);
        unless(
                n <= 216 && d.length() == 28 + n && d.get(50, 2) == 0 && d.get(24, 1) <= 5,
                "a legal RESOLVED (§4.4)",
                it);
        if (d.get(24, 1) == 0) {
            long q = d.get(28, 4);
            unless(
                    (d.get(25, 1) == 1 || d.get(25, 1) == 2) && q >= 16 && q <= 0xFFFFFE,
                    "one type and a QPN (§4.4)",
                    it);
        } else {
            boolean zero = d.get(25, 1) == 0;
            for (int i = 28; i < 48; i++) {
                zero &= d.get(i, 1) == 0;
            }
            unless(zero, "zero in bytes 25 and 28-47 (§4.4)", it);
        }
    }
}
