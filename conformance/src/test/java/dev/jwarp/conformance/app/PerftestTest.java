package dev.jwarp.conformance.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.wire.Octets;
import java.io.IOException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The tester's end of the first connection of perftest, with a server that this test plays:")
class PerftestTest {
    private static final String VERSION = "362e3036" + "00".repeat(12);

    private final Perftest perftest = new Perftest(Role.RESPONDER);

    @AutoClose
    private Played device;

    @BeforeEach
    void connect() throws IOException {
        device = new Played();
        perftest.begin(device.talk());
    }

    @Test
    @DisplayName("version, page, cache line and MTU are each answered with the same; there is no fifth probe")
    void messages() throws IOException {
        for (String message : new String[] {VERSION, "00001000", "00000040", "3300"}) {
            device.probes(perftest);
            assertThat(device.takes().payload()).isEqualTo(Octets.hex(message));
            device.sends(message);
            perftest.expectAnswer();
        }

        assertThatThrownBy(perftest::probe).isInstanceOf(Skip.class);
    }

    @Test
    @DisplayName("a wrong version, or another length, is a deviation")
    void deviations() throws IOException {
        device.probes(perftest);
        device.sends("00".repeat(16));
        Played.deviates(perftest, "a version of perftest");
        device.probes(perftest);
        device.sends("0000001000");
        Played.deviates(perftest, "a Send of 4 bytes, as message 2 of perftest, got 5 bytes");
    }
}
