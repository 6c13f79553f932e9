package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A device whose program serves one connection at a time, and after that connection may end or serve no other. The
 * program can be started anew for each connection.
 */
public final class OneConnectionDevice implements TestedDevice.Wrapped {
    private final TestedDevice device;
    private final @Nullable ProgramStart started;

    /**
     * Wraps a device.
     *
     * @param start ends a running program and starts a new one; null if the program listens again by itself
     */
    public OneConnectionDevice(TestedDevice device, @Nullable Runnable start) {
        this.device = device;
        started = start == null ? null : new ProgramStart(device, start);
    }

    @Override
    public TestedDevice device() {
        return device;
    }

    @Override
    public Wire connect() throws IOException {
        return started == null ? device.connect() : started.connect();
    }

    /** A second connection would not be served, or would end the program of the first one. */
    @Override
    public boolean single() {
        return role() == Role.RESPONDER;
    }

    @Override
    public boolean gone() {
        return started == null ? device.gone() : started.gone();
    }
}
