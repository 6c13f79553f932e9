package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.ToolFailure;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Two network namespaces with a veth pair between them, and a loss. Both are made inside the namespaces, so that nothing of
 * the host is touched, and go with them. What a run left behind that was killed, the next one clears away: the names
 * carry the process id. One thread.
 */
final class Namespaces implements AutoCloseable {
    private static final String PREFIX = "jwarp-loss-";
    private static final String DEVICE = "jwloss";
    private static final String NETWORK = "10.77.77.";

    /** What loses the packets. */
    enum Via {
        /** The queueing discipline of that name, where packets leave. */
        NETEM,
        /** A rule that drops at random, where packets arrive. */
        NFT
    }

    private final Via via;
    private final String delay;
    private final String[] names = new String[2];

    /** @param delay such as {@code 2ms}; empty for none */
    Namespaces(Via via, String delay) {
        this.via = via;
        this.delay = delay;
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
                        "--netem needs root, or CAP_SYS_ADMIN and CAP_NET_ADMIN");
            }
        }
        Shell.must("ip link add " + DEVICE + " netns " + names[0] + " type veth peer name " + DEVICE + " netns "
                + names[1]);
        for (int end = 0; end < names.length; end++) {
            String in = "ip -n " + names[end] + " ";
            Shell.must(in + "addr add " + host(end) + "/24 dev " + DEVICE);
            Shell.must(in + "link set lo up");
            // With larger segments one dropped packet would be up to 64 KiB.
            Shell.must(in + "link set " + DEVICE + " gso_max_segs 1");
            Shell.must(in + "link set " + DEVICE + " up");
        }
        lose(0);
    }

    private static String host(int end) {
        return NETWORK + (end + 1);
    }

    /** {@return the network both are in} */
    static String network() {
        return NETWORK + "0/24";
    }

    /** {@return the address of the one, 0, or the other, 1} */
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

    /** From now on that share of packets is lost, in each direction. */
    void lose(double share) {
        for (String name : names) {
            Shell.Said said = via == Via.NETEM ? netem(name, share) : nft(name, share);
            if (!said.well()) {
                throw ToolFailure.setup(
                        via == Via.NETEM
                                ? "this kernel or machine has no netem: " + said.text()
                                : "packets cannot be dropped by nft: " + said.text(),
                        via == Via.NETEM
                                ? "it needs tc and the module sch_netem (CONFIG_NET_SCH_NETEM); --via nft does without"
                                : "it needs nft and the kernel's nf_tables with numgen");
            }
        }
    }

    private Shell.Said netem(String name, double share) {
        List<String> words = new ArrayList<>(List.of("tc", "-n", name, "qdisc", "replace", "dev", DEVICE, "root"));
        words.addAll(List.of("netem", "limit", "100000"));
        words.addAll(List.of("loss", String.format(Locale.ROOT, "%.4f%%", share * 100)));
        if (!delay.isEmpty()) {
            words.addAll(List.of("delay", delay));
        }
        return Shell.run(words);
    }

    private static Shell.Said nft(String name, double share) {
        String rules = "add table inet jwarp; flush table inet jwarp;"
                + " add chain inet jwarp in { type filter hook input priority 0; };";
        if (share > 0) {
            rules += " add rule inet jwarp in iifname " + DEVICE + " numgen random mod 100000 < "
                    + Math.round(share * 100_000) + " drop;";
        }
        return Shell.run(List.of("ip", "netns", "exec", name, "nft", rules));
    }

    /** {@return what loses packets, for the reader of the results} */
    String description() {
        return "two network namespaces with a veth pair (MTU 1500, gso_max_segs 1); losses by "
                + (via == Via.NETEM ? "tc netem at both ends' egress" : "nft at both ends' input hook")
                + (delay.isEmpty() ? "" : ", delay " + delay + " each way");
    }

    @Override
    public void close() {
        for (String name : names) {
            Shell.run(List.of("ip", "netns", "delete", name));
        }
    }
}
