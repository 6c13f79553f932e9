package dev.jwarp.transport.tcp;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.LowerLayer;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.Transport;
import dev.jwarp.llp.TransportProvider;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.vectors.Patience;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/**
 * A client and an echo server over two transports, whose layers above allocate nothing, for tests of waiting and
 * allocation.
 */
public final class EchoPair implements AutoCloseable {
    private static final int LARGEST = 64_768;
    private static final StartParameters OFFER = new StartParameters(1, 1, new byte[0]);

    /** The transport of the client. */
    public Transport client;

    /** The transport of the echo. */
    public final Transport server;

    /** The layer above of the client. */
    public Upper clientUpper = new Upper(false);

    private final TransportProvider provider;
    private final Map<String, String> settings;
    private LlpConnection connection;
    private InetSocketAddress address;
    private volatile boolean over;

    /** Two transports with the same settings, in addition to the times of {@link Patience}. */
    public EchoPair(TransportProvider provider, Map<String, String> settings) {
        this.provider = provider;
        this.settings = Patience.with(Patience.OF_TCP, settings);
        client = provider.open(this.settings);
        server = provider.open(this.settings);
    }

    /** Connects the two transports, from this thread. */
    public EchoPair connect() {
        Upper echo = new Upper(true);
        Transport.Listener listener =
                server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10, new Handler(echo));
        address = listener.localAddress();
        connection = client.connect(address, null, OFFER, Long.MAX_VALUE, clientUpper, new Handler(null));
        Awaitility.await().pollInSameThread().pollDelay(java.time.Duration.ZERO).until(() -> {
            client.poll();
            server.poll();
            return clientUpper.lower != null && echo.lower != null;
        });
        return this;
    }

    /**
     * Opens another client transport and connection, both created and driven by the calling thread; the server is
     * driven too.
     */
    public void connectAgain() {
        client.close();
        client = provider.open(settings);
        clientUpper = new Upper(false);
        connection = client.connect(address, null, OFFER, Long.MAX_VALUE, clientUpper, new Handler(null));
        while (clientUpper.lower == null) {
            client.await(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** {@return the layer above of a second connection of the client, which has sent one ULPDU} */
    public Upper connectSecond() {
        Upper upper = new Upper(false);
        upper.send(10);
        client.connect(address, null, OFFER, Long.MAX_VALUE, upper, new Handler(null));
        return upper;
    }

    /** {@return the client's connection} */
    public LlpConnection connection() {
        return connection;
    }

    /** Makes the client send one ULPDU. */
    public void send(int length) {
        clientUpper.send(length);
    }

    /** {@return the number of ULPDUs that the client got back} */
    public int received() {
        return clientUpper.received();
    }

    /** {@return whether {@link #over} was called} */
    public boolean isOver() {
        return over;
    }

    /** Stops the threads that drive the server. */
    public void over() {
        over = true;
    }

    @Override
    public void close() {
        over = true;
        client.close();
        server.close();
    }

    /** Counts received ULPDUs; sends as many ULPDUs as requested, or as received. */
    public static final class Upper implements UpperLayer {
        private final boolean echo;
        private final ByteBuffer payload = ByteBuffer.allocateDirect(LARGEST);
        private final AtomicInteger pending = new AtomicInteger();
        private final AtomicInteger received = new AtomicInteger();
        private volatile int length;
        private volatile LowerLayer lower;
        private volatile long timeout = Long.MAX_VALUE;
        private volatile boolean timedOut;
        private volatile boolean closed;

        Upper(boolean echo) {
            this.echo = echo;
        }

        void send(int octets) {
            length = octets;
            pending.incrementAndGet();
            LowerLayer established = lower;
            if (established != null) {
                established.doorbell();
            }
        }

        /** {@return the number of received ULPDUs} */
        public int received() {
            return received.get();
        }

        /** Requests a timer call at this time. */
        public void wantTimeout(long nanos) {
            timeout = nanos;
        }

        /** {@return whether the timer call has happened} */
        public boolean timedOut() {
            return timedOut;
        }

        /** {@return whether the connection is over} */
        public boolean isClosed() {
            return closed;
        }

        @Override
        public void onEstablished(LowerLayer lowerLayer, LlpAgreement agreement, long nowNanos) {
            lower = lowerLayer;
        }

        @Override
        public void onUlpdu(ByteBuffer buffer, int offset, int octets, long nowNanos) {
            if (echo) {
                length = octets;
                pending.incrementAndGet();
            }
            received.incrementAndGet();
        }

        @Override
        public boolean wantsToSend() {
            return pending.get() > 0;
        }

        @Override
        public boolean pollUlpdu(UlpduWriter out, long nowNanos) {
            if (pending.get() == 0) {
                return false;
            }
            pending.decrementAndGet();
            int octets = length; // another thread may set the next one meanwhile
            out.begin(0, octets);
            out.payload(payload, 0, octets, true);
            out.end();
            return true;
        }

        @Override
        public void onTransmitted(long nowNanos) {}

        @Override
        public void onLlpError(TerminateCode code, boolean mayAnswer, long nowNanos) {}

        @Override
        public void onPeerClosed(long nowNanos) {}

        @Override
        public void onClosed(LlpEnd end, long nowNanos) {
            closed = true;
        }

        @Override
        public long nextTimeout() {
            return timeout;
        }

        @Override
        public void onTimeout(long nowNanos) {
            timeout = Long.MAX_VALUE;
            timedOut = true;
        }
    }

    /** Accepts everything: the first connection with the given layer, further ones with their own. */
    private static final class Handler implements ConnectionHandler {
        private Upper next;

        Handler(Upper next) {
            this.next = next;
        }

        @Override
        public void onRequest(LlpConnection requested, StartParameters peer) {
            requested.accept(OFFER, next);
            next = new Upper(true);
        }

        @Override
        public void onEstablished(LlpConnection established, StartParameters peer) {}

        @Override
        public void onRejected(LlpConnection rejected, StartParameters peer) {}

        @Override
        public void onFailed(LlpConnection failed, LlpFailure failure, String sentence) {}
    }
}
