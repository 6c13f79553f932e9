package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.IZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * {@link STagTable} and {@link TaggedBuffer}: accesses of peers concurrent with registration, invalidation and
 * deregistration.
 */
public final class STagTableStress {
    private static final ByteBuffer MEMORY = ByteBuffer.allocate(8);
    private static final int DOMAIN = 5;
    private static final int LIMIT = 1 << 20;

    /** The number of entries before the table grows. */
    private static final int BEFORE_GROWTH = 32;

    /** STags with the same hash in a new table: a look-up passes those before its own. */
    private static final int[] NEIGHBOURS = neighbours();

    private STagTableStress() {}

    private static STagTable table() {
        return new STagTable(new SplittableRandom(1), LIMIT);
    }

    private static TaggedBuffer put(STagTable table, int stag) {
        return table.registerAs(stag, DOMAIN, MEMORY, 0, Access.REMOTE_WRITE);
    }

    private static int[] neighbours() {
        int[] found = new int[3];
        int count = 0;
        for (int stag = 1; count < found.length; stag++) {
            int mixed = stag * 0x9e3779b9;
            if (((mixed ^ mixed >>> 16) & 63) == 17) {
                found[count++] = stag;
            }
        }
        return found;
    }

    /** A registered buffer is found while the table grows. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Found.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A registered buffer was not there.")
    @State
    public static class FoundDuringGrowth {
        private final STagTable table = table();

        /** A table that grows at the next registration. */
        public FoundDuringGrowth() {
            for (int stag = 1; stag <= BEFORE_GROWTH; stag++) {
                put(table, stag);
            }
        }

        /** The program. */
        @Actor
        public void register() {
            put(table, BEFORE_GROWTH + 1);
        }

        /** An owner. */
        @Actor
        public void find(ZZ_Result result) {
            TaggedBuffer first = table.find(1);
            TaggedBuffer last = table.find(BEFORE_GROWTH);
            result.r1 = first != null && first.valid();
            result.r2 = last != null && last.valid();
        }
    }

    /** A registered buffer is found while the entry before it is removed and replaced. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "Found.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A registered buffer was not there.")
    @State
    public static class FoundBehindGone {
        private final STagTable table = table();
        private final TaggedBuffer before = put(table, NEIGHBOURS[0]);

        /** A table with two adjacent entries. */
        public FoundBehindGone() {
            put(table, NEIGHBOURS[1]);
        }

        /** The program. */
        @Actor
        public void change() {
            table.deregister(before);
            put(table, NEIGHBOURS[2]);
        }

        /** An owner. */
        @Actor
        public void find(Z_Result result) {
            TaggedBuffer found = table.find(NEIGHBOURS[1]);
            result.r1 = found != null && found.valid();
        }
    }

    /** A check that begins after deregistration refuses access (RFC 5041 §8.3, DDP-8.3-1). */
    @JCStressTest
    @Outcome(
            id = {"0, true", "0, false", "1, false"},
            expect = Expect.ACCEPTABLE,
            desc = "Access was allowed only before the end.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An access was allowed after the end.")
    @State
    public static class Deregistered {
        private final STagTable table = table();
        private final TaggedBuffer region = put(table, 1);
        private final TaggedAccess access = new TaggedAccess(table, DOMAIN, 1);
        private final AtomicInteger ended = new AtomicInteger();

        /** The program. */
        @Actor
        public void deregister() {
            table.deregister(region);
            ended.setRelease(1);
        }

        /** An owner. */
        @Actor
        public void check(IZ_Result result) {
            result.r1 = ended.getAcquire();
            result.r2 = access.checkWrite(1, 0, 8) == null;
        }
    }

    /** The same for a window when its region is invalidated. */
    @JCStressTest
    @Outcome(
            id = {"0, true", "0, false", "1, false"},
            expect = Expect.ACCEPTABLE,
            desc = "Access was allowed only before the end.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An access was allowed after the end.")
    @State
    public static class RegionInvalidated {
        private final STagTable table = table();
        private final TaggedBuffer region = table.registerAs(1, DOMAIN, MEMORY, 0, Access.MW_BIND | Access.LOCAL_WRITE);
        private final TaggedBuffer window = table.registerWindow(region, 1, 0, 8, 0, Access.REMOTE_WRITE);
        private final TaggedAccess access = new TaggedAccess(table, DOMAIN, 1);
        private final AtomicInteger ended = new AtomicInteger();

        /** The program, or a peer. */
        @Actor
        public void invalidate() {
            table.invalidate(region);
            ended.setRelease(1);
        }

        /** An owner. */
        @Actor
        public void check(IZ_Result result) {
            result.r1 = ended.getAcquire();
            result.r2 = access.checkWrite(window.stag(), 0, 8) == null;
        }
    }

    /** Two threads register. */
    @JCStressTest
    @Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "Both are there, with different STags.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A buffer was lost, or both have the same STag.")
    @State
    public static class TwoRegister {
        private final STagTable table = table();
        private TaggedBuffer one;
        private TaggedBuffer other;

        private TaggedBuffer register() {
            return table.register(DOMAIN, MEMORY, 0, Access.REMOTE_WRITE);
        }

        /** One thread. */
        @Actor
        public void first() {
            one = register();
        }

        /** The other. */
        @Actor
        public void second() {
            other = register();
        }

        /** Counts the buffers that are found. */
        @Arbiter
        public void count(II_Result result) {
            boolean both = table.find(one.stag()) == one && table.find(other.stag()) == other;
            result.r1 = table.size();
            result.r2 = both ? 1 : 0;
        }
    }

    /** An owner binds a window while the program deregisters it: the window is gone afterwards. */
    @JCStressTest
    @Outcome(id = "false", expect = Expect.ACCEPTABLE, desc = "Gone.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The window stays open to peers.")
    @State
    public static class BoundAndEnded {
        private final STagTable table = table();
        private final TaggedBuffer region = table.registerAs(1, DOMAIN, MEMORY, 0, Access.MW_BIND | Access.LOCAL_WRITE);
        private final TaggedBuffer window = table.prepareWindow(region, 1, 0, 8, 0, Access.REMOTE_WRITE);
        private final TaggedAccess access = new TaggedAccess(table, DOMAIN, 1);

        /** An owner. */
        @Actor
        public void bind() {
            table.bind(window);
        }

        /** The program. */
        @Actor
        public void end() {
            table.deregister(window);
        }

        /** A peer. */
        @Arbiter
        public void check(Z_Result result) {
            result.r1 = access.checkWrite(window.stag(), 0, 8) == null;
        }
    }
}
