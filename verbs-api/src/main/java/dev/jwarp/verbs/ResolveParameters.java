package dev.jwarp.verbs;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of a service resolution (datagram-iWARP §R.1).
 *
 * @param types accepted types of queue pairs: UD, RD or both
 * @param privateData private data for the service, at most 216 bytes
 * @param timeout total time to wait for an answer; the request is retransmitted meanwhile
 */
public record ResolveParameters(Set<QueuePairType> types, byte[] privateData, Duration timeout) {
    private static final int MOST_PRIVATE_DATA = 216;

    /** UD, no private data, 5 s. */
    public static final ResolveParameters DEFAULT =
            new ResolveParameters(EnumSet.of(QueuePairType.UD), new byte[0], Duration.ofSeconds(5));

    /**
     * Checks and copies the arguments.
     *
     * @param types accepted types of queue pairs: UD, RD or both
     * @param privateData private data for the service, at most 216 bytes
     * @param timeout total time to wait for an answer
     */
    public ResolveParameters {
        for (QueuePairType type : RdmaException.requireArgument(types, "types")) {
            RdmaException.requireArgument(type, "one of types");
        }
        RdmaException.requireArgument(privateData, "privateData");
        RdmaException.requireArgument(timeout, "timeout");
        types = Set.copyOf(types);
        privateData = privateData.clone();
        if (types.isEmpty() || types.contains(QueuePairType.RC)) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT, "A datagram service has queue pairs of type UD, RD or both.");
        }
        if (privateData.length > MOST_PRIVATE_DATA) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "Private data is at most " + MOST_PRIVATE_DATA + " bytes, not " + privateData.length + ".");
        }
    }

    /** {@return a copy of the private data} */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /**
     * {@return a copy with other types}
     *
     * @param welcome UD, RD or both
     */
    public ResolveParameters withTypes(QueuePairType... welcome) {
        RdmaException.requireArguments(welcome, "welcome");
        return new ResolveParameters(Set.of(welcome), privateData, timeout);
    }

    /**
     * {@return a copy with other private data}
     *
     * @param data at most 216 bytes
     */
    public ResolveParameters withPrivateData(byte[] data) {
        return new ResolveParameters(types, data, timeout);
    }

    /**
     * {@return a copy with another timeout}
     *
     * @param value total time to wait for an answer
     */
    public ResolveParameters withTimeout(Duration value) {
        return new ResolveParameters(types, privateData, value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ResolveParameters that
                && types.equals(that.types)
                && Arrays.equals(privateData, that.privateData)
                && timeout.equals(that.timeout);
    }

    @Override
    public int hashCode() {
        return Objects.hash(types, Arrays.hashCode(privateData), timeout);
    }

    @Override
    public String toString() {
        return "ResolveParameters[" + types + ", " + privateData.length + " bytes of private data, " + timeout + "]";
    }
}
