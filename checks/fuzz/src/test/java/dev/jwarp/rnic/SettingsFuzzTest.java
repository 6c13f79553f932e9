package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Arbitrary text, read as values of settings: one a line, whose first character selects the setting. The error for a
 * bad value is a sentence.
 */
public class SettingsFuzzTest {
    private static final List<String> OF_TCP =
            Stream.of(TcpSetting.values()).map(TcpSetting::key).toList();
    private static final List<String> OF_UDP =
            Stream.of(UdpSetting.values()).map(UdpSetting::key).toList();

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        Map<String, String> tcp = new HashMap<>();
        Map<String, String> udp = new HashMap<>();
        new String(input, StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isEmpty())
                .forEach(line -> {
                    int which = line.charAt(0);
                    tcp.put(OF_TCP.get(which % OF_TCP.size()), line.substring(1));
                    udp.put(OF_UDP.get(which % OF_UDP.size()), line.substring(1));
                });
        parse(() -> TcpSettings.of(tcp));
        parse(() -> UdpSettings.of(udp));
    }

    private static void parse(Runnable parsing) {
        try {
            parsing.run();
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).startsWith("jwarp.");
        }
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
