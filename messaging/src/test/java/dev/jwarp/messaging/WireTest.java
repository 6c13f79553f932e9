package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The wire format of docs/messaging.md")
class WireTest {
    private static final HexFormat HEX = HexFormat.of();

    @Test
    @DisplayName("has this hello")
    void hello() {
        Hello hello = new Hello(7, 0x8001, 16, 0x01020304, 1_400, 0xabcde, 0x11223344, 7_174);
        byte[] bytes = HEX.parseHex("01000007800100100102030400000578000abcde112233441c060000");
        assertThat(HEX.formatHex(hello.encoded())).isEqualTo(HEX.formatHex(bytes));
        assertThat(Hello.decode(bytes)).isEqualTo(hello);
    }

    @Test
    @DisplayName("has no hello that is short, of another version, or out of range")
    void noHello() {
        byte[] right = new Hello(7, 8, 16, 1, 1_400, 0, 0, 0).encoded();
        assertThat(Hello.decode(java.util.Arrays.copyOf(right, 27))).isNull();
        for (int[] wrong : new int[][] {{0, 2}, {3, 0}, {5, 0}, {6, 0x7f}, {12, 0x80}}) {
            byte[] changed = right.clone();
            changed[wrong[0]] = (byte) wrong[1];
            assertThat(Hello.decode(changed)).as("byte " + wrong[0]).isNull();
        }
    }

    /** {@return the examples of the page: bytes by name} */
    private static Map<String, byte[]> examples() throws IOException {
        Map<String, byte[]> all = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("../docs/messaging.md"))) {
            Matcher example = Pattern.compile("([A-Z]+) +([0-9a-f ]+)").matcher(line);
            if (example.matches()) {
                all.merge(example.group(1), HEX.parseHex(example.group(2).replace(" ", "")), WireTest::joined);
            }
        }
        return all;
    }

    private static byte[] joined(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }

    private static byte[] frame(int type, int flags, int returns, long correlation, byte[] body) {
        ByteBuffer frame = ByteBuffer.allocate(Frame.HEADER + body.length);
        Frame.header(frame, type, flags, returns, correlation);
        frame.put(body);
        Frame.stamp(frame, 0, 0xa1b2c3d4, 5, 21);
        assertThat(Frame.legal(frame, 0, frame.capacity())).isTrue();
        return frame.array();
    }

    @Test
    @DisplayName("has the examples of the page")
    void pageExamples() throws IOException {
        byte[] piece = HEX.parseHex("00007f0000001000000493e001020304");
        byte[] room = HEX.parseHex("00007f0000200000000010000a0b0c0d");
        byte[] told = HEX.parseHex("00000000000493e00000000100000000");
        assertThat(examples())
                .containsOnlyKeys("HELLO", "SHORT", "LONG", "DONE", "CREDIT", "BYE")
                .containsEntry(
                        "HELLO", new Hello(7, 0x8001, 16, 0x01020304, 1_400, 0xabcde, 0x11223344, 7_174).encoded())
                .containsEntry("SHORT", frame(Frame.SHORT, Frame.CALL, 0, 0x1122334455667788L, new byte[] {'h', 'i'}))
                .containsEntry("LONG", frame(Frame.LONG, 0, 1, 0, joined(room, joined(told, piece))))
                .containsEntry("DONE", frame(Frame.DONE, 0, 0, 0, new byte[] {0, 0, 0, 1, 0, 0, 0, 0}))
                .containsEntry("CREDIT", frame(Frame.CREDIT, Frame.ASK, 0, 0, new byte[0]))
                .containsEntry("BYE", frame(Frame.BYE, 0, 0, 0, new byte[0]));
        ByteBuffer frame = ByteBuffer.wrap(examples().get("LONG"));
        int body = Frame.HEADER + Frame.returns(frame, 0) * Frame.RETURN;
        assertThat(RemoteMemory.readAll(frame, Frame.HEADER, body, 0))
                .containsExactly(new RemoteMemory(0x7f00_0020_0000L, 4_096, 0x0a0b0c0d, 0));
        assertThat(RemoteMemory.readAll(frame, body + Frame.LONG_BODY, frame.capacity(), 0))
                .containsExactly(new RemoteMemory(0x7f00_0000_1000L, 300_000, 0x01020304, 0));
    }

    @Test
    @DisplayName("has these frames")
    void frames() {
        ByteBuffer frame = ByteBuffer.allocate(Frame.HEADER + 2);
        Frame.header(frame, Frame.SHORT, Frame.CALL, 0, 0x1122334455667788L);
        frame.put((byte) 'h').put((byte) 'i');
        Frame.stamp(frame, 0, 0xa1b2c3d4, 0x1_0005, 21);
        assertThat(HEX.formatHex(frame.array())).isEqualTo("11010000a1b2c3d40005001511223344556677886869");
        assertThat(Frame.legal(frame, 0, frame.capacity())).isTrue();
    }

    @Test
    @DisplayName("has no frame whose parts do not fit; any bytes are judged without a failure")
    void anyBytes() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[random.nextInt(80)];
            random.nextBytes(bytes);
            if (bytes.length > 2 && random.nextBoolean()) {
                bytes[0] = (byte) (0x10 | random.nextInt(7));
                bytes[2] = (byte) random.nextInt(4);
            }
            ByteBuffer frame = ByteBuffer.wrap(bytes);
            if (Frame.legal(frame, 0, bytes.length)) {
                int body = Frame.HEADER + Frame.returns(frame, 0) * Frame.RETURN;
                assertThat(body).isLessThanOrEqualTo(bytes.length);
                assertThat(Frame.type(frame, 0)).isBetween(Frame.SHORT, Frame.BYE);
            }
        }
    }
}
