package dev.jwarp.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import dev.jwarp.verbs.CmEvent;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An event with the fields of librdmacm that DiSNI's implementation lacks: its status, which is always -1 there, and
 * the peer's private data.
 */
public final class JwarpCmEvent extends RdmaCmEvent {
    private final CmEvent what;

    JwarpCmEvent(CmEvent what, @Nullable RdmaCmId listener, RdmaCmId id) throws IOException {
        super(what.type().number(), listener, id);
        this.what = what;
        status = what.status();
    }

    /** {@return the private data of the peer's request, accept or reject; a copy, empty if there is none} */
    public byte[] privateData() {
        return what.parameters().privateData();
    }

    /** {@return a description of the event} */
    @Override
    public String toString() {
        return what.toString();
    }
}
