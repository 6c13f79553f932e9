package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;

/** The device as an id of DiSNI's sees it. */
final class JwarpContext extends IbvContext {
    /** By this number programs know a device again. */
    private static final int COMMAND_FD = 1;

    /** Completion vectors: each is as good as another, since no interrupt of a processor is behind it. */
    static final int VECTORS = 1;

    JwarpContext() throws IOException {
        super(COMMAND_FD, VECTORS);
    }
}
