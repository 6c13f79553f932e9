package dev.jwarp.tools.counterpart;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.time.Duration;

/** One connection of cmatose. It posts all receives first; then the server sends, and then the client. One thread. */
final class CmatoseExchange implements AutoCloseable {
    /** The values of ucmatose. */
    private static final ConnectionParameters ONE_READ =
            ConnectionParameters.DEFAULT.withResponderResources(1).withInitiatorDepth(1);

    private final Link link;
    private final Shape shape;
    private final MemoryRegion outgoing;
    private int sent;
    private int received;

    /**
     * Number and size of the messages.
     *
     * @param count messages each way
     * @param size bytes of each
     * @param limit for each wait
     */
    record Shape(int count, int size, Duration limit) {
        Link.Depths depths() {
            return new Link.Depths(Math.max(1, count), Math.max(1, count));
        }
    }

    CmatoseExchange(Link link, Shape shape) {
        this.link = link;
        this.shape = shape;
        outgoing = link.allocate(Math.max(1, shape.size()));
        MemoryRegion incoming = link.allocate(Math.max(1, shape.count() * shape.size()), AccessFlag.LOCAL_WRITE);
        ReceiveWorkRequest receive = new ReceiveWorkRequest();
        for (int i = 0; i < shape.count(); i++) {
            link.queuePair().postReceive(receive.clear().id(i).add(incoming, (long) i * shape.size(), shape.size()));
        }
    }

    static CmatoseExchange from(CmId request, Console console, Shape shape) {
        return new CmatoseExchange(Link.from(request, console, shape.depths()), shape);
    }

    /** The server's part. */
    void serve() {
        link.accept(ConnectionParameters.DEFAULT);
        send();
        await(shape.count(), shape.count());
        link.disconnect();
    }

    /** The client's part. */
    void connect() {
        link.connect(ONE_READ, shape.limit());
        await(0, shape.count());
        send();
        // The server disconnects when it has received everything: only then has every Send arrived for certain.
        ToolFailure end = link.end(shape.limit());
        if (end != null) {
            throw end;
        }
        link.disconnect();
    }

    private void send() {
        SendWorkRequest send = new SendWorkRequest();
        for (int i = 0; i < shape.count(); i++) {
            link.queuePair().postSend(send.clear().id(i).add(outgoing, 0, shape.size()));
        }
    }

    private void await(int sends, int receives) {
        while (sent < sends || received < receives) {
            WorkCompletion completion = link.next(shape.limit());
            if (completion == null) {
                throw ToolFailure.failed(
                        "nothing came from " + link.peer() + " within " + Timeout.text(shape.limit()) + "; "
                                + progress(),
                        "the server sends first, but not before the client has sent something; a client that sends nothing"
                                + " needs the peer-to-peer set-up");
            } else if (completion.status() == WorkCompletionStatus.WR_FLUSH_ERR) {
                throw link.brokenOff("after " + progress());
            } else if (!completion.succeeded()) {
                throw link.failed(completion);
            } else if (!completion.opcode().isReceive()) {
                sent++;
            } else if (completion.byteLength() != shape.size()) {
                throw ToolFailure.failed(
                        "message " + received + " has " + completion.byteLength() + " bytes, not " + shape.size());
            } else {
                received++;
            }
        }
    }

    private String progress() {
        return received + " of " + shape.count() + " receives";
    }

    @Override
    public void close() {
        link.disconnect();
        link.close();
    }
}
