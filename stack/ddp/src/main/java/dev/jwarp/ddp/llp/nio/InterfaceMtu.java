package dev.jwarp.ddp.llp.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.DatagramChannel;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;

/** The largest IP packet that a network interface takes. Slow; any thread. */
public final class InterfaceMtu {
    private InterfaceMtu() {}

    /** {@return that of the interface with this address of the host, bytes; 0 if it is not known} */
    public static int of(InetAddress local) {
        try {
            NetworkInterface device = interfaceOf(local);
            return device == null ? 0 : Math.max(0, device.getMTU());
        } catch (IOException e) {
            return 0; // the address or its interface went away meanwhile
        }
    }

    /** {@return that of the interface through which the system would send there, bytes; 0 if it is not known} Sends nothing. */
    public static int towards(InetSocketAddress to) {
        try (DatagramChannel spare = SystemChannels.provider().openDatagramChannel()) {
            spare.connect(to);
            return spare.getLocalAddress() instanceof InetSocketAddress from ? of(from.getAddress()) : 0;
        } catch (IOException | RuntimeException e) {
            return 0; // no way there, or not with a socket of this kind
        }
    }

    private static @Nullable NetworkInterface interfaceOf(InetAddress local) throws IOException {
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
    }
}
