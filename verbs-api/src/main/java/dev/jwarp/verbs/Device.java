package dev.jwarp.verbs;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** An RDMA device, an element of {@code ibv_get_device_list}. Threads: any. */
public interface Device {
    /** {@return the name, such as {@code jwarp0}} */
    String name();

    /** {@return the node GUID, 64 bits} */
    long guid();

    /** {@return the limits and properties of the device} */
    DeviceAttributes attributes();

    /** {@return the types of queue pairs that the device supports: RC, or UD and RD} */
    Set<QueuePairType> queuePairTypes();

    /**
     * {@return the attributes of a port}
     *
     * @param port from 1 to {@link DeviceAttributes#physicalPortCount}
     * @throws RdmaException INVALID_ARGUMENT if there is no such port
     */
    PortAttributes port(int port);

    /**
     * {@return the attributes of a port for an address: those of the network interface that has the address, or of the
     * interface through which the address is reached} A device with one interface always returns that interface's. For
     * the wildcard address the result is that of {@link #port(int)}.
     *
     * @param port from 1 to {@link DeviceAttributes#physicalPortCount}
     * @param address address of this host or of another host
     * @throws RdmaException INVALID_ARGUMENT if there is no such port; NOT_FOUND if no interface has the address or a
     *     route to it
     */
    default PortAttributes port(int port, InetAddress address) {
        RdmaException.requireArgument(address, "address");
        return port(port);
    }

    /** {@return a new context, configured from system properties, environment variables and defaults} */
    default Context open() {
        return open(Map.of());
    }

    /**
     * {@return a new context with this progress; otherwise as {@link #open(Map)}}
     *
     * @param progress which threads send and receive the bytes
     * @param settings {@code jwarp.*} keys and values
     */
    default Context open(Progress progress, Map<String, String> settings) {
        RdmaException.requireArgument(progress, "progress");
        Map<String, String> all = new HashMap<>(RdmaException.requireArgument(settings, "settings"));
        all.put("jwarp.progress", progress == Progress.INLINE ? "inline" : "threaded");
        return open(all);
    }

    /**
     * Opens the device. Each context has its own connections and its own progress.
     *
     * @param settings {@code jwarp.*} keys and values; they take precedence over system properties, those over
     *     environment variables, those over defaults
     * @return the context; the caller closes it
     * @throws RdmaException INVALID_SETTING for an invalid value or an unknown key; NOT_FOUND if the configured
     *     transport, or a library that it needs, is missing
     */
    Context open(Map<String, String> settings);

    /**
     * Opens the device on event loops of the program; otherwise as {@link #open(Map)}. The progress is
     * {@link EventLoops#progress}.
     *
     * @param settings {@code jwarp.*} keys and values
     * @param loops the event loops or the selector
     * @return the context. The caller closes it: with Netty's loops on none of their threads, with a selector on the
     *     selector's thread.
     * @throws RdmaException INVALID_ARGUMENT if the device does not support these event loops
     */
    Context open(Map<String, String> settings, EventLoops loops);
}
