package dev.jwarp.tools.conform;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.cli.ToolThreads;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.tools.link.Rollback;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The datagram target on jwarp: docs/conformance/target.md. It receives orders over TCP, in a thread for each tester.
 * Each conversation has its own context and UDP port, which close with it.
 */
public final class DatagramTarget implements AutoCloseable {
    /** Most conversations at a time: each has a context, a UDP port and a thread. */
    private static final int MOST_CONVERSATIONS = 64;

    private static final long PAUSE_NANOS = 100_000_000;

    private final Device device;
    private final Map<String, String> settings;
    private final Console console;
    private final ServerSocket listener = new ServerSocket();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ToolThreads threads = new ToolThreads();
    private final AtomicInteger served = new AtomicInteger();

    /**
     * Made without listening.
     *
     * @param device a device with datagrams
     * @param settings the settings of each context
     */
    public DatagramTarget(Device device, Map<String, String> settings, Console console) throws IOException {
        this.device = device;
        this.settings = Map.copyOf(settings);
        this.console = console;
    }

    /**
     * Serves testers until the user ends the command.
     *
     * @param lookNanos time between two checks for that
     * @return the number of conversations
     */
    static int serve(
            RdmaProvider provider,
            Map<String, String> settings,
            Console console,
            InetSocketAddress at,
            long lookNanos) {
        try (DatagramTarget target = new DatagramTarget(DatagramLink.device(provider), settings, console)) {
            console.note("listening on " + Addresses.text(target.listen(at)));
            while (!console.interruption().requested()) {
                console.interruption().pause(lookNanos);
            }
            return target.served.get();
        } catch (IOException e) {
            throw ToolFailure.setup("cannot listen on " + Addresses.text(at) + ": " + e.getMessage());
        }
    }

    /**
     * Listens for orders, and serves until {@link #close}.
     *
     * @return the address with the port in use
     */
    public InetSocketAddress listen(InetSocketAddress local) throws IOException {
        listener.setReuseAddress(true);
        listener.bind(local);
        threads.add("jwarp-datagram-target", this::accept);
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                take(listener.accept());
            } catch (IOException | OutOfMemoryError e) {
                // No descriptor, thread or memory is left. The end of a conversation may free some.
                note("a tester was not accepted: " + e);
                console.interruption().pause(PAUSE_NANOS);
            }
        }
    }

    private void take(Socket tester) {
        try (Rollback taken = new Rollback()) {
            taken.add(() -> drop(tester));
            if (open.size() >= MOST_CONVERSATIONS) {
                note("a tester was refused: there are too many");
                return;
            }
            open.add(tester);
            threads.add("jwarp-datagram-tester", () -> serve(tester));
            served.incrementAndGet();
            taken.keep();
        }
    }

    private void drop(Socket tester) {
        open.remove(tester);
        try {
            tester.close();
        } catch (IOException e) {
            note("could not close: " + e.getMessage());
        }
    }

    private void serve(Socket tester) {
        try (tester;
                DatagramSession session = new DatagramSession(device, settings, tester)) {
            session.run();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            note("a conversation failed: " + e);
        } finally {
            open.remove(tester);
        }
    }

    private void note(String sentence) {
        if (console.debug()) {
            console.note(sentence);
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket tester : open) {
                tester.close();
            }
            threads.join(5_000);
        } catch (IOException e) {
            note("could not close: " + e.getMessage());
        }
    }
}
