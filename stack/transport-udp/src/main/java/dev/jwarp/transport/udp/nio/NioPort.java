package dev.jwarp.transport.udp.nio;

import dev.jwarp.base.Bells;
import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.AfterCalls;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.net.AskedSocket;
import dev.jwarp.transport.udp.net.PortIo;
import dev.jwarp.transport.udp.net.PortSocket;
import dev.jwarp.transport.udp.net.SegmentedSend;
import dev.jwarp.transport.udp.net.SendRefusal;
import dev.jwarp.transport.udp.net.UdpContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/** One port and its sockets. The owner's, unless said otherwise. */
final class NioPort extends PortIo {
    /** Any thread rings it when the port wants a look. */
    final Bells.Bell<NioPort> bell = new Bells.Bell<>(this);

    private final UdpLoop loop;
    private final DatagramChannel channel;
    private final ChannelWay way;
    private final SegmentedSend sending;

    NioPort(UdpLoop loop, DatagramChannel channel) throws IOException {
        super(
                loop.context(),
                (InetSocketAddress) channel.getLocalAddress(),
                channel.getOption(StandardSocketOptions.SO_RCVBUF));
        this.loop = loop;
        this.channel = channel;
        way = new ChannelWay(channel, loop.sockets().segments(localAddress()), loop.addresses());
        sending = new SegmentedSend(way, loop.context());
    }

    /** {@return whether it is one of {@code other}} */
    @SuppressWarnings("ReferenceEquality") // that very one
    boolean isOf(UdpLoop other) {
        return loop == other;
    }

    /** Begins with its own socket; once. */
    void begin() {
        boolean coalesced = loop.context().settings().on(UdpSetting.GRO) && way.coalesces();
        register(new UdpSocket(loop, channel, null, coalesced, sending));
        beginOthers(this::addBeside, taker -> loop.sockets().asked(channel, null, taker));
        loop.sockets().beside(localAddress(), address -> addBeside(address, asked()));
    }

    private PortSocket addBeside(InetSocketAddress address, @Nullable AskedSocket asked) throws IOException {
        DatagramChannel beside = loop.sockets().beside(channel, asked, address);
        ChannelWay way = new ChannelWay(beside, loop.sockets().segments(address), loop.addresses());
        boolean coalesced = loop.context().settings().on(UdpSetting.GRO) && way.coalesces();
        UdpSocket added = new UdpSocket(loop, beside, null, coalesced, new SegmentedSend(way, loop.context()));
        addBeside(added, address);
        loop.register(beside, this);
        return added;
    }

    private void register(UdpSocket added) {
        add(added);
        loop.register(added.channel(), this);
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
            DatagramChannel member = loop.sockets().group(where, channel, asked(), on);
            joining(on);
            execute(() -> {
                if (isClosed()) {
                    loop.close(member);
                } else {
                    register(new UdpSocket(loop, member, group, false, null));
                }
            });
        } catch (IOException e) {
            throw UdpContext.bindFailed(where, NioRefusal.ofGroup(where, e), e);
        }
    }

    @Override
    public void close() {
        loop.ownership().executeAndWait(this::closeNow);
    }

    @Override
    public boolean keepsWhole() {
        return sending.keepsWhole();
    }

    @Override
    public int routeMtu(DatagramAddress to) {
        return loop.sockets().routeMtu(to.toSocketAddress());
    }

    // ---- PortIo

    @Override
    protected long stepNanos() {
        return loop.stepTime();
    }

    @Override
    protected int readsInOneGo() {
        return loop.readsInOneGo();
    }

    @Override
    protected void groupsThrough(NetworkInterface device) throws IOException {
        NioUdpSockets.groupsThrough(channel, device);
    }

    @Override
    protected void groupsReach(int hops, boolean loop) throws IOException {
        NioUdpSockets.groupsReach(channel, hops, loop);
    }

    @Override
    protected SendRefusal refusal(IOException e) {
        return NioRefusal.ofThisSystem().ofSend(e);
    }

    @Override
    protected void onSocketsClosed() {
        loop.remove(this);
    }

    /** {@return whether anything came} The selector, or a caller that asks no selector, says what is ready. */
    boolean onReady(int operations) {
        if ((operations & SelectionKey.OP_WRITE) != 0) {
            roomAgain();
        }
        return (operations & SelectionKey.OP_READ) != 0 && receive();
    }
}
