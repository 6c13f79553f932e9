package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;

/** The end at which the file arrives, and where each byte is compared with the original. One thread. */
final class DemoServer implements AutoCloseable {
    private final Console console;
    private final Content original;
    private final DemoSettings settings;
    private final Link link;
    private final DemoTalk talk;
    private final MemoryRegion window;
    private final SendWorkRequest send = new SendWorkRequest();
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final Map<Operation, Arrived> arrived = new EnumMap<>(Operation.class);

    DemoServer(CmId request, Content original, DemoSettings settings, DemoPatience patience, Console console) {
        this.console = console;
        this.original = original;
        this.settings = settings;
        link = Link.from(request, console, DemoTalk.depths(settings));
        talk = new DemoTalk(link, settings, patience, true);
        window = link.allocate(settings.windowSize(), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    }

    /** Takes what comes until the client says goodbye. */
    void run() {
        talk.postReceive();
        link.accept(ConnectionParameters.DEFAULT);
        for (ControlMessage ready = talk.receive(); ready.kind() != ControlMessage.Kind.BYE; ready = talk.receive()) {
            Operation operation = ready.operation();
            long place = ready.place();
            int length = ready.length();
            long time =
                    switch (operation) {
                        case RDMA_WRITE -> beWritten(place, length);
                        case RDMA_READ -> read(length, ready.address(), ready.stag());
                        case SEND_RECEIVE -> takeSends(place, length);
                    };
            check(operation, place, length);
            talk.outgoing().write(ControlMessage.Kind.DONE, operation, place, length);
            talk.outgoing().time(time);
            talk.send();
        }
        link.disconnect();
    }

    /** {@return when the last byte was there} */
    private long beWritten(long place, int length) {
        talk.postReceive();
        talk.outgoing().write(ControlMessage.Kind.GO, Operation.RDMA_WRITE, place, length);
        talk.outgoing().memory(window.address(), window.rkey());
        talk.send();
        talk.receive(ControlMessage.Kind.END);
        long end = console.nanoTime().getAsLong();
        talk.postReceive();
        return end;
    }

    /** {@return how long it took} */
    private long read(int length, long address, int stag) {
        talk.postReceive();
        long start = console.nanoTime().getAsLong();
        for (int at = 0; at < length; at += settings.messageSize()) {
            link.queuePair()
                    .postSend(send.clear()
                            .rdmaRead(address + at, stag)
                            .add(window, at, Math.min(settings.messageSize(), length - at)));
        }
        talk.await(WorkCompletionOpcode.RDMA_READ, settings.messages(length));
        return console.nanoTime().getAsLong() - start;
    }

    /** {@return when the last byte was there} */
    private long takeSends(long place, int length) {
        for (int at = 0; at < length; at += settings.messageSize()) {
            link.queuePair()
                    .postReceive(receive.clear().add(window, at, Math.min(settings.messageSize(), length - at)));
        }
        talk.postReceive();
        talk.outgoing().write(ControlMessage.Kind.GO, Operation.SEND_RECEIVE, place, length);
        talk.send();
        talk.await(WorkCompletionOpcode.RECV, settings.messages(length));
        return console.nanoTime().getAsLong();
    }

    private void check(Operation operation, long place, int length) {
        ByteBuffer got = window.buffer().duplicate().limit(length);
        long corrupt = settings.corruptAt() - place;
        if (corrupt >= 0 && corrupt < length) {
            got.put((int) corrupt, (byte) (got.get((int) corrupt) ^ 1));
        }
        arrived(operation).take(place, got, original);
    }

    /** {@return what arrived by that operation} */
    Arrived arrived(Operation operation) {
        return arrived.computeIfAbsent(operation, none -> new Arrived());
    }

    @Override
    public void close() {
        link.disconnect();
        link.close();
    }
}
