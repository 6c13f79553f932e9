package dev.jwarp.llp.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.DatagramChannel;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;

/** The network interfaces of this host, by address. Slow; any thread. */
public final class Interfaces {
    /** Any port works, because nothing is sent. */
    private static final int DISCARD = 9;

    private Interfaces() {}

    /** {@return the MTU in bytes of the interface with this local address; 0 if unknown} */
    public static int mtuOf(InetAddress local) {
        return mtu(of(local));
    }

    /** {@return the MTU in bytes of the interface with the route to an address; 0 if unknown} Sends nothing. */
    public static int mtuTowards(InetSocketAddress to) {
        return mtu(towards(to));
    }

    /**
     * {@return the interface that has this address, or else the interface with the route to it; null if there is none}
     * Sends nothing.
     */
    public static @Nullable NetworkInterface ofOrTowards(InetAddress address) {
        NetworkInterface device = of(address);
        return device == null ? towards(new InetSocketAddress(address, DISCARD)) : device;
    }

    private static int mtu(@Nullable NetworkInterface device) {
        try {
            return device == null ? 0 : Math.max(0, device.getMTU());
        } catch (IOException e) {
            return 0; // the interface was removed meanwhile
        }
    }

    private static @Nullable NetworkInterface towards(InetSocketAddress to) {
        try (DatagramChannel spare = SystemChannels.provider().openDatagramChannel()) {
            spare.connect(to);
            return spare.getLocalAddress() instanceof InetSocketAddress from ? of(from.getAddress()) : null;
        } catch (IOException | RuntimeException e) {
            return null; // no route, or not with a socket of this kind
        }
    }

    private static @Nullable NetworkInterface of(InetAddress local) {
        try {
            NetworkInterface device = NetworkInterface.getByInetAddress(local);
            if (device != null || !local.isLoopbackAddress()) {
                return device;
            }
            // All of 127.0.0.0/8 is the loopback's, but the interface lists only one address of it.
            Enumeration<NetworkInterface> all = NetworkInterface.getNetworkInterfaces();
            while (all.hasMoreElements()) {
                NetworkInterface candidate = all.nextElement();
                if (candidate.isLoopback()) {
                    return candidate;
                }
            }
            return null;
        } catch (IOException e) {
            return null; // the address or its interface was removed meanwhile
        }
    }
}
