package dev.jwarp.sockets.datagram;

import dev.jwarp.sockets.connection.SocketFaults;
import dev.jwarp.sockets.stream.SocketFault;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.PlainDatagramHandler;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A datagram socket: the default queue pair of a UDP port, with a Q_Key that all such sockets have, and plain UDP beside it. Each message is a datagram of the program. Who
 * was heard in plain UDP gets plain UDP. Where the context has keys it is of datagram-iWARP only. The channel calls it, and the thread that drives the context. Any thread; nothing here waits, but {@link #close}.
 */
public final class DatagramEnd implements AutoCloseable {
    /** The Q_Key of all of them: "jwdg". */
    public static final int KEY = 0x6a77_6467;
    /** Most bytes of a datagram over IPv4. */
    public static final int LONGEST = 65_507;

    /** Most bytes of a datagram over IPv6. */
    private static final int LONGEST_OVER_IPV6 = 65_527;

    /** Returned where there is no room. */
    public static final int NO_ROOM = -1;

    private static final int SENDS = 256;

    private static final int SHIM_LENGTH = 24; // datagram-iWARP §4.2
    private static final int SHIM_KEY_OFFSET = 8; // datagram-iWARP §4.2
    /** The number of the queue pairs of a group. */
    private static final int GROUP = 0xFF_FFFF;

    private final DatagramHome home;
    private final DatagramQueuePair pair;
    private final boolean hearsPlain;
    private final IntConsumer watcher;
    private final int mostUnderWay;
    private final ReentrantLock lock = new ReentrantLock();
    private final Peers peers;
    private final Arrivals arrivals;
    private final SendWorkRequest request = new SendWorkRequest();
    private int underWay;
    private boolean full;
    private volatile boolean closed;
    /** Groups that were joined, each on one interface. */
    private final Map<InetSocketAddress, NetworkInterface> groups = new ConcurrentHashMap<>();
    /** The only one that is heard; null: all are. */
    private @Nullable InetSocketAddress connected;

    /** The sender of the datagram that {@link #receive} gave last. */
    private @Nullable SocketPeer sender;

    /**
     * Binds a socket.
     *
     * @param home of the socket
     * @param watcher is told what it can do without waiting, in the bits of {@link SelectionKey}
     * @param modes what a peer at an address may speak
     * @param local where it is; port 0 for any
     * @param receiveBytes that can wait to be read
     * @param sendBytes that can wait to be sent
     * @throws IOException if it cannot be bound there
     */
    public DatagramEnd(
            DatagramHome home,
            IntConsumer watcher,
            Function<InetSocketAddress, DatagramMode> modes,
            InetSocketAddress local,
            int receiveBytes,
            int sendBytes)
            throws IOException {
        this.home = home;
        this.watcher = watcher;
        mostUnderWay = sendBytes;
        arrivals = new Arrivals(receiveBytes, home::post);
        lock.lock(); // nothing that comes is looked at before it is whole
        try {
            pair = home.domain()
                    .createDatagramQueuePair(
                            QueuePairType.UD,
                            QueuePairAttributes.builder(home.completions())
                                    .sharedReceiveQueue(home.receives())
                                    .maxSendWorkRequests(SENDS)
                                    .build(),
                            DatagramAttributes.builder(local)
                                    .byDefault(true)
                                    .key(KEY)
                                    .maxMessage(LONGEST_OVER_IPV6)
                                    .maxRead(0)
                                    .oneIpVersion(true) // the channel has said which
                                    .build());
            hearsPlain = hearsPlain(pair, this::plain);
            peers = new Peers(hearsPlain ? modes : to -> withKeys(modes.apply(to)));
            pair.attach(this);
            tell();
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether it hears plain datagrams: not where the context has keys, as anyone can send such} If it cannot be had, the port is free again. */
    private static boolean hearsPlain(DatagramQueuePair pair, PlainDatagramHandler handler) {
        try {
            pair.onPlain(handler);
            return true;
        } catch (RdmaException e) {
            if (e.code() == RdmaErrorCode.NOT_SUPPORTED) { // the keys: its home does not let datagrams be put together
                return false;
            }
            pair.close();
            throw e;
        }
    }

    private static DatagramMode withKeys(DatagramMode mode) {
        return mode == DatagramMode.EITHER ? DatagramMode.IWARP : mode;
    }

    /** {@return where it is, with the real port} */
    public InetSocketAddress localAddress() {
        return pair.localAddress();
    }

    // ---- what the context tells

    void on(WorkCompletion completion) {
        int slot = (int) completion.id();
        if (!completion.opcode().isReceive()) {
            sent(home.sendMemory().give(slot));
            return;
        }
        boolean again = true;
        boolean mayKeep = home.taken();
        lock.lock();
        try {
            if (completion.succeeded() && !closed) {
                SocketPeer from = peers.of(completion);
                from.spoke();
                again = !keep(from, slot, completion.byteLength(), mayKeep);
            }
        } finally {
            lock.unlock();
        }
        if (again) {
            home.post(slot);
        }
    }

    /** {@return whether it stays in its slot} */
    private boolean keep(SocketPeer from, int slot, int length, boolean mayKeep) {
        if (!takes(from, length)) {
            return false;
        }
        byte[] copy = null;
        if (!mayKeep) {
            copy = new byte[length];
            home.received().get(slot * DatagramHome.RECEIVE_LENGTH, copy);
        }
        arrivals.add(mayKeep ? slot : -1, copy, length, from);
        tell();
        return mayKeep;
    }

    private boolean takes(SocketPeer from, int length) {
        return (connected == null || connected.equals(from.address)) && arrivals.hasRoom(length, from);
    }

    private void plain(ByteBuffer datagram, InetSocketAddress source) {
        lock.lock();
        try {
            if (closed || damaged(datagram) || !peers.mayBePlain(source)) {
                return;
            }
            SocketPeer from = peers.at(source);
            int length = datagram.remaining();
            if (from.spokePlain() && takes(from, length)) {
                byte[] copy = new byte[length];
                datagram.get(copy);
                arrivals.add(-1, copy, length, from);
                tell();
            }
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether it was a message to such a socket, and was damaged on its way: that has the Q_Key where the shim has it} */
    private static boolean damaged(ByteBuffer datagram) {
        return datagram.remaining() >= SHIM_LENGTH && datagram.getInt(datagram.position() + SHIM_KEY_OFFSET) == KEY;
    }

    private void sent(int length) {
        lock.lock();
        try {
            underWay -= length;
            full = false;
            tell();
        } finally {
            lock.unlock();
        }
    }

    /** There is send memory again. */
    void roomAgain() {
        sent(0);
    }

    private void tell() {
        boolean writable = !full && underWay < mostUnderWay;
        watcher.accept((arrivals.isEmpty() ? 0 : SelectionKey.OP_READ) | (writable ? SelectionKey.OP_WRITE : 0));
    }

    // ---- what the channel does

    /**
     * Takes the datagram that came first. What has no room is lost, as with UDP.
     *
     * @param into where it goes, one buffer after the other
     * @param first of them that is used
     * @param count of them
     * @return how many bytes of it, whose sender is {@link #sender}; -1: there is none
     */
    public int receive(ByteBuffer[] into, int first, int count) {
        int slot;
        int placed = 0;
        lock.lock();
        try {
            Arrivals.Arrival one = arrivals.poll();
            if (one == null) {
                return -1;
            }
            sender = one.from;
            slot = one.slot;
            for (int i = first; i < first + count && placed < one.length; i++) {
                placed += place(one, placed, into[i]);
            }
            arrivals.done(one);
            tell();
        } finally {
            lock.unlock();
        }
        if (slot >= 0) {
            home.post(slot);
        }
        return placed;
    }

    private int place(Arrivals.Arrival one, int from, ByteBuffer into) {
        int length = Math.min(one.length - from, into.remaining());
        byte[] copy = one.copy;
        if (copy != null) {
            into.put(copy, from, length);
        } else {
            into.put(into.position(), home.received(), one.slot * DatagramHome.RECEIVE_LENGTH + from, length);
            into.position(into.position() + length);
        }
        return length;
    }

    /** {@return the sender of the datagram that {@link #receive} gave last} For the thread that has called it. */
    public @Nullable InetSocketAddress sender() {
        SocketPeer last = sender;
        return last == null ? null : last.address;
    }

    /**
     * Sends a datagram.
     *
     * @param from its bytes, one buffer after the other, from position to limit; the positions move to the limits if there was room
     * @param first of them that is used
     * @param count of them
     * @param to where to, resolved
     * @return how many bytes; {@link #NO_ROOM}
     * @throws IOException if it can never be sent
     */
    public int send(ByteBuffer[] from, int first, int count, InetSocketAddress to) throws IOException {
        long length = 0;
        for (int i = first; i < first + count; i++) {
            length += from[i].remaining();
        }
        int longest = to.getAddress() instanceof Inet6Address ? LONGEST_OVER_IPV6 : LONGEST;
        if (length > longest) {
            throw SocketFault.TOO_LONG.exception("a datagram has at most " + longest + " bytes, not " + length);
        }
        int slot = -1;
        boolean done = false;
        lock.lock();
        try {
            if (closed) {
                return 0;
            }
            if (underWay > 0 && underWay + length > mostUnderWay) {
                return noRoom();
            }
            SocketPeer peer = peers.at(to);
            long now = System.nanoTime();
            if (peer.plain(now)) {
                int sent = sendPlain(joined(from, first, count, (int) length), peer);
                if (sent >= 0) {
                    taken(from, first, count);
                }
                return sent;
            }
            slot = home.sendMemory().take((int) length, this);
            if (slot < 0 || !post(peer, slot, from, first, count, (int) length)) {
                return noRoom();
            }
            done = true;
            peer.asked(now);
            taken(from, first, count);
            underWay += (int) length;
            tell();
            return (int) length;
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        } finally {
            lock.unlock();
            if (slot >= 0 && !done) {
                home.sendMemory().give(slot);
            }
        }
    }

    private static ByteBuffer joined(ByteBuffer[] from, int first, int count, int length) {
        if (count == 1) {
            return from[first].duplicate();
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        for (int i = first; i < first + count; i++) {
            all.put(from[i].duplicate());
        }
        return all.flip();
    }

    private static void taken(ByteBuffer[] from, int first, int count) {
        for (int i = first; i < first + count; i++) {
            from[i].position(from[i].limit());
        }
    }

    private int sendPlain(ByteBuffer from, SocketPeer to) throws IOException {
        if (!hearsPlain) {
            throw new IOException(SocketFault.told("a rule or an option says plain UDP for " + to.address
                    + ", but jwarp.udp.keys is set: a socket with keys neither sends nor hears plain datagrams. Say rdma"
                    + " for that address, or run what talks to it without jwarp.udp.keys"));
        }
        int length = from.remaining();
        if (length == 0) {
            throw new IOException(SocketFault.told(
                    "a plain datagram without bytes cannot be sent from a port of datagram-iWARP: to " + to.address));
        }
        return pair.sendPlain(from, to.address) ? length : NO_ROOM; // the caller drives, and tries again
    }

    private int noRoom() {
        full = true;
        tell();
        return NO_ROOM;
    }

    /** {@return whether there was room in the send queue} */
    private boolean post(SocketPeer peer, int slot, ByteBuffer[] from, int first, int count, int length) {
        AddressHandle handle = peer.handle;
        if (handle == null) {
            handle = handle(peer.address);
            peer.handle = handle;
        }
        int at = SendMemory.offset(slot);
        request.clear().id(slot).send().destination(handle);
        if (length > 0) {
            request.add(home.sendMemory().region(), at, length);
        }
        for (int i = first; i < first + count; i++) {
            home.sendMemory().region().buffer().put(at, from[i], from[i].position(), from[i].remaining());
            at += from[i].remaining();
        }
        return pair.tryPostSend(request);
    }

    private AddressHandle handle(InetSocketAddress to) {
        return pair.createAddressHandle(to, to.getAddress().isMulticastAddress() ? GROUP : 0, KEY);
    }

    /**
     * Hears only that one from now on; what has come and was not read is dropped.
     *
     * @param to resolved; null: all are heard again
     */
    public void connect(@Nullable InetSocketAddress to) {
        lock.lock();
        try {
            connected = to;
            dropAll();
            tell();
        } finally {
            lock.unlock();
        }
    }

    private void dropAll() {
        for (Arrivals.Arrival one = arrivals.poll(); one != null; one = arrivals.poll()) {
            if (one.slot >= 0) {
                home.post(one.slot);
            }
            arrivals.done(one);
        }
    }

    /** What a program is told that asks for more of a group. */
    public static final String ALL_SOURCES =
            "a group is joined for all sources, and none is blocked: who sends is seen in each datagram";

    /**
     * Joins a group, at the port of this socket. One that is joined there already stays so. One thread at a time joins and leaves, not in a handler.
     *
     * @param group its address
     * @param on the interface
     * @throws IOException if it cannot be joined
     * @throws IllegalArgumentException if it is no group
     * @throws UnsupportedOperationException if it is joined on another interface
     */
    public void join(InetAddress group, NetworkInterface on) throws IOException {
        if (!group.isMulticastAddress()) {
            throw new IllegalArgumentException(group + " is no group: that has a multicast address");
        }
        InetSocketAddress where = atThisPort(group);
        NetworkInterface known = groups.get(where);
        if (known != null && !known.equals(on)) {
            throw new UnsupportedOperationException(
                    group + " is joined on " + known.getName() + " already, and a group is joined on one interface");
        }
        if (known == null) {
            joinNew(where, on);
            groups.put(where, on);
        }
    }

    /**
     * Sets how datagrams to groups leave; until then the settings of the context say it.
     *
     * @param through the interface; null leaves it as it is: that of the socket's own address, or the one on which a group was joined last
     * @param hops 0 to 255
     * @param loop whether members on this host get them, too
     * @throws IOException if they cannot leave through that interface
     */
    public void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop) throws IOException {
        try {
            pair.sendToGroups(through, hops, loop);
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        }
    }

    private InetSocketAddress atThisPort(InetAddress group) {
        return new InetSocketAddress(group, localAddress().getPort());
    }

    private void joinNew(InetSocketAddress group, NetworkInterface on) throws IOException {
        AddressHandle handle;
        try {
            handle = pair.joinGroup(
                    group, on, KEY); // waits for the thread that drives the context, which may wait for the lock
        } catch (RdmaException e) {
            throw SocketFaults.of(e);
        }
        lock.lock();
        try {
            SocketPeer peer = peers.at(group);
            if (peer.handle == null) {
                peer.handle = handle;
            } else {
                handle.close();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Leaves a group, if it is joined.
     *
     * @param group its address
     */
    public void leave(InetAddress group) {
        InetSocketAddress where = atThisPort(group);
        if (groups.remove(where) != null && !closed) {
            pair.leaveGroup(where);
        }
    }

    /** Ends it. Not in a handler. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            dropAll();
        } finally {
            lock.unlock();
        }
        pair.close();
    }
}
