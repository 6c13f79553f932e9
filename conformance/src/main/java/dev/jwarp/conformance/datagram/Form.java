package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Rules for the form of every datagram (datagram-iWARP §4) that need no state of the receiver: checks 1 to 5
 * and 11 to 14 of §5. The decoder applies them to captures, a conversation to the datagrams of the device.
 */
public final class Form {
    private static final int FIRST_QPN = 16;
    private static final int RESOLVE_LENGTH = 288;
    private static final int MOST_PRIVATE = 216;

    private final Datagram d;
    private final BiConsumer<String, String> broken;

    private Form(Datagram d, BiConsumer<String, String> broken) {
        this.d = d;
        this.broken = broken;
    }

    /** Throws a deviation if the device has sent a datagram that breaks a rule. */
    static void check(byte[] octets) {
        String it = Words.line(octets);
        Deviation.unless(octets.length >= Datagram.SHORTEST, "a datagram of at least 28 bytes (§4.1)", it);
        Datagram d = Datagram.parse(octets);
        judge(d, d.within(), Datagram.crcGood(octets), (id, what) -> {
            throw new Deviation("a datagram that keeps " + id, what + ": " + it);
        });
    }

    /**
     * Judges a datagram.
     *
     * @param within the datagram in it; null if it is no envelope, or encrypted with a key that is not known
     * @param crcGood whether its CRC is right; otherwise no other rule is checked
     * @param broken called for each broken rule with the id of the requirement and the fault
     */
    public static void judge(
            Datagram d, @Nullable Datagram within, boolean crcGood, BiConsumer<String, String> broken) {
        if (!crcGood) {
            broken.accept("DG-4.1-1", "the CRC is wrong");
            return;
        }
        new Form(d, broken).judge();
        if (within == null) {
            return;
        }
        Form inner = new Form(within, broken);
        if (within.kind() == Kind.SEALED) {
            broken.accept("DG-5.1-3", "an envelope in an envelope");
        } else if (Envelopes.isGreeting(within.bytes())) {
            inner.unless(within.size() == Envelopes.GREETING, "DG-K.7-2", "a greeting of another length");
        } else {
            inner.judge();
        }
    }

