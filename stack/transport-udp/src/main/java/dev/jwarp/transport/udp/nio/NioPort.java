package dev.jwarp.transport.udp.nio;

import dev.jwarp.base.Bells;
import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramBatch;
import dev.jwarp.ddp.llp.datagram.DatagramEngine;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.net.KernelSegments;
import dev.jwarp.transport.udp.net.PortIo;
import dev.jwarp.transport.udp.net.SegmentedSend;
import dev.jwarp.transport.udp.net.SendRefusal;
import dev.jwarp.transport.udp.net.UdpContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One port and its sockets. The owner's, unless said otherwise. */
final class NioPort extends PortIo implements SegmentedSend.Way {
    /** Any thread rings it when the port wants a look. */
    final Bells.Bell<NioPort> bell = new Bells.Bell<>(this);

    private final UdpLoop loop;
    private final DatagramChannel channel;
    private final InetSocketAddress local;
    private final int receiveBuffer;
    private final @Nullable KernelSegments kernel;
    private final SegmentedSend sending;
    private final List<UdpSocket> sockets = new ArrayList<>();

    NioPort(UdpLoop loop, DatagramChannel channel) throws IOException {
        this.loop = loop;
        this.channel = channel;
        local = (InetSocketAddress) channel.getLocalAddress();
        receiveBuffer = channel.getOption(StandardSocketOptions.SO_RCVBUF);
        loop.context().systemDrops().opened(local);
        kernel = loop.sockets().segments(local);
        sending = new SegmentedSend(this, loop.context().settings().on(UdpSetting.GSO));
    }

    /** Begins with its own socket; once. */
    void begin() {
        boolean coalesced = loop.context().settings().on(UdpSetting.GRO) && kernel != null && kernel.coalesce();
        register(new UdpSocket(channel, null, coalesced));
    }

    boolean isOf(DatagramChannel other) {
        return channel == other;
    }

    private void register(UdpSocket added) {
        sockets.add(added);
        loop.register(added.channel(), this);
    }

    // ---- DatagramDriver

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public int receiveBuffer() {
        return receiveBuffer;
    }

    @Override
    public long systemDrops() {
        return loop.context().systemDrops().of(local);
    }

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
    public void execute(Runnable task) {
        loop.ownership().execute(() -> {
            task.run();
            wakeup();
        });
    }

    @Override
    public void join(DatagramAddress group, @Nullable NetworkInterface on) {
        InetSocketAddress where = group.toSocketAddress();
        try {
            DatagramChannel member = loop.sockets().group(where, local.getAddress(), on);
            if (on != null) {
                channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, on);
            }
            execute(() -> {
                if (isClosed()) {
                    loop.close(member);
                } else {
                    register(new UdpSocket(member, group, false));
                }
            });
        } catch (IOException e) {
            throw UdpContext.bindFailed(where, NioRefusal.ofGroup(where, e), e);
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // that very group
    public void leave(DatagramAddress group) {
        execute(() -> sockets.removeIf(member -> {
            boolean left = member.group() == group;
            if (left) {
                loop.close(member.channel());
            }
            return left;
        }));
    }

    @Override
    public void close() {
        loop.ownership().executeAndWait(this::closeNow);
    }

    // ---- PortIo

    @Override
    protected long stepNanos() {
        return loop.stepTime();
    }

    @Override
    protected int sockets() {
        return sockets.size();
    }

    @Override
    protected boolean receiveOne(int socket, DatagramEngine to, long nowNanos) throws IOException {
        return sockets.get(socket).receiveOne(to, loop.slot(), nowNanos);
    }

    @Override
    protected int readsInOneGo() {
        return loop.readsInOneGo();
    }

    @Override
    protected int transmit(DatagramBatch batch) throws IOException {
        return sending.transmit(batch);
    }

    @Override
    protected SendRefusal refusal(IOException e) {
        return NioRefusal.ofThisSystem().ofSend(e);
    }

    @Override
    protected void lost() {
        loop.context().counters().count(UdpCounter.TX_REFUSED);
    }

    // ---- SegmentedSend.Way

    @Override
    public int send(DatagramBatch batch, int length) throws IOException {
        ByteBuffer memory = batch.memory();
        InetSocketAddress to = loop.addresses().of(batch.destination());
        try {
            return channel.send(memory.limit(batch.offset() + length).position(batch.offset()), to);
        } catch (UnsupportedAddressTypeException e) {
            throw new IOException("a port at an IPv4 address cannot send to " + to, e);
        } finally {
            memory.clear();
        }
    }

    @Override
    public boolean segment(int size) {
        return kernel != null && kernel.segment(size);
    }

    @Override
    public boolean mayBeOfSegments(IOException e) {
        return kernel != null && kernel.mayBeOfSegments(e);
    }

    @Override
    public void split() {
        loop.context().counters().count(UdpCounter.TX_SPLIT);
    }

    @Override
    protected void awaitRoom() {
        loop.writable(channel, true);
    }

    @Override
    protected void report(String where, Throwable e) {
        loop.report(where, e);
    }

    @Override
    protected void closeSockets() {
        loop.context().systemDrops().closing(local);
        sockets.forEach(one -> loop.close(one.channel()));
        loop.remove(this);
    }

    /** {@return whether anything came} The selector, or a caller that asks no selector, says what is ready. */
    boolean onReady(int operations) {
        if ((operations & SelectionKey.OP_WRITE) != 0) {
            loop.writable(channel, false);
            roomAgain();
        }
        return (operations & SelectionKey.OP_READ) != 0 && receive();
    }
}
