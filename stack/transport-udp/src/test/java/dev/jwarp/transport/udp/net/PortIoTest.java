package dev.jwarp.transport.udp.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jwarp.io.Loop;
import dev.jwarp.io.SelectorWatcher;
import dev.jwarp.io.WaitMode;
import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.DatagramEngine;
import dev.jwarp.transport.udp.UdpSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("A driver of a port:")
class PortIoTest {
    private static final int BUFFER = 25_600;
    private static final int READS = 16;

    private static final InetSocketAddress LOCAL = new InetSocketAddress("192.0.2.1", 9000);

    /** A loop that is never polled. */
    private static final Loop LOOP = newLoop();

    private static Loop newLoop() {
        try {
            return new Loop(WaitMode.SELECT, 1, loop -> new SelectorWatcher(loop, null, "nio"), cause -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A port with one socket that holds a given number of datagrams. */
    private static final class Sockets extends PortIo implements PortSocket {
        long waiting;
        long read;
        int calls;
        long now = 1_000;
        int chosen;
        boolean ended;

        Sockets(UdpContext context) {
            super(LOOP, context, LOCAL, BUFFER);
            add(this);
        }

        @Override
        public @Nullable DatagramAddress group() {
            return null;
        }

        @Override
        public DatagramAddress source() {
            return new DatagramAddress();
        }

        @Override
        public boolean receiveOne(DatagramEngine to, long nowNanos) {
            calls++;
            if (waiting == 0) {
                return false;
            }
            waiting--;
            read++;
            now++;
            return true;
        }

        @Override
        public void awaitRoom(boolean wanted) {}

        @Override
        public void end() {
            ended = true;
        }

        @Override
        protected int readsInOneGo() {
            return READS;
        }

        @Override
        public int transmit(DatagramBatch batch) {
            throw new IllegalStateException("nothing is sent here");
        }

        @Override
        protected SendRefusal refusal(IOException e) {
            throw new IllegalStateException("nothing is refused here");
        }

        @Override
        protected void groupsThrough(NetworkInterface device) {
            chosen++;
        }

        @Override
        protected void groupsReach(int hops, boolean loop) {
            chosen++;
        }

        @Override
        protected void onSocketsClosed() {}

        @Override
        protected void onTimer(long nowNanos) {}

        @Override
        protected void fault(Throwable cause, long nowNanos) {}

        @Override
        public boolean segments() {
            return false;
        }

        @Override
        public long nowNanos() {
            return now;
        }

        @Override
        public void afterCall(AfterCalls.Task task) {
            throw new UnsupportedOperationException("no handler is tested here");
        }

        @Override
        public void wakeup() {}

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void join(DatagramAddress group, @Nullable NetworkInterface on) {}

        @Override
        public void close() {}
    }

    /** The calls of an engine with one timeout; the others have no effect. */
    private static final class Waiting {
        final List<Long> calls = new ArrayList<>();
        long timeout = Long.MAX_VALUE;
        long send = Long.MAX_VALUE;
        int askedForOutput;

        private @Nullable Object call(String method, Object[] given) {
            return switch (method) {
                case "nextSend" -> send;
                case "nextTimeout" -> timeout;
                case "onTimeout" -> {
                    timeout = Long.MAX_VALUE;
                    yield calls.add((Long) given[0]);
                }
                case "prepareOutput" -> {
                    askedForOutput++;
                    yield false;
                }
                default -> null;
            };
        }

        DatagramEngine engine() {
            return (DatagramEngine) Proxy.newProxyInstance(
                    DatagramEngine.class.getClassLoader(),
                    new Class<?>[] {DatagramEngine.class},
                    (proxy, method, given) -> call(method.getName(), given));
        }
    }

    private final UdpContext context = new UdpContext(UdpSettings.of(Map.of()), 0, () -> 0);
    private final Sockets sockets = new Sockets(context);
    private final Waiting engine = new Waiting();

    PortIoTest() {
        sockets.open(engine.engine());
    }

    private void go(int times) {
        for (int i = 0; i < times && engine.calls.isEmpty(); i++) {
            sockets.receive();
            sockets.look();
        }
    }

    private long systemDrops() {
        return context.systemDrops().counter().value();
    }

    @Tag("DG-7-11")
    @Test
    @DisplayName("timers wait until the datagrams in the sockets are read")
    void drained() {
        sockets.waiting = 5L * READS;
        engine.timeout = sockets.now;
        go(1);
        assertThat(engine.calls).isEmpty();
        go(10);
        assertThat(sockets.waiting).isZero();
        assertThat(engine.calls).hasSize(1);
    }

    @Test
    @DisplayName("timers wait only for as much as the sockets can hold, even if a peer sends without end")
    void flooded() {
        sockets.waiting = Long.MAX_VALUE;
        engine.timeout = sockets.now;
        go(1);
        long behindAt = sockets.now;
        go(1_000);
        assertThat(engine.calls).hasSize(1);
        assertThat(sockets.read).isGreaterThanOrEqualTo(100).isLessThan(200);
        assertThat(engine.calls.get(0))
                .as("the time whose datagrams have been read")
                .isLessThanOrEqualTo(behindAt);
    }

    @Test
    @DisplayName("timers do not delay paced sends, however much is still to be read")
    void pace() {
        sockets.waiting = Long.MAX_VALUE;
        engine.send = sockets.now + 5;
        assertThat(sockets.nextTimeout()).isEqualTo(engine.send);
        sockets.receive();
        assertThat(sockets.now).isGreaterThan(engine.send);
        sockets.look();
        assertThat(engine.askedForOutput).isPositive();
        assertThat(engine.calls).isEmpty();
    }

    @Test
    @DisplayName("looks read once when eight have found one datagram each, and then each eighth look reads on")
    void oneAtATime() {
        for (int i = 0; i < 24; i++) {
            sockets.waiting = 1;
            sockets.receive();
        }
        assertThat(sockets.calls).as("with ten that found nothing").isEqualTo(24 + 10);
        sockets.waiting = 3;
        sockets.receive();
        assertThat(sockets.waiting).isZero();
        sockets.waiting = 2;
        sockets.receive();
        assertThat(sockets.waiting).isZero();
        assertThat(sockets.calls).isEqualTo(24 + 10 + 4 + 3);
    }

    @Test
    @DisplayName("looks that read once read the socket of the last datagram, and the others if it has none")
    void lastSocket() {
        Sockets beside = new Sockets(context);
        sockets.add(beside);
        for (int i = 0; i < 9; i++) {
            beside.waiting = 1;
            sockets.receive();
        }
        int calls = sockets.calls;
        sockets.waiting = 1;
        beside.waiting = 1;
        sockets.receive();
        assertThat(beside.waiting).isZero();
        assertThat(sockets.calls).isEqualTo(calls);
        sockets.receive();
        assertThat(sockets.waiting).isZero();
        beside.waiting = 1;
        sockets.receive();
        sockets.waiting = 1;
        beside.waiting = 1;
        sockets.receive();
        assertThat(sockets.waiting).as("the last datagram was beside").isOne();
        for (int i = 0; i < 7; i++) {
            beside.waiting++;
            sockets.receive();
        }
        assertThat(sockets.waiting)
                .as("waits, though the other socket is never empty")
                .isZero();
    }

    @Test
    @DisplayName("does not touch the socket of a closed port: its descriptor may be another socket's")
    void groupsOfClosed() throws IOException {
        sockets.sendToGroups(null, 1, true);
        assertThat(sockets.chosen).isOne();
        sockets.closeNow();
        assertThatThrownBy(() -> sockets.sendToGroups(null, 1, true)).hasMessageEndingWith("the port is closed");
        assertThatThrownBy(() -> sockets.joined(null, () -> {
                    throw new IllegalStateException("the group is opened");
                }))
                .hasMessage("the port is closed");
        assertThat(sockets.chosen).isOne();
    }

    @Test
    @DisplayName("timers of a port that was closed while a look was pending end with that look")
    void closedWhileWoken() {
        sockets.waiting = 1;
        sockets.receive();
        sockets.closeNow();
        assertThat(sockets.wantsLook()).isTrue();
        sockets.look();
        assertThat(sockets.wantsLook()).isFalse();
    }

    @Test
    @DisplayName(
            "timers end with a port that failed to open, whose socket is closed and whose drops are not counted any more")
    void givenUp() {
        assumeTrue(Files.exists(Path.of("/proc/net/udp")), "the system tells what it drops");
        assertThat(systemDrops()).as("the system has no such port").isEqualTo(SystemDrops.UNKNOWN);
        sockets.giveUp(new IllegalStateException("of this test"));
        assertThat(sockets.ended).isTrue();
        assertThat(sockets.nextTimeout()).isEqualTo(Long.MAX_VALUE);
        assertThat(systemDrops()).isNotEqualTo(SystemDrops.UNKNOWN);
    }

    @Test
    @DisplayName(
            "timers do not affect the drops of another port at the same address, if the failed port is given up again, or before it"
                    + " has an engine")
    void givenUpAgain() {
        assumeTrue(Files.exists(Path.of("/proc/net/udp")), "the system tells what it drops");
        IllegalStateException cause = new IllegalStateException("of this test");
        context.systemDrops().opened(LOCAL); // the other port
        sockets.giveUp(cause);
        sockets.giveUp(cause);
        new Sockets(context).giveUp(cause);
        assertThat(systemDrops())
                .as("the other one is still asked for, and the system does not know it")
                .isEqualTo(SystemDrops.UNKNOWN);
        assertThat(cause.getSuppressed()).isEmpty();
    }
}
