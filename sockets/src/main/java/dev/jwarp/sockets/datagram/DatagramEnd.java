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
 * A datagram socket: the default queue pair of a UDP port, with the same Q_Key at all such sockets, and plain UDP on
 * the same port. Each message is a datagram of the program. A peer that has sent plain UDP gets plain UDP. If the
 * context has keys, the socket uses datagram-iWARP only. Used by the channel and by the thread that drives the context.
 * Any thread; only {@link #close}, {@link #join} and {@link #leave} can block.
 */
public final class DatagramEnd implements AutoCloseable {
    /** The Q_Key of all datagram sockets: "jwdg". */
    public static final int KEY = 0x6a77_6467;
    /** Maximum of bytes of a datagram over IPv4. */
    public static final int LONGEST = 65_507;

    /** Maximum of bytes of a datagram over IPv6. */
    private static final int LONGEST_OVER_IPV6 = 65_527;

    /** Returned if there is no room. */
    public static final int NO_ROOM = -1;

    private static final int SENDS = 256;

    private static final int SHIM_LENGTH = 24; // datagram-iWARP §4.2
    private static final int SHIM_KEY_OFFSET = 8; // datagram-iWARP §4.2
    /** The queue pair number for multicast groups. */
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
    /** Joined groups, each with its interface. */
    private final Map<InetSocketAddress, NetworkInterface> groups = new ConcurrentHashMap<>();
    /** The only peer whose datagrams are received; null: all peers. */
    private @Nullable InetSocketAddress connected;

    /** The sender of the datagram that {@link #receive} returned last. */
    private @Nullable SocketPeer sender;

    /**
     * Binds a socket.
     *
     * @param home of the socket
     * @param watcher notified of the operations that do not block, as bits of {@link SelectionKey}
     * @param modes protocols that the peer at an address may use
     * @param local address to bind; port 0 for any port
     * @param receiveBytes limit of unread bytes
     * @param sendBytes limit of unsent bytes
     * @throws IOException if the address cannot be bound
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
        lock.lock(); // datagrams wait until the object is complete
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
                                    .oneIpVersion(true) // the channel has chosen the version
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

    /**
     * {@return whether plain datagrams are received: not if the context has keys, because any host can send plain
     * datagrams} Closes the queue pair before it throws.
     */
    private static boolean hearsPlain(DatagramQueuePair pair, PlainDatagramHandler handler) {
        try {
            pair.onPlain(handler);
            return true;
        } catch (RdmaException e) {
            if (e.code()
                    == RdmaErrorCode
                            .NOT_SUPPORTED) { // because of the keys: the other reason, coalesced datagrams, is excluded
                // by the home
                return false;
            }
            pair.close();
            throw e;
        }
    }

    private static DatagramMode withKeys(DatagramMode mode) {
        return mode == DatagramMode.EITHER ? DatagramMode.IWARP : mode;
    }

    /** {@return the local address with the actual port} */
    public InetSocketAddress localAddress() {
        return pair.localAddress();
    }

    // ---- events of the context

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

    /** {@return whether the datagram stays in its slot} */
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

    /** {@return whether a datagram is a damaged datagram-iWARP message: it has the Q_Key at the offset of the shim} */
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

    /** Notes that send memory is available again. */
    void roomAgain() {
        sent(0);
    }

    private void tell() {
        boolean writable = !full && underWay < mostUnderWay;
        watcher.accept((arrivals.isEmpty() ? 0 : SelectionKey.OP_READ) | (writable ? SelectionKey.OP_WRITE : 0));
    }

    // ---- calls of the channel

    /**
     * Reads the oldest datagram. Bytes without room are lost, as with UDP.
     *
     * @param into destination, one buffer after the other
     * @param first index of the first buffer
     * @param count number of buffers
     * @return number of bytes; -1 if there is no datagram. {@link #sender} returns its sender
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

    /** {@return the sender of the datagram that {@link #receive} returned last} For the thread that has called it. */
    public @Nullable InetSocketAddress sender() {
        SocketPeer last = sender;
        return last == null ? null : last.address;
    }

    /**
     * Sends a datagram.
     *
     * @param from bytes of the datagram, one buffer after the other, from position to limit; the positions move to the
     *     limits if there was room
     * @param first index of the first buffer
     * @param count number of buffers
     * @param to destination, resolved
     * @return number of bytes; {@link #NO_ROOM}
     * @throws IOException if the datagram can never be sent
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
            throw new IOException(SocketFault.told("a rule or an option selects plain UDP for " + to.address
                    + ", but jwarp.udp.keys is set: a socket with keys neither sends nor receives plain datagrams. Select rdma"
                    + " for the address, or use the socket without jwarp.udp.keys"));
        }
        int length = from.remaining();
        if (length == 0) {
            throw new IOException(SocketFault.told(
                    "an empty plain datagram cannot be sent from a port of datagram-iWARP: to " + to.address));
        }
        return pair.sendPlain(from, to.address) ? length : NO_ROOM; // the caller drives the context and tries again
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
     * Receives only datagrams of one peer from now on; drops unread datagrams.
     *
     * @param to address of the peer, resolved; null: all peers
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

    /** The message for a program that requests source filters of a group. */
    public static final String ALL_SOURCES =
            "a group can only be joined for all sources: filter by the source address of each datagram";

    /**
     * Joins a group at the port of this socket. No effect if it is joined on the interface already. One thread at a
     * time joins and leaves, not in a handler.
     *
     * @param group address of the group
     * @param on interface to join on
     * @throws IOException if the group cannot be joined
     * @throws IllegalArgumentException if the address is not a multicast address
     * @throws UnsupportedOperationException if the group is joined on another interface
     */
    public void join(InetAddress group, NetworkInterface on) throws IOException {
        if (!group.isMulticastAddress()) {
            throw new IllegalArgumentException(group + " is not a multicast address");
        }
        InetSocketAddress where = atThisPort(group);
        NetworkInterface known = groups.get(where);
        if (known != null && !known.equals(on)) {
            throw new UnsupportedOperationException(group + " is joined on " + known.getName()
                    + " already; a group can be joined on one interface only");
        }
        if (known == null) {
            joinNew(where, on);
            groups.put(where, on);
        }
    }

    /**
     * Sets how datagrams to groups are sent; before this call the settings of the context apply.
     *
     * @param through outgoing interface; null keeps the current one: that of the socket's own address, or that of the
     *     group that was joined last
     * @param hops hop limit, 0 to 255
     * @param loop whether members on this host get the datagrams, too
     * @throws IOException if the interface cannot be used
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
                    group, on,
                    KEY); // not under the lock: waits for the thread that drives the context, which may need the lock
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
     * @param group address of the group
     */
    public void leave(InetAddress group) {
        InetSocketAddress where = atThisPort(group);
        if (groups.remove(where) != null && !closed) {
            pair.leaveGroup(where);
        }
    }

    /** Closes the socket. Not in a handler. */
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
