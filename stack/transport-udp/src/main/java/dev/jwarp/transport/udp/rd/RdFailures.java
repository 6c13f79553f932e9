package dev.jwarp.transport.udp.rd;

import dev.jwarp.ddp.OperationStatus;
import dev.jwarp.ddp.TerminateCode;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Channels of whose failure the layer above has yet to be told, because it was in the middle of a call of its own. Owner
 * thread only.
 */
final class RdFailures {
    private record Failure(RdChannel channel, @Nullable TerminateCode code) {}

    private final ArrayDeque<Failure> failures = new ArrayDeque<>();

    /** To be told with that code. */
    void add(RdChannel channel, @Nullable TerminateCode code) {
        failures.add(new Failure(channel, code));
    }

    /** To be told, unless it will be anyway. */
    void addOnce(RdChannel channel) {
        if (failures.stream().noneMatch(failure -> failure.channel == channel)) {
            add(channel, null);
        }
    }

    /** Tells them all. */
    void tell(RdEndpoint endpoint, long nowNanos) {
        for (Failure failure = failures.poll(); failure != null; failure = failures.poll()) {
            endpoint.upper()
                    .onChannelLost(failure.channel.peer(), OperationStatus.WR_FLUSH_ERR, failure.code, true, nowNanos);
            endpoint.onFailed(nowNanos);
        }
    }
}
