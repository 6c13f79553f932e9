package dev.jwarp.ddp.llp.nio;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** The broadcast addresses of the networks that this host is in. Slow; any thread. */
public final class BroadcastAddresses {
    private BroadcastAddresses() {}

    /** {@return whether this is one of them; not that of all networks, 255.255.255.255} */
    public static boolean contain(InetAddress address) {
        if (!(address instanceof Inet4Address)) {
            return false;
        }
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(device -> device.getInterfaceAddresses().stream())
                    .anyMatch(own -> address.equals(own.getBroadcast()));
        } catch (SocketException e) {
            return false; // the system does not tell what networks there are
        }
    }
}
