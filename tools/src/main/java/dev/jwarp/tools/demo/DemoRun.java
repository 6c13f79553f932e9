package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.EndedEarly;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One run of the demo: the server on a thread of its own, the client on the caller's. */
final class DemoRun {
    private static final long FAREWELL_SECONDS = 2;

    private final Device device;
    private final DemoSettings settings;
    private final DemoPatience patience;
    private final Console console;
    private final AtomicReference<@Nullable RuntimeException> firstFailure = new AtomicReference<>();
    private @Nullable InetSocketAddress server;
    private volatile @Nullable DemoServer arrived;

    DemoRun(Device device, DemoSettings settings, Console console) {
        this.device = device;
        this.settings = settings;
        this.patience = new DemoPatience(settings.limit());
        this.console = console;
    }

    /**
     * Moves the content in all three ways.
     *
     * @param content for the client to move
     * @param original the same again, for the server to compare with
     * @param openWith for the contexts of both ends
     */
    List<DemoClient.Moved> execute(Content content, Content original, Map<String, String> openWith) {
        ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
            Thread serving = new Thread(task, "jwarp-demo-server");
            serving.setDaemon(true);
            return serving;
        });
        try (Context clientContext = device.open(openWith);
                Context serverContext = device.open(openWith);
                Listening listening = Listening.quietly(
                        serverContext,
                        console,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port()))) {
            server = listening.address();
            Future<?> serving = thread.submit(() -> remember(() -> serve(listening, original)));
            List<DemoClient.Moved> moved = new ArrayList<>();
            remember(() -> move(content, clientContext, moved));
            join(serving, firstFailure.get() != null);
            // The first is the cause; what the other end saw then is only its echo.
            RuntimeException failure = firstFailure.get();
            if (failure != null) {
                throw failure;
            }
            return moved;
        } finally {
            thread.shutdownNow();
        }
    }

    /** The other end sees that this one has closed, and fails, too: so it is called before that. */
    private void remember(Runnable end) {
        try {
            end.run();
        } catch (RuntimeException e) {
            firstFailure.compareAndSet(null, e);
        }
    }

    private void move(Content content, Context context, List<DemoClient.Moved> moved) {
        try (DemoClient client =
                new DemoClient(context, Objects.requireNonNull(server), content, settings, patience, console)) {
            remember(() -> {
                client.connect();
                for (Operation operation : Operation.values()) {
                    moved.add(client.move(operation));
                }
                client.disconnect();
            });
        }
    }

    private void serve(Listening listening, Content original) {
        // The client says so if it cannot connect.
        CmId request = Objects.requireNonNull(listening.next(Link.FOREVER));
        try (DemoServer serving = new DemoServer(request, original, settings, patience, console)) {
            arrived = serving;
            remember(serving::run);
        }
    }

    /** Waits for the server; if the client never came, not for long. */
    private static void join(Future<?> serving, boolean clientFailed) {
        try {
            serving.get(clientFailed ? FAREWELL_SECONDS : Long.MAX_VALUE, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            serving.cancel(true);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the demo's server failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EndedEarly();
        }
    }

    /** {@return the address of the server} */
    InetSocketAddress server() {
        return Objects.requireNonNull(server);
    }

    /** {@return what arrived by that operation} */
    Arrived arrived(Operation operation) {
        return Objects.requireNonNull(arrived).arrived(operation);
    }
}
