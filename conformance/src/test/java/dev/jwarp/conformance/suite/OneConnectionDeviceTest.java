package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.app.Application.UnknownProgram;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Wire;
import dev.jwarp.vectors.HeldPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A program that serves one connection")
class OneConnectionDeviceTest {
    private HeldPort held;
    private InetSocketAddress address;
    private @Nullable ServerSocket listener;
    private int starts;

    @BeforeEach
    void chooseAPort() throws IOException {
        held = new HeldPort();
        address = held.address();
    }

    @AfterEach
    void giveBack() throws IOException {
        end();
        held.close();
    }

    private void end() throws IOException {
        if (listener != null) {
            listener.close();
        }
    }

    /** Ends the running program, and starts a new one. */
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
        return new ListeningDevice(address, Patience.of(1_000, 10, 1_000), r -> new UnknownProgram());
    }

    @Test
    @DisplayName("is started before each connection, gets no second one meanwhile, and its end is no crash")
    void eachConnection() throws IOException {
        TestedDevice device = new OneConnectionDevice(dialled(), this::start);

        device.connect().close();
        device.connect().close();

        assertThat(starts).isEqualTo(2);
        assertThat(device.single()).isTrue();
        assertThat(device.survived()).isTrue();
    }

    @Test
    @DisplayName("is waited for until it listens, and earlier refused connections do not count")
    void waitedFor() throws IOException {
        TestedDevice dialled = dialled();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(dialled::connect).isInstanceOf(IOException.class);
        }
        AtomicInteger refusals = new AtomicInteger();
        TestedDevice slow = new Watched(dialled, () -> {
            if (refusals.incrementAndGet() == 3) {
                start();
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
    @DisplayName("counts as gone after repeated refusals if the tester does not start it")
    void goneUnlessStarted() {
        TestedDevice device = new OneConnectionDevice(dialled(), null);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(device::connect).isInstanceOf(IOException.class);
        }

        assertThat(device.gone()).isTrue();
    }

    @Test
    @DisplayName("is not waited for if the tester does not start it")
    void notStarted() {
        assertThatThrownBy(() -> new OneConnectionDevice(dialled(), null).connect())
                .isInstanceOf(IOException.class);
    }

    /** A device that runs an action before each connection. */
    private record Watched(TestedDevice device, Runnable before) implements TestedDevice {
        @Override
        public Wire connect() throws IOException {
            before.run();
            return device.connect();
        }

        @Override
        public Wire connect(int port) throws IOException {
            return device.connect(port);
        }

        @Override
        public boolean gone() {
            return device.gone();
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
}
