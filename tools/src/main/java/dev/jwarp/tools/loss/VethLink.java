package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.ToolFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A veth pair, with faults of the kernel. */
final class VethLink implements LossLink {
    private static final int PACKET = 1_500;
    /** Where nothing is to be dropped but at random. */
    private static final long LONG_QUEUE = 100_000;

    private final Namespaces namespaces;
    private final Via via;

    /**
     * Makes it.
     *
     * @param control of TCP
     */
    VethLink(Namespaces namespaces, Via via, String control) {
        this.namespaces = namespaces;
        this.via = via;
        String device = Namespaces.DEVICE;
        Shell.must("ip link add " + device + " netns " + namespaces.name(0) + " type veth peer name " + device
                + " netns " + namespaces.name(1));
        for (int end = 0; end < 2; end++) {
            String in = namespaces.in(end);
            Shell.must(in + "addr add " + Namespaces.host(end) + "/24 dev " + device);
            // With larger segments one dropped packet would be up to 64 KiB.
            Shell.must(in + "link set " + device + " gso_max_segs 1");
            Shell.must(in + "link set " + device + " up");
        }
        namespaces.control(control);
        become(new LossPath(0, null, null), 0);
    }

    @Override
    public String description() {
        return "a veth pair (MTU 1500, gso_max_segs 1); losses by "
                + (via == Via.NETEM ? "tc netem at both ends' egress" : "nft at both ends' input hook");
    }

    @Override
    public void become(LossPath path, long seed) {
        for (int end = 0; end < 2; end++) {
            String name = namespaces.name(end);
            Shell.Said said = Shell.run(via == Via.NETEM ? netem(name, path) : nft(name, path.loss()));
            if (!said.well()) {
                throw ToolFailure.setup(
                        via == Via.NETEM
                                ? "this kernel or machine has no netem: " + said.text()
                                : "packets cannot be dropped by nft: " + said.text(),
                        via == Via.NETEM
                                ? "it needs tc and the module sch_netem (CONFIG_NET_SCH_NETEM); --via nft and --via box do"
                                        + " without"
                                : "it needs nft and the kernel's nf_tables with numgen");
            }
        }
    }

    /** {@return the command for one end} */
    static List<String> netem(String name, LossPath path) {
        List<String> words = new ArrayList<>(
                List.of("tc", "-n", name, "qdisc", "replace", "dev", Namespaces.DEVICE, "root", "netem"));
        Bottleneck narrow = path.bottleneck();
        words.addAll(
                List.of("limit", Long.toString(narrow == null ? LONG_QUEUE : packets(narrow, path.delayMillis()))));
        words.addAll(List.of("loss", String.format(Locale.ROOT, "%.4f%%", path.loss() * 100)));
        if (path.delayMillis() > 0) {
            words.addAll(List.of("delay", Math.round(path.delayMillis() * 1000) + "us"));
        }
        if (narrow != null) {
            words.addAll(List.of("rate", narrow.bitsPerSecond() + "bit"));
        }
        return words;
    }

    /** {@return what netem holds: packets that wait, and those that are on their way as well} */
    private static long packets(Bottleneck narrow, double delayMillis) {
        double onTheirWay = narrow.bitsPerSecond() / 8e3 * delayMillis;
        return (long) Math.ceil((narrow.queueBytes(2 * delayMillis) + onTheirWay) / PACKET);
    }

    private static List<String> nft(String name, double share) {
        String rules = "add table inet jwarp; flush table inet jwarp;"
                + " add chain inet jwarp in { type filter hook input priority 0; };";
        if (share > 0) {
            rules += " add rule inet jwarp in iifname " + Namespaces.DEVICE + " numgen random mod 100000 < "
                    + Math.round(share * 100_000) + " drop;";
        }
        return List.of("ip", "netns", "exec", name, "nft", rules);
    }

    /** It goes with the namespaces. */
    @Override
    public void close() {}
}
