package dev.jwarp.tools.proxy;

import dev.jwarp.sockets.JwarpSelectorProvider;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.SparseNotes;
import dev.jwarp.tools.cli.Timeout;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries datagrams from one side to the other. Each source has a session: a port of its own on the other side, whose answers go back to it, until neither has said anything for
 * some time. One thread, whatever their number.
 */
final class DatagramGateway implements Gateway {
    /** What UDP carries, and a byte more. */
    private static final int ROOM = 1 << 16;

    private static final int LOOK_MILLIS = 100;
    /** Datagrams of one channel in one go: others have their turn. */
    private static final int MOST_ROUNDS = 64;
    /** So long no session begins after one could not. */
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final JwarpSelectorProvider sockets;
    private final Side to;
    private final Limits limits;
    private final LongSupplier nanoTime;
    private final SparseNotes notes;
    private final Selector selector;
    private final DatagramChannel listener;
    /** By source; the one that was silent longest is the first. */
    private final Map<SocketAddress, Exchange> open = new LinkedHashMap<>(16, 0.75f, true);

    private final Totals totals = new Totals();
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(ROOM);
    /** Sessions that may still begin. */
    private long left;

    private long refusedAt;

    /**
     * What strangers can make it hold.
     *
     * @param sessions at a time
     * @param idle so long a session is there in which nothing is said
     */
    record Limits(int sessions, Duration idle) {}

    /** What it has carried. */
    static final class Totals {
        public long sessions;
        public long datagramsThere;
        public long datagramsBack;
        public long datagramsLost;
        public long bytesThere;
        public long bytesBack;

        @Override
        public String toString() {
            return sessions + " sessions, " + datagramsThere + " datagrams and " + bytesThere + " bytes there, "
                    + datagramsBack + " and " + bytesBack + " back, " + datagramsLost + " lost";
        }
    }

    /** A source, and its port on the other side. */
    private static final class Exchange {
        final SocketAddress source;
        final DatagramChannel far;
        long saidAt;

        Exchange(SocketAddress source, DatagramChannel far) {
            this.source = source;
            this.far = far;
        }
    }

    /**
     * Listens.
     *
     * @param sockets opens what is RDMA
     * @param nanoTime a clock
     * @param notes takes a sentence about each datagram that could not be carried
     */
    DatagramGateway(
            JwarpSelectorProvider sockets,
            Side at,
            Side to,
            Limits limits,
            LongSupplier nanoTime,
            Consumer<String> notes)
            throws IOException {
        this.sockets = sockets;
        this.to = to;
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.notes = new SparseNotes(notes, nanoTime);
        selector = sockets.openSelector();
        listener = at.provider(sockets).openDatagramChannel();
        refusedAt = nanoTime.getAsLong() - PAUSE_NANOS;
        try {
            at.require(listener);
            listener.bind(at.address());
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_READ);
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listener.getLocalAddress();
    }

    @Override
    public Totals totals() {
        return totals;
    }

    @Override
    public void run(long most, BooleanSupplier ends) throws IOException {
        left = most == 0 ? Long.MAX_VALUE : most;
        while (!ends.getAsBoolean() && (left > 0 || !open.isEmpty())) {
            selector.select(this::ready, LOOK_MILLIS);
            endIdle();
        }
    }

    private void ready(SelectionKey key) {
        if (key.attachment() instanceof Exchange exchange) {
            carryBack(exchange);
        } else {
            carryThere();
        }
    }

    private void endIdle() throws IOException {
        long now = nanoTime.getAsLong();
        Iterator<Exchange> each = open.values().iterator();
        while (each.hasNext()) {
            Exchange first = each.next();
            if (now - first.saidAt < limits.idle.toNanos()) {
                return;
            }
            each.remove();
            first.far.close();
        }
    }

    // ---- there

    private void carryThere() {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            SocketAddress source;
            try {
                source = listener.receive(datagram.clear());
            } catch (IOException e) {
                notes.say("a datagram could not be received: " + e.getMessage());
                return;
            }
            if (source == null) {
                return;
            }
            datagram.flip();
            Exchange exchange = of(source);
            if (exchange == null) {
                totals.datagramsLost++;
            } else {
                exchange.saidAt = nanoTime.getAsLong();
                giveThere(exchange);
            }
        }
    }

    /** {@return the session of a source; null if it can have none} */
    private @Nullable Exchange of(SocketAddress source) {
        Exchange known = open.get(source);
        if (known != null || left == 0) {
            return known;
        }
        if (open.size() >= limits.sessions) {
            notes.say(text(source) + " has no session: there are " + limits.sessions
                    + " others, as many as --max-sessions says; one ends when nothing was said there for "
                    + Timeout.text(limits.idle) + " (-T)");
            return null;
        }
        return nanoTime.getAsLong() - refusedAt < PAUSE_NANOS ? null : begin(source);
    }

    private @Nullable Exchange begin(SocketAddress source) {
        DatagramChannel far = null;
        try {
            far = to.provider(sockets).openDatagramChannel();
            to.require(far);
            far.configureBlocking(false);
            far.connect(to.address());
            Exchange made = new Exchange(source, far);
            far.register(selector, SelectionKey.OP_READ, made);
            open.put(source, made);
            totals.sessions++;
            left--;
            return made;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            refusedAt = nanoTime.getAsLong();
            notes.say("there could be no session for " + text(source) + ": " + e.getMessage());
            closeQuietly(far);
            return null;
        }
    }

    private static void closeQuietly(@Nullable DatagramChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // It is as closed as it can be.
        }
    }

    private void giveThere(Exchange exchange) {
        int length = datagram.remaining();
        try {
            if (length == 0 && to.kind() == Side.Kind.UDP) { // which the system's channels leave out in silence
                throw new IOException("it has no bytes, and a connected port of UDP sends no such datagram");
            }
            exchange.far.write(datagram);
            if (datagram.hasRemaining()) {
                totals.datagramsLost++; // no room, as with UDP
            } else {
                totals.datagramsThere++;
                totals.bytesThere += length;
            }
        } catch (IOException | RuntimeException e) {
            lost(exchange, to.toString(), e);
        }
    }

    private void lost(Exchange exchange, String where, Exception why) {
        totals.datagramsLost++;
        notes.say("a datagram of the session of " + text(exchange.source) + " could not go to " + where + ": "
                + (why instanceof PortUnreachableException ? "no program has that port" : why.getMessage()));
    }

    private static String text(SocketAddress source) {
        return Addresses.text((InetSocketAddress) source);
    }

    // ---- back

    private void carryBack(Exchange exchange) {
        for (int round = 0; round < MOST_ROUNDS && exchange.far.isOpen(); round++) {
            try {
                if (exchange.far.receive(datagram.clear()) == null) {
                    return;
                }
            } catch (IOException e) {
                lost(exchange, to.toString(), e); // what was sent before has reached no program
                return;
            }
            datagram.flip();
            exchange.saidAt = nanoTime.getAsLong();
            open.get(exchange.source); // which is the last one in their order then
            giveBack(exchange);
        }
    }

    private void giveBack(Exchange exchange) {
        int length = datagram.remaining();
        try {
            listener.send(datagram, exchange.source);
            if (datagram.hasRemaining()) {
                totals.datagramsLost++;
            } else {
                totals.datagramsBack++;
                totals.bytesBack += length;
            }
        } catch (IOException | RuntimeException e) {
            lost(exchange, text(exchange.source), e);
        }
    }

    @Override
    public void close() throws IOException {
        for (Exchange each : open.values()) {
            each.far.close();
        }
        open.clear();
        listener.close();
        selector.close();
    }
}
