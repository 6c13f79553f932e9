package dev.jwarp.transport.udp;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The faults that {@link UdpSetting#INJECT} asks for.
 *
 * @param loss the share of datagrams that is dropped, 0 to 1
 * @param duplicate the share of datagrams that is sent twice
 * @param reorder the share of datagrams that is delayed by a millisecond, so that later datagrams overtake them
 * @param delayNanos the delay of every datagram
 * @param seed the seed of the random numbers
 */
public record InjectedFaults(double loss, double duplicate, double reorder, long delayNanos, long seed) {
    private static final Set<String> KEYS = Set.of("loss", "duplicate", "reorder", "delay", "seed");

    /** {@return the faults of a text such as {@code loss=1%,seed=7}; null if the text is malformed} */
    static @Nullable InjectedFaults parse(String text) {
        Map<String, String> values = new HashMap<>();
        for (String one : text.isBlank() ? new String[0] : text.split(",", -1)) {
            int equals = one.indexOf('=');
            String key = equals < 0 ? "" : one.substring(0, equals).strip();
            if (!KEYS.contains(key) || values.put(key, one.substring(equals + 1).strip()) != null) {
                return null;
            }
        }
        try {
            double[] shares = Arrays.stream(new String[] {"loss", "duplicate", "reorder"})
                    .mapToDouble(key -> share(values.getOrDefault(key, "0")))
                    .toArray();
            long delay = nanos(values.getOrDefault("delay", "0ms"));
            long seed = Long.parseLong(values.getOrDefault("seed", "0"));
            boolean fits = Arrays.stream(shares).allMatch(share -> share >= 0 && share <= 1) && delay >= 0;
            return fits ? new InjectedFaults(shares[0], shares[1], shares[2], delay, seed) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static double share(String text) {
        return text.endsWith("%")
                ? Double.parseDouble(text.substring(0, text.length() - 1)) / 100
                : Double.parseDouble(text);
    }

    private static long nanos(String text) {
        TimeUnit unit = text.endsWith("us") ? TimeUnit.MICROSECONDS : TimeUnit.MILLISECONDS;
        if (!text.endsWith("us") && !text.endsWith("ms")) {
            throw new NumberFormatException(text);
        }
        long number = Long.parseLong(text.substring(0, text.length() - 2).strip());
        return number > TimeUnit.HOURS.toMicros(1) ? -1 : unit.toNanos(number);
    }

    /** {@return whether any fault is to be injected} */
    public boolean any() {
        return loss > 0 || duplicate > 0 || reorder > 0 || delayNanos > 0;
    }
}
