package dev.jwarp.transport.udp.nio;

import dev.jwarp.ddp.llp.datagram.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramBatch;
import dev.jwarp.ddp.llp.datagram.DatagramDriver;
import dev.jwarp.ddp.llp.datagram.DatagramEngine;
import dev.jwarp.ddp.llp.datagram.DatagramPort;
import dev.jwarp.transport.udp.net.UdpContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One port and its sockets: the driver of one engine. The owner's, unless said otherwise. */
final class NioPort implements DatagramDriver {
    /** Turns of queue pairs sent in one go, so that input is looked at. */
    private static final int TURNS = 4;
    /** After ENOBUFS nothing tells when there is room again. */
    private static final long RETRY_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private final NioLoop loop;
    private final NioSocket socket;
    private final InetSocketAddress local;
    private final int receiveBuffer;
    private final List<NioSocket> sockets = new ArrayList<>();
    private @Nullable DatagramEngine engine;
    private boolean blocked;
    private long retryAt = Long.MAX_VALUE;
    /** Everything that the sockets held at that time has been given to the engine. */
    private long drainedAt = Long.MIN_VALUE;

    private boolean closed;

    /** Asked to be looked at. Any thread. */
    volatile boolean woken;

    NioPort(NioLoop loop, DatagramChannel channel) throws IOException {
        this.loop = loop;
        socket = new NioSocket(channel, null);
        local = (InetSocketAddress) channel.getLocalAddress();
        receiveBuffer = channel.getOption(StandardSocketOptions.SO_RCVBUF);
    }

    void open(DatagramEngine driven) {
        engine = driven;
        register(socket);
    }

    private DatagramEngine engine() {
        return Objects.requireNonNull(engine, "no engine yet");
    }

    DatagramPort port() {
        return engine().port();
    }

    private void register(NioSocket added) {
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

    /** java.nio has no segmented send: each datagram is a call. */
    @Override
    public boolean segments() {
        return false;
    }

    @Override
    public long nowNanos() {
        return loop.now();
    }

    @Override
    public void wakeup() {
        woken = true;
        loop.wake();
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
            DatagramChannel channel = loop.sockets().group(where, local.getAddress(), on);
            if (on != null) {
                socket.channel().setOption(StandardSocketOptions.IP_MULTICAST_IF, on);
            }
            execute(() -> {
                if (closed) {
                    loop.close(channel);
                } else {
                    register(new NioSocket(channel, group));
                }
            });
        } catch (IOException e) {
            throw UdpContext.bindFailed(where, e);
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

    void closeNow() {
        if (!closed) {
            closed = true;
            engine().onClosed(loop.now());
            blocked = false;
            send(loop.now(), Integer.MAX_VALUE);
            sockets.forEach(one -> loop.close(one.channel()));
            loop.remove(this);
        }
    }

    // ---- the loop

    /** {@return whether anything came} Reads what is there, up to a limit. */
    boolean receive(ByteBuffer in) {
        long now = loop.now();
        boolean any = false;
        boolean all = true;
        for (int i = sockets.size() - 1; i >= 0; i--) {
            int reads = i < sockets.size() ? receive(sockets.get(i), in, now) : 0;
            any |= reads > 0;
            all &= reads < loop.readsInOneGo();
        }
        if (all) {
            drainedAt = now; // the time before the reads that found nothing
        }
        return any;
    }

    private int receive(NioSocket from, ByteBuffer in, long now) {
        int reads = 0;
        try {
            while (reads < loop.readsInOneGo() && !closed && from.receiveOne(engine(), in, now)) {
                reads++;
            }
        } catch (IOException e) {
            loop.report("reading from UDP port " + local, e); // an ICMP error, perhaps: it changes no state
        }
        return reads;
    }

    /** {@return whether it did anything} Sends, and fires the timer if it is due and nothing waits in the sockets. */
    boolean look(ByteBuffer in) {
        if (closed) {
            return false;
        }
        woken = false;
        long now = loop.now();
        if (retryAt <= now) {
            blocked = false;
            retryAt = Long.MAX_VALUE;
        }
        boolean did = send(now, TURNS);
        if (!closed && engine().nextTimeout() <= now) {
            // datagram-iWARP §14: timers wait for what the sockets held by then.
            did |= engine().nextTimeout() > drainedAt && receive(in);
            did |= fire(now);
        }
        return did;
    }

    private boolean fire(long now) {
        if (closed || engine().nextTimeout() > drainedAt) {
            woken |= !closed && engine().nextTimeout() <= now; // not yet drained: soon again
            return false;
        }
        engine().onTimeout(drainedAt);
        send(now, TURNS);
        return true;
    }

    private boolean send(long now, int turns) {
        boolean any = false;
        for (int i = 0; i < turns && !blocked; i++) {
            if (!engine().prepareOutput(now)) {
                return any;
            }
            send(engine().output(), now);
            any = true;
        }
        woken |= !blocked && any && !closed; // there may be more
        return any;
    }

    private void send(DatagramBatch batch, long now) {
        InetSocketAddress to = loop.addresses().of(batch.destination());
        while (batch.length() > 0 && !blocked) {
            int length = batch.firstLength();
            try {
                if (sendFirst(batch, length, to)) {
                    engine().onWritten(length, now);
                } else {
                    block();
                }
            } catch (IOException e) {
                refused(String.valueOf(e.getMessage()), length, now);
            }
        }
    }

    private boolean sendFirst(DatagramBatch batch, int length, InetSocketAddress to) throws IOException {
        ByteBuffer memory = batch.memory();
        try {
            return socket.channel().send(memory.limit(batch.offset() + length).position(batch.offset()), to) > 0;
        } finally {
            memory.clear();
        }
    }

    private void block() {
        blocked = true;
        loop.writable(socket.channel(), true);
    }

    private void refused(String said, int length, long now) {
        if (said.contains("No buffer space")) {
            blocked = true;
            retryAt = now + RETRY_NANOS;
        } else if (said.contains("not permitted")) {
            engine().onWritten(length, now); // a packet filter dropped it: lost, as it might be further on
        } else {
            engine().onUnsendable(said, now);
        }
    }

    /** When the loop has to look at it. */
    long nextTimeout() {
        return closed ? Long.MAX_VALUE : Math.min(retryAt, engine().nextTimeout());
    }

    /** {@return whether anything came} The selector, or a caller that asks no selector, says what is ready. */
    boolean onReady(int operations, ByteBuffer in) {
        if ((operations & SelectionKey.OP_WRITE) != 0) {
            loop.writable(socket.channel(), false);
            blocked = false;
            woken = true;
        }
        boolean came = (operations & SelectionKey.OP_READ) != 0 && receive(in);
        woken |= came;
        return came;
    }
}
