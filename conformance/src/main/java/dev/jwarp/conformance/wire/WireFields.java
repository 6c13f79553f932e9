package dev.jwarp.conformance.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Names the fields of frames and segments, for reports and for {@code jwarp decode -v}. */
public final class WireFields {
    /**
     * One field.
     *
     * @param at offset of its first byte in the described bytes
     * @param length bytes
     * @param name as in the RFC
     * @param value the value in the form for people
     */
    public record Field(int at, int length, String name, String value) {}

    private final List<Field> fields = new ArrayList<>();

    private WireFields() {}

    /** The fields of an MPA Request or Reply. */
    public static List<Field> startFrame(byte[] octets) {
        WireFields d = new WireFields();
        StartFrame frame = StartFrame.parse(octets);
        d.add(0, 16, "Key", '"' + frame.key().replaceAll("[^ -~]", ".") + '"');
        String flags = row(
                frame.has(StartFrame.MARKERS),
                frame.has(StartFrame.CRC),
                frame.has(StartFrame.REJECT),
                frame.has(StartFrame.ENHANCED));
        d.add(16, 1, "M C R S Res", "%s 0x%X".formatted(flags, frame.flags() & 0xF));
        d.add(17, 1, "Rev", frame.revision());
        d.add(18, 2, "PD_Length", StartFrame.declaredLength(octets));
        int at = StartFrame.HEADER;
        Depths depths = frame.depths();
        if (depths != null) {
            int rtr = depths.rtr();
            d.add(at, 2, "A B IRD", row(depths.peerToPeer(), (rtr & Depths.SEND) != 0, depths.ird()));
            d.add(at + 2, 2, "C D ORD", row((rtr & Depths.WRITE) != 0, (rtr & Depths.READ) != 0, depths.ord()));
            at += Depths.SIZE;
        }
        if (octets.length > at) {
            d.add(at, octets.length - at, "Private Data", (octets.length - at) + " bytes");
        }
        return d.fields;
    }

    /** The fields of a ULPDU. */
    public static List<Field> ulpdu(byte[] octets) {
        WireFields d = new WireFields();
        if (!Segment.whole(octets)) {
            d.add(0, octets.length, "ULPDU", "shorter than its DDP header");
            return d.fields;
        }
        Segment s = Segment.parse(octets);
        d.add(0, 1, "T L Rsvd DV", row(s.tagged(), s.last(), s.ddpReserved(), s.ddpVersion()));
        Opcode opcode = s.opcode();
        Object name = opcode == null ? s.opcodeNumber() : opcode.words();
        d.add(1, 1, "RV Rsv Opcode", row(s.rdmapVersion(), s.rdmapReserved(), name));
        int at;
        if (s.tagged()) {
            d.add(2, 4, "STag", "0x%08X".formatted(s.stag()));
            d.add(6, 8, "TO", "0x%X".formatted(s.to()));
            at = Segment.TAGGED;
        } else {
            d.add(2, 4, "Invalidate STag", "0x%08X".formatted(s.invalidate()));
            d.add(6, 4, "QN", s.queue());
            d.add(10, 4, "MSN", s.msn());
            d.add(14, 4, "MO", s.mo());
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
        if (opcode == Opcode.TERMINATE) {
            return terminate(octets, at);
        }
        String layout =
                switch (opcode) {
                    case READ_REQUEST ->
                        "x4 Data Sink STag, x8 Data Sink TO, 4 RDMA Read Message Size, x4 Data Source STag, x8 Data"
                                + " Source TO";
                    case ATOMIC_REQUEST ->
                        "x4 AOpCode, x4 Request Identifier, x4 Remote STag, x8 Remote TO, x8 Add or Swap Data,"
                                + " x8 Add or Swap Mask, x8 Compare Data, x8 Compare Mask";
                    case ATOMIC_RESPONSE -> "x4 Original Request Identifier, x8 Original Remote Data Value";
                    case IMMEDIATE, IMMEDIATE_SE -> "x8 Immediate Data";
                    default -> "";
                };
        if (layout.isEmpty()) {
            return at;
        }
        fields.addAll(layout(octets, at, octets.length, layout));
        return at + opcode.header();
    }

    /**
     * Appends consecutive fields.
     *
     * @param from offset of the first field
     * @param end fields that reach beyond this offset are left out
     * @param layout size and name of each field, separated by commas; an x before the size: the value is shown in hex;
     *     a dash in place of
     *     the name: the field is not shown
     */
    public static List<Field> layout(byte[] octets, int from, int end, String layout) {
        WireFields d = new WireFields();
        int at = from;
        for (String field : layout.split(", ", -1)) {
            boolean hex = field.startsWith("x");
            int length = field.charAt(hex ? 1 : 0) - '0';
            String name = field.substring(field.indexOf(' ') + 1);
            if (!name.equals("-") && at + length <= end) {
                long value = Octets.number(octets, at, length);
                d.add(at, length, name, hex ? "0x%X".formatted(value) : value);
            }
            at += length;
        }
        return d.fields;
    }

    private int terminate(byte[] octets, int at) {
        TerminateFields t = TerminateFields.parse(Arrays.copyOfRange(octets, at, octets.length));
        if (t == null) {
            return at;
        }
        add(at, 4, "Terminate Control", t);
        int next = at + 4;
        if (t.segmentLength() >= 0) {
            add(next, 2, "DDP Segment Length", t.segmentLength());
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

    private void add(int at, int length, String name, Object value) {
        fields.add(new Field(at, length, name, value.toString()));
    }

    /** The values, separated by blanks; 1 or 0 for a bit. */
    private static String row(Object... values) {
        return Arrays.stream(values)
                .map(v -> v instanceof Boolean bit ? bit ? "1" : "0" : v.toString())
                .collect(Collectors.joining(" "));
    }

    /** One line that sums up a segment, such as {@code Send MSN 1 MO 0 last, 16 bytes}. */
    public static String line(byte[] ulpdu) {
        if (!Segment.whole(ulpdu)) {
            return "ULPDU of " + ulpdu.length + " bytes, shorter than its DDP header";
        }
        Segment s = Segment.parse(ulpdu);
        Opcode opcode = s.opcode();
        String name = opcode == null ? "opcode " + s.opcodeNumber() : opcode.words();
        String last = s.last() ? " last" : "";
        String odd = (s.ddpVersion() == 1 ? "" : ", DDP version " + s.ddpVersion())
                + (s.rdmapVersion() == 1 ? "" : ", RDMAP version " + s.rdmapVersion())
                + (s.ddpReserved() == 0 ? "" : ", DDP reserved bits %X".formatted(s.ddpReserved()))
                + (s.rdmapReserved() == 0 ? "" : ", RDMAP reserved bits %X".formatted(s.rdmapReserved()));
        if (opcode == Opcode.TERMINATE && !s.tagged()) {
            TerminateFields terminated = TerminateFields.parse(s.payload());
            return terminated == null ? "Terminate without a control field" : terminated + odd;
        }
        return s.tagged()
                ? "%s STag 0x%08X TO 0x%X%s, %d bytes%s"
                        .formatted(name, s.stag(), s.to(), last, s.payload().length, odd)
                : "%s QN %d MSN %d MO %d%s, %d bytes%s"
                        .formatted(name, s.queue(), s.msn(), s.mo(), last, s.payload().length, odd);
    }
}
