package dev.jwarp.tools.proxy;

import dev.jwarp.base.Networks;
import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.Shares;
import dev.jwarp.base.SourceKey;
import dev.jwarp.sockets.JwarpSelectorProvider;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.SparseNotes;
import dev.jwarp.tools.cli.Timeout;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Forwards connections from one side to the other. At the limit of connections, the one that has been idle for longest,
 * of the host with most connections, ends for a host that has fewer. One thread serves all connections.
 */
final class StreamGateway implements Gateway {
    private static final int LOOK_MILLIS = 100;
    /** Time without accepting after a failure to accept or forward a connection. */
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final JwarpSelectorProvider sockets;
    private final Side to;
    private final SparseNotes notes;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final SelectionKey listens;
    private final Set<Relay> open = new HashSet<>();
    /** Connections whose other side is not connected yet, with the time of their beginning; the oldest first. */
    private final Map<Relay, Long> connecting = new LinkedHashMap<>();

    private final Limits limits;
    private final Shares places;
    private final Totals totals = new Totals();
    /** A pool of buffers, from ended connections. */
    private final Deque<ByteBuffer> rooms = new ArrayDeque<>();
    /** Number of connections that may still be accepted. */
    private long left;

    private long refusedAt;

    /** The host that needs a place. */
    private long asking;

    /**
     * Limits for clients.
     *
     * @param connections most connections at a time
     * @param connect time limit for connecting to the other side
     * @param allowed networks of hosts that are served
     */
    record Limits(int connections, Duration connect, Networks allowed) {}

    /** Totals of the gateway. */
    static final class Totals {
        public long connections;
        public long failed;
        public long displaced;
        public long notAllowed;
        public long bytesThere;
        public long bytesBack;

        @Override
        public String toString() {
            return connections + " connections, " + failed + " failed, " + bytesThere + " bytes there, " + bytesBack
                    + " bytes back";
        }
    }

    /** An accepted connection with a place. */
    private final class Client implements ShareHolder {
        @Nullable
        Relay relay;

        /**
         * Ends the connection for a host with fewer connections. Connections of the same host do not displace each
         * other.
         */
        @Override
        public void takeBack(long now) {
            Relay mine = relay;
            if (mine != null) {
                totals.displaced++;
                fail(
                        mine,
                        new IOException("ended for a connection of " + SourceKey.text(asking) + ": the limit of "
                                + limits.connections
                                + " connections (--max-sessions) was reached, and its host had most of them"));
            }
        }
    }

    /**
     * Begins to listen.
     *
     * @param sockets opens the channels of RDMA
     * @param notes prints a note about each connection that failed
     */
    StreamGateway(JwarpSelectorProvider sockets, Side at, Side to, Limits limits, Consumer<String> notes)
            throws IOException {
        this.sockets = sockets;
        this.to = to;
        this.notes = new SparseNotes(notes, System::nanoTime);
        this.limits = limits;
        places = new Shares(
                ShareLimits.of("connections", "--max-sessions", limits.connections, 0, Long.MAX_VALUE)
                        .whereOwnStay(),
                new SecureRandom().nextLong(),
                said -> {}); // each displaced connection has a note of its own
        selector = sockets.openSelector();
        listener = at.provider(sockets).openServerSocketChannel();
        refusedAt = System.nanoTime() - PAUSE_NANOS;
        try {
            at.require(listener);
            listener.bind(at.address());
            listener.configureBlocking(false);
            listens = listener.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
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
            if (listens.isValid() && listens.interestOps() == 0 && System.nanoTime() - refusedAt > PAUSE_NANOS) {
                listens.interestOps(SelectionKey.OP_ACCEPT);
            }
            selector.select(this::ready, LOOK_MILLIS);
            endUnconnected();
        }
    }

    private void endUnconnected() {
        long now = System.nanoTime();
        while (!connecting.isEmpty()) {
            Map.Entry<Relay, Long> first = connecting.entrySet().iterator().next();
            if (now - first.getValue() < limits.connect.toNanos()) {
                return;
            }
            fail(first.getKey(), new IOException(to + " did not answer for " + Timeout.text(limits.connect)));
        }
    }

