package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.WireVectorsTest.Segment;
import dev.jwarp.rdmap.message.AtomicRequestHeader;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.ReadRequestHeader;
import dev.jwarp.rdmap.work.AtomicMemory;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A stream sends the valid vectors byte for byte, and accepts them on receipt")
class StreamVectorsTest {
    /**
     * This stack never interleaves messages, sets reserved bits or mirrors bits; the Terminates have their own tests.
     */
    private static final Set<String> NOT_SENT = Set.of("OP-INTERLEAVE", "OP-SEND-RSVD");

    static Stream<Vector> received() {
        return Vectors.ofKind("fpdu").stream();
    }

    static Stream<Vector> sent() {
        return received().filter(v -> !NOT_SENT.contains(v.id()) && !v.id().startsWith("TERM-"));
    }

    private static List<Segment> segments(Vector vector) {
        List<Segment> segments = new ArrayList<>();
        vector.json().path("segments").forEach(json -> segments.add(new Segment(vector, json)));
        return segments;
    }

    private static RdmapOpcode opcode(Segment segment) {
        return RdmapOpcode.of(segment.field("op").asInt());
    }

    // ---- sending

    @Tag("RDMAP-4.1-1")
    @Tag("RDMAP-4.1-2")
    @Tag("RDMAP-4.1-3")
    @ParameterizedTest
    @MethodSource("sent")
    @DisplayName("sends")
    void sends(Vector vector) {
        List<Segment> segments = segments(vector);
        Station station = new Station();
        if (segments.get(0).field("L").asInt() == 0) {
            station.lower.mulpdu = segments.get(0).octets().length;
        }
        int msn = segments.stream()
                .filter(s -> !s.tagged())
                .findFirst()
                .map(s -> (int) s.field("msn").asLong())
                .orElse(1);
        station.stream.startAt(msn, 1);
        if (vector.id().startsWith("RTR-")) {
            station.establish(true, 1, 1, ReadyToReceive.valueOf(vector.id().substring(4)));
        } else {
            station.establish();
            ByteArrayOutputStream payload = new ByteArrayOutputStream();
            Segment first = null;
            for (Segment segment : segments) {
                first = first == null ? segment : first;
                payload.writeBytes(segment.payload());
                if (segment.field("L").asInt() == 1) {
                    provoke(station, first, payload.toByteArray());
                    payload.reset();
                    first = null;
                }
            }
        }

        List<byte[]> wire = station.lower.sent(station.stream);
        if (opcode(segments.get(0)) == RdmapOpcode.ATOMIC_REQUEST) {
            // The requester chooses the identifier.
            ByteBuffer.wrap(wire.get(0))
                    .putInt(22, segments.get(0).field("atomic").path("rid").asInt());
        }
        assertThat(hex(wire))
                .isEqualTo(hex(segments.stream().map(Segment::octets).toList()));
        assertThat(station.failures).isZero();
    }

