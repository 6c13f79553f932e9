package dev.jwarp.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import dev.jwarp.verbs.CmEvent;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An event with what librdmacm gives and DiSNI's own leaves out: its status, which is always -1 there, and the peer's private data. */
public final class JwarpCmEvent extends RdmaCmEvent {
    private final CmEvent what;

    JwarpCmEvent(CmEvent what, @Nullable RdmaCmId listener, RdmaCmId id) throws IOException {
        super(what.type().number(), listener, id);
        this.what = what;
        status = what.status();
    }

    /** {@return what the peer said with its request, its answer or its refusal; a copy, empty if it said nothing} */
    public byte[] privateData() {
        return what.parameters().privateData();
    }

    /** {@return what happened, in a sentence} */
    @Override
    public String toString() {
        return what.toString();
    }
}
