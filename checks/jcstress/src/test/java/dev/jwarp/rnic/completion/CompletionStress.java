package dev.jwarp.rnic.completion;

import dev.jwarp.rnic.Rig;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.WorkCompletion;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** {@link RnicCompletionQueue}: producers and consumers on any threads. */
public final class CompletionStress {
    private CompletionStress() {}

    /** Two owners complete requests, and each completion is polled once. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "Each once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A completion was lost or duplicated.")
    @State
    public static class TwoProducers {
        private final RnicCompletionQueue queue = Entries.queue(Rig.THREADED, 2);

        /** One owner. */
        @Actor
        public void first() {
            Entries.complete(queue, 1);
        }

        /** The other. */
        @Actor
        public void second() {
            Entries.complete(queue, 2);
        }

        /** The program. */
        @Arbiter
        public void poll(JJ_Result result) {
            result.r1 = Entries.polled(queue);
            result.r2 = Entries.polled(queue);
        }
    }

    /** Two threads of the program poll. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "One for each.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A completion was lost, or polled twice.")
    @State
    public static class TwoConsumers {
        private final RnicCompletionQueue queue = Entries.queue(Rig.THREADED, 2);

        /** A queue with two completions. */
        public TwoConsumers() {
            Entries.complete(queue, 1);
            Entries.complete(queue, 2);
        }

        /** One thread. */
        @Actor
        public void first(JJ_Result result) {
            result.r1 = Entries.polled(queue);
        }

        /** The other. */
        @Actor
        public void second(JJ_Result result) {
            result.r2 = Entries.polled(queue);
        }
    }

    /** A completion is polled while it arrives, in a reused entry. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "Not there yet.")
    @Outcome(id = "7", expect = Expect.ACCEPTABLE, desc = "The whole completion.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A part of the other completion was seen.")
    @State
    public static class Contents {
        private final RnicCompletionQueue queue = Entries.queue(Rig.THREADED, 2);
        private final WorkCompletion[] one = {new WorkCompletion()};

        /** A queue whose entries were used once. */
        public Contents() {
            Entries.complete(queue, 8);
            queue.poll(one);
        }

        /** An owner: the second completion gets the entry of the first one, if that is free again. */
        @Actor
        public void complete() {
            Entries.complete(queue, 7);
            Entries.complete(queue, 9);
        }

        /** The program. */
        @Actor
        public void poll(J_Result result) {
            if (queue.poll(one) > 0) {
                long request = one[0].id();
                boolean same = one[0].byteLength() == request
                        && one[0].queuePairNumber() == request
                        && one[0].immediateData() == request;
                result.r1 = same ? request : -1;
            }
        }
    }

    /** Two owners complete to a full queue: the users of the queue are notified once. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "No entry, and notified once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An entry beyond the capacity, or not notified once.")
    @State
    public static class Overflow {
        private final RnicCompletionQueue queue = Entries.queue(Rig.THREADED, 1);
        private final AtomicInteger told = new AtomicInteger();
        private final AtomicInteger entries = new AtomicInteger();

        /** A full queue. */
        public Overflow() {
            Entries.complete(queue, 1);
            queue.addUser(new User(told, new AtomicInteger()));
        }

        private void claim() {
            if (queue.claim(0) != null) {
                entries.incrementAndGet();
            }
        }

        /** One owner. */
        @Actor
        public void first() {
            claim();
        }

        /** The other. */
        @Actor
        public void second() {
            claim();
        }

        /** Checks the result. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = entries.get();
            result.r2 = told.get();
        }
    }

    /** A place is reserved while one becomes free: the reservation succeeds, or the user is notified later. */
    @JCStressTest
    @Outcome(id = "true, [01]", expect = Expect.ACCEPTABLE, desc = "Reserved.")
    @Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "Not reserved, but notified later.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The user waits forever.")
    @State
    public static class RoomAgain {
        private final RnicCompletionQueue queue = Entries.queue(Rig.THREADED, 1);
        private final AtomicInteger told = new AtomicInteger();

        /** The only place is reserved. */
        public RoomAgain() {
            queue.addUser(new User(new AtomicInteger(), told));
            queue.reserve();
        }

        /** Posts. */
        @Actor
        public void reserve(ZI_Result result) {
            result.r1 = queue.reserve();
        }

        /** Polls a completion. */
        @Actor
        public void free() {
            queue.unreserve();
        }

        /** Checks the result. */
        @Arbiter
        public void count(ZI_Result result) {
            result.r2 = told.get();
        }
    }

    /** Two threads reserve the only place. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = Expect.ACCEPTABLE,
            desc = "One thread has the place.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "No thread has the place, or both.")
    @State
    public static class TwoReserve {
        private final RnicCompletionQueue queue = Entries.queue(Rig.THREADED, 1);

        /** One thread. */
        @Actor
        public void first(ZZ_Result result) {
            result.r1 = queue.reserve();
        }

        /** The other. */
        @Actor
        public void second(ZZ_Result result) {
            result.r2 = queue.reserve();
        }
    }

    /** A thread that requests a notification, and then polls nothing, is notified; threaded progress. */
    @JCStressTest
    @Outcome(id = "1, [01]", expect = Expect.ACCEPTABLE, desc = "Polled.")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "Not there, but notified.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Neither polled nor notified: the program sleeps forever.")
    @State
    public static class NotifiedThreaded extends Notified {
        /** A queue with a channel. */
        public NotifiedThreaded() {
            super(Rig.THREADED);
        }

        /** The owner. */
        @Actor
        public void complete() {
            publication.run();
        }

        /** The program. */
        @Actor
        public void ask(II_Result result) {
            result.r1 = askThenPoll();
        }

        /** The program, after both. */
        @Arbiter
        public void look(II_Result result) {
            result.r2 = notified();
        }
    }

    /** The same with inline progress, where the completing thread drives the transport, and signals no thread. */
    @JCStressTest
    @Outcome(id = "1, [01]", expect = Expect.ACCEPTABLE, desc = "Polled.")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "Not there, but notified.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Neither polled nor notified: the program sleeps forever.")
    @State
    public static class NotifiedInline extends Notified {
        /** A queue with a channel. */
        public NotifiedInline() {
            super(Rig.INLINE);
        }

        /** The driving thread. */
        @Actor
        public void complete() {
            Rig.drive(publication);
        }

        /** The program. */
        @Actor
        public void ask(II_Result result) {
            result.r1 = askThenPoll();
        }

        /** The program, after both. */
        @Arbiter
        public void look(II_Result result) {
            result.r2 = notified();
        }
    }

    /** A queue with a channel. */
    abstract static class Notified {
        private final RnicCompletionChannel channel;
        final RnicCompletionQueue queue;
        final Runnable publication;
        private final WorkCompletion[] one = {new WorkCompletion()};

        Notified(CompletionQueues among) {
            channel = new RnicCompletionChannel(among.core(), closed -> {});
            queue = new RnicCompletionQueue(among, 1, 1, channel);
            queue.prepare(false);
            Completion entry = Objects.requireNonNull(queue.claim(0));
            Entries.fill(entry, 1);
            publication = () -> queue.publish(entry);
        }

        final int askThenPoll() {
            queue.requestNotification(false);
            return queue.poll(one);
        }

        final int notified() {
            CompletionQueue found = channel.poll();
            return found == null ? 0 : 1;
        }
    }

    /** A channel is notified of two queues while the program polls it. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Each once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A notification was lost or duplicated.")
    @State
    public static class Channel {
        private final RnicCompletionChannel channel = new RnicCompletionChannel(Rig.THREADED.core(), closed -> {});
        private final RnicCompletionQueue first = new RnicCompletionQueue(Rig.THREADED, 1, 1, channel);
        private final RnicCompletionQueue second = new RnicCompletionQueue(Rig.THREADED, 2, 1, channel);
        private int taken;

        /** A channel with a notification of one queue. */
        public Channel() {
            channel.notify(first);
        }

        /** An owner. */
        @Actor
        public void tell() {
            channel.notify(second);
        }

        /** The program. */
        @Actor
        public void take() {
            taken = channel.poll() == null ? 0 : 1;
        }

        /** The program, after both. */
        @Arbiter
        public void rest(I_Result result) {
            result.r1 = taken;
            while (channel.poll() != null) {
                result.r1++;
            }
        }
    }

    /** Counts the notifications of a queue. */
    private record User(AtomicInteger failed, AtomicInteger room) implements RnicCompletionQueue.User {
        @Override
        public int number() {
            return 77;
        }

        @Override
        public boolean reserves() {
            return false;
        }

        @Override
        public int mostOn(RnicCompletionQueue queue) {
            return 0;
        }

        @Override
        public void failLocally(String reason) {
            failed.incrementAndGet();
        }

        @Override
        public void roomAgain() {
            room.incrementAndGet();
        }
    }
}
