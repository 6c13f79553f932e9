package dev.jwarp.rnic.datagram;

import dev.jwarp.base.SettingKey;
import dev.jwarp.ddp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.DatagramLimit;
import dev.jwarp.rdmap.datagram.DatagramSettings;
import dev.jwarp.rnic.core.Configuration;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.Setting;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What bounds datagram queue pairs: settings of the device for what peers can make it hold, attributes of the queue pair for
 * the rest (datagram-iWARP §13, §14).
 */
public final class DatagramLimits {
    private static final String PREFIX = "jwarp.datagram.";
    /** Of a queue pair or an address handle. */
    static final int LARGEST_WEIGHT = (int) DatagramLimit.WEIGHT.most();

    /** Bytes of the IP packets of a path, if a program says them. */
    static final int SMALLEST_MTU = 576;

    static final int LARGEST_MTU = 65_535;
    private static final int SMALLEST_MESSAGE = 256;
    private static final long LARGEST_MESSAGE = 0xffff_ffffL;

    /** Said by {@link DatagramAttributes}. */
    private static final Set<DatagramLimit> OF_QUEUE_PAIR = EnumSet.of(
            DatagramLimit.MAX_MESSAGE,
            DatagramLimit.MAX_READ,
            DatagramLimit.IDLE_NANOS,
            DatagramLimit.MESSAGE_NANOS,
            DatagramLimit.MESSAGE_PACE,
            DatagramLimit.READ_NANOS,
            DatagramLimit.READ_PACE,
            DatagramLimit.ANSWER_MTU,
            DatagramLimit.REPORT_INCOMPLETE);

    private final DatagramSettings ofDevice;

    DatagramLimits(Configuration configuration) {
        DatagramSettings settings = DatagramSettings.DEFAULT;
        for (DatagramLimit limit : ofDevice()) {
            settings = settings.with(limit, configuration.number(setting(limit)));
        }
        ofDevice = settings;
    }

    private static List<DatagramLimit> ofDevice() {
        return Arrays.stream(DatagramLimit.values())
                .filter(limit -> !OF_QUEUE_PAIR.contains(limit))
                .toList();
    }

    /** {@return the settings of the device} */
    public static List<Setting> settings() {
        return ofDevice().stream()
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
                "Each datagram queue pair: " + limit.sentence() + ".");
    }

    /** {@return what bounds a queue pair with these attributes} */
    DatagramSettings of(DatagramAttributes attributes, DatagramTimeouts timeouts) {
        long weight = attributes.weight() > 0 ? attributes.weight() : ofDevice.get(DatagramLimit.WEIGHT);
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

    /** Checks the attributes of a queue pair that is to be made. */
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
        ContextCore.checkRange(wanted.weight(), 0, LARGEST_WEIGHT, "shares of a queue pair, its weight,");
        if (wanted.pathMtu() != 0) { // 0 is to find it out
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
