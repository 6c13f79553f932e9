package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A device whose program is started again when it has ended")
class RestartingDeviceTest {
    private StartedProgram program;
    private int refusals;
    private boolean endsOverTheNext;
    private TestedDevice device;

    @BeforeEach
    void free() throws IOException {
        program = new StartedProgram();
        device = new RestartingDevice(new Busy(program.dialled(Patience.of(2_000, 10, 2_000))), program::start);
    }

    @AfterEach
    void end() throws IOException {
        device.close();
        program.close();
    }

    /** Refuses this number of connections. */
    private final class Busy implements TestedDevice.Wrapped {
        private final TestedDevice device;

        Busy(TestedDevice device) {
            this.device = device;
        }

        @Override
        public TestedDevice device() {
            return device;
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
                try (Socket next = program.taken()) {
                    program.end();
                }
                await().until(() -> wire.awaitAnything(1) && wire.ended());
            }
            return wire;
        }
    }

    /** Makes two connections, which the program keeps: it is then known to accept several. */
    private void connectsTwice() throws IOException {
        for (int i = 0; i < 2; i++) {
            device.connect();
            program.taken();
        }
    }

    @Test
    @DisplayName("is started if it did not run")
    void notThere() throws Exception {
        device.connect().close();

        assertThat(program.starts()).isEqualTo(1);
        assertThat(device.survived()).isTrue();
    }

    @Test
    @DisplayName("has survived a case if it accepts another connection, which the next case gets")
    void survives() throws Exception {
        device.connect().close();
        program.taken().close();

        assertThat(device.survived()).isTrue();
        Socket next = program.taken();
        assertThat(device.survived()).isTrue();
        Wire wire = device.connect();

        assertThat(wire.local().getPort()).isEqualTo(next.getPort());
        assertThat(program.starts()).isEqualTo(1);
        assertThat(device.single()).isFalse();
        wire.close();
    }

    @Test
    @DisplayName("has not survived if it accepted several connections, now accepts none, and is started again")
    void dies() throws Exception {
        device.connect().close();
        program.taken();
        device.survived();
        device.connect();
        program.taken();
        program.end();

        assertThat(device.survived()).isFalse();
        assertThat(program.starts()).isEqualTo(2);
        assertThat(device.survived()).isTrue();
        device.connect();
        program.taken();
    }

    @Test
    @DisplayName("that ends in the middle of a case has not survived that case either")
    void diesWithinCase() throws Exception {
        connectsTwice();
        program.end();

        device.connect();

        assertThat(program.starts()).isEqualTo(2);
        assertThat(device.survived()).isFalse();
    }

    @Test
    @DisplayName("that refuses one connection and accepts the next has only been busy")
    void busyOnce() throws Exception {
        connectsTwice();
        refusals = 1;

        device.connect();

        assertThat(program.starts()).isEqualTo(1);
        assertThat(device.survived()).isTrue();
    }

    @Test
    @DisplayName("that accepts one connection and ends has survived each case, and gets a new program for each")
    void single() throws Exception {
        for (int i = 1; i <= 3; i++) {
            Wire wire = device.connect();
            program.taken();
            program.end();
            wire.close();
            assertThat(device.survived()).isTrue();
            assertThat(device.single()).isTrue();
            assertThat(program.starts()).isEqualTo(1 + i);
        }
    }

    @Test
    @DisplayName("that resets waiting connections when it ends counts as accepting one connection")
    void resetsTheNext() throws Exception {
        Wire wire = device.connect();
        Socket own = program.taken();
        endsOverTheNext = true;
        wire.close();
        own.close();

        assertThat(device.survived()).isTrue();
        assertThat(device.single()).isTrue();
    }

    @Test
    @DisplayName("that does not come back is charged once, and given up")
    void doesNotComeBack() throws Exception {
        TestedDevice dialled = program.dialled(Patience.of(200, 10, 200));
        device = new RestartingDevice(dialled, new ProgramStart(dialled, () -> {}, 200));
        program.start();
        connectsTwice();
        program.end();

        assertThat(device.survived()).isFalse();
        assertThat(device.gone()).isFalse();
        assertThatExceptionOfType(IOException.class).isThrownBy(device::connect);
        assertThat(device.survived()).isTrue();
        assertThat(device.gone()).isTrue();
    }
}
