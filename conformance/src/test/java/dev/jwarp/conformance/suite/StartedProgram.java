package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Application.UnknownProgram;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.vectors.HeldPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/** A device's program that listens at one port. A test ends it and starts it again. */
final class StartedProgram implements AutoCloseable {
    private final HeldPort port;
    private @Nullable ServerSocket listener;
    private int starts;

    StartedProgram() throws IOException {
        port = new HeldPort();
    }

    /** Ends the running program, and starts a new one. */
    void start() {
        starts++;
        try {
            end();
            listener = new ServerSocket();
            listener.setReuseAddress(true);
            listener.bind(port.address());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int starts() {
        return starts;
    }

    Socket taken() throws IOException {
        return listener.accept();
    }

    void end() throws IOException {
        if (listener != null) {
            listener.close();
        }
    }

    TestedDevice dialled(Patience patience) {
        return new ListeningDevice(port.address(), patience, r -> new UnknownProgram());
    }

    @Override
    public void close() throws IOException {
        end();
        port.close();
    }
}
