package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.ToolFailure;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Two network namespaces, in each of them a device that leads to the other. All is made inside the namespaces, so that
 * nothing of the host is touched, and goes with them. What a run left behind that was killed, the next one clears away: the
 * names carry the process id. One thread.
 */
final class Namespaces implements AutoCloseable {
    /** Of the device in each. */
    static final String DEVICE = "jwloss";

    private static final String PREFIX = "jwarp-loss-";
    private static final String NETWORK = "10.77.77.";

    private final String[] names = new String[2];

    Namespaces() {
        clearAway();
        String own = PREFIX + ProcessHandle.current().pid() + "-";
        names[0] = own + "a";
        names[1] = own + "b";
        try {
            make();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private static void clearAway() {
        Shell.Said list = Shell.run(List.of("ip", "netns", "list"));
        if (!list.well()) {
            throw ToolFailure.setup("needs ip of iproute2, which says: " + list.text());
        }
        for (String line : list.text().split("\n", -1)) {
            String name = line.split(" ", -1)[0];
            if (name.matches(PREFIX + "[0-9]+-[ab]")) {
                long pid = Long.parseLong(name.substring(PREFIX.length(), name.length() - 2));
                if (ProcessHandle.of(pid).isEmpty()) {
                    Shell.run(List.of("ip", "netns", "delete", name));
                }
            }
        }
    }

    private void make() {
        for (String name : names) {
            Shell.Said made = Shell.run(List.of("ip", "netns", "add", name));
            if (!made.well()) {
                throw ToolFailure.setup(
                        "cannot make a network namespace: " + made.text(),
                        "--via needs root, or CAP_SYS_ADMIN and CAP_NET_ADMIN");
            }
            Shell.must("ip -n " + name + " link set lo up");
        }
    }

    /** {@return the network both are in} */
    static String network() {
        return NETWORK + "0/24";
    }

    /** {@return the address of the one, 0, or the other, 1, as text} */
    static String host(int end) {
        return NETWORK + (end + 1);
    }

    /** {@return the same} */
    static InetAddress address(int end) {
        try {
            return InetAddress.getByName(host(end));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address is no name", e);
        }
    }

    String name(int end) {
        return names[end];
    }

    /** {@return the beginning of a command about the namespace of an end} */
    String in(int end) {
        return "ip -n " + names[end] + " ";
    }

    /** Says, by the routes to each other, which congestion control TCP has: no setting of the machine changes. */
    void control(String name) {
        for (int end = 0; end < names.length; end++) {
            String route = in(end) + "route replace " + host(1 - end) + " dev " + DEVICE + " src " + host(end);
            Shell.Said said = Shell.run(List.of((route + " congctl " + name).split(" ", -1)));
            if (!said.well()) {
                throw ToolFailure.setup(
                        "TCP cannot be told to use " + name + ": " + said.text(),
                        "cat /proc/sys/net/ipv4/tcp_available_congestion_control tells what this kernel has; choose by"
                                + " --tcp-congestion");
            }
        }
    }

    @Override
    public void close() {
        for (String name : names) {
            Shell.run(List.of("ip", "netns", "delete", name));
        }
    }
}
