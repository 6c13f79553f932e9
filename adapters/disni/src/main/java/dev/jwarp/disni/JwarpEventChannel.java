package dev.jwarp.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * An event channel, and the ids that use it: they are closed with the channel, as with the descriptor of librdmacm's.
 */
final class JwarpEventChannel extends RdmaEventChannel {
    final CmEventChannel channel = JwarpProvider.context().createEventChannel();

    /** Guarded by this. */
    private final Set<JwarpCmId> ids = new LinkedHashSet<>();

    JwarpEventChannel() throws IOException {
        super(0); // DiSNI's implementation has no descriptor, either
    }

    synchronized RdmaCmId newId() throws IOException {
        DisniCalls.check(isOpen(), "event channel");
        return known(JwarpProvider.context().createId(channel));
    }

    /** {@return DiSNI's id; that of a request is created at its first event} */
    private JwarpCmId known(CmId id) throws IOException {
        if (id.attachment() instanceof JwarpCmId there) {
            return there;
        }
        JwarpCmId made = new JwarpCmId(this, id);
        id.attach(made);
        ids.add(made);
        return made;
    }

    synchronized RdmaCmEvent event(CmEvent event) throws IOException {
        if (!isOpen() && event.type() == CmEventType.CONNECT_REQUEST) {
            event.id().close(); // refused
            closeChannel();
        }
        DisniCalls.check(isOpen(), "event channel");
        CmId listener = event.listenId();
        return new JwarpCmEvent(event, listener == null ? null : known(listener), known(event.id()));
    }

    synchronized void forget(JwarpCmId id) throws IOException {
        ids.remove(id);
        if (!isOpen()) {
            closeChannel();
        }
    }

    /** Closes the channel, unless another thread is about to free an id that uses it, and closes it then. */
    private void closeChannel() throws IOException {
        DisniCalls.destroy(channel::close);
    }

    /** Closes the channel and its ids, and ends the waits of threads for its events. */
    void destroy() throws IOException {
        List<JwarpCmId> all;
        synchronized (this) {
            close();
            all = List.copyOf(ids);
        }
        for (JwarpCmId id : all) {
            id.destroy();
        }
        closeChannel();
    }
}
