package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A completion channel. */
final class JwarpCompChannel extends IbvCompChannel {
    final CompletionChannel channel;

    /** Created once, so that a wait allocates nothing. */
    final Function<Duration, @Nullable CompletionQueue> wait;

    JwarpCompChannel(IbvContext context, CompletionChannel channel) throws IOException {
        super(0, context); // DiSNI's implementation has no descriptor, either
        this.channel = channel;
        wait = channel::await;
    }

    int destroy() throws IOException {
        close();
        return DisniCalls.destroy(channel::close);
    }
}
