package dev.jwarp.sockets.stream;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.sockets.stream.FuzzedStream.Step;
import dev.jwarp.vectors.Vectors;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Arbitrary records, messages and Atomics of a peer with credits, amid all actions of a program, copied or direct.
 * {@link FuzzedStream} describes the inputs.
 */
public class CreditsFuzzTest {
    private static final int MOST = 255;

    /** Builds an input step by step. */
    private static final class Input {
        private final ByteArrayOutputStream octets = new ByteArrayOutputStream();

        Input(int beginning) {
            octets.write(beginning);
        }

        Input of(byte[] some) {
            octets.write(some.length);
            octets.writeBytes(some);
            return this;
        }

        Input step(Step step, int... some) {
            octets.write(FuzzedStream.STEPS.indexOf(step));
            for (int each : some) {
                octets.write(each);
            }
            return this;
        }

        Input message(byte[] message) {
            return step(Step.MESSAGE).of(message);
        }

        Input word(long word) {
            step(Step.WORD);
            octets.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(word).array());
            return this;
        }

        Arguments seed() {
            return Arguments.of((Object) octets.toByteArray());
        }
    }

    /** Each vector as its end receives it, and exchanges in which both ends keep the rules. */
    static Stream<Arguments> seeds() {
        Stream<Arguments> records = Stream.of("record", "malformed-record", "refusal")
                .flatMap(kind -> Vectors.credits(kind).stream())
                .flatMap(vector -> Stream.of(0, FuzzedStream.DIRECT, FuzzedStream.MESSAGES)
                        .map(beginning -> record(beginning, vector)));
        Stream<Arguments> messages = Stream.of("message", "malformed-message")
                .flatMap(kind -> Vectors.credits(kind).stream())
                .map(CreditsFuzzTest::message);
        return Stream.of(records, messages, talks()).flatMap(Function.identity());
    }

    private static Arguments record(int beginning, Vectors.Vector vector) {
        return new Input(beginning | FuzzedStream.RECORD)
                .of(vector.octets())
                .step(Step.WRITE, 40)
                .step(Step.DONE)
                .seed();
    }

    private static Arguments message(Vectors.Vector vector) {
        JsonNode json = vector.json();
        int direct = json.path("direct").asBoolean() ? FuzzedStream.DIRECT : 0;
        int messages = json.path("messages").asBoolean() ? FuzzedStream.MESSAGES : 0;
        Input input = new Input(direct | messages).step(Step.DONE);
        if (json.has("lends")) {
            input.step(Step.READ_OR_LEND, Math.min(json.path("lends").asInt(), MOST));
        }
        if (json.has("offers")) {
            input.step(Step.LEND_OUTPUT, Math.min(json.path("offers").asInt(), MOST))
                    .step(Step.DONE);
        }
        if (json.has("word")) {
            input.word(vector.number("word"));
        }
        json.path("before").forEach(before -> input.message(Vectors.hex(before.asText())));
        return input.message(vector.octets())
                .step(Step.INPUT_BACK)
                .step(Step.READ, MOST)
                .step(Step.READ, MOST)
                .step(Step.WRITE, 10)
                .seed();
    }

    private static Stream<Arguments> talks() {
        byte[] data = {0, 0, 0, 0, 1, 2, 3, 4, 5};
        byte[] fin = {2, 0, (byte) MOST, 0};
        byte[] ask = {4, 0, (byte) MOST, 50};
        byte[] offer = {5, 0, (byte) MOST, (byte) 200};
        byte[] written = {6, 0, (byte) MOST, 20};
        byte[] taken = {7, 0, (byte) MOST, 0};
        return Stream.of(
                new Input(FuzzedStream.COMBINE)
                        .step(Step.WRITE, 200)
                        .step(Step.GATHER, 150)
                        .step(Step.RIGHT_MESSAGE)
                        .of(data)
                        .step(Step.READ, 3)
                        .step(Step.READ, MOST)
                        .step(Step.DONE)
                        .step(Step.DONE)
                        .step(Step.SHUT_OUTPUT)
                        .step(Step.RIGHT_MESSAGE)
                        .of(fin)
                        .step(Step.READ, 1)
                        .step(Step.CLOSE)
                        .seed(),
                new Input(FuzzedStream.DIRECT)
                        .step(Step.DONE)
                        .step(Step.RIGHT_MESSAGE)
                        .of(ask)
                        .step(Step.LEND_OUTPUT, 30)
                        .step(Step.DONE)
                        .step(Step.DONE)
                        .step(Step.DONE)
                        .step(Step.OUTPUT_BACK)
                        .step(Step.LEND_OUTPUT, 90)
                        .step(Step.DONE)
                        .step(Step.DONE)
                        .step(Step.RIGHT_MESSAGE)
                        .of(taken)
                        .step(Step.OUTPUT_BACK)
                        .step(Step.WRITE, 20)
                        .seed(),
                new Input(FuzzedStream.DIRECT)
                        .step(Step.DONE)
                        .step(Step.READ_OR_LEND, 100)
                        .step(Step.RIGHT_MESSAGE)
                        .of(written)
                        .step(Step.INPUT_BACK)
                        .step(Step.RIGHT_MESSAGE)
                        .of(offer)
                        .step(Step.DONE)
                        .step(Step.DONE)
                        .step(Step.READ, 60)
                        .step(Step.READ_OR_LEND, 100)
                        .step(Step.DONE)
                        .step(Step.DONE)
                        .step(Step.INPUT_BACK)
                        .step(Step.RIGHT_MESSAGE)
                        .of(data)
                        .step(Step.READ, 10)
                        .seed());
    }

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        ByteBuffer in = ByteBuffer.wrap(input);
        if (!in.hasRemaining()) {
            return;
        }
        int beginning = in.get();
        byte[] record = null;
        if ((beginning & FuzzedStream.RECORD) != 0) {
            record = new byte[Math.min(in.hasRemaining() ? in.get() & 0xFF : 0, in.remaining())];
            in.get(record);
        }
        new FuzzedStream(beginning, record).run(in);
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10m") // the last one, or Jazzer does not find it
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }

    @Property(tries = 2000, shrinking = ShrinkingMode.OFF)
    @Label("random steps, in which the peer's are right or nearly right, keep the rules")
    void randomSteps(@ForAll Random random) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        octets.write(random.nextInt(32) & ~FuzzedStream.RECORD);
        for (int i = random.nextInt(150); i > 0; i--) {
            Step step = FuzzedStream.STEPS.get(random.nextInt(FuzzedStream.STEPS.size()));
            boolean rare = step == Step.MESSAGE
                    || step == Step.WORD
                    || step == Step.LIE
                    || step == Step.CLOSE
                    || step == Step.SHUT_INPUT
                    || step == Step.SHUT_OUTPUT;
            if (rare && random.nextInt(20) > 0) {
                step = Step.RIGHT_MESSAGE;
            }
            octets.write(FuzzedStream.STEPS.indexOf(step));
            switch (step) {
                case MESSAGE, RIGHT_MESSAGE -> {
                    byte[] message = new byte[4 + random.nextInt(60)];
                    random.nextBytes(message);
                    message[0] = (byte) (random.nextInt(6) == 0 ? 2 : random.nextInt(3) == 0 ? 0 : random.nextInt(8));
                    octets.write(message.length);
                    octets.writeBytes(message);
                }
                case WORD, LIE ->
                    octets.writeBytes(ByteBuffer.allocate(Long.BYTES)
                            .putLong(random.nextInt(40))
                            .array());
                default -> octets.write(random.nextInt(256));
            }
        }
        fuzzerTestOneInput(octets.toByteArray());
    }
}
