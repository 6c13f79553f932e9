package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.EndedEarly;
import dev.jwarp.tools.cli.ToolThreads;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.tools.perf.PerfSettings.Place;
import dev.jwarp.verbs.Context;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs both ends in this process: the server in its own thread, without output, and the client in the caller's thread.
 */
final class PerfSelf {
    private static final long FAREWELL_SECONDS = 5;

    private PerfSelf() {}

    static void run(
            Devices devices,
            PerfSettings settings,
            Console console,
            PerfReporter reporter,
            Ticker ticker,
            Consumer<PerfOutcome> told) {
        Place place = settings.place();
        PerfSettings serving =
                settings.withPlace(new Place(null, null, true, 0, 0, false, place.timeout(), place.protocol()));
        ExecutorService thread = Executors.newSingleThreadExecutor(ToolThreads.named("perf-server"));
        AtomicReference<@Nullable RuntimeException> first = new AtomicReference<>();
        int port = settings.given().contains("-p") ? place.port() : 0;
        try (Context context = devices.control();
                Listening listening = Listening.quietly(
                        context, console, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                ticker) {
            PerfServer server = new PerfServer(
                    devices,
                    serving,
                    console,
                    Long.MAX_VALUE,
                    agreed -> new PerfReporter(agreed, line -> {}),
                    agreed -> new Ticker(console, quiet(agreed)));
            InetSocketAddress at = listening.address();
            Future<?> served = thread.submit(() -> remember(first, () -> server.serveOne(listening, how -> {})));
            remember(first, () -> new PerfClient(devices, settings, console, reporter, ticker).run(at, told));
            await(served);
            RuntimeException failure = first.get();
            if (failure != null) {
                // After an interruption each end reports the end of the other one, which is no failure.
                throw console.interruption().requested() ? new EndedEarly() : failure;
            }
        } finally {
            thread.shutdownNow();
        }
    }

    private static PerfSettings quiet(PerfSettings settings) {
        PerfSettings.Reporting report = settings.report();
        return new PerfSettings(
                settings.test(),
                settings.place(),
                settings.load(),
                settings.queues(),
                report.every(Duration.ZERO),
                settings.stack(),
                settings.given());
    }

    private static void remember(AtomicReference<@Nullable RuntimeException> first, Runnable end) {
        try {
            end.run();
        } catch (RuntimeException e) {
            first.compareAndSet(null, e);
        }
    }

    private static void await(Future<?> served) {
        try {
            served.get(FAREWELL_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            served.cancel(true);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the server failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EndedEarly();
        }
    }
}
