package dev.jwarp.llp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An address that the system refuses, in any language,")
class RefusedAddressTest {
    private final List<Integer> givenBack = new ArrayList<>();

    /** A system that permits these ports. */
    private RefusedAddress.Attempt having(IntPredicate ports) {
        return local -> {
            if (!ports.test(local.getPort())) {
                throw new BindException("Die angeforderte Adresse kann nicht zugewiesen werden");
            }
            return () -> givenBack.add(local.getPort());
        };
    }

    private static InetSocketAddress port(int port) {
        return new InetSocketAddress("192.0.2.1", port);
    }

    @Test
    @DisplayName("is not of this host if no other port of it can be bound")
    void notOurs() {
        assertThat(RefusedAddress.why(port(7174), having(port -> false))).isEqualTo(LlpFailure.ADDRESS_NOT_AVAILABLE);
        assertThat(RefusedAddress.why(port(0), having(port -> false))).isEqualTo(LlpFailure.ADDRESS_NOT_AVAILABLE);
    }

    @Test
    @DisplayName("is in use if another port of it can be bound; the attempts are released")
    void inUse() {
        assertThat(RefusedAddress.why(port(7174), having(port -> port == 0))).isEqualTo(LlpFailure.ADDRESS_IN_USE);
        assertThat(RefusedAddress.why(port(80), having(port -> port != 80))).isEqualTo(LlpFailure.ADDRESS_IN_USE);
        assertThat(givenBack).hasSize(3);
    }

    @Test
    @DisplayName("is not permitted to this user if it is a low port and no other low port can be bound")
    void kept() {
        assertThat(RefusedAddress.why(port(80), having(port -> port == 0 || port >= 1024)))
                .isEqualTo(LlpFailure.PERMISSION_DENIED);
    }

    @Test
    @DisplayName("counts as in use if there is no descriptor for the attempts")
    void unknown() {
        assertThat(RefusedAddress.why(port(7174), local -> {
                    throw new IOException("Zu viele offene Dateien");
                }))
                .isEqualTo(LlpFailure.ADDRESS_IN_USE);
        Closeable stubborn = () -> {
            throw new IOException("Eingabe-/Ausgabefehler");
        };
        assertThat(RefusedAddress.why(port(7174), local -> stubborn)).isEqualTo(LlpFailure.ADDRESS_IN_USE);
    }
}
