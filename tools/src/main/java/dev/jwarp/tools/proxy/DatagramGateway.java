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
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Forwards datagrams between both sides. Each source has a session, which is a port on the other side; datagrams to
 * that port go back to the source. A session without datagrams ends after an idle time. At the limit of sessions, the
 * oldest session of the host with most sessions ends for a host that has fewer. Datagrams in a loop begin no session. A
 * source that may be forged gets at most three times the bytes that it has sent. One thread serves all sessions.
 */
final class DatagramGateway implements Gateway {
    /** One byte more than the longest datagram of UDP. */
    private static final int ROOM = 1 << 16;

    /** The setting with the networks whose source addresses cannot be forged. */
    static final String TRUST = "jwarp.udp.trust";

    private static final int LOOK_MILLIS = 100;
    /** Most datagrams of a channel per turn, so that other channels are served, too. */
    private static final int MOST_ROUNDS = 64;
    /** Time without new sessions after a failure to open one. */
    private static final long PAUSE_NANOS = 1_000_000_000;
    /** Bytes of answers for each byte from an unproved source, as in RFC 9000 §8.1. */
    private static final int MOST_ANSWERED = 3;

    private final JwarpSelectorProvider sockets;
    private final Side to;
    private final Limits limits;
    private final LongSupplier nanoTime;
    private final SparseNotes notes;
    private final Selector selector;
    private final DatagramChannel listener;
    /** Sessions by source, in order of their last datagram; the first has been idle for longest. */
    private final Map<SocketAddress, Exchange> open = new LinkedHashMap<>(16, 0.75f, true);

    private final Laps laps = new Laps();
    private final Shares places;
    private final Totals totals = new Totals();
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(ROOM);
    /** Number of sessions that may still begin. */
    private long left;

    private long refusedAt;

    /** The host that needs a session. */
    private long asking;

    /**
     * Limits for clients.
     *
     * @param sessions most sessions at a time
     * @param idle time after which a session without datagrams ends
     * @param allowed networks of hosts that are served
     * @param trusted networks whose source addresses cannot be forged
     */
    record Limits(int sessions, Duration idle, Networks allowed, Networks trusted) {}

    /** Totals of the gateway. */
    static final class Totals {
        public long sessions;
        public long sessionsDisplaced;
        public long datagramsThere;
        public long datagramsBack;
        /** Lost for any reason, including the reasons counted below. */
        public long datagramsLost;

        public long datagramsNotAllowed;
        public long datagramsInALoop;
        public long datagramsWithheld;
        public long bytesThere;
        public long bytesBack;

        @Override
        public String toString() {
            return sessions + " sessions, " + datagramsThere + " datagrams and " + bytesThere + " bytes there, "
                    + datagramsBack + " and " + bytesBack + " back, " + datagramsLost + " lost";
        }
    }

    /** The limit of sessions is reached, and no host has more sessions than the one that needs a session. */
    private static final class NoPlace extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** The session of a source, with its port on the other side. */
    private final class Exchange implements ShareHolder {
        final InetSocketAddress source;
        final boolean proved;
        final DatagramChannel far;
        final Share place;
        long saidAt;
        boolean answered;
        /** Bytes that an unproved source may still get. */
        long owed;

        /**
         * Takes a place for the session.
         *
         * @throws NoPlace if there is none
         */
        Exchange(InetSocketAddress source, long now) throws IOException {
            this.source = source;
            proved = limits.trusted.contain(source.getAddress());
            saidAt = now;
            asking = SourceKey.of(source);
            place = places.join(asking, this, now);
            if (!place.take(1, now)) {
                place.leave();
                throw new NoPlace();
            }
            try {
                far = to.provider(sockets).openDatagramChannel();
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                place.leave();
                throw e;
            }
        }

        /** Notes a datagram of the session. */
        void said() {
            saidAt = nanoTime.getAsLong();
            place.moved(saidAt);
        }

        /** Ends the session for a host with fewer sessions. Sessions of the same host do not displace each other. */
        @Override
        public void takeBack(long now) {
            totals.sessionsDisplaced++;
            notes.say("the session of " + text(source) + " ended for a session of " + SourceKey.text(asking)
                    + ": the limit of --max-sessions was reached, and its host had most sessions");
            end();
        }

        void end() {
            open.remove(source);
            place.leave();
            closeQuietly(far);
        }
    }

