package dev.jwarp.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Arbitrary bytes, parsed as messages between two {@code jwarp perf}. The first byte selects the message. */
public class ExchangeFuzzTest {
    private static final ByteBuffer AGAIN = ByteBuffer.allocate(Note.MOST);

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0 || input.length > Note.MOST) {
            return;
        }
        byte[] octets = Arrays.copyOfRange(input, 1, input.length);
        try {
            switch (input[0] & 3) {
                case 0 -> {
                    Hello hello = Hello.of(octets);
                    assertThat(Hello.of(hello.toOctets())).isEqualTo(hello);
                    assertThat(hello.load().sizes()).isNotEmpty();
                    assertThat(hello.load().gapNanos(hello.load().largest())).isNotNegative();
                }
                case 1 -> {
                    Welcome welcome = Welcome.of(octets);
                    assertThat(Welcome.of(welcome.toOctets())).isEqualTo(welcome);
                }
                case 2 -> {
                    Welcome.Ticket ticket = Welcome.Ticket.of(octets);
                    assertThat(Welcome.Ticket.of(ticket.toOctets())).isEqualTo(ticket);
                }
                default -> {
                    Note note = Note.read(ByteBuffer.wrap(octets));
                    note.write(AGAIN.clear());
                    assertThat(Note.read(AGAIN.flip())).isEqualTo(note);
                }
            }
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageMatching("[ -~]+");
        }
    }

    @FuzzTest(maxDuration = "10m")
    @DictionaryFile(resourcePath = "/dev/jwarp/tools/perf/exchange.dict")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
