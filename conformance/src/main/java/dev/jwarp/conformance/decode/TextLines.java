package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.Envelopes;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.TerminateFields;
import dev.jwarp.conformance.wire.WireFields;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Items as lines of text. */
public final class TextLines {
    private static final int HEX_ROW = 16;
    private static final long SECOND = 1_000_000_000L;

    private final boolean verbose;
    private final boolean hex;
    private long firstNanos = -1;

    /**
     * Creates a writer.
     *
     * @param verbose whether to show every field on a line of its own
     * @param hex whether to show the bytes
     */
    public TextLines(boolean verbose, boolean hex) {
        this.verbose = verbose;
        this.hex = hex;
    }

    /** The lines of an item: a summary, the requested details, and a line for each breach. */
    public List<String> lines(Item item) {
        List<String> lines = new ArrayList<>();
        CapturePlace place = item.place();
        if (firstNanos < 0) {
            firstNanos = place.nanos();
        }
        lines.add(String.format(
                Locale.ROOT,
                "%6d %11.6f %s%-3d %s  %s",
                place.frame(),
                (place.nanos() - firstNanos) / (double) SECOND,
                place.tcp() ? "t" : "u",
                place.stream(),
                direction(place.fromInitiator()),
                sentence(item)));
        for (Finding finding : item.findings()) {
            lines.add("       ! " + finding.id() + ": " + finding.what());
        }
        if (verbose) {
            for (WireFields.Field field : Fields.of(item)) {
                lines.add("       %5d %-24s %s".formatted(field.at(), field.name(), field.value()));
            }
        }
        if (hex) {
            dump(item.octets(), lines);
        }
        return lines;
    }

    /** The sender of an item, in the form of a line. */
    public static String direction(boolean fromInitiator) {
        return fromInitiator ? "i>r" : "r>i";
    }

    private static void dump(byte[] octets, List<String> lines) {
        HexFormat format = HexFormat.ofDelimiter(" ");
        for (int at = 0; at < octets.length; at += HEX_ROW) {
            int end = Math.min(octets.length, at + HEX_ROW);
            StringBuilder text = new StringBuilder();
            for (int i = at; i < end; i++) {
                text.append(octets[i] >= ' ' && octets[i] <= '~' ? (char) octets[i] : '.');
            }
            lines.add("       %04x  %-47s  %s".formatted(at, format.formatHex(octets, at, end), text));
        }
    }

    private static String sentence(Item item) {
        if (item instanceof Item.Start start) {
            return start(start);
        } else if (item instanceof Item.Framed framed) {
            return framed(framed);
        } else if (item instanceof Item.Datagram datagram) {
            return datagram(datagram);
        } else if (item instanceof Item.Message message) {
            return message(message);
        }
        return "-- " + ((Item.Note) item).text();
    }

    private static String start(Item.Start item) {
        StartFrame frame = item.frame();
        Depths depths = frame.depths();
        String line = "MPA " + (item.request() ? "Request" : "Reply") + " rev " + frame.revision()
                + (frame.has(StartFrame.MARKERS) ? ", Markers" : ", no Markers")
                + (frame.has(StartFrame.CRC) ? ", CRC" : ", no CRC")
                + (frame.has(StartFrame.REJECT) ? ", rejected" : "");
        if (depths != null) {
            line += ", IRD " + depths.ird() + ", ORD " + depths.ord();
            if (depths.peerToPeer()) {
                line += ", peer-to-peer" + ((depths.rtr() & Depths.SEND) != 0 ? " Send" : "")
                        + ((depths.rtr() & Depths.WRITE) != 0 ? " Write" : "")
                        + ((depths.rtr() & Depths.READ) != 0 ? " Read" : "");
            }
        }
        return line + ", " + frame.ulpData().length + " bytes of private data";
    }

    private static String framed(Item.Framed item) {
        Segment segment = item.segment();
        String line = segment == null ? WireFields.line(item.fpdu().ulpdu()) : segment(segment, item);
        int markers = item.fpdu().markers().size();
        return line + (markers > 0 ? ", " + markers + (markers == 1 ? " Marker" : " Markers") : "") + ", crc "
                + item.crc().word();
    }

    private static String segment(Segment segment, Item.Framed item) {
        TerminateFields cause = item.terminated();
        if (cause != null) {
            return cause.toString();
        }
        if (item.crc() != Crc.CUT) {
            return WireFields.line(segment.bytes()) + details(segment);
        }
        // Missing bytes read as zeros: the header cannot be shown.
        return segment.is(Opcode.TERMINATE) ? name(segment) : WireFields.line(segment.bytes());
    }

