package dev.jwarp.transport.udp.netty;

import dev.jwarp.base.Ringer;
import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramBatch;
import dev.jwarp.ddp.llp.datagram.DatagramEngine;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.net.PortIo;
import dev.jwarp.transport.udp.net.SegmentedSend;
import dev.jwarp.transport.udp.net.SendRefusal;
import io.netty.channel.unix.DatagramSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One port and its sockets on the event loop, which is its owner. */
final class EpollPort extends PortIo implements SegmentedSend.Way {
    /** Reads in one go: each may bring 64 KiB where the kernel puts datagrams together. */
    private static final int READS = 16;

    private final EpollLoop loop;
    private final Socket socket;
    private final InetSocketAddress local;
    private final int receiveBuffer;
    private final List<EpollHandle> handles = new ArrayList<>();
    /** Whether a look waits among the tasks of the event loop, which are the stack of the bells here. */
    private final Ringer look;

    private final Alarm alarm;
    private final DatagramAddress source = new DatagramAddress();
    private final SegmentedSend sending;

    EpollPort(EpollLoop loop, Socket socket) throws IOException {
        this.loop = loop;
        this.socket = socket;
        look = new Ringer(loop, this::onRung);
        alarm = new Alarm(loop.eventLoop(), this::lookAndArm);
        local = socket.localAddress();
        receiveBuffer = socket.getReceiveBufferSize() / 2; // Linux tells twice what it grants: the rest is for itself
        sending = new SegmentedSend(this, loop.context().settings().on(UdpSetting.GSO));
        loop.context().systemDrops().opened(local);
    }

    /** Begins; on the event loop. */
    void begin() {
        handles.add(new EpollHandle(this, loop, socket, null));
        lookAndArm();
    }

    /** It did not come about; on the event loop. */
    void giveUp() {
        alarm.cancel();
        handles.forEach(EpollHandle::end);
        handles.clear();
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
        return System.nanoTime();
    }

    @Override
    public void wakeup() {
        look.ring();
    }

    @Override
    public void execute(Runnable task) {
        loop.executeOrRun(() -> {
            task.run();
            wakeup();
        });
    }

    @Override
    public void join(DatagramAddress group, @Nullable NetworkInterface on) {
        InetSocketAddress where = group.toSocketAddress();
        try {
            Socket member = EpollSocket.group(
                    where, local.getAddress(), on, loop.context().settings());
            EpollSocket.sendGroupsThrough(socket, on);
            execute(() -> {
                EpollHandle handle = new EpollHandle(this, loop, member, group);
                if (isClosed()) {
                    handle.end();
                } else {
                    handles.add(handle);
                }
            });
        } catch (IOException e) {
            throw BindFailure.of(where, e);
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // that very group
    public void leave(DatagramAddress group) {
        execute(() -> handles.removeIf(member -> {
            boolean left = member.group() == group;
            if (left) {
                member.end();
            }
            return left;
        }));
    }

    @Override
    public void close() {
        loop.executeAndWait(this::closeNow);
    }

    // ---- the event loop

    private void onRung() {
        look.heard();
        lookAndArm();
    }

    /** A socket can be read, or written. */
    void onReady(boolean readable, boolean writable) {
        if (writable) {
            handles.get(0).awaitRoom(false);
            roomAgain();
        }
        if (readable) {
            loop.receive(this);
        }
        lookAndArm();
    }

    private void lookAndArm() {
        if (!isClosed()) {
            loop.look(this);
            if (wantsLook()) {
                wakeup(); // there is more: after the others
            }
            alarm.noLaterThan(nextTimeout(), nowNanos());
        }
    }

    // ---- PortIo

    @Override
    protected int sockets() {
        return handles.size();
    }

    @Override
    protected boolean receiveOne(int index, DatagramEngine to, long nowNanos) throws IOException {
        EpollHandle from = handles.get(index);
        ByteBuffer in = loop.slot().clear();
        DatagramSocketAddress sender = from.socket().recvFrom(in, 0, in.capacity());
        if (sender == null) {
            return false;
        }
        to.receive(in.limit(sender.receivedAmount()), from.coalesced(), source.set(sender), from.group(), nowNanos);
        return true;
    }

    @Override
    protected int readsInOneGo() {
        return READS;
    }

    @Override
    protected int transmit(DatagramBatch batch) throws IOException {
        try {
            return sending.transmit(batch);
        } catch (IOException e) {
            throw SendFailure.explained(e, loop.addresses().of(batch.destination()), batch.firstLength());
        }
    }

    @Override
    protected SendRefusal refusal(IOException e) {
        return SendFailure.refusal(e);
    }

    @Override
    protected void lost() {
        loop.context().counters().count(UdpCounter.TX_REFUSED);
    }

    // ---- SegmentedSend.Way

    @Override
    public int send(DatagramBatch batch, int length) throws IOException {
        InetSocketAddress to = loop.addresses().of(batch.destination());
        int begin = batch.offset();
        return socket.sendTo(batch.memory(), begin, begin + length, to.getAddress(), to.getPort());
    }

    @Override
    public boolean segment(int size) {
        return EpollSocket.segment(socket, size);
    }

    @Override
    public boolean mayBeOfSegments(IOException e) {
        return SendFailure.mayBeOfSegments(e);
    }

    @Override
    public void split() {
        loop.context().counters().count(UdpCounter.TX_SPLIT);
    }

    @Override
    protected void awaitRoom() {
        handles.get(0).awaitRoom(true);
    }

    @Override
    protected void report(String where, Throwable e) {
        loop.report(where, e);
    }

    @Override
    protected void closeSockets() {
        alarm.cancel();
        loop.context().systemDrops().closing(local);
        handles.forEach(EpollHandle::end);
        handles.clear();
        loop.remove(this);
    }
}
