package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The shared vectors for DDP: headers byte for byte, and the code for each violation that DDP detects. */
class VectorsTest {
    private static final HexFormat HEX = HexFormat.of();

    private static Stream<JsonNode> ofKind(String kind) {
        return Vectors.ofKind(kind).stream().map(Vector::json);
    }

    @TestFactory
    Stream<DynamicTest> everySegmentIsReadAndWritten() {
        return ofKind("fpdu")
                .map(vector -> DynamicTest.dynamicTest(vector.get("id").asText(), () -> {
                    assertThat(vector.get("segments")).isNotEmpty();
                    for (JsonNode segment : vector.get("segments")) {
                        readsAndWrites(HEX.parseHex(segment.get("ulpdu").asText()), segment.get("fields"));
                    }
                }));
    }

    private static void readsAndWrites(byte[] octets, JsonNode fields) {
        ByteBuffer ulpdu = ByteBuffer.wrap(octets);
        DdpSegment segment = new DdpSegment();
        assertThat(segment.parse(ulpdu, 0, octets.length)).isNull();
        assertThat(segment.tagged()).isEqualTo(fields.get("T").asInt() == 1);
        assertThat(segment.last()).isEqualTo(fields.get("L").asInt() == 1);
        int ulpControl = fields.get("RV").asInt() << 6
                | fields.get("rdmap_rsvd").asInt() << 4
                | fields.get("op").asInt();
        assertThat(segment.ulpControl()).isEqualTo(ulpControl);
        ByteBuffer written = ByteBuffer.allocate(octets.length);
        if (segment.tagged()) {
            assertThat(segment.stag()).isEqualTo((int) fields.get("stag").asLong());
            assertThat(segment.taggedOffset())
                    .isEqualTo(fields.get("to").bigIntegerValue().longValue());
            TaggedHeader.write(written, 0, segment.last(), ulpControl, segment.stag(), segment.taggedOffset());
        } else {
            assertThat(segment.ulpWord()).isEqualTo((int) fields.get("inv").asLong());
            assertThat(segment.queueNumber()).isEqualTo((int) fields.get("qn").asLong());
            assertThat(segment.messageSequenceNumber())
                    .isEqualTo((int) fields.get("msn").asLong());
            assertThat(segment.messageOffset()).isEqualTo(fields.get("mo").asLong());
            UntaggedHeader.write(
                    written, 0, segment.last(), ulpControl, segment.queueNumber(), segment.messageSequenceNumber());
            UntaggedHeader.writeRest(written, 0, segment.ulpWord(), segment.messageOffset());
        }
        // Reserved bits are never sent; a vector may have some set, which must be ignored.
        octets[0] &= (byte) ~(fields.get("ddp_rsvd").asInt() << 2);
        int headerLength = segment.headerLength();
        assertThat(HEX.formatHex(written.array(), 0, headerLength)).isEqualTo(HEX.formatHex(octets, 0, headerLength));
        if (fields.has("payload")) {
            assertThat(HEX.formatHex(octets, segment.payloadOffset(), octets.length))
                    .isEqualTo(fields.get("payload").asText());
        }
    }

    /** Whether this layer detects the violation: not in CRC, Marker, RDMAP version, opcode or exact size. */
    private static boolean concernsDdp(JsonNode vector) {
        JsonNode expect = vector.get("expect");
        int layer = expect.get("layer").asInt();
        int type = expect.get("type").asInt();
        boolean withoutHeader = vector.get("ulpdu").asText().length() < 2 * 18;
        return layer == 1
                || (layer == 0 && (type == 1 || withoutHeader))
                || expect.get("code").asInt() == 7;
    }

    @Test
    void mostMalformedVectorsConcernDdp() {
        assertThat(ofKind("malformed-fpdu").filter(VectorsTest::concernsDdp)).hasSize(37);
    }

    @TestFactory
    Stream<DynamicTest> everyViolationGetsItsCodeAndPlacesNothing() {
        return ofKind("malformed-fpdu")
                .filter(VectorsTest::concernsDdp)
                .map(vector -> DynamicTest.dynamicTest(vector.get("id").asText(), () -> violates(vector)));
    }

    private static void violates(JsonNode vector) {
        Receiver receiver = new Receiver(vector.get("state").asText());
        if (vector.has("setup_fpdus")) {
            for (JsonNode fpdu : vector.get("setup_fpdus")) {
                byte[] octets = HEX.parseHex(fpdu.asText());
                int length = (octets[0] & 0xff) << 8 | (octets[1] & 0xff);
                assertThat(receiver.segment(ByteBuffer.wrap(octets), 2, length)).isNull();
            }
        }
        receiver.forgetWhatWasPlaced();
        byte[] octets = HEX.parseHex(vector.get("ulpdu").asText());
        JsonNode expect = vector.get("expect");
        assertThat(receiver.segment(ByteBuffer.wrap(octets), 0, octets.length))
                .isEqualTo(TerminateCode.of(
                        expect.get("layer").asInt(),
                        expect.get("type").asInt(),
                        expect.get("code").asInt()));
        receiver.assertDeliveredOrUntouched();
    }

