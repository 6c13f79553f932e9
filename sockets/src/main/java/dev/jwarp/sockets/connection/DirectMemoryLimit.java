package dev.jwarp.sockets.connection;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/** How much direct memory the JVM may have: as its option says, else as much as heap. */
final class DirectMemoryLimit {
    private static final String OPTION = "-XX:MaxDirectMemorySize=";

    private DirectMemoryLimit() {}

    static long bytes() {
        return of(
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                Runtime.getRuntime().maxMemory());
    }

    static long of(List<String> options, long heap) {
        long bytes = heap;
        for (String option : options) {
            if (option.startsWith(OPTION)) {
                long said = parse(option.substring(OPTION.length()).toLowerCase(Locale.ROOT));
                bytes = said == 0 ? heap : said;
            }
        }
        return bytes;
    }

    /** The JVM has understood it before. */
    private static long parse(String size) {
        int last = size.length() - 1;
        if (size.startsWith("0x")) {
            return Long.decode(size);
        }
        int shift = 10 * (1 + "kmgt".indexOf(size.charAt(last)));
        return Long.parseLong(shift == 0 ? size : size.substring(0, last)) << shift;
    }
}
