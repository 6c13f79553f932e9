package dev.jwarp.transport.udp.net;

import dev.jwarp.base.HostPort;
import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.datagram.DatagramAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One port and its sockets on a loop. Owner only, unless said otherwise. */
final class LoopPort extends PortIo {
    private static final Logger LOG = LoggerFactory.getLogger(LoopPort.class);

    /** Datagrams read from a socket at a time, so that other sockets are not starved. */
    private static final int READS = 64;

    /** The same with UDP_GRO, where a read may bring 64 KiB. */
    private static final int COALESCED_READS = 16;

    private final UdpLoop owner;
    private final UdpSocket socket;
    private final SegmentedSend sending;

    LoopPort(UdpLoop owner, UdpSocket socket) throws IOException {
        super(owner.loop(), owner.context(), socket.localAddress(), socket.receiveBuffer());
        this.owner = owner;
        this.socket = socket;
        sending = new SegmentedSend(socket, owner.context());
    }

    /** Starts the port with its own socket; once. */
    void begin() throws IOException {
        add(new WatchedPortSocket(this, owner, socket, 0, null, sending));
        loop.items().add(this);
        UdpSocket.Opener opener = owner.sockets();
        OtherAddresses others = new OtherAddresses(this::wakeup, this::openBeside);
        AskedSocket asked = opener.asked(socket, others);
        if (asked != null) {
            addAsked(asked, others);
        }
        if (opener.besides(socket)) {
            DatagramChannels.addresses(localAddress().getAddress()).forEach(this::openBeside);
        }
    }

    /**
     * Opens a socket of a wildcard port for one address of this host (datagram-iWARP §4.1), since the system would send
     * from an address of its choice.
     *
     * @return the socket; null if that is not available, as if another socket has the address
     */
    private @Nullable PortSocket openBeside(InetAddress address) {
        InetSocketAddress local = new InetSocketAddress(address, localAddress().getPort());
        try {
            UdpSocket beside = owner.sockets().beside(socket, asked(), local);
            WatchedPortSocket added = watched(beside, null, new SegmentedSend(beside, owner.context()));
            addBeside(added, local);
            return added;
        } catch (IOException e) {
            LOG.debug("No socket for {}: answers for it have a source address of the system's choice", address, e);
            return null;
        }
    }

    /** {@return the socket, registered with the loop} If registration fails, the socket is closed. */
    private WatchedPortSocket watched(UdpSocket opened, @Nullable DatagramAddress group, @Nullable SegmentedSend its)
            throws IOException {
        try {
            return new WatchedPortSocket(this, owner, opened, 1, group, its);
        } catch (Throwable e) {
            opened.close();
            throw e;
        }
    }

    // ---- LoopItem

    @Override
    protected void onReady(int operations, long nowNanos) {
        if ((operations & SelectionKey.OP_WRITE) != 0) {
            roomAgain();
        }
        if ((operations & SelectionKey.OP_READ) != 0) {
            receive();
        }
        wish();
    }

    @Override
    protected boolean read() {
        boolean any = receive();
        if (any) {
            wish();
        }
        return any;
    }

    @Override
    protected void onWoken(long nowNanos) {
        look();
        wish();
    }

    @Override
    protected void onTimer(long nowNanos) {
        look();
        wish();
    }

    /** Requests the next look and the next timer. */
    private void wish() {
        if (wantsLook()) {
            loop.wake(this);
        }
        loop.timers().postpone(this, nextTimeout());
    }

    @Override
    protected void abort(long nowNanos) {
        closeNow();
    }

    /** A layer above threw: the exception is reported, and the port continues. */
    @Override
    protected void fault(Throwable cause, long nowNanos) {
        owner.context().report("a layer above UDP port " + HostPort.text(localAddress()), cause);
        wish();
    }

    // ---- DatagramDriver

    @Override
    public boolean segments() {
        return sending.possible();
    }

    @Override
    public long nowNanos() {
        return loop.now();
    }

    @Override
    public void wakeup() {
        loop.wake(this);
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        loop.afterCalls().add(task);
    }

    @Override
    public boolean isHere() {
        return loop.isHere();
    }

    @Override
    public void execute(Runnable task) {
        loop.executeUnpolled(() -> {
            task.run();
            wakeup();
        });
    }

    @Override
    public void join(DatagramAddress group, @Nullable NetworkInterface on) {
        InetSocketAddress where = group.toSocketAddress();
        try {
            UdpSocket member = joined(on, () -> owner.sockets().group(where, socket, asked(), on));
            execute(() -> addMember(group, member));
        } catch (IOException e) {
            throw owner.sockets().noGroup(where, e);
        }
    }

    private void addMember(DatagramAddress group, UdpSocket member) {
        try {
            if (isClosed()) {
                member.close();
            } else {
                add(watched(member, group, null));
            }
        } catch (IOException e) {
            owner.context().report("joining a group at UDP port " + HostPort.text(localAddress()), e);
        }
    }

    @Override
    public void close() {
        loop.executeAndWait(this::closeNow);
        loop.watcher().awaitLetGo();
    }

    @Override
    public boolean keepsWhole() {
        return sending.keepsWhole();
    }

    @Override
    public int routeMtu(DatagramAddress to) {
        return owner.sockets().routeMtu(to.toSocketAddress());
    }

    // ---- PortIo

    @Override
    protected long stepNanos() {
        return loop.stepTime();
    }

    /** A thread that spins answers each datagram at once. */
    @Override
    protected int readsInOneGo() {
        if (loop.spins()) {
            return 1;
        }
        return sending.possible() ? COALESCED_READS : READS;
    }

    @Override
    protected void groupsThrough(NetworkInterface device) throws IOException {
        socket.groupsThrough(device);
    }

    @Override
    protected void groupsReach(int hops, boolean loop) throws IOException {
        socket.groupsReach(hops, loop);
    }

    @Override
    protected SendRefusal refusal(IOException e) {
        return socket.refusal(e);
    }

    @Override
    protected void onSocketsClosed() {
        loop.items().remove(this);
        loop.timers().remove(this);
    }
}
