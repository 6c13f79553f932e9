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

/** {@link AsyncEvents}: any threads leave something, one takes it. */
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

    /** Two threads tell the same. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "One event that says: twice.")
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

    /** Something is told while the program takes. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Each once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An event was lost, or came twice.")
    @State
    public static class TellAndTake {
        private final AsyncEvents events = events();
        private int taken;

        /** One event is there. */
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

        /** The program, later. */
        @Arbiter
        public void rest(I_Result result) {
            result.r1 = taken + count(events) + count(events);
        }
    }
}
