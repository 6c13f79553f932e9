package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvContext;
import dev.jwarp.verbs.CompletionQueue;
import java.io.IOException;

/** A completion queue. */
final class JwarpCq extends IbvCQ {
    final CompletionQueue queue;
    private final JwarpCompChannel channelOf;

    JwarpCq(IbvContext context, JwarpCompChannel channel, CompletionQueue queue) throws IOException {
        super(context, channel, queue.handle());
        this.queue = queue;
        channelOf = channel;
        cqe = queue.capacity();
    }

    int destroy() throws IOException {
        int result = DisniCalls.destroy(queue::close);
        if (result == 0) {
            close();
            if (!channelOf.isOpen()) {
                channelOf.destroy(); // DiSNI's groups destroy the channel first, which fails while this queue exists
            }
        }
        return result;
    }
}
