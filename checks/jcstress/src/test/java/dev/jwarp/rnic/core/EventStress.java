package dev.jwarp.rnic.core;

import dev.jwarp.rnic.Rig;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link AsyncEvents}: any thread adds events, one removes them. */
public final class EventStress {
    private static final Counters COUNTERS = new Counters();
    private static final AsyncEvent EVENT = new AsyncEvent(AsyncEventType.CQ_ERR, "queue", "as if");

    private EventStress() {}

    private static AsyncEvents events() {
        return new AsyncEvents(Rig.THREADED.core().progression(), COUNTERS, 16, (what, cause) -> {});
    }

    private static int count(AsyncEvents events) {
        AsyncEvent taken = events.take();
        return taken == null ? 0 : taken.count();
    }

    /** Two threads add the same event. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "One event with count two.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An event was lost, or there are two.")
    @State
    public static class TwoTell {
        private final AsyncEvents events = events();

        /** One thread. */
        @Actor
        public void first() {
            events.add(EVENT);
        }

        /** The other. */
        @Actor
        public void second() {
            events.add(EVENT);
        }

        /** The program. */
        @Arbiter
        public void take(I_Result result) {
            result.r1 = count(events);
        }
    }

    /** An event is added while the program removes events. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Each event once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An event was lost or duplicated.")
    @State
    public static class TellAndTake {
        private final AsyncEvents events = events();
        private int taken;

        /** A queue with one event. */
        public TellAndTake() {
            events.add(EVENT);
        }

        /** An owner. */
        @Actor
        public void tell() {
            events.add(EVENT);
        }

        /** The program. */
        @Actor
        public void take() {
            taken = count(events);
        }

        /** The program, after both. */
        @Arbiter
        public void rest(I_Result result) {
            result.r1 = taken + count(events) + count(events);
        }
    }
}