    /** The fields of RDMAP's own header. */
    private static String details(Segment segment) {
        byte[] payload = segment.payload();
        if (segment.is(Opcode.READ_REQUEST) && payload.length >= 28) {
            return ": %d bytes from STag 0x%08X TO 0x%X to STag 0x%08X TO 0x%X"
                    .formatted(
                            segment.number(12, 4),
                            segment.number(16, 4),
                            segment.number(20, 8),
                            segment.number(0, 4),
                            segment.number(4, 8));
        } else if (segment.is(Opcode.ATOMIC_REQUEST) && payload.length >= 52) {
            return ": AOpCode %d, identifier 0x%X, STag 0x%08X TO 0x%X"
                    .formatted(
                            segment.number(3, 1) & 0xF,
                            segment.number(4, 4),
                            segment.number(8, 4),
                            segment.number(12, 8));
        } else if (segment.is(Opcode.ATOMIC_RESPONSE) && payload.length >= 12) {
            return ": identifier 0x%X, value 0x%X".formatted(segment.number(0, 4), segment.number(4, 8));
        }
        Opcode opcode = segment.opcode();
        return opcode != null && opcode.invalidates() && !segment.tagged()
                ? ", invalidates STag 0x%08X".formatted(segment.invalidate())
                : "";
    }

    private static String message(Item.Message item) {
        Segment first = item.first();
        String line = item.terminated() != null
                ? item.terminated().toString()
                : first.tagged()
                        ? "%s STag 0x%08X TO 0x%X, %d bytes"
                                .formatted(name(first), first.stag(), first.to(), item.length())
                        : "%s QN %d MSN %d, %d bytes%s"
                                .formatted(
                                        name(first),
                                        first.queue(),
                                        first.msn(),
                                        item.length(),
                                        item.crc() == Crc.CUT ? "" : details(first));
        return line + " in " + item.segments() + (item.segments() == 1 ? " segment" : " segments")
                + (item.whole() ? "" : ", not all of it seen") + ", from frame "
                + item.place().firstFrame() + ", crc " + item.crc().word();
    }

    /** The name of the message in the RFC. */
    public static String name(Segment segment) {
        Opcode opcode = segment.opcode();
        return opcode == null ? "opcode " + segment.opcodeNumber() : opcode.words();
    }

    private static String datagram(Item.Datagram item) {
        Datagram d = item.fields();
        Kind kind = d.kind();
        String name =
                !d.known() ? "datagram of version " + d.version() + ", Kind " + (d.get(0, 1) & 0xF) : kind.words();
        StringBuilder line =
                new StringBuilder(name).append(" QPN 0x%X > 0x%X, id 0x%X".formatted(d.from(), d.to(), d.id()));
        if (d.flags() != 0) {
            line.append(", flags ").append(d.flagLetters());
        }
        Segment segment = d.ddp();
        if (segment != null) {
            line.append(": ").append(datagramSegment(segment));
            if (item.crc() != Crc.CUT) {
                line.append(details(segment));
            }
            line.append(", segment %d of a message of %d".formatted(d.index(), d.length()));
        } else if (d.known() && item.crc() != Crc.CUT) {
            line.append(body(d, kind));
            if (d.isEnvelope()) {
                line.append(", ").append(within(item.within()));
            }
        }
        if (d.extension() == 12) {
            line.append(", PSN ").append(d.number(24, 4)).append(" Ack ").append(d.number(28, 4));
        }
        return line.append(", crc ").append(item.crc().word()).toString();
    }

    /** Datagrams have one more opcode than connections: docs/datagram-iwarp.md §4.6. */
    private static String datagramSegment(Segment segment) {
        String line = WireFields.line(segment.bytes());
        return segment.opcodeNumber() == 15 ? line.replaceFirst("opcode 15", "WRITE_RECORD") : line;
    }

    private static String within(@Nullable Datagram within) {
        if (within == null) {
            return "encrypted";
        }
        if (Envelopes.isGreeting(within.bytes())) {
            return "greeting";
        }
        if (!within.known()) {
            return "unknown content";
        }
        Segment segment = within.ddp();
        return within.kind().words()
                + (segment == null ? body(within, within.kind()) : ": " + datagramSegment(segment));
    }

    private static String body(Datagram d, Kind kind) {
        int b = d.body();
        return switch (kind) {
            case NOTIFY -> ": " + TerminateFields.words((int) d.number(24, 2));
            case RESOLVE -> ": service 0x%X".formatted(d.number(b, 8));
            case RESOLVED -> ": status %d, QPN 0x%X".formatted(d.number(24, 1), d.number(28, 4));
            case RD_OPEN ->
                ": tag 0x%08X, first PSN %d, window %d"
                        .formatted(d.number(b, 4), d.number(b + 4, 4), d.number(b + 12, 2));
            case RD_ACCEPT ->
                ": tag 0x%08X, first PSN %d, Ack %d, window %d"
                        .formatted(d.number(24, 4), d.number(28, 4), d.number(32, 4), d.number(36, 2));
            case RD_RESET -> ": reason " + d.number(25, 1);
            case RD_ACK ->
                ": Ack %d, window %d, %d SACK words from %d"
                        .formatted(d.number(24, 4), d.number(28, 2), d.number(31, 1), d.number(32, 2));
            case PATH_PROBE -> ": features 0x%X, %d bytes".formatted(d.number(b, 4), d.size());
            case PATH_REPLY -> ": features 0x%X, %d bytes came".formatted(d.number(24, 4), d.number(36, 2));
            case SEALED -> ": key %d, number %d".formatted(d.number(24, 4), d.number(40, 8));
            case VERSION_LIST -> ": versions 0x%X".formatted(d.number(16, 4));
            case CHALLENGE, DATA, UNKNOWN -> "";
        };
    }
}
