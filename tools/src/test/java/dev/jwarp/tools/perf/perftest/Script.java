package dev.jwarp.tools.perf.perftest;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetSocketAddress;
import java.util.List;

/** A client that says what it is told to, and moves no data. */
final class Script {
    /** Behind this message perftest makes its second connection. */
    private static final int SECOND_CONNECTION = 5;

    private static final Link.Depths DEPTHS = new Link.Depths(8, 2);

    private Script() {}

    /** Says the messages, each when the one before is answered; then goes. */
    static void client(InetSocketAddress server, List<byte[]> messages) {
        Console console = Run.later("script").console();
        try (Context context = RdmaProvider.load().devices().get(0).open();
                Link control = Link.to(server, null, context, console, DEPTHS);
                Link data = Link.to(server, null, context, console, DEPTHS)) {
            MemoryRegion in = control.allocate(Destination.LENGTH, AccessFlag.LOCAL_WRITE);
            MemoryRegion out = control.allocate(64);
            receive(control, in);
            control.connect(ConnectionParameters.DEFAULT, Ends.LIMIT);
            for (int i = 0; i < messages.size(); i++) {
                if (i == SECOND_CONNECTION) {
                    data.connect(ConnectionParameters.DEFAULT, Ends.LIMIT);
                }
                byte[] message = messages.get(i);
                out.buffer().put(0, message);
                control.queuePair()
                        .postSend(new SendWorkRequest().signaled(false).add(out, 0, message.length));
                WorkCompletion answer = control.next(Ends.LIMIT);
                if (answer == null || !answer.succeeded() || answer.opcode() != WorkCompletionOpcode.RECV) {
                    return; // The server has had enough.
                }
                receive(control, in);
            }
            data.disconnect();
            control.disconnect();
        }
    }

    private static void receive(Link link, MemoryRegion in) {
        link.queuePair().postReceive(new ReceiveWorkRequest().add(in));
    }
}
