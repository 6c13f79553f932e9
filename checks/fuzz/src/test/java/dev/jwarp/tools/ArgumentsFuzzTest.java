package dev.jwarp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.ToolFailure;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Arbitrary text, parsed as an address or as a number of bytes on the command line. No name is resolved. */
public class ArgumentsFuzzTest {
    /**
     * A host with a colon can only be an IPv6 address, a host of dots and digits only an IPv4 address: the JDK does not
     * resolve them.
     */
    private static final Pattern NUMERIC = Pattern.compile("\\[?[0-9a-fA-F]*:[0-9a-fA-F:.]*]?:\\d{1,9}|"
            + "\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.(\\d|\\d\\d|1\\d\\d):\\d{1,9}|-?\\d{0,12}");

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        try {
            assertThat(Quantities.bytes(text)).isNotNegative();
        } catch (NumberFormatException e) {
            assertThat(e).hasMessageContaining("is not a number of bytes");
        }
        if (NUMERIC.matcher(text).matches() && !text.matches(".*(25[6-9]|2[6-9]\\d|[3-9]\\d\\d)\\..*")) {
            address(text);
        }
    }

    private static void address(String text) {
        try {
            InetSocketAddress address = Addresses.toListenOn(text);
            assertThat(address.isUnresolved()).isFalse();
            assertThat(Addresses.toListenOn(Addresses.text(address)).getPort()).isEqualTo(address.getPort());
        } catch (ToolFailure e) {
            assertThat(e.sentence()).isNotEmpty();
        }
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
