package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.ToolFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of the trials. */
final class TrialFlags {
    private static final String INJECT = "jwarp.udp.inject";
    private static final String FAULT = "(loss|duplicate|reorder)=[0-9.]+%?|delay=[0-9]+(ms|us)|seed=-?[0-9]+";
    private static final int MOST_MESSAGES = 100_000;
    private static final int MOST_BYTES = 1 << 20;
    /** The least number of messages that {@code --volume} leaves: shares of fewer messages are not meaningful. */
    private static final int FEWEST = 200;

    private static final int MOST_RUNS = 100;
    private static final double LONGEST_RTT = 1_000;
    private static final double LONGEST_QUEUE = 10_000;

    @Option(names = "--quick", description = "Few rates, sizes and messages: some seconds.")
    private boolean quick;

    @Option(
            names = "--rates",
            split = ",",
            paramLabel = "PERCENT",
            description = "Shares of datagrams to lose, separated by commas; default 0,0.1,0.5,1,5,10.")
    private @Nullable List<String> rates;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "BYTES",
            description = "Sizes of messages, 1 to 1M, separated by commas; default 1,64,1K,16K,64K,256K,1M.")
    private @Nullable List<String> sizes;

    @Option(
            names = "--services",
            split = ",",
            paramLabel = "SERVICE",
            description = "Any of ud-send, ud-write-record, ud-read, rd-send, rd-write-record, rc-send, rc-write,"
                    + " separated by commas; default all.")
    private @Nullable List<String> services;

    @Option(
            names = "--messages",
            paramLabel = "NUMBER",
            description = "Most messages of each row; see also --volume. Default 2000.")
    private @Nullable Integer messages;

    @Option(
            names = "--volume",
            paramLabel = "BYTES",
            defaultValue = "256M",
            description =
                    "Bytes of all messages of a row together, at most 256M; a row has at least 200 messages, or as"
                            + " many as --messages says. Each end has that much memory. Default ${DEFAULT-VALUE}.")
    private String volume = "256M";

    @Option(
            names = "--repeat",
            paramLabel = "NUMBER",
            defaultValue = "1",
            description =
                    "Runs of each row, 1 to 100, with --seed, --seed + 1 and so on: the table has the medians, CSV and"
                            + " JSON have all runs. Default ${DEFAULT-VALUE}.")
    private int repeat = 1;

    @Option(
            names = "--rtt",
            split = ",",
            paramLabel = "MS",
            description = "Milliseconds added to a round trip, half in each direction; several separated by commas. On"
                    + " loopback the injector adds them, so not for connections.")
    private @Nullable List<Double> rtts;

    @Option(
            names = "--bottleneck",
            paramLabel = "RATE[,QUEUE]",
            description =
                    "For --lab: bits a second in each direction, and the queue in bytes or bandwidth-delay products:"
                            + " 20M,64K or 20M,0.5x; default 1x.")
    private @Nullable String bottleneck;

    @Option(
            names = "--window",
            paramLabel = "NUMBER",
            defaultValue = "16",
            description = "Messages in flight at a time, 1 to 64; 1 shows latency without load. Default"
                    + " ${DEFAULT-VALUE}.")
    private int window = 16;

    @Option(
            names = "--seed",
            paramLabel = "NUMBER",
            defaultValue = "7",
            description =
                    "Decides which datagrams the injector or the program of --lab loses; default ${DEFAULT-VALUE}.")
    private long seed = 7;

    @Option(
            names = "--inject",
            paramLabel = "FAULTS",
            description =
                    "Further faults of the transport, such as reorder=1%%,duplicate=0.5%%,delay=2ms; loss= and seed="
                            + " replace --rates and --seed. Setting jwarp.udp.inject.")
    private @Nullable String inject;

    @Option(
            names = "--idle",
            paramLabel = "MS",
            defaultValue = "100",
            description =
                    "Time-out of a message that arrived in part, and of a Read, in milliseconds, in addition to --rtt"
                            + " and the time of a full queue; default ${DEFAULT-VALUE}.")
    private int idle = 100;

    @Option(
            names = "--limit",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "After this time a row posts no more messages, and waits at most as long again; default"
                    + " ${DEFAULT-VALUE}.")
    private double limit = 5;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            defaultValue = "1500",
            description = "Bytes of IP packets; default ${DEFAULT-VALUE}.")
    private int mtu = 1500;

    /** {@return the flags that repeat the run} */
    String text() {
        StringJoiner text = new StringJoiner(" ");
        text.add("--rates").add(String.join(",", rates()));
        text.add("--sizes").add(String.join(",", sizes()));
        text.add("--services").add(String.join(",", services()));
        text.add("--messages").add(Integer.toString(messages()));
        text.add("--volume").add(volume);
        text.add("--window").add(Integer.toString(window));
        text.add("--idle").add(Integer.toString(idle));
        text.add("--mtu").add(Integer.toString(mtu));
        text.add("--limit").add(LossReport.percent(limit));
        text.add("--seed").add(Long.toString(seed));
        if (repeat > 1) {
            text.add("--repeat").add(Integer.toString(repeat));
        }
        if (rtts != null) {
            text.add("--rtt").add(rtts.stream().map(LossReport::percent).collect(Collectors.joining(",")));
        }
        if (bottleneck != null) {
            text.add("--bottleneck").add(bottleneck);
        }
        if (inject != null) {
            text.add("--inject").add(inject);
        }
        return text.toString();
    }

    private List<String> rates() {
        String ofInject = injected("loss");
        if (ofInject != null) {
            boolean percent = ofInject.endsWith("%");
            return List.of(
                    percent ? ofInject.replace("%", "") : LossReport.percent(100 * Double.parseDouble(ofInject)));
        } else if (rates != null) {
            return rates;
        }
        return quick ? List.of("0", "1", "10") : List.of("0", "0.1", "0.5", "1", "5", "10");
    }

    private List<String> sizes() {
        if (sizes != null) {
            return sizes;
        }
        return quick ? List.of("1K", "64K") : List.of("1", "64", "1K", "16K", "64K", "256K", "1M");
    }

    private List<String> services() {
        return services != null
                ? services
                : Arrays.stream(Service.values()).map(Service::word).toList();
    }

    /** {@return the most messages of a row} */
    int messages() {
        return messages != null ? messages : quick ? 200 : 2000;
    }

    private @Nullable String injected(String key) {
        for (String one : inject == null ? new String[0] : inject.split(",", -1)) {
            if (one.strip().startsWith(key + "=")) {
                return one.strip().substring(key.length() + 1);
            }
        }
        return null;
    }

    /** {@return the number of messages of the largest trial} */
    static int mostMessages(List<LossTrial> plan) {
        return plan.stream().mapToInt(LossTrial::messages).max().orElse(1);
    }

    /**
     * {@return all trials, in the order of the table, for each repetition}
     *
     * @param others settings for the contexts
     * @param lab whether a program makes the path, in place of the injector
     */
    List<LossTrial> plan(Map<String, String> others, boolean lab) {
        check(others, lab);
        List<LossTrial> plan = new ArrayList<>();
        for (int run = 1; run <= repeat; run++) {
            for (String word : services()) {
                Service service = Service.of(word);
                if (service == null) {
                    throw ToolFailure.usage(
                            "there is no service '" + word + "'", "--help lists them; separate them by commas");
                }
                for (String sizeText : sizes()) {
                    int size = bytes("--sizes", sizeText, MOST_BYTES);
                    for (LossPath path : paths(!lab && service.connected())) {
                        plan.add(trial(new Shape(service, path, size, run), others, !lab));
                    }
                }
            }
        }
        return plan;
    }

    /** {@return the paths of one service and size} */
    private List<LossPath> paths(boolean untouched) {
        if (untouched) {
            return List.of(new LossPath(0, null, null));
        }
        Bottleneck narrow = bottleneck == null ? null : Bottleneck.of(bottleneck);
        List<LossPath> paths = new ArrayList<>();
        List<@Nullable Double> trips = new ArrayList<>();
        if (rtts == null) {
            trips.add(null);
        } else {
            trips.addAll(rtts);
        }
        for (Double trip : trips) {
            for (String rate : rates()) {
                paths.add(new LossPath(loss(rate), trip, narrow));
            }
        }
        return paths;
    }

    private void check(Map<String, String> others, boolean lab) {
        if (lab && inject != null) {
            throw ToolFailure.usage("--inject is for the transport of one process; with --lab the path loses packets");
        }
        checkPath(lab);
        if (others.containsKey(INJECT)) {
            throw ToolFailure.usage("--set " + INJECT + ": use --inject, --rates and --seed instead");
        }
        ToolFailure.inRange("--messages", messages(), 1, MOST_MESSAGES);
        ToolFailure.inRange("--window", window, 1, 64);
        ToolFailure.inRange("--repeat", repeat, 1, MOST_RUNS);
        ToolFailure.inRange("--idle", idle, 5, 10_000);
        ToolFailure.inRange("--mtu", mtu, 576, 65_535);
        if (!(limit > 0 && limit <= 3600)) {
            throw ToolFailure.usage("--limit takes seconds above 0 up to 3600, such as 10 or 0.5, not " + limit);
        }
        for (String one : inject == null ? new String[0] : inject.split(",", -1)) {
            if (!one.strip().matches(FAULT)) {
                throw ToolFailure.usage(
                        "--inject " + one + " is not a fault; write it as loss=1%,reorder=1%",
                        "there are loss, duplicate, reorder, delay and seed");
            }
        }
        if (injected("loss") != null && rates != null) {
            throw ToolFailure.usage("--rates and loss= in --inject exclude each other");
        }
    }

    private void checkPath(boolean lab) {
        for (double rtt : rtts == null ? List.<Double>of() : rtts) {
            if (!(rtt >= 0 && rtt <= LONGEST_RTT)) {
                throw ToolFailure.usage(
                        "--rtt " + LossReport.percent(rtt) + " is out of range: 0 to 1000 milliseconds");
            }
        }
        if (rtts != null && injected("delay") != null) {
            throw ToolFailure.usage("--rtt and delay= in --inject exclude each other");
        }
        if (bottleneck == null) {
            return;
        }
        if (!lab) {
            throw ToolFailure.usage(
                    "--bottleneck is not possible on loopback", "--lab runs a program that makes a path with one");
        }
        Bottleneck narrow = Bottleneck.of(bottleneck);
        double longest =
                rtts == null ? 0 : rtts.stream().mapToDouble(rtt -> rtt).max().orElse(0);
        if (narrow.drainMillis(longest) > LONGEST_QUEUE) {
            throw ToolFailure.usage(
                    "--bottleneck " + bottleneck + " has a queue that takes longer than 10 seconds to drain");
        }
        if (narrow.products() && (rtts == null || rtts.contains(0.0))) {
            throw ToolFailure.usage(
                    "--bottleneck " + bottleneck + " has a queue in bandwidth-delay products, but there is no delay",
                    "add --rtt 50, or give the queue in bytes: --bottleneck 20M,64K");
        }
    }

    private static int bytes(String flag, String text, int most) {
        long bytes = Quantities.bytes(flag, text);
        if (bytes >= 1 && bytes <= most) {
            return (int) bytes;
        }
        throw ToolFailure.usage(flag + " " + text + " is out of range: 1 to " + (most >> 20) + "M");
    }

    private static double loss(String text) {
        try {
            double percent = Double.parseDouble(text.strip().replace("%", ""));
            if (percent >= 0 && percent <= 50) {
                return percent / 100;
            }
        } catch (NumberFormatException e) {
            throw ToolFailure.usage("--rates: '" + text + "' is not a number of percent; write it as 0.5");
        }
        throw ToolFailure.usage("--rates " + text + " is out of range: 0 to 50 percent");
    }

    /** The parameters that differ from trial to trial. */
    private record Shape(Service service, LossPath path, int size, int run) {}

    private LossTrial trial(Shape shape, Map<String, String> others, boolean injected) {
        int least = Math.min(messages(), FEWEST);
        int count = Math.min(
                Math.min(messages(), LossTrial.MEMORY / shape.size()),
                Math.max(least, bytes("--volume", volume, LossTrial.MEMORY) / shape.size()));
        // The time-outs include the time of the path.
        int patience = (int) (idle + shape.path().waitMillis());
        long ownSeed = seed + shape.run() - 1;
        LossTrial bare = new LossTrial(
                shape.service(),
                shape.path(),
                shape.size(),
                count,
                window,
                mtu,
                patience,
                (long) (limit * 1000),
                shape.run(),
                ownSeed,
                Map.of());
        Map<String, String> settings = new LinkedHashMap<>();
        // All messages in flight come from one source, and many arrive in part.
        int most = Math.max(64, bare.depth());
        settings.put("jwarp.datagram.records", Integer.toString(16 * most));
        settings.put("jwarp.datagram.receives-per-source", Integer.toString(most));
        settings.putAll(others);
        if (injected && !shape.service().connected()) {
            settings.put(INJECT, faults(shape.path(), ownSeed));
        }
        return bare.with(settings);
    }

    private String faults(LossPath path, long ownSeed) {
        StringJoiner faults = new StringJoiner(",");
        faults.add(String.format(Locale.ROOT, "loss=%.6f", path.loss()));
        if (path.rttMillis() != null) {
            faults.add("delay=" + Math.round(path.delayMillis() * 1000) + "us");
        }
        for (String one : inject == null ? new String[0] : inject.split(",", -1)) {
            if (!one.isBlank() && !one.strip().startsWith("loss=")) {
                faults.add(one.strip());
            }
        }
        return (injected("seed") == null ? faults.add("seed=" + ownSeed) : faults).toString();
    }
}
