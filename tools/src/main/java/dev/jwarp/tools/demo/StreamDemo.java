package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.SignOfLife;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.cli.ToolThreads;
import dev.jwarp.tools.demo.Transfer.Operation;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.tools.link.Rollback;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Moves a file from client to server through a connection, window after window. The server has a thread of its own,
 * because with inline progress a thread moves the bytes of its own end only. Both ends run in this process, so they
 * exchange the addresses of their memory by method calls. One thread.
 */
final class StreamDemo {
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final Device device;
    private final DemoSettings settings;
    private final Console console;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(ToolThreads.named("jwarp-demo-server"));
    private final WorkCompletion[] one = WorkCompletion.array(1);
    private final SendWorkRequest send = new SendWorkRequest();
    private InetSocketAddress server;
    private volatile boolean connected;

    StreamDemo(Device device, DemoSettings settings, Console console) {
        this.device = device;
        this.settings = settings;
        this.console = console;
        server = new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port());
    }

    /** One end with its window. */
    private record End(Link link, MemoryRegion window) {}

    /**
     * Moves the content once by each of the three operations.
     *
     * @param original the same content, to compare with
     * @param openWith settings of both contexts
     */
    List<Transfer> execute(Content content, Content original, Map<String, String> openWith) {
        int all = settings.messages(settings.windowSize()) + 2;
        Link.Depths depths = new Link.Depths(all, all);
        try (Context clients = device.open(openWith);
                Context servers = device.open(openWith);
                Listening listening = Listening.quietly(servers, console, server)) {
            server = listening.address();
            Future<Link> accepted = thread.submit(() -> accept(listening, depths));
            try (Link client = Link.to(server, null, clients, console, depths)) {
                try {
                    client.connect(ConnectionParameters.DEFAULT, settings.limit());
                } finally {
                    connected = true;
                }
                try (Link serving = ToolThreads.result(accepted)) {
                    return moveAll(client, serving, content, original);
                }
            }
        } finally {
            thread.shutdownNow();
        }
    }

    /** {@return the address of the server} */
    InetSocketAddress server() {
        return server;
    }

    private Link accept(Listening listening, Link.Depths depths) {
        Link link = Link.from(listening.required(settings.limit()), console, depths);
        return link.whole(() -> {
            link.accept(ConnectionParameters.DEFAULT);
            while (!connected) {
                link.await(WorkCompletion.array(1), MOMENT); // with inline progress this call sends the answer
            }
            return link;
        });
    }

    private List<Transfer> moveAll(Link client, Link serving, Content content, Content original) {
        try (Rollback both = new Rollback()) {
            both.add(() -> disconnect(client, serving));
            End source = new End(client, client.allocate(settings.windowSize(), AccessFlag.REMOTE_READ));
            End target = new End(
                    serving, serving.allocate(settings.windowSize(), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
            List<Transfer> moved = new ArrayList<>();
            for (Operation operation : Operation.CONNECTED) {
                moved.add(move(operation, source, target, content, original));
            }
            return moved;
        }
    }

    /** Disconnects both ends at once, so that a server that still waits for bytes notices the client's disconnect. */
    private void disconnect(Link client, Link serving) {
        Future<?> gone = thread.submit(serving::disconnect);
        client.disconnect();
        ToolThreads.result(gone);
    }

    private Transfer move(Operation operation, End source, End target, Content content, Content original) {
        SignOfLife life = SignOfLife.eachSecond(console, settings.quiet());
        Transfer moved = new Transfer(operation, settings);
        for (long place = 0; place < content.size(); place += settings.windowSize()) {
            console.endIfAsked();
            int length = (int) Math.min(settings.windowSize(), content.size() - place);
            moved.begin(place, length, source.window().buffer(), content);
            long nanos = moveWindow(operation, length, source, target);
            moved.end(place, length, target.window().buffer(), original, nanos);
            if (life.due()) {
                console.note(operation.title() + ": " + Quantities.oneDigit(100.0 * (place + length) / content.size())
                        + " %");
            }
        }
        return moved;
    }

    /** {@return nanoseconds until the last byte arrived} */
    private long moveWindow(Operation operation, int length, End source, End target) {
        ToolThreads.result(thread.submit(() -> postReceives(operation, length, target)));
        long start = console.nanoTime().getAsLong();
        Future<Long> there = thread.submit(() -> arrive(operation, length, source, target));
        if (operation != Operation.RDMA_READ) {
            post(operation, length, source, target);
        }
        while (!there.isDone()) {
            console.endIfAsked();
            if (source.link().await(one, MOMENT) > 0) {
                throw source.link().failed(one[0]);
            }
        }
        return ToolThreads.result(there) - start;
    }

    /** On the server: posts a receive for each Send, or one for the Send after the Writes. */
    private void postReceives(Operation operation, int length, End target) {
        ReceiveWorkRequest receive = new ReceiveWorkRequest();
        if (operation == Operation.RDMA_WRITE) {
            target.link().queuePair().postReceive(receive);
        } else if (operation == Operation.SEND_RECEIVE) {
            for (int at = 0; at < length; at += settings.messageSize()) {
                target.link().queuePair().postReceive(receive.clear().add(target.window(), at, message(at, length)));
            }
        }
    }

    /**
     * On the server: waits for the data.
     *
     * @return the time when the last byte arrived
     */
    private long arrive(Operation operation, int length, End source, End target) {
        if (operation == Operation.RDMA_READ) {
            SendWorkRequest read = new SendWorkRequest();
            for (int at = 0; at < length; at += settings.messageSize()) {
                target.link()
                        .queuePair()
                        .postSend(read.clear()
                                .rdmaRead(
                                        source.window().address() + at,
                                        source.window().rkey())
                                .add(target.window(), at, message(at, length)));
            }
            await(target.link(), WorkCompletionOpcode.RDMA_READ, settings.messages(length));
        } else {
            int receives = operation == Operation.RDMA_WRITE ? 1 : settings.messages(length);
            await(target.link(), WorkCompletionOpcode.RECV, receives);
        }
        return console.nanoTime().getAsLong();
    }

    /** On the client: posts Writes followed by a Send, or Sends. */
    private void post(Operation operation, int length, End source, End target) {
        for (int at = 0; at < length; at += settings.messageSize()) {
            send.clear().add(source.window(), at, message(at, length));
            if (operation == Operation.RDMA_WRITE) {
                send.rdmaWrite(target.window().address() + at, target.window().rkey());
            }
            source.link().queuePair().postSend(send);
        }
        WorkCompletionOpcode opcode =
                operation == Operation.RDMA_WRITE ? WorkCompletionOpcode.RDMA_WRITE : WorkCompletionOpcode.SEND;
        if (operation == Operation.RDMA_WRITE) {
            source.link().queuePair().postSend(send.clear().signaled(false));
        }
        await(source.link(), opcode, settings.messages(length));
    }

    private int message(int at, int length) {
        return Math.min(settings.messageSize(), length - at);
    }

    /** Waits for so many completions of one kind. */
    void await(Link link, WorkCompletionOpcode opcode, int count) {
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = link.next(settings.limit());
            if (completion == null) {
                throw ToolFailure.failed(
                        "no " + opcode + " completion from " + link.peer() + " within "
                                + Timeout.text(settings.limit()),
                        "both ends run in this process, and both waited for that time: the data in flight is lost",
                        "--timeout sets the limit");
            }
            if (link.expected(completion, opcode, opcode + " completion") == null) {
                throw link.brokenOff("in the middle of the demo");
            }
        }
    }
}
