package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Channels of whose failure the layer above has yet to be told, because it was in the middle of a call of its own. Owner
 * thread only.
 */
final class RdFailures {
    /** With {@code all} the peer may not be used again until it is reset. */
    private record Failure(
            RdChannel channel,
            OperationStatus status,
            @Nullable TerminateCode code,
            boolean all) {}

    private final ArrayDeque<Failure> failures = new ArrayDeque<>();

    /** To be told with that code. */
    void add(RdChannel channel, @Nullable TerminateCode code) {
        failures.add(new Failure(channel, OperationStatus.WR_FLUSH_ERR, code, true));
    }

    /** It is over, and a new one may follow: what was sent and not accepted fails. */
    void displaced(RdChannel channel) {
        failures.add(new Failure(channel, OperationStatus.PEER_RESET, null, false));
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
            endpoint.upper().onChannelLost(failure.channel.peer(), failure.status, failure.code, failure.all, nowNanos);
            if (failure.all) {
                endpoint.onFailed(nowNanos);
            }
        }
    }
}
