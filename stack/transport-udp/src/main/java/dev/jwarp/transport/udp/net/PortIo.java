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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The common part of all drivers of a port, whatever the sockets: reads up to a limit, sends until the system has no
 * room, and fires a timer only when the sockets have been drained past its time. Owner only, except for {@link
 * #localAddress}, {@link #receiveBuffer}, {@link #systemDrops}, {@link #sendToGroups} and {@link #leave}, which any
 * thread may call. A look, a read and a send allocate nothing.
 */
public abstract class PortIo extends LoopItem implements DatagramDriver {
    /** Batches sent at a time, so that input is not starved. */
    private static final int BATCHES = 16;
    /**
     * After this many looks in a row with one successful read each, a look reads once, from the socket of the last
     * datagram, because a second read would find nothing; the watcher reports a datagram that is left. Every eighth look
     * reads on.
     */
    private static final int SINGLE_LOOKS = 8;
    /** The time to a retry after ENOBUFS: the system does not signal that there is room again. */
    private static final long RETRY_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    /** The least memory of a datagram in a socket's buffer, bytes, whatever its length: a read frees as much. */
    private static final int LEAST_BYTES = 256;

    private final UdpContext context;
    private final InetSocketAddress local;
    private final int receiveBuffer;
    /** The port's own, then those of groups. */
    private final List<PortSocket> sockets = new ArrayList<>();

    /** For a wildcard port with a socket for each address; else null. */
    private @Nullable WaysBack ways;

    /** The addresses of the sockets added by {@link #addBeside}. Any thread reads them. */
    private final List<InetSocketAddress> besides = new CopyOnWriteArrayList<>();

    /** For a wildcard port with a socket that reports destination addresses; else null. */
    private @Nullable OtherAddresses others;
    /** The second socket at the wildcard address, if there is one. Threads that join a group read it, too. */
    private volatile @Nullable AskedSocket asked;

    /** The socket without room to send. */
    private @Nullable PortSocket full;

    /**
     * Guards what threads of the program do with the port's own socket. Options of a descriptor would be set on another
     * socket of the process after the descriptor was closed.
     */
    private final Object ofGroups = new Object();

    private boolean throughChosen;

    private @Nullable DatagramEngine engine;
    private boolean blocked;
    private boolean closed;
    /** Whether {@link SystemDrops} counts the drops of this port. */
    private boolean counted;

    private long retryAt = Long.MAX_VALUE;
    /** The engine has received all datagrams that the sockets held at this time. */
    private long drainedAt = Long.MIN_VALUE;
    /** The sockets are never empty: the time since which a timer has waited for that, and the reads since. */
    private long behindSince = Long.MAX_VALUE;

    private long readsSince;

    /** Looks in a row with one successful read; from {@link #SINGLE_LOOKS} on, modulo that number. */
    private int singles;

    /** The socket of the last successful read: an index, or one beyond the end if sockets were closed. */
    private int lastRead;

    /** The last look left work to do. Owner only; other threads wake the driver. */
    private boolean lookAgain;

    /**
     * A port without an engine and without sockets.
     *
     * @param loop the loop that drives the port
     * @param receiveBuffer bytes that the system granted its own socket for receiving
     */
    protected PortIo(Loop loop, UdpContext context, InetSocketAddress local, int receiveBuffer) {
        super(loop);
        this.context = context;
        this.local = local;
        this.receiveBuffer = receiveBuffer;
    }

    // ---- for drivers

    /** {@return the number of datagrams to read before output is sent} */
    protected abstract int readsInOneGo();

    /**
     * {@return the class of the refusal of a batch's first datagram} Not by the message's words, which are in the
     * user's language.
     */
    protected abstract SendRefusal refusal(IOException e);

    /** All sockets are closed: the driver removes the port. */
    protected abstract void onSocketsClosed();

    /** Sets the interface for datagrams to groups from the port's own socket. Any thread. */
    protected abstract void groupsThrough(NetworkInterface device) throws IOException;

    /** Sets hop limit and loopback to this host of datagrams to groups from the port's own socket. Any thread. */
    protected abstract void groupsReach(int hops, boolean loop) throws IOException;

    /** {@return the time, with the precision that a look and a read need} */
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
        for (InetSocketAddress beside : besides) {
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
        synchronized (ofGroups) {
            try {
                checkNotClosed();
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

    /** Opens the socket of a group. */
    protected interface GroupOpener {
        UdpSocket open() throws IOException;
    }

    /**
     * {@return the socket of a group that is joined on an interface} Datagrams to groups leave through that interface,
     * unless the program has chosen one. Any thread.
     */
    protected final UdpSocket joined(@Nullable NetworkInterface on, GroupOpener opener) throws IOException {
        synchronized (ofGroups) {
            checkNotClosed();
            UdpSocket member = opener.open();
            try {
                if (on != null && !throughChosen) {
                    groupsThrough(on);
                }
                return member;
            } catch (Throwable e) {
                member.close();
                throw e;
            }
        }
    }

    /** Under {@link #ofGroups}: the sockets of an open port stay open meanwhile. */
    private void checkNotClosed() throws IOException {
        if (closed) {
            throw new IOException("the port is closed");
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

    /** {@return whether the last look left work to do: a further look is wanted, after those of other ports} */
    public final boolean wantsLook() {
        return lookAgain;
    }

    /** Sets the engine, and counts the system's drops from now on; once. */
    public final void open(DatagramEngine driven) {
        engine = driven;
        context.systemDrops().opened(local);
        counted = true;
    }

    /** Adds a socket; the first one is the port's own. */
    protected final void add(PortSocket socket) {
        sockets.add(socket);
    }

    /**
     * Adds a socket of a wildcard port for one address of this host: the system prefers the socket to the wildcard one
     * for datagrams to this address, and answers are sent from there.
     */
    protected final void addBeside(PortSocket socket, InetSocketAddress address) {
        if (ways == null) {
            ways = new WaysBack();
        }
        context.systemDrops().opened(address);
        besides.add(address);
        sockets.add(socket);
    }

    /** Adds the socket that reports destination addresses, and its taker; once, before other threads see the port. */
    protected final void addAsked(AskedSocket opened, OtherAddresses taker) {
        asked = opened;
        others = taker;
    }

    /** {@return the second socket at the wildcard address; null if there is none} Any thread. */
    protected final @Nullable AskedSocket asked() {
        return asked;
    }

    /**
     * Opening the port failed: closes its sockets, unless it is closed. The caller closes the port's own socket if it
     * was not added.
     *
     * @param cause the failure; further failures here are added as suppressed
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
                if (asked != null) {
                    asked.close();
                    asked = null;
                    others = null; // with the datagrams that wait there
                }
                synchronized (ofGroups) {
                    sockets.forEach(PortSocket::end);
                }
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

    /** {@return the port, for the layers above} */
    public final DatagramPort port() {
        return engine().port();
    }

    /** {@return whether it is closed} */
    protected final boolean isClosed() {
        return closed;
    }

    /** Detaches all queue pairs, sends their last datagrams as far as the system takes them, and closes the sockets. */
    public final void closeNow() {
        if (!closed) {
            closed = true;
            engine().onClosed(nowNanos());
            blocked = false;
            send(nowNanos(), Integer.MAX_VALUE);
            closeSockets();
        }
    }

    /** {@return whether a datagram was read} Reads up to a limit. */
    public final boolean receive() {
        long now = stepNanos();
        boolean single = singles > SINGLE_LOOKS;
        int most = single ? 1 : readsInOneGo();
        int sum = single ? receive(lastRead, 1, now) : 0;
        boolean all = sum == 0;
        for (int i = all ? sockets.size() - 1 : -1; i >= 0; i--) {
            int reads = receive(i, most, now);
            sum += reads;
            all &= reads < most;
        }
        boolean any = sum > 0;
        readsSince += sum;
        if (any) {
            singles = sum > 1 ? 0 : singles < 2 * SINGLE_LOOKS - 1 ? singles + 1 : SINGLE_LOOKS;
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
            // A received datagram may make the program leave a group.
            while (reads < most && !closed && socket < sockets.size() && receiveOne(sockets.get(socket), now)) {
                reads++;
            }
        } catch (IOException e) {
            // It may be an ICMP error, which changes no state.
            context.report("reading from UDP port " + HostPort.text(local), e);
        }
        lastRead = reads > 0 ? socket : lastRead;
        return reads;
    }

    private boolean receiveOne(PortSocket socket, long now) throws IOException {
        boolean any = socket.receiveOne(engine(), now);
        if (any && ways != null && socket.group() == null) {
            ways.came(socket.source(), socket);
        }
        return any;
    }

    /** {@return whether there was work} Sends, and fires the timer if it is due and the sockets are drained. */
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
            // datagram-iWARP §7 (DG-7-11): datagrams in the sockets are received before a timer fires.
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
            lookAgain |= !closed && engine().nextTimeout() <= now; // not drained: look again soon
            return false;
        }
        engine().onTimeout(drainedAt);
        send(now, BATCHES);
        return true;
    }

    /**
     * {@return whether all datagrams that the sockets held when this timer first had to wait have been read} So a peer
     * that sends without end cannot keep timers from firing: the sockets' buffers are bounded.
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
            case NO_ROOM -> { // retried later (datagram-iWARP §6)
                blocked = true;
                retryAt = now + RETRY_NANOS;
            }
            case LOST -> {
                context.counters().count(UdpCounter.TX_REFUSED); // no route to the destination
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
        // A paced queue pair needs room in the socket, too.
        long send = blocked ? Long.MAX_VALUE : engine().nextSend();
        return Math.min(Math.min(retryAt, send), engine().nextTimeout());
    }

    /**
     * The socket of a wildcard port at which each peer's last datagram was received: datagrams to the peer are sent
     * from there, so from the address that the peer knows (datagram-iWARP §4.1). Bounded: for the least
     * recently heard peer, which is evicted, the system chooses the source address. The owner of the port only;
     * allocates nothing after construction.
     */
    private static final class WaysBack {
        private static final int PEERS = 4_096;

        private final SourceTable peers = new SourceTable(PEERS, new SecureRandom().nextLong());
        private final @Nullable PortSocket[] sockets = new PortSocket[PEERS];

        /** A datagram of a peer was received at a socket. */
        void came(DatagramAddress from, PortSocket through) {
            sockets[peers.put(from)] = through;
        }

        /** {@return the socket of the peer's last datagram; null if unknown} */
        @Nullable
        PortSocket to(DatagramAddress peer) {
            int slot = peers.find(peer);
            return slot < 0 ? null : sockets[slot];
        }
    }
}
