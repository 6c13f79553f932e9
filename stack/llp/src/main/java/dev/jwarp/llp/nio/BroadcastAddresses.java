package dev.jwarp.llp.nio;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** The broadcast addresses of the networks of this host. Slow; any thread. */
public final class BroadcastAddresses {
    private BroadcastAddresses() {}

    /** {@return whether the address is one of these; false for the global broadcast address 255.255.255.255} */
    public static boolean contain(InetAddress address) {
        if (!(address instanceof Inet4Address)) {
            return false;
        }
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(device -> device.getInterfaceAddresses().stream())
                    .anyMatch(own -> address.equals(own.getBroadcast()));
        } catch (SocketException e) {
            return false; // the networks are unknown
        }
    }
}
