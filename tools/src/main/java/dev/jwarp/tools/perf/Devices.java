package dev.jwarp.tools.perf;

import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import java.util.Map;

/**
 * Opens contexts: one for the control connection, one for the measured queue pairs.
 *
 * @param rdma the provider
 * @param given the settings of the user
 * @param settings settings of the measured context: those of the user, and defaults of perf
 */
record Devices(RdmaProvider rdma, Map<String, String> given, Map<String, String> settings) {
    /** {@return a context for control connections} */
    Context control() {
        return connections().open(given);
    }

    /** {@return a context for the measured queue pairs} */
    Context data(QueuePairType type) {
        return device(type).open(settings);
    }

    /** {@return the device with queue pairs of that type} */
    Device device(QueuePairType type) {
        return type == QueuePairType.RC ? connections() : DatagramLink.device(rdma);
    }

    private Device connections() {
        return rdma.devices().get(0);
    }
}