    private static void provoke(Station station, Segment first, byte[] payload) {
        RdmapOpcode opcode = opcode(first);
        switch (opcode) {
            case RDMA_WRITE, SEND, SEND_WITH_INVALIDATE, SEND_WITH_SE, SEND_WITH_SE_AND_INVALIDATE -> {
                Kind kind = opcode == RdmapOpcode.RDMA_WRITE
                        ? Kind.RDMA_WRITE
                        : opcode.invalidates() ? Kind.SEND_WITH_INVALIDATE : Kind.SEND;
                TaggedBuffer source = station.region(payload.length);
                source.memoryAt(0).put(0, payload);
                station.post(kind, 1, op -> {
                    op.memory().add(source, 0, payload.length);
                    op.solicited(opcode.solicited())
                            .invalidateSTag(first.field("inv").asInt());
                    op.remote(first.field("stag").asInt(), first.field("to").asLong());
                });
            }
            case IMMEDIATE_DATA, IMMEDIATE_DATA_WITH_SE ->
                station.post(
                        Kind.IMMEDIATE_DATA,
                        1,
                        op -> op.solicited(opcode.solicited())
                                .immediate(ByteBuffer.wrap(payload).getLong()));
            case RDMA_READ_REQUEST -> postRead(station, first.field("read"));
            case RDMA_READ_RESPONSE -> {
                TaggedBuffer source = station.region(payload.length, 0x9000, Station.ALL);
                source.memoryAt(0).put(0, payload);
                FakeLowerLayer peer = new FakeLowerLayer();
                int at = UlpduSegments.single(peer, RdmapOpcode.RDMA_READ_REQUEST, 1, 28);
                ReadRequestHeader request = new ReadRequestHeader();
                request.wrap(peer.buffer(), at, ReadRequestHeader.LENGTH);
                request.sink(first.field("stag").asInt(), first.field("to").asLong())
                        .size(payload.length)
                        .source(source.stag(), 0x9000);
                takeFrom(peer, station);
            }
            case ATOMIC_REQUEST -> {
                JsonNode fields = first.field("atomic");
                TaggedBuffer sink = station.region(8);
                boolean add = fields.path("aop").asInt() == AtomicRequestHeader.FETCH_ADD;
                station.post(add ? Kind.ATOMIC_FETCH_AND_ADD : Kind.ATOMIC_COMPARE_AND_SWAP, 1, op -> {
                    op.memory().add(sink, 0, 8);
                    op.remote(fields.path("stag").asInt(), fields.path("to").asLong());
                    if (add) {
                        op.fetchAndAdd(unsigned(fields, "data"), unsigned(fields, "mask"));
                    } else {
                        op.compareAndSwap(
                                unsigned(fields, "cmp"),
                                unsigned(fields, "cmpmask"),
                                unsigned(fields, "data"),
                                unsigned(fields, "mask"));
                    }
                });
            }
            case ATOMIC_RESPONSE -> {
                TaggedBuffer target = station.region(8);
                AtomicMemory.set(
                        target.memoryAt(0),
                        target.indexAt(0),
                        first.field("atomic").path("orig").asLong());
                FakeLowerLayer peer = new FakeLowerLayer();
                int at = UlpduSegments.single(peer, RdmapOpcode.ATOMIC_REQUEST, 1, 52);
                AtomicRequestHeader request = new AtomicRequestHeader();
                request.wrap(peer.buffer(), at, AtomicRequestHeader.LENGTH);
                request.operation(
                                AtomicRequestHeader.FETCH_ADD,
                                first.field("atomic").path("rid").asInt())
                        .remote(target.stag(), target.baseOffset())
                        .data(1, 0)
                        .compare(0, -1);
                takeFrom(peer, station);
            }
            case TERMINATE -> throw new AssertionError("not here");
        }
    }

    private static void takeFrom(FakeLowerLayer peer, Station station) {
        peer.end();
        Station unused = new Station();
        peer.transmit(unused.stream, 0);
        station.take(peer.wire.remove());
    }

    private static void postRead(Station station, JsonNode fields) {
        int size = fields.path("size").asInt();
        int sinkSTag = fields.path("sink_stag").asInt();
        long sinkOffset = fields.path("sink_to").asLong();
        station.post(Kind.RDMA_READ, 1, op -> {
            if (size > 0) {
                op.memory()
                        .add(
                                station.table.registerAs(
                                        sinkSTag, Station.DOMAIN, Station.memory(size), sinkOffset, Station.ALL),
                                0,
                                size);
            }
            op.remote(fields.path("src_stag").asInt(), fields.path("src_to").asLong());
        });
    }

    // ---- receiving