    /**
     * Begins to listen.
     *
     * @param sockets opens the channels of RDMA
     * @param nanoTime a clock
     * @param notes prints a note about each datagram that could not be forwarded
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
        // No session counts as idle before -T, because a host that opens many sessions could take those of all silent
        // sources.
        places = new Shares(
                ShareLimits.of("sessions", "--max-sessions", limits.sessions, 0, Long.MAX_VALUE)
                        .whereOwnStay(),
                new SecureRandom().nextLong(),
                said -> {}); // each displaced session has a note of its own
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

    private void endIdle() {
        long now = nanoTime.getAsLong();
        while (!open.isEmpty()) {
            Exchange first = open.values().iterator().next();
            if (now - first.saidAt < limits.idle.toNanos()) {
                return;
            }
            first.end();
        }
    }

    // ---- there

    private void carryThere() {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            InetSocketAddress source;
            try {
                source = (InetSocketAddress) listener.receive(datagram.clear());
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
                exchange.said();
                exchange.owed += (long) MOST_ANSWERED * datagram.remaining();
                giveThere(exchange);
            }
        }
    }

    /** {@return the session of a source; null if the source gets none} */
    private @Nullable Exchange of(InetSocketAddress source) {
        Exchange known = open.get(source);
        if (known != null) {
            laps.goesOn(source, datagram, nanoTime.getAsLong());
            return known;
        }
        if (!limits.allowed.contain(source.getAddress())) {
            totals.datagramsNotAllowed++;
            notes.say(text(source) + " is not served: --allow does not name its host");
            return null;
        }
        return left == 0 || nanoTime.getAsLong() - refusedAt < PAUSE_NANOS ? null : begin(source);
    }

    private @Nullable Exchange begin(InetSocketAddress source) {
        if (isNoClient(source)) {
            totals.datagramsInALoop++;
            notes.say("a datagram of " + text(source) + " is not forwarded: that is the address of " + to
                    + " or a port of this proxy, not a client. It is forged, or -t leads back here");
            return null;
        }
        if (laps.tooMany(source, datagram, nanoTime.getAsLong())) {
            totals.datagramsInALoop++;
            notes.say("a datagram of " + text(source) + " is in a loop: datagrams to " + to
                    + " come back here. -t, here or of another proxy on the path, has to lead to a server");
            return null;
        }
        Exchange made = null;
        try {
            made = new Exchange(source, nanoTime.getAsLong());
            to.require(made.far);
            made.far.configureBlocking(false);
            made.far.connect(to.address());
            made.far.register(selector, SelectionKey.OP_READ, made);
            open.put(source, made);
            totals.sessions++;
            left--;
            return made;
        } catch (NoPlace e) {
            notes.say(text(source) + " gets no session: the limit of " + limits.sessions
                    + " (--max-sessions) is reached, and no host has more than its share; a session ends after "
                    + Timeout.text(limits.idle) + " (-T) without datagrams");
            return null;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            refusedAt = nanoTime.getAsLong();
            notes.say("cannot open a session for " + text(source) + ": " + e.getMessage());
            if (made != null) {
                made.end();
            }
            return null;
        }
    }

    /**
     * {@return whether a source is a port of this proxy, or its target, and therefore not a client} If such a source is
     * forged, each answer would come back as the next request.
     */
    private boolean isNoClient(InetSocketAddress source) {
        return source.equals(to.address())
                || isBoundTo(source, listener)
                || open.values().stream().anyMatch(each -> isBoundTo(source, each.far));
    }

    private static boolean isBoundTo(InetSocketAddress source, DatagramChannel channel) {
        try {
            return channel.getLocalAddress() instanceof InetSocketAddress here && Addresses.reaches(source, here);
        } catch (IOException e) {
            return false; // the channel is closed
        }
    }

    private static void closeQuietly(DatagramChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing else can be done.
        }
    }

    private void giveThere(Exchange exchange) {
        int length = datagram.remaining();
        try {
            if (length == 0 && to.kind() == Side.Kind.UDP) { // the system's channels drop such a datagram silently
                throw new IOException("it is empty, and a connected port of UDP sends no empty datagram");
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
        notes.say("a datagram of the session of " + text(exchange.source) + " could not be sent to " + where + ": "
                + (why instanceof PortUnreachableException ? "no program listens there" : why.getMessage()));
    }

    private static String text(InetSocketAddress source) {
        return Addresses.text(source);
    }

    // ---- back

    private void carryBack(Exchange exchange) {
        for (int round = 0; round < MOST_ROUNDS && exchange.far.isOpen(); round++) {
            try {
                if (exchange.far.receive(datagram.clear()) == null) {
                    return;
                }
            } catch (IOException e) {
                lost(exchange, to.toString(), e); // a datagram sent before has reached no program
                return;
            }
            datagram.flip();
            exchange.said();
            open.get(exchange.source); // moves the session to the end of the order
            if (!exchange.answered) {
                exchange.answered = true;
                laps.forget();
            }
            giveBack(exchange);
        }
    }

    private void giveBack(Exchange exchange) {
        int length = datagram.remaining();
        if (!exchange.proved) {
            int cost = Math.max(1, length); // an empty datagram costs a byte
            if (exchange.owed < cost) {
                withhold(exchange, length);
                return;
            }
            exchange.owed -= cost;
        }
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

    private void withhold(Exchange exchange, int length) {
        totals.datagramsLost++;
        totals.datagramsWithheld++;
        notes.say("an answer of " + length + " bytes was not sent to " + text(exchange.source)
                + ": its address may be forged, so it gets at most " + MOST_ANSWERED
                + " times the bytes that it has sent. If its network stops forged sources, name it: --set "
                + TRUST + "=" + Addresses.host(exchange.source));
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
