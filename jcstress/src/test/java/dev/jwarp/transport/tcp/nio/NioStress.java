package dev.jwarp.transport.tcp.nio;

import dev.jwarp.transport.tcp.TcpSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** {@link WokenStreams}, {@link Mailbox} and the owner of a {@link NioLoop}. */
public final class NioStress {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long TOO_LONG_NANOS = LONG_NANOS / 2;
    private static final InetSocketAddress NOWHERE = new InetSocketAddress(1);
    private static final NioShared SHARED = new NioShared(TcpSettings.of(Map.of()));
    private static final NioLoop LOOP = loop();

    private NioStress() {}

    private static NioLoop loop() {
        try {
            return new NioLoop(SHARED);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static NioStream stream() {
        return new NioStream(LOOP, SHARED, NOWHERE, null);
    }

    /** A connection is woken again while the owner comes to it: a look follows that sees what is new. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "Some look saw it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "No look saw it: what was posted is never sent.")
    @State
    public static class WokenAgain {
        private final WokenStreams woken = new WokenStreams();
        private final NioStream stream = stream();
        private int posted;
        private int seen;

        /** It is woken already. */
        public WokenAgain() {
            woken.add(stream);
        }

        /** Posts, and rings. */
        @Actor
        public void post() {
            posted = 1;
            woken.add(stream);
        }

        /** The owner. */
        @Actor
        public void look() {
            if (woken.takeAll() != null) {
                WokenStreams.next(stream);
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

    /** Two are woken while the owner takes what is there. */
    @JCStressTest
    @Outcome(id = "3", expect = Expect.ACCEPTABLE, desc = "Each was taken, once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "One was lost, or taken twice.")
    @State
    public static class AddAndTake {
        private final WokenStreams woken = new WokenStreams();
        private final NioStream[] streams = {stream(), stream(), stream()};
        private int taken;

        /** One is woken already. */
        public AddAndTake() {
            woken.add(streams[0]);
        }

        /** Posts for two. */
        @Actor
        public void add() {
            woken.add(streams[1]);
            woken.add(streams[2]);
        }

        /** The owner. */
        @Actor
        public void take() {
            NioStream next = woken.takeAll();
            while (next != null && taken < 4) {
                next = WokenStreams.next(next);
                taken++;
            }
        }

        /** The owner, later. */
        @Arbiter
        public void rest(I_Result result) {
            take();
            result.r1 = taken;
        }
    }

    /** Two threads wake. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both are there.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "One was lost, or is there twice.")
    @State
    public static class TwoAdd {
        private final WokenStreams woken = new WokenStreams();
        private final NioStream one = stream();
        private final NioStream other = stream();

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
            NioStream next = woken.takeAll();
            while (next != null && result.r1 < 3) {
                next = WokenStreams.next(next);
                result.r1++;
            }
        }
    }

    /** Something is put in while the owner begins to wait: it does not wait. */
    @JCStressTest
    @Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "The owner did not wait, or was woken.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A wake-up was lost, or what was put in.")
    @State
    public static class NoteWhileWaiting {
        private static final NioSelector SELECTOR = LOOP.selector();

        private final Mailbox mailbox = new Mailbox(SELECTOR);
        private int done;

        /** Anybody. */
        @Actor
        public void note() {
            mailbox.note(() -> done++);
        }

        /** The owner. */
        @Actor
        public void await(ZI_Result result) {
            result.r1 = waitsTooLong(mailbox, SELECTOR);
        }

        /** The owner, later. */
        @Arbiter
        public void work(ZI_Result result) {
            for (Runnable note = mailbox.nextNote(); note != null; note = mailbox.nextNote()) {
                note.run();
            }
            result.r2 = done;
        }
    }

    /** A connection is woken while the owner begins to wait: it does not wait. */
    @JCStressTest
    @Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "The owner did not wait, or was woken.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A wake-up was lost, or the connection.")
    @State
    public static class WokenWhileWaiting {
        private static final NioSelector SELECTOR = LOOP.selector();

        private final Mailbox mailbox = new Mailbox(SELECTOR);
        private final NioStream stream = stream();

        /** Who posts. */
        @Actor
        public void wake() {
            mailbox.wake(stream);
        }

        /** The owner. */
        @Actor
        public void await(ZI_Result result) {
            result.r1 = waitsTooLong(mailbox, SELECTOR);
        }

        /** The owner, later. */
        @Arbiter
        public void take(ZI_Result result) {
            result.r2 = mailbox.takeWoken() == null ? 0 : 1;
        }
    }

    private static boolean waitsTooLong(Mailbox mailbox, NioSelector selector) {
        long start = System.nanoTime();
        if (mailbox.beginToWait()) {
            selector.select(LONG_NANOS);
        }
        mailbox.endWait();
        selector.select(0); // a wake-up that came too late is not one for the next state
        return System.nanoTime() - start > TOO_LONG_NANOS;
    }

    /** Two threads are the owner for a moment. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "One after the other.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Two owners at the same time.")
    @State
    public static class TwoBorrow {
        private int count;

        /** One thread. */
        @Actor
        public void first() {
            LOOP.asOwner(() -> count++);
        }

        /** The other. */
        @Actor
        public void second() {
            LOOP.asOwner(() -> count++);
        }

        /** Counts. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }

    /** One is the owner for a moment, and leaves a note, while the other polls. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "One after the other, and nobody is told off.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Two owners at the same time, or a poller was taken for a second one.")
    @State
    public static class BorrowAndPoll {
        private int count;
        private int told;

        /** One thread. */
        @Actor
        public void borrow() {
            LOOP.note(() -> count++);
            LOOP.asOwner(() -> count++);
        }

        /** The other. */
        @Actor
        public void poll() {
            try {
                LOOP.poll();
            } catch (IllegalStateException e) {
                told++;
            }
        }

        /** Counts, when the note has run. The arbiters of two states run at the same time, so they must not poll. */
        @Arbiter
        public void count(II_Result result) {
            LOOP.asOwner(() -> {
                LOOP.workWithoutInput();
                result.r1 = count;
            });
            result.r2 = told;
        }
    }

    /** The loop is closed, and two threads leave notes. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both were run, one after the other.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A note was lost, or two ran at the same time.")
    @State
    public static class LateNotes {
        private static final NioLoop CLOSED = closed();

        private int count;

        private static NioLoop closed() {
            NioLoop closed = loop();
            closed.asOwner(closed::close);
            return closed;
        }

        /** One thread. */
        @Actor
        public void first() {
            CLOSED.note(() -> count++);
        }

        /** The other. */
        @Actor
        public void second() {
            CLOSED.note(() -> count++);
        }

        /** Counts. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }
}
