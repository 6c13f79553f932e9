package dev.jwarp.tools.perf;

import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import java.util.Map;

/**
 * Where contexts come from: one for the control connection, one for what is measured.
 *
 * @param rdma the provider
 * @param given what the user has set
 * @param settings of what is measured: the same, and what perf prefers
 */
record Devices(RdmaProvider rdma, Map<String, String> given, Map<String, String> settings) {
    /** {@return a context for control connections} */
    Context control() {
        return connections().open(given);
    }

    /** {@return a context for what is measured} */
    Context data(QueuePairType type) {
        return device(type).open(settings);
    }

    /** {@return the device that has queue pairs of that type} */
    Device device(QueuePairType type) {
        return type == QueuePairType.RC ? connections() : DatagramLink.device(rdma);
    }

    private Device connections() {
        return rdma.devices().get(0);
    }
}
