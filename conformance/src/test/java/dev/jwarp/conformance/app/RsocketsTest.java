package dev.jwarp.conformance.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import java.io.IOException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The tester's end of rsockets, with a device that this test plays:")
class RsocketsTest {
    private static final long DATA = 0x5100_0001L;
    private static final long BUFFER = 0x10_0000L;
    private static final long TABLE_KEY = 0x5100_0002L;
    private static final long TABLE = 0x20_0000L;

    /** Version 1, flags, 384 credits, entries of the iomap; a table at 0x1000, STag 7, two places; a buffer at 0x2000, STag 8. */
    private static byte[] record(String flags, String iomap) {
        return Octets.hex("01" + flags + "0180" + "000000" + iomap + "0000000000001000" + "00000007" + "00000002"
                + "0000000000002000" + "00000008" + "00010000");
    }

    private final Rsockets rsockets = new Rsockets(Role.RESPONDER);

    @AutoClose
    private Played device;

    private void begin(byte[] record) throws IOException {
        device = new Played(record);
        rsockets.begin(device.talk());
    }

    @Test
    @DisplayName("a probe announces 16 bytes; the answer is 16 written and announced bytes, in any pieces")
    void answers() throws IOException {
        begin(record("02", "00"));
        for (int round = 0; round < 2; round++) {
            device.probes(rsockets);
            assertThat(device.takes().payload()).isEqualTo(Octets.hex("10000000"));
            device.says(Segment.write(DATA, BUFFER + 16L * round, new byte[10]).last(false));
            device.says(Segment.write(DATA, BUFFER + 16L * round + 10, new byte[2]));
            device.sends("0c000000");
            device.says(Segment.write(0, 0)); // keeps the connection alive
            device.says(Segment.write(DATA, BUFFER + 16L * round + 12, new byte[4]));
            device.sends("04000000");
            rsockets.expectAnswer();
        }
    }

    @Test
    @DisplayName("credits, with or without a new place, may come in between")
    void credits() throws IOException {
        begin(record("02", "00"));
        device.probes(rsockets);
        device.sends("80010080");
        device.says(Segment.write(TABLE_KEY, TABLE + 16, new byte[16]));
        device.sends("90010080");
        device.says(Segment.write(DATA, BUFFER, new byte[16]));
        device.sends("10000000");
        rsockets.expectAnswer();
    }

    @Test
    @DisplayName("a big-endian device gets words in its byte order")
    void bigEndian() throws IOException {
        begin(record("03", "00"));
        device.probes(rsockets);
        assertThat(device.takes().payload()).isEqualTo(Octets.hex("00000010"));
        device.says(Segment.write(DATA, BUFFER, new byte[16]));
        device.sends("00000010");
        rsockets.expectAnswer();
    }

    @ParameterizedTest
    @CsvSource({"00, 32", "02, 80", "80, 3104", "81, 6176"})
    @DisplayName("the table has all places and the iomap after them, whose size is scaled")
    void table(String iomap, long length) throws IOException {
        begin(record("02", iomap));
        assertThat(rsockets.target()).isEqualTo(new Region(7, 0x1000, length));
    }

    @ParameterizedTest
    @CsvSource({
        "51000002, 100000, 16, 10000000, where its next bytes go", // another STag
        "51000001, 100001, 16, 10000000, where its next bytes go", // a gap
        "51000002, 200018, 16, 10000000, where its next bytes go", // over the end of the table
        "51000001, 100000, 16, 0f000000, tells of the 16 bytes that were written",
        "51000001, 100000, 16, 1000000000, a Send of 4 bytes",
        "51000001, 100000, 16, 10000020, data or credits", // an operation that is not assigned
        "51000001, 100000, 17, 11000000, the 16 bytes back"
    })
    @DisplayName("a Write to another place, a wrong count and an unknown Send are deviations")
    void deviations(String stag, String to, int bytes, String word, String what) throws IOException {
        begin(record("02", "00"));
        device.probes(rsockets);
        device.says(Segment.write(Long.parseLong(stag, 16), Long.parseLong(to, 16), new byte[bytes]));
        device.sends(word);

        Played.deviates(rsockets, what);
    }

    @Test
    @DisplayName("another version, or none, means another program")
    void anotherVersion() throws IOException {
        assertThatThrownBy(() -> begin(Octets.hex("02"))).hasMessageContaining("of version 1, got 1 bytes: 02");
    }
}