    @ParameterizedTest
    @MethodSource("received")
    @DisplayName("receives")
    void receives(Vector vector) {
        List<Segment> segments = segments(vector);
        Station station = new Station();
        TaggedBuffer buffers = station.region(4 * 2048);
        for (int i = 0; i < 4; i++) {
            station.postReceive(i, buffers, i * 2048, 2048);
        }
        int msn = segments.stream()
                .filter(s -> !s.tagged())
                .findFirst()
                .map(s -> (int) s.field("msn").asLong())
                .orElse(1);
        boolean terminate = vector.id().startsWith("TERM-");
        station.stream.startAt(msn, terminate ? 1 : msn);
        station.establish();
        Map<Integer, TaggedBuffer> targets = prepare(station, segments);
        station.lower.sent(station.stream);

        ByteArrayOutputStream message = new ByteArrayOutputStream();
        int delivered = 0;
        for (Segment segment : segments) {
            byte[] octets = segment.octets();
            if (opcode(segment) == RdmapOpcode.ATOMIC_RESPONSE) {
                ByteBuffer.wrap(octets).putInt(UntaggedHeader.LENGTH, 1); // the identifier this station chose
            }
            station.take(octets);
            boolean last = segment.field("L").asInt() == 1;
            boolean onSendQueue = opcode(segment).queueNumber() == RdmapOpcode.SEND_QUEUE;
            if (segment.tagged() && segment.payload().length > 0) {
                TaggedBuffer target = targets.get(segment.field("stag").asInt());
                int from = (int) (segment.field("to").asLong() - target.baseOffset());
                assertThat(Station.octets(target, from, segment.payload().length))
                        .isEqualTo(segment.payload());
            } else if (onSendQueue) {
                message.writeBytes(segment.payload());
                if (last) {
                    Station.Completion completion = station.receives().get(delivered);
                    assertThat(completion.id()).isEqualTo(delivered);
                    assertThat(completion.length()).isEqualTo(message.size());
                    assertThat(completion.solicited()).isEqualTo(opcode(segment).solicited());
                    assertThat(Station.octets(buffers, delivered * 2048, message.size()))
                            .isEqualTo(message.toByteArray());
                    assertThat(completion.invalidated())
                            .isEqualTo(opcode(segment).invalidates() ? 0x00C0FFEE : 0);
                    assertThat(completion.immediate())
                            .isEqualTo(
                                    opcode(segment).immediateData()
                                            ? ByteBuffer.wrap(message.toByteArray())
                                                    .getLong()
                                            : 0);
                    delivered++;
                    message.reset();
                }
            }
        }

        assertThat(station.failures).isEqualTo(terminate ? 1 : 0);
        assertThat(station.failureFoundHere).isFalse();
        assertThat(station.stream.state()).isEqualTo(terminate ? StreamState.TERMINATE : StreamState.RTS);
        if (!terminate) {
            assertThat(station.receives()).hasSize(delivered);
            // All requests are answered.
            assertThat(station.sends())
                    .allSatisfy(c -> assertThat(c.status().name()).isEqualTo("SUCCESS"));
        }
    }

    /** Registers the memory that the segments name, and posts the requests that they answer. */
    private static Map<Integer, TaggedBuffer> prepare(Station station, List<Segment> segments) {
        Map<Integer, TaggedBuffer> targets = new HashMap<>();
        for (Segment segment : segments) {
            RdmapOpcode opcode = opcode(segment);
            int total = segments.stream().mapToInt(s -> s.payload().length).sum();
            if (segment.tagged()) {
                int sTag = segment.field("stag").asInt();
                long base = segment.field("to").asLong();
                if (sTag != 0) {
                    targets.computeIfAbsent(sTag, tag -> register(station, tag, base));
                }
                if (opcode == RdmapOpcode.RDMA_READ_RESPONSE && segment.equals(segments.get(0))) {
                    station.post(Kind.RDMA_READ, 1, op -> {
                        if (total > 0) {
                            op.memory().add(targets.get(sTag), 0, total);
                        }
                    });
                }
            } else if (opcode.invalidates()) {
                register(station, segment.field("inv").asInt(), 0);
            } else if (opcode == RdmapOpcode.RDMA_READ_REQUEST
                    && segment.field("read").path("size").asInt() > 0) {
                register(
                        station,
                        segment.field("read").path("src_stag").asInt(),
                        segment.field("read").path("src_to").asLong());
            } else if (opcode == RdmapOpcode.ATOMIC_REQUEST) {
                register(
                        station,
                        segment.field("atomic").path("stag").asInt(),
                        segment.field("atomic").path("to").asLong());
            } else if (opcode == RdmapOpcode.ATOMIC_RESPONSE) {
                TaggedBuffer sink = station.region(8);
                station.fetchAndAdd(1, sink, 0, 1, 1, 0);
            }
        }
        return targets;
    }

    private static TaggedBuffer register(Station station, int sTag, long base) {
        return station.table.registerAs(sTag, Station.DOMAIN, Station.memory(8192), base, Station.ALL);
    }

    private static long unsigned(JsonNode fields, String name) {
        return fields.path(name).bigIntegerValue().longValue();
    }

    private static List<String> hex(List<byte[]> ulpdus) {
        return ulpdus.stream().map(HexFormat.of()::formatHex).toList();
    }
}
