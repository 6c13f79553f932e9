package dev.jwarp.transport.udp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.jwarp.ddp.DdpSegment;
import dev.jwarp.llp.datagram.Shim;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/** Every field of a parsed datagram, by its name in the vectors. */
final class Fields {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int READ_REQUEST = 1;
    private static final int READ_REQUEST_LENGTH = 28;
    /** Octets of pad in RD-OPEN and RD-ACCEPT. */
    private static final int PAD = 12;

    private final DatagramParser parser;
    private final ByteBuffer in;
    private final int length;
    private final ObjectNode out = JSON.createObjectNode();

    private Fields(DatagramParser parser, byte[] datagram) {
        this.parser = parser;
        this.in = ByteBuffer.wrap(datagram);
        this.length = datagram.length;
    }

    static JsonNode of(DatagramParser parser, byte[] datagram) {
        Fields fields = new Fields(parser, datagram);
        fields.all();
        try {
            return JSON.readTree(fields.out.toString()); // numbers as they are when they are read from a file
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long unsigned(int value) {
        return value & 0xffff_ffffL;
    }

    private void all() {
        shim();
        int at = parser.datagram().offset();
        switch (parser.kind()) {
            case DATA -> data(at);
            case NOTIFY -> notify(at);
            case CHALLENGE -> cookie(at);
            case RESOLVE -> resolve(at);
            case RESOLVED -> resolved(at);
            case RD_OPEN -> open(at, "previous_tag");
            case RD_ACCEPT -> open(at, "ack");
            case RD_ACK -> ack(at);
            case RD_RESET -> reset(at);
            case PATH_PROBE -> probe(at);
            case PATH_REPLY -> pathReply(at);
            case VERSION_LIST -> {}
        }
        out.put("crc", hex(length - Crc.LENGTH, Crc.LENGTH));
    }

    private void shim() {
        Shim shim = parser.shim();
        out.put("version", parser.version());
        out.put("kind", parser.kind().code());
        out.put("destination_qpn", shim.destinationQpn());
        StringBuilder flags = new StringBuilder();
        flags.append(shim.group() ? "G" : "").append(shim.reliable() ? "D" : "");
        flags.append(parser.ackWanted() ? "A" : "").append(shim.reply() ? "R" : "");
        flags.append(parser.hasCookie() ? "C" : "").append(shim.padded() ? "P" : "");
        out.put("flags", flags.toString());
        out.put("source_qpn", shim.sourceQpn());
        out.put("key", unsigned(shim.key()));
        out.put("message_id", unsigned(shim.messageId()));
        if (parser.kind() == Kind.VERSION_LIST) {
            out.put("versions", unsigned(parser.versions()));
            return;
        }
        out.put("message_length", shim.messageLength());
        out.put("segment_index", shim.segmentIndex());
        out.put("segment_size", shim.segmentSize());
        if (parser.hasCookie()) {
            cookie(ShimHeader.LENGTH);
        }
        if (parser.kind() == Kind.DATA && shim.reliable()) {
            out.put("psn", unsigned(parser.channel().psn()));
            out.put("ack", unsigned(parser.channel().ack()));
            out.put("window", parser.channel().window());
        }
    }

    private void cookie(int at) {
        CookieBody cookie = Samples.view(new CookieBody(), in, at);
        out.put("cookie", "%016x%016x".formatted(cookie.high(), cookie.low()));
    }

    private void data(int at) {
        ObjectNode ddp = out.putObject("ddp");
        DdpSegment segment = new DdpSegment();
        assertThat(segment.parse(in, at, parser.datagram().length())).isNull();
        int ulp = segment.ulpControl();
        ddp.put("T", segment.tagged() ? 1 : 0).put("L", segment.last() ? 1 : 0).put("DV", in.get(at) & 0x3);
        ddp.put("RV", ulp >>> 6).put("opcode", ulp & 0xf);
        if (segment.tagged()) {
            ddp.put("stag", unsigned(segment.stag())).put("to", segment.taggedOffset());
        } else {
            ddp.put("ulp_word", unsigned(segment.ulpWord())).put("qn", unsigned(segment.queueNumber()));
            ddp.put("msn", unsigned(segment.messageSequenceNumber())).put("mo", segment.messageOffset());
        }
        int octets = segment.payloadLength();
        Shim shim = parser.shim();
        long rest = shim.messageLength() - (long) shim.segmentIndex() * shim.segmentSize();
        int payload = shim.padded() ? (int) Math.min(rest, octets) : octets;
        if ((ulp & 0xf) == READ_REQUEST && payload == READ_REQUEST_LENGTH) {
            int read = segment.payloadOffset();
            out.putObject("read")
                    .put("sink_stag", unsigned(in.getInt(read)))
                    .put("sink_to", in.getLong(read + 4))
                    .put("size", unsigned(in.getInt(read + 12)))
                    .put("source_stag", unsigned(in.getInt(read + 16)))
                    .put("source_to", in.getLong(read + 20));
        }
        out.put("payload", hex(segment.payloadOffset(), payload));
        out.put("pad", hex(segment.payloadOffset() + payload, octets - payload));
    }

    private void control(int control) {
        out.put("layer", control >>> 28).put("etype", (control >>> 24) & 0xf).put("code", (control >>> 16) & 0xff);
    }

    private void notify(int at) {
        NotifyBody body = Samples.view(new NotifyBody(), in, at);
        control(body.control());
    }

    private void resolve(int at) {
        ResolveBody body = Samples.view(new ResolveBody(), in, at);
        out.put("service_id", body.serviceId()).put("qp_types", body.qpTypes());
        out.put("versions", body.versions()).put("private", HexFormat.of().formatHex(body.privateData()));
        int end = at + ResolveBody.LENGTH + body.privateLength();
        out.put("pad", hex(end, length - Crc.LENGTH - end));
    }

    private void resolved(int at) {
        ResolvedBody body = Samples.view(new ResolvedBody(), in, at);
        out.put("status", body.status()).put("qp_type", body.qpType()).put("versions", body.versions());
        out.put("qpn", body.qpn()).put("q_key", unsigned(body.key())).put("port", body.port());
        out.put("largest_payload", body.largestPayload()).put("max_message", body.maximumMessage());
        out.put("max_read", body.maximumRead()).put("private", HexFormat.of().formatHex(body.privateData()));
    }

    private void open(int at, String third) {
        RdOpenBody body = Samples.view(new RdOpenBody(), in, at);
        out.put("tag", unsigned(body.tag())).put("first_psn", unsigned(body.firstPsn()));
        out.put(third, unsigned(body.previousTagOrAck())).put("window", body.window());
        int pad = at + RdOpenBody.LENGTH - PAD;
        out.put("features", unsigned(body.features())).put("pad", hex(pad, PAD));
    }

    private void ack(int at) {
        RdAckBody body = Samples.view(new RdAckBody(), in, at);
        out.put("ack", unsigned(body.ack())).put("window", body.window()).put("rnr", body.notReady() ? 1 : 0);
        out.put("ecn", body.countsEcn() ? 1 : 0)
                .put("first_word", body.firstWord())
                .put("delay", body.delay());
        out.put("echo", unsigned(body.echo())).put("ce", unsigned(body.congestionExperienced()));
        out.put("ect", unsigned(body.capable())).put("duplicates", unsigned(body.duplicates()));
        out.put("last_duplicate", unsigned(body.lastDuplicate()));
        ArrayNode sack = out.putArray("sack");
        for (int i = 0; i < body.words(); i++) {
            sack.add("%016x".formatted(body.word(i)));
        }
    }

    private void probe(int at) {
        PathProbeBody body = Samples.view(new PathProbeBody(), in, at);
        out.put("features", unsigned(body.features())).put("token", "%016x".formatted(body.token()));
        out.put("largest_payload", body.largestPayload());
        int end = at + PathProbeBody.FIELDS_LENGTH;
        out.put("pad", hex(end, length - Crc.LENGTH - end));
    }

    private void pathReply(int at) {
        PathReplyBody body = Samples.view(new PathReplyBody(), in, at);
        out.put("features", unsigned(body.features())).put("token", "%016x".formatted(body.token()));
        out.put("length_received", body.lengthReceived()).put("largest_payload", body.largestPayload());
        out.put("datagrams_received", unsigned(body.datagramsReceived()));
        out.put("ce", unsigned(body.congestionExperienced())).put("ect", unsigned(body.capable()));
        out.put("delay", body.delay());
    }

    private void reset(int at) {
        RdResetBody body = Samples.view(new RdResetBody(), in, at);
        out.put("reflected", body.reflected() ? 1 : 0).put("reason", body.reason());
        control(body.control());
    }

    private String hex(int from, int octets) {
        return HexFormat.of().formatHex(in.array(), from, from + octets);
    }
}
