package dev.jwarp.disni;

import com.ibm.disni.verbs.RdmaCmId;
import dev.jwarp.verbs.CmId;
import java.io.IOException;

/** A connection or a listener. */
final class JwarpCmId extends RdmaCmId {
    final CmId id;
    private final JwarpEventChannel channel;

    JwarpCmId(JwarpEventChannel channel, CmId id) throws IOException {
        super(channel, new JwarpContext());
        this.channel = channel;
        this.id = id;
    }

    void has(JwarpQp queuePair) {
        setQp(queuePair);
    }

    /** Also closes its queue pair. */
    void destroy() throws IOException {
        close();
        if (qpObj != null) {
            qpObj.close();
        }
        id.close();
        channel.forget(this);
    }
}
