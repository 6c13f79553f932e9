package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.vectors.Vectors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The vectors of credits.json")
class CreditVectorsTest {
    private static final String GREETING = "0200000000000000";

    static List<Vectors.Vector> records() {
        return Vectors.credits("record");
    }

    static List<Vectors.Vector> refusals() {
        return Vectors.credits("refusal");
    }

    static List<Vectors.Vector> malformedRecords() {
        return Vectors.credits("malformed-record");
    }

    static List<Vectors.Vector> messages() {
        return Vectors.credits("message");
    }

    static List<Vectors.Vector> malformedMessages() {
        return Vectors.credits("malformed-message");
    }

    @ParameterizedTest
    @MethodSource
    void records(Vectors.Vector vector) throws StreamException {
        JsonNode fields = vector.json().path("fields");
        StreamRecord wanted = new StreamRecord(
                fields.path("protocol").asInt(),
                fields.path("needs").asInt(),
                (int) fields.path("offers").asLong(),
                fields.path("credits").asInt(),
                0,
                fields.path("buffer").asInt(),
                fields.has("wordKey")
                        ? new DirectWord.Place(
                                fields.path("wordAddress").asLong(),
                                fields.path("wordKey").asInt())
                        : null);
        assertThat(StreamRecord.read(ByteBuffer.wrap(vector.octets()), options(vector)))
                .isEqualTo(wanted);
        if (vector.octets().length == StreamRecord.LENGTH || wanted.word() != null) {
            assertThat(wanted.bytes()).isEqualTo(vector.octets());
        }
    }

    @ParameterizedTest
    @MethodSource
    void refusals(Vectors.Vector vector) throws StreamException {
        JsonNode fields = vector.json().path("fields");
        StreamRecord read = StreamRecord.parse(ByteBuffer.wrap(vector.octets()));
        assertThat(read.reason()).isEqualTo(fields.path("reason").asInt());
        assertThat(read.protocol()).isEqualTo(fields.path("protocol").asInt());
        assertThat(StreamRefusal.sentence(ByteBuffer.wrap(vector.octets()), StreamProtocol.CREDITS))
                .startsWith("the peer rejects this connection: ");
    }

    @ParameterizedTest
    @MethodSource
    void malformedRecords(Vectors.Vector vector) throws StreamException {
        StreamException thrown = catchThrowableOfType(
                StreamException.class,
                () -> StreamProtocol.CREDITS.check(ByteBuffer.wrap(vector.octets()), options(vector)));
        assertThat(thrown.fault()).isEqualTo(PeerFault.valueOf(vector.text("fault")));
        byte[] refusal = StreamRefusal.bytes(StreamProtocol.CREDITS, thrown);
        assertThat(StreamRecord.parse(ByteBuffer.wrap(refusal)).reason()).isEqualTo((int) vector.number("reason"));
    }

    private static CreditEngine.Options options(Vectors.Vector vector) {
        return new CreditEngine.Options(
                vector.json().path("direct").asBoolean(),
                vector.json().path("messages").asBoolean(),
                -1);
    }

    /** {@return two ends, of which the far one has received the messages of the vector} */
    private static CreditPair received(Vectors.Vector vector) throws IOException {
        CreditPair pair = CreditPair.connected(new CreditPair(8, 108, 4096, options(vector)));
        assertThat(pair.far.deliver() && pair.far.complete()).isTrue();
        int lends = vector.json().path("lends").asInt();
        if (lends > 0) {
            pair.far.readOrLend(ByteBuffer.allocate(lends));
        }
        int offers = vector.json().path("offers").asInt();
        if (offers > 0) {
            assertThat(pair.far.lendOutput(ByteBuffer.allocate(offers))).isTrue();
            assertThat(pair.far.deliver() && pair.far.complete()).isTrue();
        }
        if (vector.json().has("word")) {
            pair.far.word(vector.number("word")); // as Atomics of the peer have left it
        }
        for (JsonNode before : vector.json().path("before")) {
            pair.near.forge(HexFormat.of().parseHex(before.asText()));
        }
        assertThat(pair.far.engine.failed()).as("failed before").isFalse();
        pair.near.forge(vector.octets());
        return pair;
    }

    @ParameterizedTest
    @MethodSource
    void messages(Vectors.Vector vector) throws IOException {
        CreditPair pair = received(vector);
        ByteBuffer data = ByteBuffer.allocate(1000);
        if (pair.far.lent()) {
            data.position(pair.far.inputBack());
        }
        int end = pair.far.engine.read(data);
        if (vector.expect().has("reads")) {
            assertThat(end)
                    .isEqualTo(vector.expect().path("reads").get(0).asText().length() / 2);
            assertThat(pair.far.engine.insideMessage()).isFalse();
        }
        if (end > 0) {
            end = pair.far.engine.read(data);
        }
        byte[] came = new byte[data.position()];
        data.get(0, came);
        assertThat(came).isEqualTo(Vectors.hex(vector.expect().path("data").asText()));
        assertThat(end < 0).as("the end").isEqualTo(vector.expect().path("end").asBoolean());
        assertThat(pair.far.engine.failed()).isFalse();
        List<String> answers = new ArrayList<>();
        answers.add(GREETING);
        vector.expect().path("answers").forEach(answer -> answers.add(answer.asText()));
        assertThat(pair.far.said.stream().map(HexFormat.of()::formatHex).toList())
                .isEqualTo(answers);
        assertSame(vector);
    }

    /** Asserts that the header has the values of the fields. */
    private static void assertSame(Vectors.Vector vector) {
        ByteBuffer header = ByteBuffer.wrap(vector.octets());
        JsonNode fields = vector.json().path("fields");
        assertThat(header.get(0)).isEqualTo((byte) fields.path("kind").asInt());
        assertThat(header.get(1)).isEqualTo((byte) fields.path("flags").asInt());
        assertThat(header.getShort(2)).isEqualTo((short) fields.path("grant").asInt());
        assertThat(header.getInt(4))
                .isEqualTo(fields.path("length").asInt())
                .isEqualTo(header.remaining() - CreditEngine.HEADER);
    }

    @ParameterizedTest
    @MethodSource
    void malformedMessages(Vectors.Vector vector) throws IOException {
        CreditEngine engine = received(vector).far.engine;
        assertThat(engine.failed()).isTrue();
        assertThat(catchThrowableOfType(StreamException.class, () -> engine.write(ByteBuffer.allocate(1)))
                        .fault())
                .isEqualTo(PeerFault.valueOf(vector.text("fault")));
    }
}
