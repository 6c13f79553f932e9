package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.concurrent.TimeUnit;

/** The end that has the file. One thread. */
final class DemoClient implements AutoCloseable {
    private static final long SIGN_OF_LIFE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Console console;
    private final Content content;
    private final DemoSettings settings;
    private final Link link;
    private final DemoTalk talk;
    private final MemoryRegion window;
    private final SendWorkRequest send = new SendWorkRequest();
    private long lastSign;

    /**
     * How one operation went.
     *
     * @param operation which
     * @param messages RDMA Writes, RDMA Reads or Sends that carried the file
     * @param bytes of the file
     * @param nanos while bytes were moving; making, hashing and comparing them is not counted
     * @param sha256 of what was moved, at its origin
     */
    record Moved(Operation operation, long messages, long bytes, long nanos, byte[] sha256) {}

    DemoClient(
            Context context,
            InetSocketAddress server,
            Content content,
            DemoSettings settings,
            DemoPatience patience,
            Console console) {
        this.console = console;
        this.content = content;
        this.settings = settings;
        link = Link.to(server, null, context, console, DemoTalk.depths(settings));
        talk = new DemoTalk(link, settings, patience, false);
        window = link.allocate(settings.windowSize(), AccessFlag.REMOTE_READ);
    }

    void connect() {
        link.connect(ConnectionParameters.DEFAULT, settings.limit());
        lastSign = console.nanoTime().getAsLong();
    }

    /** Moves the whole file in one of the ways. */
    Moved move(Operation operation) {
        MessageDigest digest = Sha256.create();
        long nanos = 0;
        long messages = 0;
        for (long place = 0; place < content.size(); place += settings.windowSize()) {
            console.endIfAsked();
            int length = (int) Math.min(settings.windowSize(), content.size() - place);
            content.read(place, window.buffer().duplicate().limit(length));
            digest.update(window.buffer().duplicate().limit(length));
            nanos += moveWindow(operation, place, length);
            messages += settings.messages(length);
            signOfLife(operation, place + length);
        }
        return new Moved(operation, messages, content.size(), nanos, digest.digest());
    }

    private long moveWindow(Operation operation, long place, int length) {
        talk.postReceive();
        talk.outgoing().write(ControlMessage.Kind.READY, operation, place, length);
        talk.outgoing().memory(window.address(), window.rkey());
        talk.send();
        if (operation == Operation.RDMA_READ) {
            return talk.receive(ControlMessage.Kind.DONE).time();
        }
        ControlMessage go = talk.receive(ControlMessage.Kind.GO);
        long address = go.address();
        int stag = go.stag();
        talk.postReceive();
        long start = console.nanoTime().getAsLong();
        for (int at = 0; at < length; at += settings.messageSize()) {
            send.clear().add(window, at, Math.min(settings.messageSize(), length - at));
            if (operation == Operation.RDMA_WRITE) {
                send.rdmaWrite(address + at, stag);
            }
            link.queuePair().postSend(send);
        }
        if (operation == Operation.RDMA_WRITE) {
            // In order behind the Writes: when it is there, they are.
            talk.outgoing().write(ControlMessage.Kind.END, operation, place, length);
            talk.send();
            talk.await(WorkCompletionOpcode.RDMA_WRITE, settings.messages(length));
        } else {
            talk.await(WorkCompletionOpcode.SEND, settings.messages(length));
        }
        // Both ends run in one JVM and so have one clock.
        return talk.receive(ControlMessage.Kind.DONE).time() - start;
    }

    private void signOfLife(Operation operation, long moved) {
        long now = console.nanoTime().getAsLong();
        if (!settings.quiet() && now - lastSign >= SIGN_OF_LIFE_NANOS) {
            lastSign = now;
            console.note(operation.title() + ": " + Quantities.oneDigit(100.0 * moved / content.size()) + " %");
        }
    }

    /** Ends the connection in order. */
    void disconnect() {
        talk.outgoing().write(ControlMessage.Kind.BYE, Operation.RDMA_WRITE, 0, 0);
        talk.send();
        link.disconnect();
    }

    @Override
    public void close() {
        link.disconnect();
        link.close();
    }
}
