package dev.jwarp.conformance.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Names the fields of octets, for reports and for {@code jwarp decode -v}. */
public final class Described {
    /**
     * One field.
     *
     * @param at its first octet, from the start of what is described
     * @param length octets
     * @param name as in the RFC
     * @param value as a person reads it
     */
    public record Field(int at, int length, String name, String value) {}

    private final List<Field> fields = new ArrayList<>();

    private Described() {}

    /** The fields of an MPA Request or Reply. */
    public static List<Field> startFrame(byte[] octets) {
        Described d = new Described();
        StartFrame frame = StartFrame.parse(octets);
        d.add(0, 16, "Key", '"' + frame.key().replaceAll("[^ -~]", ".") + '"');
        d.add(
                16,
                1,
                "M C R S Res",
                "%d %d %d %d 0x%X"
                        .formatted(
                                bit(frame.has(StartFrame.MARKERS)),
                                bit(frame.has(StartFrame.CRC)),
                                bit(frame.has(StartFrame.REJECT)),
                                bit(frame.has(StartFrame.ENHANCED)),
                                frame.flags() & 0xF));
        d.add(17, 1, "Rev", String.valueOf(frame.revision()));
        d.add(18, 2, "PD_Length", String.valueOf(StartFrame.declaredLength(octets)));
        int at = StartFrame.HEADER;
        Depths depths = frame.depths();
        if (depths != null) {
            d.add(
                    at,
                    2,
                    "A B IRD",
                    "%d %d %d"
                            .formatted(bit(depths.peerToPeer()), bit((depths.rtr() & Depths.SEND) != 0), depths.ird()));
            d.add(
                    at + 2,
                    2,
                    "C D ORD",
                    "%d %d %d"
                            .formatted(
                                    bit((depths.rtr() & Depths.WRITE) != 0),
                                    bit((depths.rtr() & Depths.READ) != 0),
                                    depths.ord()));
            at += Depths.SIZE;
        }
        if (octets.length > at) {
            d.add(at, octets.length - at, "Private Data", (octets.length - at) + " bytes");
        }
        return d.fields;
    }

    /** The fields of a ULPDU. */
    public static List<Field> ulpdu(byte[] octets) {
        Described d = new Described();
        if (!Segment.whole(octets)) {
            d.add(0, octets.length, "ULPDU", "shorter than its DDP header");
            return d.fields;
        }
        Segment s = Segment.parse(octets);
        d.add(
                0,
                1,
                "T L Rsvd DV",
                "%d %d %d %d".formatted(bit(s.tagged()), bit(s.last()), s.ddpReserved(), s.ddpVersion()));
        Opcode opcode = s.opcode();
        d.add(
                1,
                1,
                "RV Rsv Opcode",
                "%d %d %s"
                        .formatted(
                                s.rdmapVersion(),
                                s.rdmapReserved(),
                                opcode == null ? String.valueOf(s.opcodeNumber()) : opcode.words()));
        int at;
        if (s.tagged()) {
            d.add(2, 4, "STag", "0x%08X".formatted(s.stag()));
            d.add(6, 8, "TO", "0x%X".formatted(s.to()));
            at = Segment.TAGGED;
        } else {
            d.add(2, 4, "Invalidate STag", "0x%08X".formatted(s.invalidate()));
            d.add(6, 4, "QN", String.valueOf(s.queue()));
            d.add(10, 4, "MSN", String.valueOf(s.msn()));
            d.add(14, 4, "MO", String.valueOf(s.mo()));
            at = Segment.UNTAGGED;
        }
        if (opcode != null && !s.tagged()) {
            at = d.rdmap(opcode, octets, at);
        }
        if (octets.length > at) {
            d.add(at, octets.length - at, "payload", (octets.length - at) + " bytes");
        }
        return d.fields;
    }

