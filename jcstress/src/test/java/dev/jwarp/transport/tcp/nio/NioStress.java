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

/** {@link Mailbox} and the owner of a {@link TcpLoop}. */
public final class NioStress {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long TOO_LONG_NANOS = LONG_NANOS / 2;
    private static final InetSocketAddress NOWHERE = new InetSocketAddress(1);
    private static final NioShared SHARED = new NioShared(TcpSettings.of(Map.of()));
    private static final TcpLoop LOOP = loop();

    private NioStress() {}

    private static TcpLoop loop() {
        try {
            return new TcpLoop(SHARED);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static NioStream stream() {
        return new NioStream(LOOP, SHARED, NOWHERE, null);
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
            result.r2 = mailbox.woken().takeAll() == null ? 0 : 1;
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
        private static final TcpLoop CLOSED = closed();

        private int count;

        private static TcpLoop closed() {
            TcpLoop closed = loop();
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
