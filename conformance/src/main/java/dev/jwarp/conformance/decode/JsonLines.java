package dev.jwarp.conformance.decode;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.TerminateFields;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** Items as JSON, one object a line. docs/conformance/decode.md and decode.schema.json describe the objects. */
public final class JsonLines {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String[] OF_SEGMENTS = {"opcode", "stag", "to", "qn", "msn", "mo", "length", "last", "crc"};

    private final boolean hex;

    /**
     * Creates a writer.
     *
     * @param hex whether to add the bytes of each item
     */
    public JsonLines(boolean hex) {
        this.hex = hex;
    }

    /** The object of an item. */
    public ObjectNode object(Item item) {
        CapturePlace place = item.place();
        ObjectNode line = NODES.objectNode();
        line.put("type", "note");
        line.put("frame", place.frame());
        line.put("first_frame", place.firstFrame());
        line.put("time_ns", place.nanos());
        line.put("transport", place.tcp() ? "tcp" : "udp");
        line.put("stream", place.stream());
        line.put("direction", TextLines.direction(place.fromInitiator()));
        line.put("source", place.source().toString());
        line.put("target", place.target().toString());
        for (String name : OF_SEGMENTS) {
            line.putNull(name);
        }
        if (item instanceof Item.Start start) {
            start(start, line);
        } else if (item instanceof Item.Framed framed) {
            framed(framed, line);
        } else if (item instanceof Item.Datagram datagram) {
            datagram(datagram, line);
        } else if (item instanceof Item.Message message) {
            message(message, line);
        } else {
            line.put("text", ((Item.Note) item).text());
        }
        if (hex && item.octets().length > 0) {
            line.put("octets", Octets.hex(item.octets()));
        }
        ArrayNode findings = line.putArray("violations");
        for (Finding finding : item.findings()) {
            findings.addObject().put("id", finding.id()).put("what", finding.what());
        }
        return line;
    }

    private static void start(Item.Start item, ObjectNode line) {
        StartFrame frame = item.frame();
        line.put("type", item.request() ? "request" : "reply");
        line.put("revision", frame.revision());
        line.put("markers", frame.has(StartFrame.MARKERS));
        line.put("crc_wanted", frame.has(StartFrame.CRC));
        line.put("rejected", frame.has(StartFrame.REJECT));
        line.put("private_data", Octets.hex(frame.ulpData()));
        Depths depths = frame.depths();
        if (depths == null) {
            line.putNull("enhanced");
        } else {
            line.putObject("enhanced")
                    .put("ird", depths.ird())
                    .put("ord", depths.ord())
                    .put("peer_to_peer", depths.peerToPeer())
                    .put("send", (depths.rtr() & Depths.SEND) != 0)
                    .put("write", (depths.rtr() & Depths.WRITE) != 0)
                    .put("read", (depths.rtr() & Depths.READ) != 0);
        }
    }

    private static void framed(Item.Framed item, ObjectNode line) {
        line.put("type", "fpdu");
        line.put("crc", item.crc().word());
        line.put("ulpdu_length", item.fpdu().ulpdu().length);
        line.put("markers", item.fpdu().markers().size());
        Segment segment = item.segment();
        if (segment != null) {
            segment(segment, item.terminated(), item.crc() != Crc.CUT, line);
            line.put("length", segment.payload().length);
            line.put("last", segment.last());
        }
    }

    private static void message(Item.Message item, ObjectNode line) {
        line.put("type", "message");
        segment(item.first(), item.terminated(), item.crc() != Crc.CUT, line);
        line.put("crc", item.crc().word());
        line.put("length", item.length());
        line.put("last", item.whole());
        line.put("segments", item.segments());
    }

    private static void segment(Segment segment, @Nullable TerminateFields cause, boolean all, ObjectNode line) {
        line.put("opcode", TextLines.name(segment));
        line.put("opcode_number", segment.opcodeNumber());
        line.put("tagged", segment.tagged());
        line.put("ddp_version", segment.ddpVersion());
        line.put("rdmap_version", segment.rdmapVersion());
        if (segment.tagged()) {
            line.put("stag", segment.stag());
            line.put("to", unsigned(segment.to()));
        } else {
            line.put("qn", segment.queue());
            line.put("msn", segment.msn());
            line.put("mo", segment.mo());
            line.put("invalidate_stag", segment.invalidate());
        }
        if (all) {
            inner(segment, line);
            if (cause != null) {
                terminate(cause, line.putObject("terminate"));
            }
        }
    }

