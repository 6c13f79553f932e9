package dev.jwarp.rdmap.work;

import dev.jwarp.rnic.Rig;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** {@link MemoryRegion#compareAndSetAtomic}: threads of a program, and Atomics of the peer, on one word. */
public final class AtomicWordStress {
    private AtomicWordStress() {}

    /** A word of 8 bytes, initially 0, and 8 bytes behind it. */
    abstract static class Word {
        private static final int BEHIND = 8;

        final MemoryRegion region = Rig.DOMAIN.register(
                ByteBuffer.allocateDirect(16).alignedSlice(8), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC);

        /** A CmpSwap of the peer: all bits are compared and replaced. */
        final boolean swapOfPeer(long expected, long replacement) {
            return AtomicMemory.compareAndSwap(region.buffer(), 0, expected, -1, replacement, -1) == expected;
        }

        final void writeBehind(int value) {
            region.buffer().putInt(BEHIND, value);
        }

        final int readBehind() {
            return region.buffer().getInt(BEHIND);
        }

        /** {@return the word} Closes the region. */
        final long end() {
            long value = region.getAtomic(0);
            region.close();
            return value;
        }
    }

    /** The program and its peer compete to replace one value. */
    @JCStressTest
    @Outcome(
            id = {"true, false, 1", "false, true, 2"},
            expect = Expect.ACCEPTABLE,
            desc = "One of them has replaced it, and its value stays.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Both have replaced it, or neither, or the value is not the winner's.")
    @State
    public static class ProgramAndPeer extends Word {
        /** The program. */
        @Actor
        public void program(ZZJ_Result result) {
            result.r1 = region.compareAndSetAtomic(0, 0, 1);
        }

        /** The owner. */
        @Actor
        public void peer(ZZJ_Result result) {
            result.r2 = swapOfPeer(0, 2);
        }

        /** Checks the result. */
        @Arbiter
        public void look(ZZJ_Result result) {
            result.r3 = end();
        }
    }

    /** Two threads of the program compete to replace one value. */
    @JCStressTest
    @Outcome(
            id = {"true, false, 1", "false, true, 2"},
            expect = Expect.ACCEPTABLE,
            desc = "One of them has replaced it, and its value stays.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Both have replaced it, or neither, or the value is not the winner's.")
    @State
    public static class TwoThreads extends Word {
        /** One thread of the program. */
        @Actor
        public void one(ZZJ_Result result) {
            result.r1 = region.compareAndSetAtomic(0, 0, 1);
        }

        /** Another thread of the program. */
        @Actor
        public void other(ZZJ_Result result) {
            result.r2 = region.compareAndSetAtomic(0, 0, 2);
        }

        /** Checks the result. */
        @Arbiter
        public void look(ZZJ_Result result) {
            result.r3 = end();
        }
    }

    /** The peer adds to a word that the program tries to replace: no addition is lost. */
    @JCStressTest
    @Outcome(id = "true, true, 11", expect = Expect.ACCEPTABLE, desc = "Replaced, then added.")
    @Outcome(id = "false, false, 1", expect = Expect.ACCEPTABLE, desc = "Added, so not replaced.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The addition is lost, or the peer got another value.")
    @State
    public static class ProgramAndSum extends Word {
        /** The program. */
        @Actor
        public void program(ZZJ_Result result) {
            result.r1 = region.compareAndSetAtomic(0, 0, 10);
        }

        /** The owner. */
        @Actor
        public void peer(ZZJ_Result result) {
            result.r2 = AtomicMemory.fetchAndAdd(region.buffer(), 0, 1, 0) == 10;
        }

        /** Checks the result. */
        @Arbiter
        public void look(ZZJ_Result result) {
            result.r3 = end();
        }
    }

    /** The program writes data, then replaces the word: a peer that replaces the new word sees the data. */
    @JCStressTest
    @Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "The word was not replaced yet.")
    @Outcome(id = "7", expect = Expect.ACCEPTABLE, desc = "The data is there.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The word is replaced, but the data is missing.")
    @State
    public static class WrittenByProgram extends Word {
        /** The program. */
        @Actor
        public void program() {
            writeBehind(7);
            region.compareAndSetAtomic(0, 0, 1);
        }

        /** The owner. */
        @Actor
        public void peer(I_Result result) {
            result.r1 = swapOfPeer(1, 2) ? readBehind() : -1;
        }

        /** Restores the state. */
        @Arbiter
        public void look(I_Result result) {
            end();
        }
    }

    /** The same in the other direction. */
    @JCStressTest
    @Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "The word was not replaced yet.")
    @Outcome(id = "7", expect = Expect.ACCEPTABLE, desc = "The data is there.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The word is replaced, but the data is missing.")
    @State
    public static class WrittenByPeer extends Word {
        /** The owner: an RDMA Write, and an Atomic behind it. */
        @Actor
        public void peer() {
            writeBehind(7);
            swapOfPeer(0, 1);
        }

        /** The program. */
        @Actor
        public void program(I_Result result) {
            result.r1 = region.compareAndSetAtomic(0, 1, 2) ? readBehind() : -1;
        }

        /** Restores the state. */
        @Arbiter
        public void look(I_Result result) {
            end();
        }
    }
}
