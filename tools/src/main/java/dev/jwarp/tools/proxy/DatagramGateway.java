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
 * Carries datagrams from one side to the other. Each source has a session: a port of its own on the other side, whose answers go back to it, until neither has said anything for
 * some time. Where there are as many as there may be, the oldest of the host that has most of them, whatever its ports, ends for one of a host that has fewer.
 * What goes round in a loop begins no session, and a source that anyone may have forged gets no more than three times the bytes that came from it.
 * One thread, whatever their number.
 */
final class DatagramGateway implements Gateway {
    /** What UDP carries, and a byte more. */
    private static final int ROOM = 1 << 16;

    /** The setting that names the sources that cannot be forged. */
    static final String TRUST = "jwarp.udp.trust";

    private static final int LOOK_MILLIS = 100;
    /** Datagrams of one channel in one go: others have their turn. */
    private static final int MOST_ROUNDS = 64;
    /** Time before the next session begins after one could not. */
    private static final long PAUSE_NANOS = 1_000_000_000;
    /** Bytes of answers for each byte of a source that is not proved, as in RFC 9000 §8.1. */
    private static final int MOST_ANSWERED = 3;

    private final JwarpSelectorProvider sockets;
    private final Side to;
    private final Limits limits;
    private final LongSupplier nanoTime;
    private final SparseNotes notes;
    private final Selector selector;
    private final DatagramChannel listener;
    /** By source; the one that was silent longest is the first. */
    private final Map<SocketAddress, Exchange> open = new LinkedHashMap<>(16, 0.75f, true);

    private final Laps laps = new Laps();
    private final Shares places;
    private final Totals totals = new Totals();
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(ROOM);
    /** Sessions that may still begin. */
    private long left;

    private long refusedAt;

    /** The host whose datagram asks for a session. */
    private long asking;

    /**
     * What strangers can make it hold, and send.
     *
     * @param sessions at a time
     * @param idle so long a session is there in which nothing is said
     * @param allowed hosts that it serves
     * @param trusted sources that cannot be forged
     */
    record Limits(int sessions, Duration idle, Networks allowed, Networks trusted) {}

    /** What it has carried. */
    static final class Totals {
        public long sessions;
        public long sessionsDisplaced;
        public long datagramsThere;
        public long datagramsBack;
        /** For any reason; those behind it among them. */
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

    /** All sessions there may be are there, and no host has more of them than the one that asks. */
    private static final class NoPlace extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** A source, and its port on the other side. */
    private final class Exchange implements ShareHolder {
        final InetSocketAddress source;
        final boolean proved;
        final DatagramChannel far;
        final Share place;
        long saidAt;
        boolean answered;
        /** Bytes that it may still get if it is not proved. */
        long owed;

        /** It has that place, and ends with what it gave back. */
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

        /** Something was said. */
        void said() {
            saidAt = nanoTime.getAsLong();
            place.moved(saidAt);
        }

        /** A host with fewer sessions has one in its place; its own host none, as programs there take turns. */
        @Override
        public void takeBack(long now) {
            totals.sessionsDisplaced++;
            notes.say("the session of " + text(source) + " ended for one of " + SourceKey.text(asking)
                    + ": there were as many as --max-sessions says, and most were of its host");
            end();
        }

        void end() {
            open.remove(source);
            place.leave();
            closeQuietly(far);
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
        // None is idle before -T is over: else whoever takes many would have those of all who are silent for a while.
        places = new Shares(
                ShareLimits.of("sessions", "--max-sessions", limits.sessions, 0, Long.MAX_VALUE)
                        .whereOwnStay(),
                new SecureRandom().nextLong(),
                said -> {}); // each one that ends is told
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

    /** {@return the session of a source; null if it can have none} */
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
            notes.say("a datagram of " + text(source) + " is not carried: that is " + to
                    + ", or a port of this proxy, and no client. It is forged, or -t leads back here");
            return null;
        }
        if (laps.tooMany(source, datagram, nanoTime.getAsLong())) {
            totals.datagramsInALoop++;
            notes.say("a datagram of " + text(source) + " goes round in a loop: what is sent to " + to
                    + " comes back here. -t, here or of another proxy on the way, has to lead to a server");
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
            notes.say(text(source) + " has no session: there are " + limits.sessions
                    + " others, as many as --max-sessions says, and no host has more than it may; one ends when nothing was said there for "
                    + Timeout.text(limits.idle) + " (-T)");
            return null;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            refusedAt = nanoTime.getAsLong();
            notes.say("there could be no session for " + text(source) + ": " + e.getMessage());
            if (made != null) {
                made.end();
            }
            return null;
        }
    }

    /** {@return whether that is a port of this proxy, or its target, which is no client} A forger may say so, too: then each answer would come back as the next question. */
    private boolean isNoClient(InetSocketAddress source) {
        return source.equals(to.address())
                || isBoundTo(source, listener)
                || open.values().stream().anyMatch(each -> isBoundTo(source, each.far));
    }

    private static boolean isBoundTo(InetSocketAddress source, DatagramChannel channel) {
        try {
            return channel.getLocalAddress() instanceof InetSocketAddress here && Addresses.reaches(source, here);
        } catch (IOException e) {
            return false; // it is closed
        }
    }

    private static void closeQuietly(DatagramChannel channel) {
        try {
            channel.close();
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
                lost(exchange, to.toString(), e); // what was sent before has reached no program
                return;
            }
            datagram.flip();
            exchange.said();
            open.get(exchange.source); // which is the last one in their order then
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
            int cost = Math.max(1, length); // one without bytes is sent, too
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
        notes.say("an answer of " + length + " bytes did not go to " + text(exchange.source)
                + ": anyone can send in its name, so it gets " + MOST_ANSWERED
                + " times the bytes that came from it. If its network lets no forged sources through, name it: --set "
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
