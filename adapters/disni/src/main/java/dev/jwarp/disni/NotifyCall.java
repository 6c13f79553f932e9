package dev.jwarp.disni;

import com.ibm.disni.verbs.SVCReqNotify;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;

/** Requests a notification of a completion queue. */
final class NotifyCall extends SVCReqNotify {
    private final JwarpCq queue;
    private final boolean solicitedOnly;
    private final Freed freed = new Freed();

    NotifyCall(JwarpCq queue, boolean solicitedOnly) {
        this.queue = queue;
        this.solicitedOnly = solicitedOnly;
    }

    @Override
    public SVCReqNotify execute() throws IOException {
        freed.check();
        DisniCalls.check(queue.isOpen(), "completion queue");
        try {
            queue.queue.requestNotification(solicitedOnly);
            return this;
        } catch (RdmaException e) {
            throw DisniCalls.of(e);
        }
    }

    @Override
    public boolean isValid() {
        return freed.isValid();
    }

    @Override
    public SVCReqNotify free() {
        freed.free();
        return this;
    }
}
