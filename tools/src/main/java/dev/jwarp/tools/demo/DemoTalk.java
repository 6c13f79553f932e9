package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;

/** What both ends of the demo need: the control messages, and waiting for completions. One thread. */
final class DemoTalk {
    private final Link link;
    private final DemoSettings settings;
    private final DemoPatience patience;
    private final boolean server;
    private final MemoryRegion incomingMemory;
    private final MemoryRegion outgoingMemory;
    private final ControlMessage incoming;
    private final ControlMessage outgoing;
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final SendWorkRequest send = new SendWorkRequest();

    /**
     * Makes one.
     *
     * @param patience of both ends
     * @param server whether this end is the server
     */
    DemoTalk(Link link, DemoSettings settings, DemoPatience patience, boolean server) {
        this.link = link;
        this.settings = settings;
        this.patience = patience;
        this.server = server;
        incomingMemory = link.allocate(ControlMessage.LENGTH, AccessFlag.LOCAL_WRITE);
        outgoingMemory = link.allocate(ControlMessage.LENGTH);
        incoming = new ControlMessage(incomingMemory.buffer());
        outgoing = new ControlMessage(outgoingMemory.buffer());
    }

    /** Queue depths that hold a whole window, its control messages included. */
    static Link.Depths depths(DemoSettings settings) {
        int all = settings.windowSize() / settings.messageSize() + 4;
        return new Link.Depths(all, all);
    }

    /** {@return the message to fill in before {@link #send}} */
    ControlMessage outgoing() {
        return outgoing;
    }

    /** Makes ready for the peer's next message; to be called before what provokes it. */
    void postReceive() {
        link.queuePair().postReceive(receive.clear().add(incomingMemory, 0, ControlMessage.LENGTH));
    }

    /** Sends {@link #outgoing}. The peer's answer shows that it has gone, so no thread waits for its completion. */
    void send() {
        link.queuePair().postSend(send.clear().signaled(false).add(outgoingMemory, 0, ControlMessage.LENGTH));
    }

    /** {@return the peer's next message, valid until the next {@link #postReceive}} */
    ControlMessage receive() {
        await(WorkCompletionOpcode.RECV, 1);
        return incoming;
    }

    /** {@return the peer's next message, which must be of that kind} */
    ControlMessage receive(ControlMessage.Kind kind) {
        ControlMessage message = receive();
        if (message.kind() != kind) {
            throw ToolFailure.failed("the demo lost its step: " + message.kind() + " came in place of " + kind);
        }
        return message;
    }

    /** Waits for so many completions of one kind. */
    void await(WorkCompletionOpcode opcode, int count) {
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = link.expected(next(opcode), opcode, opcode + " completion");
            if (completion == null) {
                throw link.brokenOff("in the middle of the demo");
            }
        }
    }

    private WorkCompletion next(WorkCompletionOpcode opcode) {
        WorkCompletion completion = link.next(patience.look());
        while (completion == null) {
            if (patience.lookedInVain(server)) {
                throw ToolFailure.failed(
                        "no " + opcode + " completion from " + link.peer() + " within "
                                + Timeout.text(settings.limit()),
                        "the two ends run in this process, and both have waited for so long: what was on its way is lost",
                        "--timeout sets the limit");
            }
            completion = link.next(patience.look());
        }
        patience.moved();
        return completion;
    }
}
