package dev.jwarp.verbs;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** An RDMA device: what {@code ibv_get_device_list} lists. Threads: any. */
public interface Device {
    /** {@return the name, such as {@code jwarp0}} */
    String name();

    /** {@return the node GUID, 64 bits, most significant byte first as people write it} */
    long guid();

    /** {@return the limits and marks of the device} */
    DeviceAttributes attributes();

    /** {@return the types of queue pairs that it has: RC, or UD and RD} */
    Set<QueuePairType> queuePairTypes();

    /**
     * {@return the attributes of a port}
     *
     * @param port from 1 to {@link DeviceAttributes#physicalPortCount}
     * @throws RdmaException INVALID_ARGUMENT if there is no such port
     */
    PortAttributes port(int port);

    /**
     * {@return the attributes of a port as they are for an address: those of the network interface that has it, or through which it is
     * reached} A device that has one interface tells that one's. The wildcard address asks as {@link #port(int)} does.
     *
     * @param port from 1 to {@link DeviceAttributes#physicalPortCount}
     * @param address of this host or of another one
     * @throws RdmaException INVALID_ARGUMENT if there is no such port; NOT_FOUND if no interface has the address or leads there
     */
    default PortAttributes port(int port, InetAddress address) {
        RdmaException.requireArgument(address, "address");
        return port(port);
    }

    /** {@return a context with the settings of the system properties, the environment, and the defaults} */
    default Context open() {
        return open(Map.of());
    }

    /**
     * {@return a context with that way of progress; otherwise as {@link #open(Map)}}
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
     * Opens the device. Each context has connections and progress of its own.
     *
     * @param settings {@code jwarp.*} keys and values; they count before system properties, then environment, then
     *     defaults
     * @return the context; the caller closes it
     * @throws RdmaException INVALID_SETTING for a bad value, or a key that is no setting; NOT_FOUND if the transport asked for, or a
     *     library that it needs, is not there
     */
    Context open(Map<String, String> settings);

    /**
     * Opens the device on event loops of the program; otherwise as {@link #open(Map)}. The progress is what they make.
     *
     * @param settings {@code jwarp.*} keys and values
     * @param loops what it is to run on
     * @return the context; the caller closes it: not on one of Netty's loops, but on the thread that runs a selector
     * @throws RdmaException INVALID_ARGUMENT if it cannot run on such loops
     */
    Context open(Map<String, String> settings, EventLoops loops);
}
