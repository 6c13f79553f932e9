package dev.jwarp.rnic.memory;

import dev.jwarp.ddp.Access;
import dev.jwarp.rnic.Rig;
import dev.jwarp.rnic.connection.Binder;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** {@link RnicMemoryRegion} and {@link RnicMemoryWindow}: closed by the program, bound and unbound by owners. */
public final class MemoryStress {
    private static final ByteBuffer MEMORY = ByteBuffer.allocateDirect(8);
    private static final Binder BINDER = new Binder();

    private MemoryStress() {}

    /** {@return a shared receive queue for two receives that is not registered with its domain} */
    public static RnicSharedReceiveQueue newReceiveQueue() {
        return new RnicSharedReceiveQueue(Rig.DOMAIN, 1, 2, 1);
    }

    private static boolean deregister(RnicMemoryRegion region) {
        try {
            return region.deregister();
        } catch (RdmaException e) {
            return false; // windows are bound to it
        }
    }

    /** A region is closed while a window is bound to it. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = Expect.ACCEPTABLE,
            desc = "One of the two.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A window into a closed region, or a region that cannot be closed.")
    @State
    public static class CloseAndBind {
        private final RnicMemoryRegion region = newRegion();

        /** One thread of the program. */
        @Actor
        public void close(ZZ_Result result) {
            result.r1 = deregister(region);
        }

        /** Another one. */
        @Actor
        public void bind(ZZ_Result result) {
            try {
                region.addWindow();
                result.r2 = true;
            } catch (RdmaException e) {
                result.r2 = false;
            }
        }

        /** Restores the state. */
        @Arbiter
        public void end(ZZ_Result result) {
            if (result.r2) {
                region.removeWindow();
            }
            deregister(region);
        }
    }

    /** A window whose binding was posted. */
    abstract static class Posted {
        private final RnicMemoryRegion region = newRegion();
        final RnicMemoryWindow window = new RnicMemoryWindow(Rig.DOMAIN);
        final RnicMemoryWindow.Binding binding =
                window.bind(region, BINDER.user(), region.address(), region.length(), Access.REMOTE_READ);

        Posted() {
            BINDER.posted(binding);
        }

        /** {@return whether no peer can access the window} */
        final boolean gone() {
            return Rig.THREADED.core().tags().find(binding.buffer().stag()) == null
                    && !binding.buffer().valid();
        }

        /** {@return whether the region's count of windows is exactly 0} Closes the region. */
        final boolean noWindow() {
            region.addWindow();
            boolean tooFew = deregister(region);
            region.removeWindow();
            return !tooFew && deregister(region);
        }
    }

    /** A window is closed while its binding is executed. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "The binding is over, once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Peers still have the window, or the region counts wrongly.")
    @State
    public static class CloseAndCarryOut extends Posted {
        /** The owner. */
        @Actor
        public void carryOut() {
            if (Rig.THREADED.core().tags().bind(binding.buffer())) {
                window.carriedOut(binding);
            } else {
                window.over(binding);
            }
        }

        /** The program. */
        @Actor
        public void close() {
            window.deregister();
        }

        /** Checks the result. */
        @Arbiter
        public void look(ZZ_Result result) {
            result.r1 = gone();
            result.r2 = noWindow();
        }
    }

    /** A window is closed while the queue pair of its binding ends. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "The binding is over, once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Peers still have the window, or the region counts wrongly.")
    @State
    public static class CloseAndEnd extends Posted {
        /** The binding was executed. */
        public CloseAndEnd() {
            Rig.THREADED.core().tags().bind(binding.buffer());
            window.carriedOut(binding);
        }

        /** The owner. */
        @Actor
        public void end() {
            window.over(binding);
        }

        /** The program. */
        @Actor
        public void close() {
            window.deregister();
        }

        /** Checks the result. */
        @Arbiter
        public void look(ZZ_Result result) {
            result.r1 = gone();
            result.r2 = noWindow();
        }
    }

    /** A window is closed while its binding is posted: the queue pair does not keep the binding. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Removed.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The queue pair still has an ended binding, or the region a window.")
    @State
    public static class CloseAndPost {
        private final Binder binder = new Binder();
        private final RnicMemoryRegion region = newRegion();
        private final RnicMemoryWindow window = new RnicMemoryWindow(Rig.DOMAIN);

        /** One thread of the program. */
        @Actor
        public void post() {
            try {
                binder.posted(window.bind(region, binder.user(), region.address(), 8, Access.REMOTE_READ));
            } catch (RdmaException e) {
                assert e.code() == RdmaErrorCode.CLOSED : e;
            }
        }

        /** Another one. */
        @Actor
        public void close() {
            window.deregister();
        }

        /** Checks the result. */
        @Arbiter
        public void look(ZZ_Result result) {
            result.r1 = binder.bindings() == 0;
            result.r2 = deregister(region);
        }
    }

    private static RnicMemoryRegion newRegion() {
        return (RnicMemoryRegion)
                Rig.DOMAIN.register(MEMORY, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.MW_BIND);
    }
}