    private void judge() {
        Kind kind = d.kind();
        if (!d.known()) {
            boolean other = d.version() != 1;
            broken.accept(other ? "DG-4.7-1" : "DG-5.1-3", other ? "version " + d.version() : "the Kind is reserved");
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

    /** §K.3. Only an owner of the key can check the tag. */
    private void envelope() {
        unless(
                d.size() >= Envelopes.SHORTEST && d.number(30, 2) == d.size(),
                "DG-K.7-2",
                "an envelope of %d bytes that states %d".formatted(d.size(), d.number(30, 2)));
        long algorithm = d.number(Envelopes.ALGORITHM, 1);
        boolean assigned = algorithm == Envelopes.HMAC_SHA_256_128 || algorithm == Envelopes.AES_128_GCM;
        unless(assigned, "DG-K.7-3", "Algorithm " + algorithm + " is not assigned");
        unless(d.number(40, 8) > 0, "DG-K.7-7", "number " + d.number(40, 8));
    }

    private void unless(boolean good, String id, String what) {
        if (!good) {
            broken.accept(id, what);
        }
    }

    /** §4.2. */
    private void flags(Kind kind) {
        int allowed =
                switch (kind) {
                    case DATA ->
                        d.has(Datagram.D)
                                ? Datagram.D | Datagram.A | Datagram.R
                                : d.has(Datagram.G) ? Datagram.G : d.has(Datagram.R) ? Datagram.R : Datagram.C;
                    case RESOLVE, RD_OPEN -> Datagram.C;
                    case PATH_PROBE -> d.has(Datagram.D) ? Datagram.D : d.has(Datagram.R) ? Datagram.R : Datagram.C;
                    case PATH_REPLY -> Datagram.R | Datagram.D;
                    default -> Datagram.R;
                };
        if (kind == Kind.DATA) {
            allowed |= Datagram.P;
        }
        unless((d.flags() & ~allowed) == 0, "DG-5.1-4", "flags 0x%02X are not all for this Kind".formatted(d.flags()));
        boolean question = kind == Kind.DATA || kind == Kind.RESOLVE || kind == Kind.RD_OPEN || kind == Kind.PATH_PROBE;
        unless(question || d.has(Datagram.R), "DG-5.1-4", "flag R is not set in a reply");
        if (kind != Kind.DATA && kind != Kind.NOTIFY) {
            zero(20, 4);
        }
    }

    /** §5.4. */
    private void sourceQpn(Kind kind) {
        int qpn = d.from();
        boolean ordinary = qpn >= FIRST_QPN && qpn < Datagram.GROUP;
        boolean legal =
                switch (kind) {
                    case DATA -> ordinary || (qpn == 0 && d.has(Datagram.R) && !d.has(Datagram.D));
                    case NOTIFY -> ordinary || qpn == 0;
                    case PATH_PROBE -> ordinary || (qpn == 0 && d.has(Datagram.R));
                    case PATH_REPLY -> ordinary || (qpn == 0 && !d.has(Datagram.D));
                    case RESOLVE, RESOLVED -> qpn == 1;
                    case CHALLENGE, VERSION_LIST -> ordinary || qpn <= 1;
                    default -> ordinary;
                };
        unless(legal, "DG-5.4-1", "the Source QPN 0x%X is not legal for this Kind".formatted(qpn));
        if (d.has(Datagram.G)) {
            unless(d.to() == Datagram.GROUP, "DG-5.1-6", "flag G, but the Destination QPN is not that of a group");
        }
    }

    /** §4.4, Kinds other than DATA. */
    private void body(Kind kind) {
        int b = d.body();
        switch (kind) {
            case NOTIFY -> {
                exact(4, "DG-4.4-1");
                unless(d.number(26, 2) == 0, "DG-4.4-1", "bytes 26-27 are not zero");
            }
            case CHALLENGE -> exact(16, "DG-4.4-2");
            case RESOLVE -> {
                int length = (int) d.number(b + 12, 2);
                size(RESOLVE_LENGTH, 16 + length, "DG-R.2-1");
                unless(length <= MOST_PRIVATE, "DG-5.1-5", "more than 216 bytes of private data");
                int wanted = (int) d.number(b + 8, 1);
                unless(wanted >= 1 && wanted <= 3, "DG-5.1-5", "types wanted are " + wanted);
                zero(b + 9, 1);
                zero(b + 14, 2);
                unless((d.number(b + 10, 2) & 2) != 0, "DG-R.2-1", "its versions do not include version 1");
                zeros(b + 16 + length, "DG-R.2-1");
            }
            case RESOLVED -> resolved();
            case RD_OPEN, RD_ACCEPT -> {
                exact(32, "DG-5.1-5");
                unless(d.number(b, 4) != 0, "DG-4.4-5", "the tag is 0");
                unless(d.number(b + 12, 2) != 0, "DG-4.4-5", "the window is 0");
                zero(b + 14, 2);
            }
            case RD_ACK -> ack();
            case RD_RESET -> {
                exact(8, "DG-5.1-5");
                long reason = d.number(25, 1);
                unless(d.number(24, 1) <= 1 && reason >= 1 && reason <= 4, "DG-5.1-5", "reason " + reason);
                zero(26, 2);
                zero(30, 2);
                unless(reason == 2 || d.number(28, 2) == 0, "DG-4.2-1", "a Terminate Control with reason " + reason);
            }
            case PATH_PROBE -> {
                exact((int) d.length(), "DG-5.1-5");
                unless(d.length() >= 32, "DG-5.1-1", "it is shorter than its answer");
                zero(b + 14, 2);
                zeros(b + 16, "DG-4.4-10");
            }
            case PATH_REPLY -> {
                exact(32, "DG-5.1-5");
                zero(54, 2);
            }
            case VERSION_LIST -> unless(d.size() == 28, "DG-5.1-5", "it has " + d.size() + " bytes, not 28");
            case DATA, SEALED, UNKNOWN -> {}
        }
    }

    private void ack() {
        int words = (int) d.number(31, 1);
        exact(32 + 8 * words, "DG-5.1-5");
        unless(words <= 128, "DG-5.1-5", words + " SACK words");
        unless(d.number(32, 2) + words <= 1024, "DG-5.1-5", "a SACK word for PSNs beyond any window");
        unless(d.number(28, 2) > 0, "DG-5.1-5", "the window is 0");
        unless((d.number(30, 1) & ~3) == 0, "DG-4.2-1", "flags of RD-ACK are not zero");
        boolean marks = d.number(40, 4) != 0 || d.number(44, 4) != 0;
        unless(!marks || (d.number(30, 1) & 2) != 0, "DG-5.1-5", "ECN marks without the flag that makes them valid");
    }

    /** Checks that nothing follows a body of so many bytes, and that the datagram states that length. */
    private void exact(int body, String id) {
        size(d.body() + body + Datagram.CRC, body, id);
    }

    private void size(int size, int messageLength, String id) {
        unless(d.size() == size, id, "it has " + d.size() + " bytes, not " + size);
        unless(d.length() == messageLength, "DG-5.1-5", "Message Length is " + d.length() + ", not " + messageLength);
    }

    /** Checks that a field which has to be zero is zero. */
    private void zero(int at, int count) {
        unless(d.number(at, count) == 0, "DG-4.2-1", "bytes %d-%d are not zero".formatted(at, at + count - 1));
    }

    private void resolved() {
        int length = (int) d.number(48, 2);
        exact(28 + length, "DG-R.2-2");
        long status = d.number(24, 1);
        unless(status <= 5 && length <= MOST_PRIVATE, "DG-5.1-5", "status " + status + ", private data " + length);
        zero(50, 2);
        if (status == 0) {
            long qpn = d.number(28, 4);
            long type = d.number(25, 1);
            unless(
                    (type == 1 || type == 2) && qpn >= FIRST_QPN && qpn < Datagram.GROUP,
                    "DG-5.1-5",
                    "type or QPN are not legal");
        } else {
            boolean zero = d.number(25, 1) == 0 && zeros(28, 48);
            unless(zero, "DG-R.2-2", "bytes 25 and 28-47 are not zero");
        }
    }

    /** §5.2, checks 11-14. */
    private void data() {
        if (d.has(Datagram.D)) {
            unless(d.number(32, 2) > 0, "DG-5.1-5", "the window is 0");
            zero(34, 2);
        }
        Segment segment = d.ddp();
        if (segment == null) {
            broken.accept("DG-5.1-1", "it is too short for its DDP header");
            return;
        }
        unless(segment.ddpVersion() == 1, "DG-5.2-1", "DV is " + segment.ddpVersion());
        unless(segment.rdmapVersion() == 1, "DG-5.2-1", "RV is " + segment.rdmapVersion());
        if (segment.ddpReserved() != 0 || segment.rdmapReserved() != 0 || segment.invalidate() != 0) {
            broken.accept("DG-4.2-1", "reserved bits of DDP or RDMAP are not zero");
        }
        if (!opcode(segment)) {
            return;
        }
        if (!segment.tagged()) {
            int queue = segment.opcodeNumber() == Opcode.READ_REQUEST.number() ? 1 : 0;
            unless(segment.queue() == queue, "DG-5.2-3", "QN is " + segment.queue() + ", not " + queue);
            long mo = (long) d.index() * d.segmentSize();
            unless(segment.msn() == d.id(), "DG-5.2-3", "MSN is not the Message Id");
            unless(segment.mo() == mo, "DG-5.2-3", "MO is " + segment.mo() + ", not " + mo);
        }
        shape(segment);
    }

    /** §4.6. */
    private boolean opcode(Segment segment) {
        int opcode = segment.opcodeNumber();
        boolean known = opcode <= 3 || opcode == 5 || opcode == Message.WRITE_RECORD;
        if (!known || (opcode == Message.WRITE && !d.has(Datagram.D))) {
            broken.accept("DG-4.6-1", "opcode " + opcode + " does not exist in " + (known ? "UD" : "datagrams"));
            return false;
        }
        boolean tagged = opcode == 0 || opcode == 2 || opcode == Message.WRITE_RECORD;
        unless(tagged == segment.tagged(), "DG-5.2-3", "T does not fit opcode " + opcode);
        unless(d.has(Datagram.R) == (opcode == 2), "DG-4.2-8", "flag R does not fit opcode " + opcode);
        return tagged == segment.tagged();
    }

    /** §4.5, rules 1-6. */
    private void shape(Segment segment) {
        long length = d.length();
        long size = d.segmentSize();
        long index = d.index();
        long count = length == 0 ? 1 : size == 0 ? 0 : (length + size - 1) / size;
        if (index >= count) {
            broken.accept("DG-4.5-1", "segment " + index + " of " + count);
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
            boolean padded = d.has(Datagram.P);
            unless(
                    size == length || (padded && size > length),
                    "DG-4.5-1",
                    "Segment Size " + size + " for a message of " + length);
        }
        unless(!d.has(Datagram.P) || last, "DG-4.5-1", "flag P before the last segment");
        long payload = Math.min(size, length - index * size);
        long room = segment.payload().length + (long) d.pad();
        long wanted = last && !d.has(Datagram.P) ? payload : size;
        unless(room == wanted, "DG-4.5-5", room + " bytes after the DDP header, not " + wanted);
        zeros(d.size() - Datagram.CRC - d.pad(), "DG-4.5-1");
    }

    /** Checks that all bytes from there on are zero. */
    private void zeros(int from, String id) {
        unless(zeros(from, d.size()), id, "the pad is not zero");
    }

    private boolean zeros(int from, int to) {
        byte[] bytes = d.slice(from, to);
        return Arrays.equals(bytes, new byte[bytes.length]);
    }
}
