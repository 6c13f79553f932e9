package dev.jwarp.tools.conform;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A program that echoes Sends, above jwarp's verbs: several connections, each with a thread, each until its peer ends it. */
class EchoingProgram implements AutoCloseable {
    private static final Duration MOMENT = Duration.ofMillis(50);
    static final Duration LIMIT = Patience.LIMIT;
    private static final int RECEIVE = 4_096;
    private static final int RECEIVES = 4;

    final Console console = Run.later("echo").console();
    private final Context context = RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of());
    private final Listening listening = Listening.quietly(context, console, Addresses.resolve("127.0.0.1", 0));
    private final AtomicBoolean over = new AtomicBoolean();
    private final CompletableFuture<Void> done = CompletableFuture.runAsync(this::run, OwnThread.EACH);

    String address() {
        return "127.0.0.1:" + listening.address().getPort();
    }

    private void run() {
        List<CompletableFuture<Void>> served = new ArrayList<>();
        while (!over.get()) {
            CmEvent request = listening.nextRequest(MOMENT);
            if (request != null) {
                served.add(CompletableFuture.runAsync(() -> serve(request), OwnThread.EACH));
            }
        }
        served.forEach(CompletableFuture::join);
    }

    /** One connection, until its peer ends it. */
    void serve(CmEvent request) {
        try (Link link = Link.from(request.id(), console, new Link.Depths(RECEIVES, RECEIVES))) {
            MemoryRegion in = link.allocate(RECEIVE * RECEIVES, AccessFlag.LOCAL_WRITE);
            for (int i = 0; i < RECEIVES; i++) {
                receive(link, in, i);
            }
            link.accept(ConnectionParameters.DEFAULT);
            WorkCompletion came = link.next(LIMIT);
            while (came != null && came.succeeded()) {
                if (came.opcode() == WorkCompletionOpcode.RECV) {
                    int place = (int) came.id();
                    link.queuePair()
                            .postSend(
                                    new SendWorkRequest().id(place).add(in, (long) place * RECEIVE, came.byteLength()));
                } else {
                    receive(link, in, (int) came.id());
                }
                came = link.next(LIMIT);
            }
            link.end();
        }
    }

    private static void receive(Link link, MemoryRegion in, int place) {
        link.queuePair().postReceive(new ReceiveWorkRequest().id(place).add(in, (long) place * RECEIVE, RECEIVE));
    }

    @Override
    public void close() {
        over.set(true);
        done.join();
        listening.close();
        context.close();
    }
}
