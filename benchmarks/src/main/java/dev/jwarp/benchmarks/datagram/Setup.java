package dev.jwarp.benchmarks.datagram;

import java.util.Map;

/**
 * What a contender is made of.
 *
 * @param service over what
 * @param pathMtu UD: octets of IP packets
 * @param waiting how its ends wait
 * @param operation what they do
 * @param latency one message at a time, to and fro; else a stream of them
 * @param noted RDMA Write: the target learns of each by a Send behind it, not by looking at its memory
 */
public record Setup(
        Service service, int pathMtu, Waiting waiting, Operation operation, boolean latency, boolean noted) {
    /** The MTU of Ethernet, and the default. */
    public static final int ETHERNET = 1500;
    /** One datagram may be as long as UDP allows; the loopback interface takes it whole. */
    static final int LARGEST = 65_535;

    public enum Service {
        /** Connections over TCP. */
        RC,
        /** Datagrams over UDP. */
        UD
    }

    public enum Operation {
        SEND("send/receive", "send/receive"),
        WRITE("Write-Record", "RDMA Write"),
        READ("RDMA Read", "RDMA Read");

        final String overUd;
        final String overRc;

        Operation(String overUd, String overRc) {
            this.overUd = overUd;
            this.overRc = overRc;
        }
    }

    public enum Waiting {
        /** Inline, looks again and again: needs a core for each end. */
        SPIN,
        /** Inline, sleeps in the system: RC in a read, UD in a select. */
        BLOCK,
        /** Event loops move the octets. */
        THREADED
    }

    /** {@return it in one word, as {@link #parse} takes it} */
    String word() {
        return String.join(
                ":",
                service.name(),
                Integer.toString(pathMtu),
                waiting.name(),
                operation.name(),
                Boolean.toString(latency),
                Boolean.toString(noted));
    }

    static Setup parse(String word) {
        String[] part = word.split(":", -1);
        return new Setup(
                Service.valueOf(part[0]),
                Integer.parseInt(part[1]),
                Waiting.valueOf(part[2]),
                Operation.valueOf(part[3]),
                Boolean.parseBoolean(part[4]),
                Boolean.parseBoolean(part[5]));
    }

    /** {@return it as a row of a table is called} */
    String title() {
        String how = waiting == Waiting.THREADED ? ", threaded" : "";
        if (service == Service.UD) {
            return "UD, MTU " + (pathMtu == LARGEST ? "64K" : String.valueOf(pathMtu)) + how;
        }
        return "RC" + how
                + (operation == Operation.WRITE && latency ? noted ? ", Send behind" : ", memory polled" : "");
    }

    boolean datagrams() {
        return service == Service.UD;
    }

    /** {@return whether the target of a Write looks at its memory: nothing tells it} */
    boolean looksAtMemory() {
        return latency && operation == Operation.WRITE && service == Service.RC && !noted;
    }

    /** {@return the settings of its contexts; with CRC32C, which UD always has} */
    Map<String, String> settings() {
        if (waiting == Waiting.THREADED) {
            return datagrams() ? Map.of() : Map.of("jwarp.mpa.crc", "on");
        }
        boolean spin = waiting == Waiting.SPIN;
        return datagrams()
                ? Map.of("jwarp.udp.wait", spin ? "spin" : "select")
                : Map.of("jwarp.mpa.crc", "on", "jwarp.tcp.wait", spin ? "spin" : "block");
    }
}
