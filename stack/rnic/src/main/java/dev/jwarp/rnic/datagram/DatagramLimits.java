package dev.jwarp.rnic.datagram;

import dev.jwarp.base.SettingKey;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.DatagramLimit;
import dev.jwarp.rdmap.datagram.DatagramSettings;
import dev.jwarp.rnic.core.Configuration;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.Setting;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The limits of datagram queue pairs. State that peers can create is bounded by settings of the device, everything else
 * by attributes of the queue pair (datagram-iWARP §13, §14).
 */
public final class DatagramLimits {
    private static final String PREFIX = "jwarp.datagram.";
    /** Range of a path MTU that a program sets, in bytes of the IP packet. */
    static final int SMALLEST_MTU = 576;

    static final int LARGEST_MTU = 65_535;
    private static final int SMALLEST_MESSAGE = 256;
    private static final long LARGEST_MESSAGE = 0xffff_ffffL;

    /**
     * Limits with a setting, and the description of that setting. Other limits follow from these, from {@link
     * DatagramAttributes}, or are fixed.
     */
    private static final Map<DatagramLimit, String> SET = new EnumMap<>(Map.of(
            DatagramLimit.MAX_GROUP_MESSAGE,
            "The longest message in bytes that a datagram queue pair sends to a group, or takes from one.",
            DatagramLimit.RECORDS,
            "The messages that a datagram queue pair may have half received, a sixteenth of them from one source. As many"
                    + " Write-Record completions may wait for a place in the completion queue, and as many messages sent are"
                    + " remembered for answers about them. The bits that say what arrived have 1 KiB for each, at least 64 KiB.",
            DatagramLimit.RECEIVES_PER_SOURCE,
            "The posted receives of a datagram queue pair that half received Sends of one source may hold.",
            DatagramLimit.READ_JOBS,
            "The RDMA Reads of peers that a datagram queue pair may have unanswered, an eighth of them of one source. A quarter"
                    + " as many of its own may be unanswered, and a sixteenth to one reliable peer, each at least 1."));

    private final DatagramSettings ofDevice;

    DatagramLimits(Configuration configuration) {
        DatagramSettings settings = DatagramSettings.DEFAULT;
        for (DatagramLimit limit : SET.keySet()) {
            settings = settings.with(limit, configuration.number(setting(limit)));
        }
        long records = settings.get(DatagramLimit.RECORDS);
        long jobs = settings.get(DatagramLimit.READ_JOBS);
        ofDevice = settings.with(DatagramLimit.RECORDS_PER_SOURCE, records / 16)
                .with(DatagramLimit.WRITE_RECORD_LOG, records)
                .with(DatagramLimit.BITMAP_MEMORY, Math.max(DatagramLimit.BITMAP_MEMORY.least(), 1_024 * records))
                .with(DatagramLimit.READ_JOBS_PER_SOURCE, Math.max(1, jobs / 8))
                .with(DatagramLimit.OUTSTANDING_READS, Math.max(1, jobs / 4))
                .with(DatagramLimit.RELIABLE_READS, Math.max(1, jobs / 16));
    }

    /** {@return the settings of the device} */
    public static List<Setting> settings() {
        return SET.keySet().stream()
                .map(DatagramLimits::setting)
                .map(Configuration::shown)
                .toList();
    }

    private static SettingKey setting(DatagramLimit limit) {
        return SettingKey.number(
                PREFIX + limit.key(),
                Long.toString(limit.defaultValue()),
                limit.least(),
                limit.most(),
                "",
                Objects.requireNonNull(SET.get(limit)));
    }

    /** {@return the limits of a queue pair with these attributes} */
    DatagramSettings of(DatagramAttributes attributes, int weight, DatagramTimeouts timeouts) {
        return ofDevice.with(DatagramLimit.WEIGHT, weight)
                .with(DatagramLimit.MAX_MESSAGE, attributes.maxMessage())
                .with(DatagramLimit.MAX_READ, attributes.maxRead())
                .with(DatagramLimit.IDLE_NANOS, timeouts.idle().toNanos())
                .with(DatagramLimit.MESSAGE_NANOS, timeouts.message().toNanos())
                .with(DatagramLimit.MESSAGE_PACE, timeouts.rate())
                .with(DatagramLimit.READ_NANOS, timeouts.read().toNanos())
                .with(DatagramLimit.READ_PACE, timeouts.rate())
                .with(DatagramLimit.ANSWER_MTU, attributes.pathMtu())
                .with(DatagramLimit.REPORT_INCOMPLETE, attributes.reportIncomplete() ? 1 : 0);
    }

    /** Checks the attributes of a new queue pair. */
    static void check(DatagramAttributes wanted) {
        if (wanted.localAddress().isUnresolved()) {
            throw new RdmaException(
                    RdmaErrorCode.ADDRESS_NOT_AVAILABLE,
                    "The host " + wanted.localAddress().getHostString() + " is unknown.");
        }
        if (wanted.queuePairNumber().isPresent()) {
            ContextCore.checkRange(
                    wanted.queuePairNumber().getAsInt(), Shim.SMALLEST_QPN, Shim.GROUP_QPN - 1, "a queue pair");
        }
        if (wanted.pathMtu() != 0) { // 0: path MTU discovery
            ContextCore.checkRange(wanted.pathMtu(), SMALLEST_MTU, LARGEST_MTU, "bytes of the path MTU");
        }
        check(wanted.maxMessage(), SMALLEST_MESSAGE, LARGEST_MESSAGE, "bytes of the longest message");
        check(wanted.maxRead(), 0, wanted.maxMessage(), "bytes of the longest RDMA Read");
    }

    private static void check(long value, long least, long most, String what) {
        if (value < least || value > most) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The number of " + what + " is " + least + " to " + most + ", not " + value + ".");
        }
    }
}
