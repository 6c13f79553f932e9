package dev.jwarp.tools.conform;

import dev.jwarp.tools.Addresses;
import dev.jwarp.tools.Console;
import dev.jwarp.tools.ToolFailure;
import dev.jwarp.tools.link.DatagramLink;
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
 * The datagram target on jwarp: docs/conformance/target.md. Takes orders over TCP, a thread for each tester's conversation; each has a
 * context and a UDP port of its own, which go away with it.
 */
public final class DatagramTarget implements AutoCloseable {
    private final Device device;
    private final Map<String, String> settings;
    private final Console console;
    private final ServerSocket listener = new ServerSocket();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final AtomicInteger served = new AtomicInteger();

    /**
     * Not listening yet.
     *
     * @param device one for datagrams
     * @param settings of each context
     */
    public DatagramTarget(Device device, Map<String, String> settings, Console console) throws IOException {
        this.device = device;
        this.settings = Map.copyOf(settings);
        this.console = console;
    }

    /**
     * Serves testers until the user wants it to end.
     *
     * @param lookNanos how often it looks whether that is so
     * @return how many conversations there were
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

    /** Listens for orders, and serves until {@link #close}. Returns the address with its port. */
    public InetSocketAddress listen(InetSocketAddress local) throws IOException {
        listener.setReuseAddress(true);
        listener.bind(local);
        start("jwarp-datagram-target", this::accept);
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket tester = listener.accept();
                open.add(tester);
                served.incrementAndGet();
                start("jwarp-datagram-tester", () -> serve(tester));
            } catch (IOException e) {
                note("no more testers: " + e.getMessage());
                return;
            }
        }
    }

    private void serve(Socket tester) {
        try (tester;
                DatagramSession session = new DatagramSession(device, settings, tester)) {
            session.run();
        } catch (IOException | RuntimeException e) {
            note("a conversation failed: " + e);
        } finally {
            open.remove(tester);
        }
    }

    private void start(String name, Runnable work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } finally {
                        threads.remove(Thread.currentThread());
                    }
                },
                name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
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
            for (Thread thread : threads) {
                thread.join(5_000);
            }
        } catch (IOException e) {
            note("could not close: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
