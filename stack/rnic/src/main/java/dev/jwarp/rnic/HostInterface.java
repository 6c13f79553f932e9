package dev.jwarp.rnic;

import dev.jwarp.llp.nio.Interfaces;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The network interface that is shown as the device's port. Default: the first interface that is up and has a hardware
 * address, else the loopback.
 *
 * @param name of the interface
 * @param mtu bytes
 * @param up whether the interface is up
 * @param guid EUI-64 derived from the hardware address
 */
record HostInterface(String name, int mtu, boolean up, long guid) {
    private static final int LOOPBACK_MTU = 65_536;
    private static final int MAC_LENGTH = 6;

    /** A locally administered identifier, for interfaces without a hardware address. */
    private static final long NO_GUID = 0x0200_00ff_fe00_0001L;

    /**
     * {@return the interface that has this address, else the interface of the route to it; null if there is neither}
     */
    static @Nullable HostInterface of(InetAddress address) {
        if (address.isAnyLocalAddress()) {
            return find();
        }
        try {
            NetworkInterface one = Interfaces.ofOrTowards(address);
            return one == null ? null : of(one);
        } catch (IOException e) {
            return null; // the interface was removed meanwhile
        }
    }

    private static HostInterface of(NetworkInterface one) throws IOException {
        byte[] mac = one.getHardwareAddress();
        return new HostInterface(
                one.getName(), one.getMTU(), one.isUp(), mac != null && mac.length == MAC_LENGTH ? guid(mac) : NO_GUID);
    }

    static HostInterface find() {
        try {
            List<NetworkInterface> all = Collections.list(NetworkInterface.getNetworkInterfaces());
            for (NetworkInterface one : all) {
                byte[] mac = one.isUp() && !one.isLoopback() ? one.getHardwareAddress() : null;
                if (mac != null && mac.length == MAC_LENGTH) {
                    return of(one);
                }
            }
            for (NetworkInterface one : all) {
                if (one.isLoopback()) {
                    return of(one);
                }
            }
        } catch (IOException e) {
            return unknown(e);
        }
        return unknown(null);
    }

    private static HostInterface unknown(@Nullable IOException why) {
        return new HostInterface(why == null ? "none" : "unknown", LOOPBACK_MTU, why == null, NO_GUID);
    }

    /** RFC 4291 appendix A: ff:fe in the middle, the universal/local bit inverted. */
    private static long guid(byte[] mac) {
        long guid = 0;
        for (int i = 0; i < MAC_LENGTH; i++) {
            guid = guid << 8 | (mac[i] & 0xff);
            if (i == 2) {
                guid = guid << 16 | 0xfffe;
            }
        }
        return guid ^ 0x0200_0000_0000_0000L;
    }
}