    private static void inner(Segment segment, ObjectNode line) {
        int length = segment.payload().length;
        if (segment.is(Opcode.READ_REQUEST) && length >= 28) {
            line.putObject("read")
                    .put("sink_stag", segment.number(0, 4))
                    .put("sink_to", unsigned(segment.number(4, 8)))
                    .put("size", segment.number(12, 4))
                    .put("source_stag", segment.number(16, 4))
                    .put("source_to", unsigned(segment.number(20, 8)));
        } else if (segment.is(Opcode.ATOMIC_REQUEST) && length >= 52) {
            line.putObject("atomic")
                    .put("operation", segment.number(3, 1) & 0xF)
                    .put("identifier", segment.number(4, 4))
                    .put("stag", segment.number(8, 4))
                    .put("to", unsigned(segment.number(12, 8)))
                    .put("data", unsigned(segment.number(20, 8)))
                    .put("mask", unsigned(segment.number(28, 8)))
                    .put("compare_data", unsigned(segment.number(36, 8)))
                    .put("compare_mask", unsigned(segment.number(44, 8)));
        } else if (segment.is(Opcode.ATOMIC_RESPONSE) && length >= 12) {
            line.putObject("atomic")
                    .put("identifier", segment.number(0, 4))
                    .put("value", unsigned(segment.number(4, 8)));
        } else if ((segment.is(Opcode.IMMEDIATE) || segment.is(Opcode.IMMEDIATE_SE)) && length >= 8) {
            line.put("immediate", unsigned(segment.number(0, 8)));
        }
    }

    private static void terminate(TerminateFields cause, ObjectNode line) {
        line.put("layer", cause.layer())
                .put("error_type", cause.type())
                .put("error_code", cause.code())
                .put("meaning", TerminateFields.words(cause.cause()))
                .put("siw_order", cause.swapped());
        byte[] ddp = cause.ddpHeader();
        byte[] rdmap = cause.rdmapHeader();
        line.put("segment_length", cause.segmentLength() < 0 ? null : cause.segmentLength());
        line.put("ddp_header", ddp == null ? null : Octets.hex(ddp));
        line.put("rdmap_header", rdmap == null ? null : Octets.hex(rdmap));
    }

    private static void datagram(Item.Datagram item, ObjectNode line) {
        Datagram d = item.fields();
        Kind kind = d.kind();
        line.put("type", "datagram");
        line.put("crc", item.crc().word());
        line.put("version", d.version());
        line.put("kind", d.known() ? kind.words() : null);
        line.put("flags", d.flagLetters());
        line.put("source_qpn", d.from());
        line.put("target_qpn", d.to());
        line.put("key", d.key());
        line.put("message_id", d.id());
        line.put("message_length", d.length());
        line.put("segment_index", d.index());
        line.put("segment_size", d.segmentSize());
        if (d.known() && kind == Kind.DATA && d.extension() == 12) {
            line.put("psn", d.number(24, 4)).put("ack", d.number(28, 4)).put("window", d.number(32, 2));
        }
        Segment segment = d.ddp();
        if (segment != null) {
            segment(segment, null, item.crc() != Crc.CUT, line);
            if (segment.opcodeNumber() == 15) {
                line.put("opcode", "WRITE_RECORD");
            }
            line.put("length", segment.payload().length);
            line.put("last", segment.last());
        } else if (d.known() && item.crc() != Crc.CUT) {
            ObjectNode body = line.putObject("body");
            Fields.of(item).stream()
                    .filter(f -> f.at() >= Datagram.SHIM && f.at() < d.size() - Datagram.CRC)
                    .forEach(f ->
                            body.put(f.name().toLowerCase(java.util.Locale.ROOT).replace(' ', '_'), f.value()));
        }
    }

    /** All 64 bits as an unsigned number. */
    private static BigInteger unsigned(long value) {
        BigInteger signed = BigInteger.valueOf(value);
        return value >= 0 ? signed : signed.add(BigInteger.ONE.shiftLeft(64));
    }
}
