package dev.jwarp.transport.udp.nio;

import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.net.UdpContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.Map;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link Ownership} and {@link WokenPorts}. */
public final class OwnershipStress {
    private OwnershipStress() {}

    private static Ownership ownership() {
        return new Ownership(() -> {}, () -> {}, cause -> {});
    }

    /** Two threads leave notes. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both were run, one after the other.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A note was lost, or two ran at the same time.")
    @State
    public static class TwoNotes {
        private final Ownership ownership = ownership();
        private int count;

        /** One thread. */
        @Actor
        public void first() {
            ownership.execute(() -> count++);
        }

        /** The other. */
        @Actor
        public void second() {
            ownership.execute(() -> count++);
        }

        /** Counts. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }

    /** One leaves a note while the other polls. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "One after the other, and nobody is told off.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A note was lost, two owners, or a poller was taken for a second one.")
    @State
    public static class NoteAndPoll {
        private final Ownership ownership = ownership();
        private int count;
        private int told;

        /** One thread. */
        @Actor
        public void note() {
            ownership.execute(() -> count++);
        }

        /** The other. */
        @Actor
        public void poll() {
            try {
                ownership.enter();
                count++;
                ownership.leave();
            } catch (IllegalStateException e) {
                told++;
            }
        }

        /** Counts. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = count;
            result.r2 = told;
        }
    }

    /** One waits until its note was run, the other one leaves one. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "Run before it came back.")
    @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "Both were.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Not run when it came back, or two at the same time.")
    @State
    public static class NoteAndWait {
        private final Ownership ownership = ownership();
        private volatile int count;

        /** One thread. */
        @Actor
        @SuppressWarnings("NonAtomicVolatileUpdate") // that is what is tested
        public void executeAndWait(II_Result result) {
            ownership.executeAndWait(() -> count++);
            result.r1 = count;
        }

        /** The other. */
        @Actor
        @SuppressWarnings("NonAtomicVolatileUpdate")
        public void execute() {
            ownership.execute(() -> count++);
        }

        /** Counts. */
        @Arbiter
        public void count(II_Result result) {
            result.r2 = count;
        }
    }

    /** A port is woken again while the owner comes to it: a look follows that sees what is new. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "Some look saw it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "No look saw it: what was posted is never sent.")
    @State
    public static class WokenAgain {
        private final WokenPorts woken = new WokenPorts();
        private final NioPort port = Ports.port();
        private int posted;
        private int seen;

        /** It is woken already. */
        public WokenAgain() {
            woken.add(port);
        }

        /** Posts, and rings. */
        @Actor
        public void post() {
            posted = 1;
            woken.add(port);
        }

        /** The owner. */
        @Actor
        public void look() {
            if (woken.takeAll() != null) {
                WokenPorts.next(port);
                seen = posted;
            }
        }

        /** The owner, later. */
        @Arbiter
        public void lookAgain(I_Result result) {
            look();
            result.r1 = seen;
        }
    }

    /** Two threads wake. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both are there.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "One was lost, or is there twice.")
    @State
    public static class TwoAdd {
        private final WokenPorts woken = new WokenPorts();
        private final NioPort one = Ports.port();
        private final NioPort other = Ports.port();

        /** One thread. */
        @Actor
        public void first() {
            woken.add(one);
        }

        /** The other. */
        @Actor
        public void second() {
            woken.add(other);
        }

        /** The owner. */
        @Arbiter
        public void take(I_Result result) {
            NioPort next = woken.takeAll();
            while (next != null && result.r1 < 3) {
                next = WokenPorts.next(next);
                result.r1++;
            }
        }
    }

    /** Ports over one socket: they are only links of a list here. */
    private static final class Ports {
        private static final NioLoop LOOP;
        private static final DatagramChannel CHANNEL;

        static {
            try {
                LOOP = new NioLoop(new UdpContext(UdpSettings.of(Map.of("jwarp.udp.epoll", "off")), 0));
                CHANNEL = LOOP.sockets().port(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        static NioPort port() {
            try {
                return new NioPort(LOOP, CHANNEL);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
