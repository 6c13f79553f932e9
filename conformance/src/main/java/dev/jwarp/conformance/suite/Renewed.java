package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A device whose program serves one connection at a time, and may end then or serve no more: it can be started anew for each. */
public final class Renewed implements TestedDevice {
    private final TestedDevice device;
    private final @Nullable Started started;

    /**
     * A device that is started.
     *
     * @param start ends its program if it runs, and starts it; null if it listens again by itself
     */
    public Renewed(TestedDevice device, @Nullable Runnable start) {
        this.device = device;
        started = start == null ? null : new Started(device, start);
    }

    @Override
    public Wire connect() throws IOException {
        return started == null ? device.connect() : started.connect();
    }

    @Override
    public Wire connect(int port) throws IOException {
        return device.connect(port);
    }

    /** A second connection would not be served, or end the program of the first one. */
    @Override
    public boolean single() {
        return role() == Role.RESPONDER;
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
    public boolean gone() {
        return started == null ? device.gone() : started.gone();
    }

    @Override
    public boolean survived() {
        return device.survived();
    }

    @Override
    public Survey survey() {
        return device.survey();
    }

    @Override
    public List<String> said() {
        return device.said();
    }

    @Override
    public void close() {
        device.close();
    }
}
