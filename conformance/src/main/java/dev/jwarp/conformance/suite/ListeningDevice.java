package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Function;

/** A device that listens: the tester connects to it. */
public final class ListeningDevice implements TestedDevice {
    /** After so many consecutive refused connections the program of the device counts as ended. */
    private static final int ENOUGH_REFUSALS = 3;

    private final InetSocketAddress address;
    private final Patience patience;
    private final Function<Role, Application> program;
    private final Survey survey;
    private volatile int refusals;

    /**
     * A device at an address.
     *
     * @param address the resolved address at which the device listens
     * @param patience how long a connection may take
     * @param program makes the profile of the program above the device
     */
    public ListeningDevice(InetSocketAddress address, Patience patience, Function<Role, Application> program) {
        this(address, patience, program, new Survey());
    }

    /** A device at an address, of which something is known. */
    public ListeningDevice(
            InetSocketAddress address, Patience patience, Function<Role, Application> program, Survey survey) {
        this.address = address;
        this.patience = patience;
        this.program = program;
        this.survey = survey;
    }

    @Override
    public Role role() {
        return Role.RESPONDER;
    }

    @Override
    public Wire connect() throws IOException {
        return connect(address.getPort());
    }

    @Override
    public Wire connect(int port) throws IOException {
        InetAddress host = address.getAddress();
        patience.delay();
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(host, port), (int) patience.answerMillis());
            refused(port, false);
        } catch (IOException e) {
            refused(port, true);
            socket.close();
            throw new IOException(host.getHostAddress() + ":" + port + ": " + e.getMessage(), e);
        }
        return new Wire(socket);
    }

    private void refused(int port, boolean really) {
        if (port == address.getPort()) {
            refusals = really ? refusals + 1 : 0;
        }
    }

    @Override
    public Application application() {
        return program.apply(Role.RESPONDER);
    }

    @Override
    public boolean gone() {
        return refusals >= ENOUGH_REFUSALS;
    }

    @Override
    public Survey survey() {
        return survey;
    }
}
