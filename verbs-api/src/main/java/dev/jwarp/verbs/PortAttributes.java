package dev.jwarp.verbs;

import java.util.List;

/**
 * A port, as {@code ibv_query_port} reports it, without what has no meaning in iWARP.
 *
 * @param state whether the port works
 * @param maxMtu the largest MTU as {@code ibv_mtu} has them, in bytes: 256, 512, 1024, 2048 or 4096
 * @param activeMtu the largest of these that the interface's MTU holds, in bytes
 * @param interfaceName the network interface
 * @param interfaceMtu its MTU in bytes
 * @param maxMessageSize bytes of one message
 * @param gids the GIDs, each of 16 bytes as text in groups of four hexadecimal digits
 */
public record PortAttributes(
        PortState state,
        int maxMtu,
        int activeMtu,
        String interfaceName,
        int interfaceMtu,
        long maxMessageSize,
        List<String> gids) {
    /** Whether a port works; names and numbers of {@code ibv_port_state}. */
    public enum PortState {
        /** It has never been seen. */
        NOP,
        /** The interface is down. */
        DOWN,
        /** It is being set up. */
        INIT,
        /** It is ready to be made active. */
        ARMED,
        /** It works. */
        ACTIVE
    }

    /**
     * Copies the list.
     *
     * @param state whether the port works
     * @param maxMtu the largest MTU as {@code ibv_mtu} has them, in bytes: 256, 512, 1024, 2048 or 4096
     * @param activeMtu the largest of these that the interface's MTU holds, in bytes
     * @param interfaceName the network interface
     * @param interfaceMtu its MTU in bytes
     * @param maxMessageSize bytes of one message
     * @param gids the GIDs, each of 16 bytes as text in groups of four hexadecimal digits
     */
    public PortAttributes {
        gids = List.copyOf(gids);
    }

    /**
     * {@return the number of {@code ibv_mtu} for an MTU of this record: 1 for 256 up to 5 for 4096 bytes}
     *
     * @param mtu bytes: 256, 512, 1024, 2048 or 4096
     */
    public static int mtuNumber(int mtu) {
        return 24 - Integer.numberOfLeadingZeros(mtu);
    }
}