    private int rdmap(Opcode opcode, byte[] octets, int at) {
        if (octets.length < at + opcode.header()) {
            return at;
        }
        switch (opcode) {
            case READ_REQUEST -> {
                number(octets, at, 4, "Data Sink STag");
                number(octets, at + 4, 8, "Data Sink TO");
                add(at + 12, 4, "RDMA Read Message Size", String.valueOf(Octets.number(octets, at + 12, 4)));
                number(octets, at + 16, 4, "Data Source STag");
                number(octets, at + 20, 8, "Data Source TO");
            }
            case ATOMIC_REQUEST -> {
                number(octets, at, 4, "AOpCode");
                number(octets, at + 4, 4, "Request Identifier");
                number(octets, at + 8, 4, "Remote STag");
                number(octets, at + 12, 8, "Remote TO");
                number(octets, at + 20, 8, "Add or Swap Data");
                number(octets, at + 28, 8, "Add or Swap Mask");
                number(octets, at + 36, 8, "Compare Data");
                number(octets, at + 44, 8, "Compare Mask");
            }
            case ATOMIC_RESPONSE -> {
                number(octets, at, 4, "Original Request Identifier");
                number(octets, at + 4, 8, "Original Remote Data Value");
            }
            case IMMEDIATE, IMMEDIATE_SE -> number(octets, at, 8, "Immediate Data");
            case TERMINATE -> {
                return terminate(octets, at);
            }
            default -> {
                return at;
            }
        }
        return at + opcode.header();
    }

    private int terminate(byte[] octets, int at) {
        Terminated t = Terminated.parse(Arrays.copyOfRange(octets, at, octets.length));
        if (t == null) {
            return at;
        }
        add(at, 4, "Terminate Control", String.valueOf(t));
        int next = at + 4;
        if (t.segmentLength() >= 0) {
            add(next, 2, "DDP Segment Length", String.valueOf(t.segmentLength()));
            next += 2;
        }
        byte[] ddp = t.ddpHeader();
        if (ddp != null) {
            add(next, ddp.length, "Terminated DDP Header", Octets.hex(ddp) + ": " + line(ddp));
            next += ddp.length;
        }
        byte[] rdmap = t.rdmapHeader();
        if (rdmap != null) {
            add(next, rdmap.length, "Terminated RDMA Header", Octets.hex(rdmap));
            next += rdmap.length;
        }
        return next;
    }

    private void number(byte[] octets, int at, int length, String name) {
        add(at, length, name, "0x%X".formatted(Octets.number(octets, at, length)));
    }

    private void add(int at, int length, String name, String value) {
        fields.add(new Field(at, length, name, value));
    }

    private static int bit(boolean value) {
        return value ? 1 : 0;
    }

    /** One line that sums up a segment, such as {@code Send MSN 1 MO 0 last, 16 octets}. */
    public static String line(byte[] ulpdu) {
        if (!Segment.whole(ulpdu)) {
            return "ULPDU of " + ulpdu.length + " bytes, shorter than its DDP header";
        }
        Segment s = Segment.parse(ulpdu);
        Opcode opcode = s.opcode();
        String name = opcode == null ? "opcode " + s.opcodeNumber() : opcode.words();
        String last = s.last() ? " last" : "";
        String odd = (s.ddpVersion() == 1 ? "" : ", DDP version " + s.ddpVersion())
                + (s.rdmapVersion() == 1 ? "" : ", RDMAP version " + s.rdmapVersion());
        if (opcode == Opcode.TERMINATE && !s.tagged()) {
            Terminated terminated = Terminated.parse(s.payload());
            return terminated == null ? "Terminate without a control field" : terminated + odd;
        }
        return s.tagged()
                ? "%s STag 0x%08X TO 0x%X%s, %d bytes%s"
                        .formatted(name, s.stag(), s.to(), last, s.payload().length, odd)
                : "%s QN %d MSN %d MO %d%s, %d bytes%s"
                        .formatted(name, s.queue(), s.msn(), s.mo(), last, s.payload().length, odd);
    }
}
