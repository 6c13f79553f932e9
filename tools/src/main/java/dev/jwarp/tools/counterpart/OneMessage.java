package dev.jwarp.tools.counterpart;

import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.Map;

/** One message of 16 bytes each way. Its receive is posted from the start. One thread. */
final class OneMessage {
    static final int LENGTH = 16;
    static final Link.Depths DEPTHS = new Link.Depths(1, 1);
    static final Map<String, Integer> RESULT = Map.of("sent_bytes", LENGTH, "received_bytes", LENGTH);

    private final Link link;
    private final Duration limit;
    private final MemoryRegion outgoing;
    private boolean received;
    private boolean sent;

    OneMessage(Link link, Duration limit) {
        this.link = link;
        this.limit = limit;
        MemoryRegion incoming = link.allocate(LENGTH, AccessFlag.LOCAL_WRITE);
        outgoing = link.allocate(LENGTH);
        link.queuePair().postReceive(new ReceiveWorkRequest().add(incoming, 0, LENGTH));
    }

    /** Sends, and waits until it is done. */
    void send() {
        link.queuePair().postSend(new SendWorkRequest().add(outgoing, 0, LENGTH));
        while (!sent) {
            take("completion of the Send");
        }
    }

    /** Waits for the peer's message. */
    void receive() {
        while (!received) {
            take("message");
        }
    }

    private void take(String what) {
        WorkCompletion completion = link.next(limit);
        if (completion == null) {
            throw ToolFailure.failed("no " + what + " from " + link.peer() + " within " + Timeout.text(limit));
        } else if (completion.status() == WorkCompletionStatus.WR_FLUSH_ERR) {
            throw link.brokenOff("before the " + what);
        } else if (!completion.succeeded()) {
            throw link.failed(completion);
        } else if (!completion.opcode().isReceive()) {
            sent = true;
        } else if (completion.byteLength() != LENGTH) {
            throw ToolFailure.failed("the message has " + completion.byteLength() + " bytes, not " + LENGTH);
        } else {
            received = true;
        }
    }
}
