package dev.jwarp.transport.udp.netty;

import dev.jwarp.base.Ringer;
import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.AfterCalls;
import dev.jwarp.transport.udp.net.AskedSocket;
import dev.jwarp.transport.udp.net.PortIo;
import dev.jwarp.transport.udp.net.PortSocket;
import dev.jwarp.transport.udp.net.SegmentedSend;
import dev.jwarp.transport.udp.net.SendRefusal;
import dev.jwarp.transport.udp.nio.NioUdpSockets;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import org.jspecify.annotations.Nullable;

/** One port and its sockets on the event loop, which is its owner. */
final class EpollPort extends PortIo {
    /** Reads in one go: each may bring 64 KiB where the kernel puts datagrams together. */
    private static final int READS = 16;

    private final EpollLoop loop;
    private final LoopSocket socket;
    /** Whether a look waits among the tasks of the event loop, which are the stack of the bells here. */
    private final Ringer look;
    /** Rings for the next look when the event loop's round has ended. */
    private final Ringer more;

    private final Alarm alarm;
    private final SegmentedSend sending;

    /** What is done after calls is under way: a look follows that is told with {@link #wanted}. */
    private boolean handing;

    private boolean wanted;

    EpollPort(EpollLoop loop, LoopSocket socket) throws IOException {
        // Linux tells twice the receive buffer that it grants: the rest is for itself.
        super(
                loop.context(),
                socket.descriptor().localAddress(),
                socket.descriptor().getReceiveBufferSize() / 2);
        this.loop = loop;
        this.socket = socket;
        look = new Ringer(loop, this::onRung);
        more = new Ringer(loop::atEndOfRound, this::onRoundEnded);
        alarm = new Alarm(loop.eventLoop(), this::lookAndArm);
        sending = new SegmentedSend(new LoopWay(socket, loop.addresses()), loop.context());
    }

    /** Begins; on the event loop. */
    void begin() {
        add(new EpollHandle(this, loop, socket, null, sending));
        NioUdpSockets opener =
                new NioUdpSockets(loop.context().settings(), loop.context().counters());
        beginOthers(
                (address, shared) -> addBeside(opener, address, shared),
                taker -> socket.asked(opener, (port, to) -> AskedChannel.on(loop.ioLoop(), port, to), taker));
        opener.beside(localAddress(), address -> addBeside(opener, address, asked()));
        lookAndArm();
    }

    private @Nullable PortSocket addBeside(NioUdpSockets opener, InetSocketAddress address, @Nullable AskedSocket asked)
            throws IOException {
        LoopSocket beside = socket.beside(address, asked, loop.context().settings(), opener);
        if (beside == null) {
            return null;
        }
        SegmentedSend itsSending = new SegmentedSend(new LoopWay(beside, loop.addresses()), loop.context());
        EpollHandle added = new EpollHandle(this, loop, beside, null, itsSending);
        addBeside(added, address);
        return added;
    }

    // ---- DatagramDriver

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
        if (handing && loop.isMine()) {
            wanted = true;
        } else {
            look.ring();
        }
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        loop.afterCalls().add(task);
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
                    where, socket.descriptor(), asked(), on, loop.context().settings());
            try {
                joining(on);
            } catch (Throwable e) {
                member.close();
                throw e;
            }
            execute(() -> {
                EpollHandle handle = new EpollHandle(this, loop, LoopSocket.of(member), group, null);
                if (isClosed()) {
                    handle.end();
                } else {
                    add(handle);
                }
            });
        } catch (IOException e) {
            throw BindFailure.of(where, e);
        }
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
            roomAgain();
        }
        if (readable) {
            loop.receive(this);
        }
        lookAndArm();
    }

    private void lookAndArm() {
        runAfterCalls();
        if (!isClosed()) {
            wanted = false;
            loop.look(this);
            runAfterCalls();
            if (wanted || wantsLook()) {
                more.ring(); // after the others
            }
            alarm.noLaterThan(nextTimeout(), nowNanos());
        }
    }

    private void onRoundEnded() {
        more.heard();
        wakeup();
    }

    /** What those above wanted to do outside of the engine's calls: the next look is near, so they need not ask for it. */
    private void runAfterCalls() {
        AfterCalls tasks = loop.afterCalls();
        if (!tasks.isEmpty()) {
            handing = true;
            try {
                tasks.run();
            } finally {
                handing = false;
            }
            if (!tasks.isEmpty()) {
                loop.runAfterCallsLater();
            }
        }
    }

    @Override
    public boolean keepsWhole() {
        return sending.keepsWhole();
    }

    @Override
    public int routeMtu(DatagramAddress to) {
        return SendFailure.pathMtu(to.toSocketAddress());
    }

    // ---- PortIo

    @Override
    protected int readsInOneGo() {
        return READS;
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
        return SendFailure.refusal(e);
    }

    @Override
    protected void onSocketsClosed() {
        alarm.cancel();
        loop.remove(this);
    }
}
