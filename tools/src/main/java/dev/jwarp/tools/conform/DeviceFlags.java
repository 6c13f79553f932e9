package dev.jwarp.tools.conform;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.suite.ConnectingDevice;
import dev.jwarp.conformance.suite.ListeningDevice;
import dev.jwarp.conformance.suite.Survey;
import dev.jwarp.conformance.suite.TestedDevice;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of the device that {@code jwarp conform} tests. */
final class DeviceFlags {
    /** Advice if no device answers. */
    static final String START_IT =
            "start the device's program there first: an rping server (rping -s -P), or a conformance target";

    private static final long A_MOMENT_NANOS = 200_000_000;
    private static final int MOST_JOBS = 64;

    @Option(names = "--peer", paramLabel = "HOST:PORT", description = "Connect to a device that listens there.")
    private @Nullable String peer;

    @Option(
            names = "--listen",
            paramLabel = "[HOST:]PORT",
            description = "Wait on this port for a device that connects; with --jobs also on the following ports.")
    private @Nullable String listen;

    @Option(names = "--self", description = "Test jwarp itself, as both ends; implies --strict.")
    private boolean self;

    @Option(
            names = "--peer-command",
            paramLabel = "COMMAND",
            description =
                    "With --listen: a shell command that makes the device connect, run for each connection. {port} and"
                            + " {host} are replaced. Failing cases show the output of the command.")
    private @Nullable String peerCommand;

    @Option(names = "--jobs", paramLabel = "N", description = "Number of parallel cases; default 1, with --self 4.")
    private @Nullable Integer jobs;

    /** {@return whether a device is given} */
    boolean given() {
        return peer != null || listen != null || self;
    }

    /** {@return whether the device is jwarp itself} */
    boolean self() {
        return self;
    }

    /** {@return whether the device listens, and the tester connects} */
    boolean listens() {
        return peer != null;
    }

    /** {@return whether the device connects, and the tester listens} */
    boolean connects() {
        return listen != null;
    }

    /** {@return the number of parallel cases} */
    int jobs() {
        return jobs != null ? jobs : self ? 4 : 1;
    }

    /**
     * Rejects missing or contradictory flags.
     *
     * @param needed whether a device has to be given
     */
    void check(boolean needed) {
        int given = (peer != null ? 1 : 0) + (listen != null ? 1 : 0) + (self ? 1 : 0);
        if (given > 1 || (needed && given == 0)) {
            throw ToolFailure.usage("one of --peer HOST:PORT, --listen PORT and --self is needed");
        }
        if (peerCommand != null && listen == null) {
            throw ToolFailure.usage("--peer-command makes a device connect: it needs --listen PORT");
        }
        ToolFailure.inRange("--jobs", jobs(), 1, MOST_JOBS);
    }

    /** {@return the name of the tested device, for a report} */
    String words() {
        return self ? "jwarp itself" : peer != null ? peer : "each device that connects to port " + listen;
    }

    /** {@return the device, once for each parallel case} */
    List<TestedDevice> open(Patience patience, Function<Role, Application> program, Survey survey) throws IOException {
        List<TestedDevice> devices = new ArrayList<>();
        for (int i = 0; i < jobs(); i++) {
            if (peer != null) {
                devices.add(new ListeningDevice(Addresses.resolveWithPort(peer), patience, program, survey));
            } else {
                InetSocketAddress first = Addresses.toListenOn(String.valueOf(listen));
                int port = first.getPort() == 0 ? 0 : first.getPort() + i;
                InetSocketAddress at = new InetSocketAddress(first.getAddress(), port);
                String host = first.getAddress().isAnyLocalAddress() ? "" : Addresses.host(first);
                ConnectingDevice.Starter starter = peerCommand == null ? p -> {} : new PeerCommand(peerCommand, host);
                devices.add(new ConnectingDevice(at, patience, program, starter, survey));
            }
        }
        return devices;
    }

    /**
     * {@return the address of a device that listens} Fails if no program accepts connections there, because each case
     * would wait in vain.
     */
    InetSocketAddress answering(Patience patience, Console console) {
        InetSocketAddress address = Addresses.resolveWithPort(String.valueOf(peer));
        try (Socket socket = new Socket()) {
            socket.connect(address, Math.toIntExact(patience.closeMillis()));
            // Not closed at once: Linux's siw stops listening if a connection ends before siw has accepted it.
            console.interruption().pause(A_MOMENT_NANOS);
        } catch (IOException e) {
            throw ToolFailure.setup("cannot connect to " + peer + ": " + e.getMessage(), START_IT);
        }
        return address;
    }
}
