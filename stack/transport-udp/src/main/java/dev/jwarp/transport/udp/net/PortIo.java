package dev.jwarp.transport.udp.net;

import dev.jwarp.base.Faults;
import dev.jwarp.base.HostPort;
import dev.jwarp.io.Loop;
import dev.jwarp.io.LoopItem;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.DatagramDriver;
import dev.jwarp.llp.datagram.DatagramEngine;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.nio.BroadcastAddresses;
import dev.jwarp.llp.nio.Interfaces;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.source.SourceTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What every driver does for a port, whatever its sockets are: reads up to a limit, sends until the system has no room,
 * fires timers only when the sockets are drained past their time. The owner's, but for {@link #localAddress}, {@link #receiveBuffer},
 * {@link #systemDrops}, {@link #sendToGroups} and {@link #leave}, which any thread may call; a look, a read and a send allocate nothing.
 */
public abstract class PortIo extends LoopItem implements DatagramDriver {
    /** Batches sent in one go, so that input is looked at. */
    private static final int BATCHES = 16;
    /** After ENOBUFS nothing tells when there is room again. */
    private static final long RETRY_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    /** Octets of a socket's buffer that a datagram takes at least, whatever it carries: a read frees as many. */
    private static final int LEAST_BYTES = 256;

    private final UdpContext context;
    private final InetSocketAddress local;
    private final int receiveBuffer;
    /** The port's own, then those of groups. */
    private final List<PortSocket> sockets = new ArrayList<>();

    /** Of a wildcard port with a socket for each address; else null. */
    private @Nullable WaysBack ways;

    /** The addresses of these. */
    private final List<InetSocketAddress> besides = new ArrayList<>();

    /** Of a wildcard port that is told which other addresses it is asked at; else null. */
    private @Nullable OtherAddresses others;
    /** The other socket at the wildcard address, if there is one. Also read by who joins a group. */
    private volatile @Nullable AskedSocket asked;

    /** Which one has no room. */
    private @Nullable PortSocket full;

    /** Guards what follows: through which interface datagrams to groups leave. */
    private final Object choosing = new Object();

    private boolean throughChosen;

    private @Nullable DatagramEngine engine;
    private boolean blocked;
    private boolean closed;
    /** What the system drops there is asked for. */
    private boolean counted;

    private long retryAt = Long.MAX_VALUE;
    /** Everything that the sockets held at that time has been given to the engine. */
    private long drainedAt = Long.MIN_VALUE;
    /** More comes than is read: since when a timer waits for that, and how much has been read since. */
    private long behindSince = Long.MAX_VALUE;

    private long readsSince;

    /** One look was not enough; other threads ring the driver's bell. */
    private boolean lookAgain;

    /**
     * A port without an engine and without sockets.
     *
     * @param loop what moves it
     * @param receiveBuffer bytes that the system granted its own socket for receiving
     */
    protected PortIo(Loop loop, UdpContext context, InetSocketAddress local, int receiveBuffer) {
        super(loop);
        this.context = context;
        this.local = local;
        this.receiveBuffer = receiveBuffer;
    }

    // ---- what a driver fills in

    /** {@return how many datagrams to read before output is looked at} */
    protected abstract int readsInOneGo();

    /** {@return what it means that the system refused the batch's first datagram} Not by its words: they are in the user's language. */
    protected abstract SendRefusal refusal(IOException e);

    /** All sockets are closed: the driver is to forget the port. */
    protected abstract void onSocketsClosed();

    /** Has datagrams to groups leave the port's own socket through that interface. Any thread. */
    protected abstract void groupsThrough(NetworkInterface device) throws IOException;

    /** Sets how many hops datagrams to groups go from the port's own socket, and whether members on this host get them. Any thread. */
    protected abstract void groupsReach(int hops, boolean loop) throws IOException;

    /** {@return the time, as exact as a look and a read want it} */
    protected long stepNanos() {
        return nowNanos();
    }

    // ---- DatagramDriver

    @Override
    public final int interfaceMtu(DatagramAddress to) {
        return Interfaces.mtuTowards(to.toSocketAddress());
    }

    @Override
    public final InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public final int receiveBuffer() {
        return receiveBuffer;
    }

    @Override
    public final long systemDrops() {
        long drops = context.systemDrops().of(local);
        for (InetSocketAddress beside : List.copyOf(besides)) {
            drops = drops < 0
                    ? drops
                    : drops + Math.max(0, context.systemDrops().of(beside));
        }
        return drops;
    }

    @Override
    public final boolean broadcast(InetAddress address) {
        return context.settings().on(UdpSetting.BROADCAST) && BroadcastAddresses.contain(address);
    }

    @Override
    public final void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop) {
        synchronized (choosing) {
            try {
                if (through != null) {
                    groupsThrough(through);
                    throughChosen = true;
                }
                groupsReach(hops, loop);
            } catch (IOException e) {
                String way = through == null ? "" : " through " + through.getName();
                throw new LlpException(
                        LlpFailure.ADDRESS_NOT_AVAILABLE,
                        "cannot send to groups from UDP port " + HostPort.text(local) + way + ": " + e.getMessage(),
                        e);
            }
        }
    }

    /** A group is joined there: what is sent to groups leaves through it, too, unless the program has chosen an interface. Any thread. */
    protected final void joining(@Nullable NetworkInterface on) throws IOException {
        synchronized (choosing) {
            if (on != null && !throughChosen) {
                groupsThrough(on);
            }
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // that very group
    public final void leave(DatagramAddress group) {
        execute(() -> sockets.removeIf(member -> {
            boolean left = member.group() == group;
            if (left) {
                member.end();
            }
            return left;
        }));
    }

    // ---- owner

    /** {@return whether there is more to do than was done: a look is wanted, after the others} */
    public final boolean wantsLook() {
        return lookAgain;
    }

    /** Gives it its engine, and asks the system for its drops from now on; once. */
    public final void open(DatagramEngine driven) {
        engine = driven;
        context.systemDrops().opened(local);
        counted = true;
    }

    /** One more socket: its own is the first. */
    protected final void add(PortSocket socket) {
        sockets.add(socket);
    }

    /**
     * One more socket of a wildcard port: what is asked of that address of this host comes there, as the system prefers it to the
     * wildcard, and is answered from there.
     */
    protected final void addBeside(PortSocket socket, InetSocketAddress address) {
        if (ways == null) {
            ways = new WaysBack();
        }
        context.systemDrops().opened(address);
        besides.add(address);
        sockets.add(socket);
    }

    /** Opens the socket that tells which addresses a port is asked at. */
    protected interface Asking {
        /** {@return the socket; null if the port needs none, or it cannot be had} */
        @Nullable
        AskedSocket open(AskedSocket.Taker taker) throws IOException;
    }

    /**
     * Begins to hear which addresses the port is asked at; once, before anyone else has the port.
     *
     * @param beside opens a socket of this port at one address
     */
    protected final void beginOthers(OtherAddresses.Beside beside, Asking asking) {
        OtherAddresses added = new OtherAddresses(localAddress().getPort(), this::wakeup, beside);
        try {
            AskedSocket opened = asking.open(added);
            if (opened != null) {
                added.begin(opened);
                asked = opened;
                others = added;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the other socket at the wildcard address; null if there is none} Any thread. */
    protected final @Nullable AskedSocket asked() {
        return asked;
    }

    /**
     * The port did not come about: closes what sockets it has, unless it is closed. Its own socket is the caller's as long as it was
     * not added.
     *
     * @param cause why; gets what fails here too
     */
    public final void giveUp(Throwable cause) {
        if (!closed) {
            closed = true;
            try {
                closeSockets();
            } catch (Throwable again) {
                Faults.suppress(cause, again);
            }
        }
    }

    private void closeSockets() {
        try {
            if (counted) {
                counted = false;
                context.systemDrops().closing(local);
                besides.forEach(context.systemDrops()::closing);
                besides.clear();
            }
        } finally {
            try {
                if (others != null) {
                    others.close();
                }
                sockets.forEach(PortSocket::end);
            } finally {
                sockets.clear();
                onSocketsClosed();
            }
        }
    }

    /** {@return the engine} */
    protected final DatagramEngine engine() {
        return Objects.requireNonNull(engine, "no engine yet");
    }

    /** {@return the port, for those above} */
    public final DatagramPort port() {
        return engine().port();
    }

    /** {@return whether it is closed} */
    protected final boolean isClosed() {
        return closed;
    }

    /** Detaches all queue pairs, sends what they leave as far as the system takes it, and closes the sockets. */
    public final void closeNow() {
        if (!closed) {
            closed = true;
            engine().onClosed(nowNanos());
            blocked = false;
            send(nowNanos(), Integer.MAX_VALUE);
            closeSockets();
        }
    }

    /** {@return whether anything came} Reads what is there, up to a limit. */
    public final boolean receive() {
        long now = stepNanos();
        int most = readsInOneGo();
        boolean any = false;
        boolean all = true;
        for (int i = sockets.size() - 1; i >= 0; i--) {
            int reads = i < sockets.size() ? receive(i, most, now) : 0;
            readsSince += reads;
            any |= reads > 0;
            all &= reads < most;
        }
        if (all) {
            drainedAt = now; // the time before the reads that found nothing
            behindSince = Long.MAX_VALUE;
        }
        lookAgain |= any;
        return any;
    }

    private int receive(int socket, int most, long now) {
        int reads = 0;
        try {
            // A group may be left by what comes.
            while (reads < most && !closed && socket < sockets.size() && receiveOne(sockets.get(socket), now)) {
                reads++;
            }
        } catch (IOException e) {
            // An ICMP error, perhaps: it changes no state.
            context.report("reading from UDP port " + HostPort.text(local), e);
        }
        return reads;
    }

    private boolean receiveOne(PortSocket socket, long now) throws IOException {
        boolean any = socket.receiveOne(engine(), now);
        if (any && ways != null && socket.group() == null) {
            ways.came(socket.source(), socket);
        }
        return any;
    }

    /** {@return whether it did anything} Sends, and fires the timer if it is due and nothing waits in the sockets. */
    public final boolean look() {
        lookAgain = false;
        if (closed) {
            return false;
        }
        long now = stepNanos();
        if (retryAt <= now) {
            blocked = false;
            retryAt = Long.MAX_VALUE;
        }
        boolean did = others != null && receive(others, now);
        did |= send(now, BATCHES);
        if (!closed && engine().nextTimeout() <= now) {
            // datagram-iWARP §7 (DG-7-15): timers wait for what the sockets held by then.
            did |= engine().nextTimeout() > drainedAt && receive();
            did |= fire(now);
        }
        return did;
    }

    private boolean receive(OtherAddresses from, long now) {
        boolean any = false;
        for (OtherAddresses.Came came = from.poll(); came != null && !closed; came = from.poll()) {
            any = true;
            engine().receive(ByteBuffer.wrap(came.bytes()), false, came.source(), null, now);
            PortSocket through = closed ? null : from.socket(came);
            if (ways != null && through != null) {
                ways.came(came.source(), through);
            }
        }
        return any;
    }

    private boolean fire(long now) {
        if (closed || (engine().nextTimeout() > drainedAt && !caughtUp(now))) {
            lookAgain |= !closed && engine().nextTimeout() <= now; // not yet drained: soon again
            return false;
        }
        engine().onTimeout(drainedAt);
        send(now, BATCHES);
        return true;
    }

    /**
     * {@return whether all that the sockets held when this timer first had to wait has been read} No peer that sends without
     * end keeps timers from firing: the sockets hold so much and no more.
     */
    private boolean caughtUp(long now) {
        if (behindSince == Long.MAX_VALUE) {
            behindSince = now;
            readsSince = 0;
        }
        if (readsSince < (long) sockets.size() * receiveBuffer() / LEAST_BYTES) {
            return false;
        }
        drainedAt = behindSince;
        behindSince = Long.MAX_VALUE;
        return engine().nextTimeout() <= drainedAt;
    }

    private boolean send(long now, int batches) {
        boolean any = false;
        for (int i = 0; i < batches && !blocked; i++) {
            if (!engine().prepareOutput(now)) {
                return any;
            }
            send(engine().output(), now);
            any = true;
        }
        lookAgain |= !blocked && any && !closed; // there may be more
        return any;
    }

    private void send(DatagramBatch batch, long now) {
        while (batch.length() > 0 && !blocked) {
            try {
                PortSocket way = ways == null ? null : ways.to(batch.destination());
                PortSocket through = way == null ? sockets.get(0) : way;
                int taken = through.transmit(batch);
                if (taken > 0) {
                    engine().onWritten(taken, now);
                } else {
                    blocked = true;
                    full = through;
                    through.awaitRoom(true);
                }
            } catch (IOException e) {
                refused(e, batch.firstLength(), now);
            }
        }
    }

    private void refused(IOException e, int length, long now) {
        switch (refusal(e)) {
            case NO_ROOM -> { // but later (datagram-iWARP §6)
                blocked = true;
                retryAt = now + RETRY_NANOS;
            }
            case LOST -> {
                context.counters().count(UdpCounter.TX_REFUSED); // for want of a way to its destination
                engine().onWritten(length, now);
            }
            case NEVER -> engine().onUnsendable(String.valueOf(e.getMessage()), now);
        }
    }

    /** The system has room again. */
    protected final void roomAgain() {
        PortSocket waiting = full;
        if (waiting != null) {
            full = null;
            waiting.awaitRoom(false);
        }
        blocked = false;
        lookAgain = true;
    }

    /** {@return when {@link #look} is wanted} */
    public final long nextTimeout() {
        if (closed) {
            return Long.MAX_VALUE;
        }
        // Who waits for a pace needs room as all others do.
        long send = blocked ? Long.MAX_VALUE : engine().nextSend();
        return Math.min(Math.min(retryAt, send), engine().nextTimeout());
    }

    /**
     * At which of a wildcard port's sockets each peer has asked last: what is sent to it leaves there, so from the address that it
     * knows (datagram-iWARP §4.1, DG-4.1-5). As many peers as that; the one heard of longest ago makes room, and is answered from an address of the
     * system's choice then. The owner of the port only; allocates nothing after construction.
     */
    private static final class WaysBack {
        private static final int PEERS = 4_096;

        private final SourceTable peers = new SourceTable(PEERS, new SecureRandom().nextLong());
        private final @Nullable PortSocket[] sockets = new PortSocket[PEERS];

        /** Something of that peer came there. */
        void came(DatagramAddress from, PortSocket through) {
            sockets[peers.put(from)] = through;
        }

        /** {@return where that peer asked last; null if that is not known} */
        @Nullable
        PortSocket to(DatagramAddress peer) {
            int slot = peers.find(peer);
            return slot < 0 ? null : sockets[slot];
        }
    }
}