    private void ready(SelectionKey key) {
        if (key.attachment() instanceof Relay relay) {
            move(relay);
        } else if (key.isValid() && key.isAcceptable()) {
            accept();
        }
    }

    private void accept() {
        try {
            SocketChannel near = left > 0 ? listener.accept() : null;
            if (near == null) {
                return;
            }
            if (!mayCome(near)) {
                return;
            }
            left--;
            totals.connections++;
            if (left == 0) {
                listener.close();
            }
            begin(near);
        } catch (IOException | OutOfMemoryError e) {
            pause();
            notes.say("a connection could not be accepted: " + e.getMessage());
        }
    }

    /** {@return whether the host of a connection is served} If not, the connection is reset, and does not count. */
    private boolean mayCome(SocketChannel near) throws IOException {
        if (!(near.getRemoteAddress() instanceof InetSocketAddress from) || limits.allowed.contain(from.getAddress())) {
            return true;
        }
        totals.notAllowed++;
        notes.say(Addresses.text(from) + " is not served: --allow does not name its host");
        reset(near);
        return false;
    }

    private static void reset(SocketChannel near) {
        try {
            near.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            // The channel is closed already.
        }
        closeQuietly(near);
    }

    /**
     * Stops accepting for a while: usually there are no descriptors or no memory left. The listener would be ready
     * again at once, and a JVM that looks for memory delays all connections by half a second.
     */
    private void pause() {
        if (listens.isValid()) {
            listens.interestOps(0);
        }
        refusedAt = System.nanoTime();
    }

    private void begin(SocketChannel near) {
        @Nullable Relay relay = null;
        @Nullable SocketChannel far = null;
        @Nullable Share place = null;
        try {
            long now = System.nanoTime();
            asking = near.getRemoteAddress() instanceof InetSocketAddress at ? SourceKey.of(at) : SourceKey.STRANGERS;
            Client client = new Client();
            place = places.join(asking, client, now);
            if (!place.take(1, now)) {
                refuse(near, place);
                return;
            }
            far = to.provider(sockets).openSocketChannel();
            to.require(far);
            far.configureBlocking(false);
            relay = new Relay(near, far, selector, rooms, place);
            client.relay = relay;
            open.add(relay);
            connecting.put(relay, now);
            near.setOption(StandardSocketOptions.TCP_NODELAY, true);
            far.setOption(StandardSocketOptions.TCP_NODELAY, true);
            if (far.connect(to.address())) {
                move(relay);
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            if (relay == null) {
                pause();
                if (place != null) {
                    place.leave();
                }
                closeQuietly(near);
                closeQuietly(far);
                totals.failed++;
                notes.say("a connection could not be forwarded: " + e.getMessage());
            } else {
                fail(relay, e);
            }
        }
    }

    private void refuse(SocketChannel near, Share place) throws IOException {
        place.leave();
        totals.failed++;
        notes.say(near.getRemoteAddress() + " is not forwarded: the limit of " + limits.connections
                + " connections (--max-sessions) is reached, and no host has more than its share");
        reset(near);
    }

    private static void closeQuietly(@Nullable SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // Nothing else can be done.
        }
    }

    private void move(Relay relay) {
        if (!open.contains(relay)) {
            return; // the turn of its other channel has ended it
        }
        try {
            boolean over = relay.move();
            if (!relay.connects()) {
                connecting.remove(relay);
            }
            if (over) {
                relay.close();
                forget(relay);
            } else {
                relay.place.moved(System.nanoTime());
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            fail(relay, e);
        }
    }

    private void fail(Relay relay, Throwable why) {
        totals.failed++;
        notes.say(relay.who() + ": " + why.getMessage());
        relay.abort();
        forget(relay);
    }

    private void forget(Relay relay) {
        open.remove(relay);
        connecting.remove(relay);
        relay.place.leave();
        totals.bytesThere += relay.bytesThere();
        totals.bytesBack += relay.bytesBack();
        relay.giveBack(rooms);
    }

    /** Resets all connections. */
    @Override
    public void close() throws IOException {
        for (Relay relay : Set.copyOf(open)) {
            relay.abort();
            forget(relay);
        }
        listener.close();
        selector.close();
    }
}
