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
 * Carries connections from one side to the other. Where there are as many as there may be, the one of the host that has most of them in which nothing moved for longest ends for one
 * of a host that has fewer. One thread, whatever their number.
 */
final class StreamGateway implements Gateway {
    private static final int LOOK_MILLIS = 100;
    /** Time before the next connection is taken after one could not be. */
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final JwarpSelectorProvider sockets;
    private final Side to;
    private final SparseNotes notes;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final SelectionKey listens;
    private final Set<Relay> open = new HashSet<>();
    /** Those whose other side is being connected to, and since when; the oldest first. */
    private final Map<Relay, Long> connecting = new LinkedHashMap<>();

    private final Limits limits;
    private final Shares places;
    private final Totals totals = new Totals();
    /** Memory of connections that are over. */
    private final Deque<ByteBuffer> rooms = new ArrayDeque<>();
    /** Connections that may still come. */
    private long left;

    private long refusedAt;

    /** The host whose connection asks for a place. */
    private long asking;

    /**
     * What strangers can make it hold.
     *
     * @param connections at a time
     * @param connect so long the other side may take to be connected to
     * @param allowed hosts that it serves
     */
    record Limits(int connections, Duration connect, Networks allowed) {}

    /** What it has carried. */
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

    /** One that came, and has a place. */
    private final class Client implements ShareHolder {
        @Nullable
        Relay relay;

        /** A host with fewer connections has one in its place; its own host none, as programs there take turns. */
        @Override
        public void takeBack(long now) {
            Relay mine = relay;
            if (mine != null) {
                totals.displaced++;
                fail(
                        mine,
                        new IOException(
                                "ended for one of " + SourceKey.text(asking) + ": there were " + limits.connections
                                        + " connections, as many as --max-sessions says, and most were of its host"));
            }
        }
    }

    /**
     * Listens.
     *
     * @param sockets opens what is RDMA
     * @param notes takes a sentence about each connection that failed
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
                said -> {}); // each one that ends is told
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
            notes.say("a connection could not be taken: " + e.getMessage());
        }
    }

    /** {@return whether its host is served} If not, it is reset, and none of those that are counted. */
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
            // It is closed already.
        }
        closeQuietly(near);
    }

    /** There are no descriptors left, or no memory, mostly. Who waits would be ready again at once, and looking for memory takes a JVM half a second, while all others wait. */
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
                notes.say("a connection could not be carried: " + e.getMessage());
            } else {
                fail(relay, e);
            }
        }
    }

    private void refuse(SocketChannel near, Share place) throws IOException {
        place.leave();
        totals.failed++;
        notes.say(near.getRemoteAddress() + " is not carried: there are " + limits.connections
                + " others, as many as --max-sessions says, and no host has more than it may");
        reset(near);
    }

    private static void closeQuietly(@Nullable SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // It is as closed as it can be.
        }
    }

    private void move(Relay relay) {
        if (!open.contains(relay)) {
            return; // its other channel was ready, too, and ended it
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

    /** Ends all that is open, as if it had failed. */
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
