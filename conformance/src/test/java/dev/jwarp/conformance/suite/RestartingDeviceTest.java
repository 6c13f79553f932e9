package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.app.Application.UnknownProgram;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Wire;
import dev.jwarp.vectors.HeldPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A device whose program is started again when it has ended")
class RestartingDeviceTest {
    private HeldPort held;
    private int port;
    private ServerSocket listener;
    private int starts;
    private int refusals;
    private boolean endsOverTheNext;
    private TestedDevice device;

    @BeforeEach
    void free() throws IOException {
        held = new HeldPort();
        port = held.number();
        InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        ListeningDevice listening = new ListeningDevice(at, Patience.of(2_000, 10, 2_000), r -> new UnknownProgram());
        device = new RestartingDevice(new Busy(listening), this::start);
    }

    @AfterEach
    void end() throws IOException {
        device.close();
        if (listener != null) {
            listener.close();
        }
        held.close();
    }

    private void start() {
        starts++;
        try {
            listener = new ServerSocket();
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Refuses this number of connections. */
    private final class Busy implements TestedDevice {
        private final TestedDevice device;

        Busy(TestedDevice device) {
            this.device = device;
        }

        @Override
        public Wire connect() throws IOException {
            if (refusals > 0) {
                refusals--;
                throw new ConnectException("Connection refused");
            }
            Wire wire = device.connect();
            if (endsOverTheNext) { // the kernel has taken the connection before the program ends
                endsOverTheNext = false;
                try (Socket next = listener.accept()) {
                    listener.close();
                }
                await().until(() -> wire.awaitAnything(1) && wire.ended());
            }
            return wire;
        }

        @Override
        public Wire connect(int port) throws IOException {
            return device.connect(port);
        }

        @Override
        public Role role() {
            return device.role();
        }

        @Override
        public Application application() {
            return device.application();
        }

        @Override
        public Survey survey() {
            return device.survey();
        }

        @Override
        public void close() {
            device.close();
        }
    }

    /** The device accepts a connection and keeps it. */
    private Socket taken() throws IOException {
        return listener.accept();
    }

    @Test
    @DisplayName("is started if it did not run")
    void notThere() throws Exception {
        device.connect().close();

        assertThat(starts).isEqualTo(1);
        assertThat(device.survived()).isTrue();
    }

    @Test
    @DisplayName("has survived a case if it accepts another connection, which the next case gets")
    void survives() throws Exception {
        device.connect().close();
        taken().close();

        assertThat(device.survived()).isTrue();
        Socket next = taken();
        assertThat(device.survived()).isTrue();
        Wire wire = device.connect();

        assertThat(wire.local().getPort()).isEqualTo(next.getPort());
        assertThat(starts).isEqualTo(1);
        assertThat(device.single()).isFalse();
        wire.close();
    }

    @Test
    @DisplayName("has not survived if it accepted several connections, now accepts none, and is started again")
    void dies() throws Exception {
        device.connect().close();
        taken();
        device.survived();
        device.connect();
        taken();
        listener.close();

        assertThat(device.survived()).isFalse();
        assertThat(starts).isEqualTo(2);
        assertThat(device.survived()).isTrue();
        device.connect();
        taken();
    }

    @Test
    @DisplayName("that ends in the middle of a case has not survived that case either")
    void diesWithinCase() throws Exception {
        device.connect();
        taken();
        device.connect();
        taken();
        listener.close();

        device.connect();

        assertThat(starts).isEqualTo(2);
        assertThat(device.survived()).isFalse();
    }

    @Test
    @DisplayName("that refuses one connection and accepts the next has only been busy")
    void busyOnce() throws Exception {
        device.connect();
        taken();
        device.connect();
        taken();
        refusals = 1;

        device.connect();

        assertThat(starts).isEqualTo(1);
        assertThat(device.survived()).isTrue();
    }

    @Test
    @DisplayName("that accepts one connection and ends has survived each case, and gets a new program for each")
    void single() throws Exception {
        for (int i = 1; i <= 3; i++) {
            Wire wire = device.connect();
            taken();
            listener.close();
            wire.close();
            assertThat(device.survived()).isTrue();
            assertThat(device.single()).isTrue();
            assertThat(starts).isEqualTo(1 + i);
        }
    }

    @Test
    @DisplayName("that resets waiting connections when it ends counts as accepting one connection")
    void resetsTheNext() throws Exception {
        Wire wire = device.connect();
        Socket own = taken();
        endsOverTheNext = true;
        wire.close();
        own.close();

        assertThat(device.survived()).isTrue();
        assertThat(device.single()).isTrue();
    }

    @Test
    @DisplayName("that does not come back is charged once, and given up")
    void doesNotComeBack() throws Exception {
        TestedDevice dialled = new ListeningDevice(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                Patience.of(200, 10, 200),
                r -> new UnknownProgram());
        device = new RestartingDevice(dialled, new ProgramStart(dialled, () -> starts++, 200));
        start();
        device.connect();
        taken();
        device.connect();
        taken();
        listener.close();

        assertThat(device.survived()).isFalse();
        assertThat(device.gone()).isFalse();
        assertThatExceptionOfType(IOException.class).isThrownBy(device::connect);
        assertThat(device.survived()).isTrue();
        assertThat(device.gone()).isTrue();
    }
}
