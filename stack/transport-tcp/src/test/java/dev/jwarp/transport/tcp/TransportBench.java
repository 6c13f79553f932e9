package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.Transport;
import dev.jwarp.llp.TransportProvider;
import dev.jwarp.vectors.Patience;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;

/** Base of transport tests: opens transports, drives inline ones, and closes them. */
public abstract class TransportBench {
    static final StartParameters OFFER = new StartParameters(8, 8, new byte[] {'h', 'i'});
    static final long TIMEOUT_NANOS = Patience.NANOS;

    private final List<Transport> open = new ArrayList<>();

    /** Creates the base. */
    protected TransportBench() {}

    /** {@return the provider under test} */
    protected abstract TransportProvider provider();

    /** {@return settings of all transports of this class, in addition to the times of {@link Patience}} */
    protected abstract Map<String, String> settings();

    static long count(Transport transport, TcpCounter counter) {
        return transport.counters().stream()
                .filter(c -> c.name().equals(counter.label()))
                .findFirst()
                .orElseThrow()
                .value();
    }

    /** {@return the number of connections that count at the limit of a transport} */
    static long connections(Transport transport) {
        AtomicLong used = new AtomicLong();
        transport.limits((name, now, high, limit) -> used.addAndGet(name.equals("tcp-connections") ? now : 0));
        return used.get();
    }

    @AfterEach
    void closeAll() {
        open.forEach(Transport::close);
    }

    Transport open(String... keysAndValues) {
        Map<String, String> all = new HashMap<>(Patience.with(Patience.OF_TCP, settings()));
        for (int i = 0; i < keysAndValues.length; i += 2) {
            all.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        Transport transport = provider().open(all);
        open.add(transport);
        return transport;
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Drives the inline transports until {@code condition} holds. */
    void until(BooleanSupplier condition) {
        Awaitility.await()
                .pollInSameThread()
                .pollDelay(java.time.Duration.ZERO)
                .pollInterval(java.time.Duration.ofNanos(1000))
                .until(() -> {
                    poll();
                    return condition.getAsBoolean();
                });
    }

    void poll() {
        for (Transport transport : List.copyOf(open)) {
            if (transport.inline()) {
                transport.poll();
            }
        }
    }

    /** Like {@link #until}, while another thread makes a blocking call. */
    <T> T whileDriving(java.util.concurrent.Callable<T> blocking) {
        java.util.concurrent.FutureTask<T> task = new java.util.concurrent.FutureTask<>(blocking);
        Thread thread = new Thread(task, "blocking peer");
        thread.start();
        until(task::isDone);
        try {
            return task.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    LlpConnection connect(Transport from, InetSocketAddress to, RecordingUpper upper, RecordingHandler handler) {
        return from.connect(to, null, OFFER, TIMEOUT_NANOS, upper, handler);
    }

    /** An established connection between two transports, with a layer above at each end. */
    final class Pair {
        final RecordingUpper client;
        final RecordingUpper server;
        final RecordingHandler clientHandler = new RecordingHandler();
        final RecordingHandler serverHandler = new RecordingHandler();
        final LlpConnection connection;

        Pair(Transport clientTransport, Transport serverTransport) {
            this(clientTransport, serverTransport, new RecordingUpper(), new RecordingUpper());
        }

        Pair(Transport clientTransport, Transport serverTransport, RecordingUpper client, RecordingUpper server) {
            this.client = client;
            this.server = server;
            serverHandler.onRequest = c -> c.accept(OFFER, server);
            try (Transport.Listener listener = serverTransport.listen(anyPort(), 10, serverHandler)) {
                connection = connect(clientTransport, listener.localAddress(), client, clientHandler);
                until(() -> client.lower != null && server.lower != null);
            }
        }

        /** The first FPDU comes from the client, as it must (RFC 5044 §7.1.2 (4)). */
        Pair started() {
            client.send(new byte[] {1});
            until(() -> !server.received.isEmpty());
            return this;
        }
    }

    /** Echoes received ULPDUs. */
    static class Echo extends RecordingUpper {
        @Override
        public void onUlpdu(java.nio.ByteBuffer buffer, int offset, int length, long nowNanos) {
            byte[] octets = new byte[length];
            buffer.get(offset, octets);
            toSend.add(octets);
        }
    }

    static byte[] random(int length) {
        byte[] octets = new byte[length];
        ThreadLocalRandom.current().nextBytes(octets);
        return octets;
    }

    /** Checks that a good client is still served. */
    void serves(Transport server, Transport.Listener listener, RecordingHandler handler) {
        Echo echo = new Echo();
        handler.onRequest = c -> c.accept(OFFER, echo);
        Transport clients = open();
        RecordingUpper client = new RecordingUpper();
        connect(clients, listener.localAddress(), client, new RecordingHandler());
        byte[] sent = random(1000);
        client.send(sent);
        until(() -> client.received.size() == 1);
        assertThat(client.received.get(0)).isEqualTo(sent);
        client.close();
        until(() -> echo.events.contains("peer closed"));
        echo.close();
        until(() -> client.events.contains("closed GRACEFUL") && echo.events.contains("closed GRACEFUL"));
        clients.close();
    }
}
