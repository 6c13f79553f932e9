package dev.jwarp.tools.demo;

import dev.jwarp.tools.Console;
import dev.jwarp.tools.EndedEarly;
import dev.jwarp.tools.ToolFailure;
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
import org.jspecify.annotations.Nullable;

/** One run of the demo: the server on a thread of its own, the client on the caller's. */
final class DemoRun {
    private final Device device;
    private final DemoSettings settings;
    private final Console console;
    private @Nullable InetSocketAddress server;
    private volatile @Nullable DemoServer arrived;

    DemoRun(Device device, DemoSettings settings, Console console) {
        this.device = device;
        this.settings = settings;
        this.console = console;
    }

    /**
     * Moves the content in all three ways.
     *
     * @param content for the client to move
     * @param original the same again, for the server to compare with
     */
    List<DemoClient.Moved> execute(
            Content content, Content original, Map<String, String> serverSettings, Map<String, String> clientSettings) {
        ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
            Thread serving = new Thread(task, "jwarp-demo-server");
            serving.setDaemon(true);
            return serving;
        });
        try (Context serverContext = device.open(serverSettings);
                Listening listening = Listening.quietly(
                        serverContext, console, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            server = listening.address();
            Future<?> serving = thread.submit(() -> serve(listening, original));
            RuntimeException clientEnd = null;
            List<DemoClient.Moved> moved = new ArrayList<>();
            try {
                move(content, clientSettings, moved);
            } catch (RuntimeException e) {
                clientEnd = e;
            }
            join(serving, clientEnd);
            return moved;
        } finally {
            thread.shutdownNow();
        }
    }

    private void move(Content content, Map<String, String> clientSettings, List<DemoClient.Moved> moved) {
        try (Context context = device.open(clientSettings);
                DemoClient client =
                        new DemoClient(context, Objects.requireNonNull(server), content, settings, console)) {
            client.connect();
            for (Operation operation : Operation.values()) {
                moved.add(client.move(operation));
            }
            client.disconnect();
        }
    }

    private void serve(Listening listening, Content original) {
        CmId request = listening.next(settings.limit());
        if (request == null) {
            throw ToolFailure.setup("the demo's client did not connect");
        }
        try (DemoServer serving = new DemoServer(request, original, settings, console)) {
            arrived = serving;
            serving.run();
        }
    }

    /** The server's failure counts before the client's: the client only sees that the server has gone. */
    private static void join(Future<?> serving, @Nullable RuntimeException clientEnd) {
        if (clientEnd != null && !serving.isDone()) {
            // The client is gone, which the server sees; if it never came, it need not be waited for.
            serving.cancel(true);
        }
        try {
            if (!serving.isCancelled()) {
                serving.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException("the demo's server failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EndedEarly();
        }
        if (clientEnd != null) {
            throw clientEnd;
        }
    }

    /** {@return the address of the server} */
    InetSocketAddress server() {
        return Objects.requireNonNull(server);
    }

    /** {@return what arrived by that operation} */
    DemoServer.Arrived arrived(Operation operation) {
        return Objects.requireNonNull(arrived).arrived(operation);
    }
}