    /** The DDP part of the receiver that the vectors describe; opcodes are not checked. */
    private static final class Receiver {
        private static final long DOMAIN = 1;
        private static final long BASE = 0x4000;
        private static final int LENGTH = 0x1000;
        private static final int[] SIZES_OF_QUEUE_1 = {0, 28, 0, 0, 0, 0, 0, 0, 0, 0, 52};

        private final STagTable table = new STagTable(new SplittableRandom(1), 100);
        private final TaggedAccess access = new TaggedAccess(table, DOMAIN, 1);
        private final DdpSegment segment = new DdpSegment();
        private final List<ByteBuffer> regions = new ArrayList<>();
        private final Posted[] receives = {new Posted(64), new Posted(64)};
        private final Posted[] requests = {new Posted(52), new Posted(52)};
        private final List<UntaggedQueue<Posted>> queues = List.of(
                UntaggedQueue.ordered(Posted.source(receives)),
                UntaggedQueue.ordered(Posted.source(requests)),
                UntaggedQueue.ordered(Posted.source(new Posted(52))),
                UntaggedQueue.ordered(Posted.source()));
        private final boolean shared;

        Receiver(String state) {
            int atomic = state.contains("STag allows atomics") ? Access.REMOTE_ATOMIC : 0;
            register(0x1100, DOMAIN, Access.REMOTE_READ | Access.REMOTE_WRITE | atomic);
            register(0x2200, DOMAIN, Access.REMOTE_READ);
            register(0x3300, DOMAIN, Access.REMOTE_WRITE);
            register(0x4400, DOMAIN + 1, Access.REMOTE_READ | Access.REMOTE_WRITE);
            register(0x5500, DOMAIN, Access.REMOTE_READ | Access.REMOTE_WRITE);
            shared = state.contains("shared with a second stream");
        }

        private void register(int stag, long domain, int rights) {
            ByteBuffer memory =
                    ByteBuffer.allocateDirect(LENGTH + 64).alignedSlice(8).slice(0, LENGTH);
            regions.add(memory);
            table.registerAs(stag, domain, memory, BASE, rights);
        }

        @Nullable
        TerminateCode segment(ByteBuffer ulpdu, int offset, int length) {
            TerminateCode code = segment.parse(ulpdu, offset, length);
            if (code != null) {
                return code;
            }
            return segment.tagged() ? write(ulpdu) : message(ulpdu);
        }

        private @Nullable TerminateCode write(ByteBuffer ulpdu) {
            TerminateCode code = access.checkWrite(segment.stag(), segment.taggedOffset(), segment.payloadLength());
            if (code == null) {
                access.place(ulpdu, segment.payloadOffset(), segment.payloadLength());
            }
            return code;
        }

        private @Nullable TerminateCode message(ByteBuffer ulpdu) {
            int opcode = segment.ulpControl() & 0xf;
            int queueOfOpcode = opcode == 1 || opcode == 10 ? 1 : opcode == 7 ? 2 : opcode == 11 ? 3 : 0;
            if (segment.queueNumber() != queueOfOpcode) {
                return TerminateCode.DDP_INVALID_QN;
            }
            UntaggedQueue<Posted> queue = queues.get(queueOfOpcode);
            int longest = queueOfOpcode == 1 ? SIZES_OF_QUEUE_1[opcode] : Integer.MAX_VALUE;
            TerminateCode code = queue.place(segment, ulpdu, longest);
            if (code != null || !queue.deliverable()) {
                return code;
            }
            ByteBuffer message = ByteBuffer.wrap(queue.buffer().memory);
            int word = queue.ulpWord();
            queue.delivered();
            return switch (opcode) {
                case 1 ->
                    access.checkRemoteRead(message.getInt(16), message.getLong(20), message.getInt(12) & 0xffff_ffffL);
                case 4, 6 -> access.checkInvalidate(word, shared);
                case 10 -> access.checkAtomic(message.getInt(8), message.getLong(12));
                default -> null;
            };
        }

        void forgetWhatWasPlaced() {
            for (ByteBuffer memory : regions) {
                memory.put(0, new byte[LENGTH]);
            }
        }

        /** No region is changed; a receive buffer only if a complete message was placed before its delivery failed. */
        void assertDeliveredOrUntouched() {
            for (ByteBuffer memory : regions) {
                byte[] octets = new byte[LENGTH];
                memory.get(0, octets);
                assertThat(octets).containsOnly(0);
            }
            for (Posted posted : receives) {
                assertThat(posted.intact(posted.capacity())).isTrue();
            }
        }
    }
}
