package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import dev.jwarp.verbs.CompletionChannel;
import java.io.IOException;

/** A completion channel. */
final class JwarpCompChannel extends IbvCompChannel {
    final CompletionChannel channel;

    JwarpCompChannel(IbvContext context, CompletionChannel channel) throws IOException {
        super(0, context); // DiSNI's own has no descriptor, either
        this.channel = channel;
    }

    int destroy() throws IOException {
        close();
        return DisniCalls.destroy(channel::close);
    }
}
