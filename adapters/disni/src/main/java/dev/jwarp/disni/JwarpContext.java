package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;

/** The device as seen by DiSNI's ids. */
final class JwarpContext extends IbvContext {
    /** Programs identify a device by this number. */
    private static final int COMMAND_FD = 1;

    /** The number of completion vectors: one suffices, since none stands for an interrupt. */
    static final int VECTORS = 1;

    JwarpContext() throws IOException {
        super(COMMAND_FD, VECTORS);
    }
}
