package dev.jwarp.transport.udp.net;

import dev.jwarp.base.HostPort;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.DatagramEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One socket of a port on a loop: its own, one at another address, or that of a group. Owner only. */
final class WatchedPortSocket implements PortSocket {
    private final UdpLoop owner;
    private final UdpSocket socket;
    private final @Nullable DatagramAddress group;
    private final @Nullable SegmentedSend sending;
    private final SocketWatch watch;

    /** Whether a read may bring several datagrams. */
    private final boolean coalesced;

    /** Sockets of the port besides its own. */
    private final int more;

    private boolean blocked;

    /**
     * Registers a socket with the loop.
     *
     * @param more 0 for the port's own socket, else 1
     * @param sending null for a group's socket, which sends nothing
     */
    WatchedPortSocket(
            LoopPort port,
            UdpLoop owner,
            UdpSocket socket,
            int more,
            @Nullable DatagramAddress group,
            @Nullable SegmentedSend sending)
            throws IOException {
        this.owner = owner;
        this.socket = socket;
        this.group = group;
        this.sending = sending;
        this.more = more;
        coalesced = owner.context().settings().receivesSegments() && socket.coalesce();
        watch = socket.watch(owner.loop().watcher(), SelectionKey.OP_READ, port);
        owner.loop().moreSockets(more);
    }

    @Override
    public @Nullable DatagramAddress group() {
        return group;
    }

    @Override
    public boolean receiveOne(DatagramEngine to, long nowNanos) throws IOException {
        ByteBuffer in = owner.slot();
        if (!socket.receive(in)) {
            return false;
        }
        to.receive(in, coalesced, socket.source(), group, nowNanos);
        return true;
    }

    @Override
    public DatagramAddress source() {
        return socket.source();
    }

    @Override
    public int transmit(DatagramBatch batch) throws IOException {
        try {
            return Objects.requireNonNull(sending, "a group's socket sends nothing")
                    .transmit(batch);
        } catch (IOException e) {
            throw socket.explained(e, batch.destination(), batch.firstLength());
        }
    }

    @Override
    public void awaitRoom(boolean wanted) {
        if (blocked != wanted) {
            blocked = wanted;
            owner.loop().attention(wanted ? 1 : -1);
            watch.want(wanted ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }
    }

    @Override
    public void end() {
        if (blocked) {
            blocked = false;
            owner.loop().attention(-1);
        }
        owner.loop().moreSockets(-more);
        watch.cancel();
        try {
            socket.close();
        } catch (IOException e) {
            owner.context().report("closing UDP port " + HostPort.text(socket.localAddress()), e);
        }
        owner.loop().watcher().letGo(); // otherwise the socket keeps its port
    }
}
