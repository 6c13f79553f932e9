package dev.jwarp.verbs;

import java.util.List;

/**
 * The attributes of a port, as {@code ibv_query_port} reports them, without those that have no meaning in iWARP.
 *
 * @param state whether the port works
 * @param maxMtu the largest MTU in bytes, one of {@code ibv_mtu}: 256, 512, 1024, 2048 or 4096
 * @param activeMtu the largest {@code ibv_mtu} within the interface's MTU, in bytes
 * @param interfaceName name of the network interface
 * @param interfaceMtu MTU of the network interface in bytes
 * @param maxMessageSize maximum size of a message in bytes
 * @param gids the GIDs of 16 bytes each, as text in groups of four hexadecimal digits
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
        /** The port has never been seen. */
        NOP,
        /** The interface is down. */
        DOWN,
        /** The port is being set up. */
        INIT,
        /** The port is ready to become active. */
        ARMED,
        /** The port works. */
        ACTIVE
    }

    /**
     * Copies the list.
     *
     * @param state whether the port works
     * @param maxMtu the largest MTU in bytes, one of {@code ibv_mtu}: 256, 512, 1024, 2048 or 4096
     * @param activeMtu the largest {@code ibv_mtu} within the interface's MTU, in bytes
     * @param interfaceName name of the network interface
     * @param interfaceMtu MTU of the network interface in bytes
     * @param maxMessageSize maximum size of a message in bytes
     * @param gids the GIDs of 16 bytes each, as text in groups of four hexadecimal digits
     */
    public PortAttributes {
        gids = List.copyOf(gids);
    }

    /**
     * {@return the number of {@code ibv_mtu} for an MTU: 1 for 256 bytes to 5 for 4096 bytes}
     *
     * @param mtu bytes: 256, 512, 1024, 2048 or 4096
     */
    public static int mtuNumber(int mtu) {
        return 24 - Integer.numberOfLeadingZeros(mtu);
    }
}
