package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.app.Silent;
import dev.jwarp.conformance.script.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A program that serves one connection")
@Timeout(30)
class RenewedTest {
    private InetSocketAddress address;
    private @Nullable ServerSocket listener;
    private int starts;

    @BeforeEach
    void chooseAPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
        }
    }

    @AfterEach
    void end() throws IOException {
        if (listener != null) {
            listener.close();
        }
    }

    /** Ends the program that runs, and starts it. */
    private void start() {
        starts++;
        try {
            end();
            ServerSocket next = new ServerSocket();
            next.setReuseAddress(true);
            next.bind(address);
            listener = next;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TestedDevice dialled() {
        return new Dialled(address, Patience.of(1_000, 10, 1_000), r -> new Silent());
    }

    @Test
    @DisplayName("is started before each connection, and takes no second one beside it; that it ended is no crash")
    void eachConnection() throws IOException {
        TestedDevice device = new Renewed(dialled(), this::start);

        device.connect().close();
        device.connect().close();

        assertThat(starts).isEqualTo(2);
        assertThat(device.single()).isTrue();
        assertThat(device.survived()).isTrue();
    }

    @Test
    @DisplayName("is waited for until it listens")
    void waitedFor() throws IOException {
        Thread[] late = new Thread[1];
        TestedDevice device =
                new Renewed(new Dialled(address, Patience.of(1_000, 10, 1_000), r -> new Silent()), () -> {
                    late[0] = new Thread(this::start);
                    late[0].start();
                });

        device.connect().close();

        assertThat(starts).isEqualTo(1);
    }

    @Test
    @DisplayName("is not waited for where the tester does not start it")
    void notStarted() {
        assertThatThrownBy(() -> new Renewed(dialled(), null).connect()).isInstanceOf(IOException.class);
    }
}
