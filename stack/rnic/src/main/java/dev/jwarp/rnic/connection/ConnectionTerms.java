package dev.jwarp.rnic.connection;

import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.KeepAlive;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Converts connection parameters between the verbs and the lower layer: read depths and private data (RFC 6581 §9.1),
 * keep-alive.
 */
final class ConnectionTerms {
    private ConnectionTerms() {}

    /** {@return the parameters that a connecting side sends} */
    static StartParameters offer(ConnectionParameters parameters, DeviceAttributes device) {
        byte[] privateData = parameters.privateData();
        checkPrivateData(privateData, device);
        int ird =
                check(parameters.responderResources(), device.maxReadAtomicPerQueuePair(), "responder resources (IRD)");
        int ord = check(parameters.initiatorDepth(), device.maxInitiatorReadAtomic(), "initiator depth (ORD)");
        return new StartParameters(
                // RDMAP-8.1.1-1: the program may ask for less.
                ird == ConnectionParameters.DEFAULT_DEPTH ? device.maxReadAtomicPerQueuePair() : ird,
                ord == ConnectionParameters.DEFAULT_DEPTH ? device.maxInitiatorReadAtomic() : ord,
                privateData);
    }

    /**
     * {@return the parameters that an accepting side sends} By default the peer's values, within the limits of the
     * device.
     */
    static StartParameters reply(ConnectionParameters parameters, StartParameters peer, DeviceAttributes device) {
        byte[] privateData = parameters.privateData();
        checkPrivateData(privateData, device);
        int ird = check(parameters.responderResources(), Integer.MAX_VALUE, "responder resources (IRD)");
        int ord = check(parameters.initiatorDepth(), Integer.MAX_VALUE, "initiator depth (ORD)");
        return new StartParameters(
                fitted(ird, peer.ord(), device.maxReadAtomicPerQueuePair()),
                fitted(ord, peer.ird(), device.maxInitiatorReadAtomic()),
                privateData);
    }

    private static int fitted(int wanted, int peers, int most) {
        if (wanted != ConnectionParameters.DEFAULT_DEPTH) {
            return Math.min(wanted, most);
        }
        // MPA2-12-1: never more than the device has, whatever the peer requests.
        return peers == StartParameters.UNKNOWN ? most : Math.min(peers, most);
    }

    private static int check(int depth, int most, String what) {
        if (depth != ConnectionParameters.DEFAULT_DEPTH && (depth < 0 || depth > most)) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The " + what + " of a connection is 0 to " + most + " here, not " + depth
                            + ". The setting jwarp.device.read-depth is the limit.");
        }
        return depth;
    }

    static void checkPrivateData(byte[] data, DeviceAttributes device) {
        if (data.length > device.maxPrivateData()) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "Private data has at most " + device.maxPrivateData() + " bytes, not " + data.length + ".");
        }
    }

    /** {@return the peer's parameters, with IRD and ORD swapped to the view of this side} */
    static ConnectionParameters fromPeer(StartParameters peer) {
        return ConnectionParameters.DEFAULT
                .withPrivateData(peer.privateData())
                .withResponderResources(peer.ord())
                .withInitiatorDepth(peer.ird());
    }

    /** {@return the program's keep-alive; null for the transport's settings} */
    static @Nullable KeepAliveTimes keepAlive(ConnectionParameters parameters) {
        KeepAlive wanted = parameters.keepAlive();
        if (wanted == null) {
            return null;
        }
        if (wanted.equals(KeepAlive.OFF)) {
            return KeepAliveTimes.OFF;
        }
        if (wanted.probes() < 1 || wanted.probes() > KeepAliveTimes.MOST_PROBES) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A keep-alive has 1 to " + KeepAliveTimes.MOST_PROBES + " probes, not " + wanted.probes()
                            + ". KeepAlive.OFF is without any.");
        }
        return new KeepAliveTimes(
                true, seconds("idle time", wanted.idle()), seconds("interval", wanted.interval()), wanted.probes());
    }

    private static int seconds(String what, Duration wanted) {
        if (wanted.isZero()
                || wanted.isNegative()
                || wanted.compareTo(Duration.ofSeconds(KeepAliveTimes.MOST_SECONDS)) > 0) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The " + what + " of a keep-alive is more than 0 and at most " + KeepAliveTimes.MOST_SECONDS
                            + " seconds, not " + wanted + ".");
        }
        return (int) wanted.plusNanos(999_999_999L).toSeconds();
    }
}
