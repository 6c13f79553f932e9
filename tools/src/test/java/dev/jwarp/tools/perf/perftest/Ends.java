package dev.jwarp.tools.perf.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Failures;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sessions in this JVM: what an end is asked to do, what it found out, how it ended. */
final class Ends {
    static final Duration LIMIT = Patience.LIMIT;

    private Ends() {}

    /** {@return settings for so many messages of each size} */
    static PerftestSettings settings(PerftestProgram program, long messages, Integer... sizes) {
        return new PerftestSettings(
                program,
                List.of(sizes),
                messages,
                program.latency() ? 1 : 128,
                512,
                100,
                -1,
                LIMIT,
                LIMIT,
                Duration.ZERO);
    }

    /** What one end tells, in a line each. */
    static final class Found implements PerftestFindings {
        final List<String> lines = new CopyOnWriteArrayList<>();
        private long samples;
        private @Nullable ToolFailure failure;

        @Override
        public void met(Met met) {
            assertThat(met.version()).isEqualTo(VersionText.OURS);
        }

        @Override
        public void bandwidth(int size, long messages, long nanos) {
            lines.add(messages + " of " + size + (nanos > 0 ? "" : " in no time"));
        }

        @Override
        public void latencySample(long nanos) {
            samples++;
        }

        @Override
        public void latency(int size, long messages, long nanos) {
            lines.add(messages + " of " + size + ", " + samples + " samples");
            samples = 0;
        }

        @Override
        public void reported(BandwidthReport report) {
            lines.add("reported: " + report.messages() + " of " + report.size()
                    + (report.plausible() ? "" : ", which cannot be"));
        }

        /** {@return how it ended: null if well} */
        @Nullable
        ToolFailure failure() {
            return failure;
        }
    }

    /** {@return a server that goes on for one client, at that address} */
    static CompletableFuture<Found> server(
            PerftestSettings settings, Map<String, String> stack, CompletableFuture<InetSocketAddress> address) {
        return server(settings, stack, address, Run.later("server").console());
    }

    /** {@return the same, which speaks to that console} */
    static CompletableFuture<Found> server(
            PerftestSettings settings,
            Map<String, String> stack,
            CompletableFuture<InetSocketAddress> address,
            Console console) {
        return CompletableFuture.supplyAsync(
                () -> end(
                        (context, found) -> {
                            try (Listening listening = Listening.quietly(
                                    context, console, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
                                address.complete(listening.address());
                                PerftestServer.serveOne(context, listening, settings, console, found);
                            }
                        },
                        stack),
                OwnThread.EACH);
    }

    /** {@return a client that has ended} */
    static Found client(PerftestSettings settings, Map<String, String> stack, InetSocketAddress server) {
        Console console = Run.later("client").console();
        return end((context, found) -> PerftestClient.run(context, server, null, settings, console, found), stack);
    }

    /** {@return what comes, soon} */
    static <T> T soon(CompletableFuture<T> future) throws Exception {
        return future.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private interface Body {
        void run(Context context, Found found);
    }

    private static Found end(Body body, Map<String, String> stack) {
        Found found = new Found();
        try (Context context = RdmaProvider.load().devices().get(0).open(stack)) {
            body.run(context, found);
        } catch (RuntimeException e) {
            found.failure = Failures.explain(e, true);
        }
        return found;
    }
}
