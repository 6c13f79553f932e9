package dev.jwarp.transport.tcp.netty;

import io.netty.channel.EventLoop;
import java.lang.reflect.Proxy;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link Doorbell}: whoever rings is heard. */
public final class DoorbellStress {
    private DoorbellStress() {}

    /** It is rung again while the event loop comes to it. */
    @JCStressTest
    @Outcome(id = "1, [12]", expect = Expect.ACCEPTABLE, desc = "Some look saw it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "No look saw it: what was posted is never sent.")
    @State
    public static class RungAgain {
        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final Doorbell doorbell = new Doorbell(new Rounds(eventLoop(tasks)), this::look);
        private int posted;
        private int seen;
        private int looks;

        /** It was rung already. */
        public RungAgain() {
            doorbell.ring();
        }

        private static EventLoop eventLoop(ConcurrentLinkedQueue<Runnable> tasks) {
            return (EventLoop) Proxy.newProxyInstance(
                    DoorbellStress.class.getClassLoader(),
                    new Class<?>[] {EventLoop.class},
                    (proxy, method, arguments) -> tasks.add((Runnable) arguments[0]));
        }

        private void look() {
            doorbell.heard();
            seen = posted;
            looks++;
        }

        /** Posts, and rings. */
        @Actor
        public void post() {
            posted = 1;
            doorbell.ring();
        }

        /** The event loop. */
        @Actor
        public void work() {
            Runnable task = tasks.poll();
            if (task != null) {
                task.run();
            }
        }

        /** The event loop, later. */
        @Arbiter
        public void workOn(II_Result result) {
            work();
            result.r1 = seen;
            result.r2 = looks;
        }
    }
}
