package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A program that serves one connection")
class OneConnectionDeviceTest {
    private StartedProgram program;
    private TestedDevice dialled;

    @BeforeEach
    void chooseAPort() throws IOException {
        program = new StartedProgram();
        dialled = program.dialled(Patience.of(1_000, 10, 1_000));
    }

    @AfterEach
    void giveBack() throws IOException {
        program.close();
    }

    private static void refusesThreeTimes(TestedDevice device) {
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(device::connect).isInstanceOf(IOException.class);
        }
    }

    @Test
    @DisplayName("is started before each connection, gets no second one meanwhile, and its end is no crash")
    void eachConnection() throws IOException {
        TestedDevice device = new OneConnectionDevice(dialled, program::start);

        device.connect().close();
        device.connect().close();

        assertThat(program.starts()).isEqualTo(2);
        assertThat(device.single()).isTrue();
        assertThat(device.survived()).isTrue();
    }

    @Test
    @DisplayName("is waited for until it listens, and earlier refused connections do not count")
    void waitedFor() throws IOException {
        refusesThreeTimes(dialled);
        AtomicInteger refusals = new AtomicInteger();
        TestedDevice slow = new Watched(dialled, () -> {
            if (refusals.incrementAndGet() == 3) {
                program.start();
            }
        });
        List<Boolean> gone = new ArrayList<>();
        TestedDevice device = new OneConnectionDevice(slow, () -> gone.add(slow.gone()));

        assertThat(device.gone()).isFalse();
        device.connect().close();

        assertThat(gone).as("the program alone").containsExactly(true);
        assertThat(device.gone()).isFalse();
        assertThat(refusals).hasValue(3);
    }

    @Test
    @DisplayName("is not waited for if the tester does not start it, and counts as gone after repeated refusals")
    void goneUnlessStarted() {
        TestedDevice device = new OneConnectionDevice(dialled, null);

        refusesThreeTimes(device);

        assertThat(device.gone()).isTrue();
    }

    /** A device that runs an action before each connection. */
    private record Watched(TestedDevice device, Runnable before) implements TestedDevice.Wrapped {
        @Override
        public Wire connect() throws IOException {
            before.run();
            return device.connect();
        }
    }
}
