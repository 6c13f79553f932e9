package dev.jwarp.benchmarks.compare;

import java.util.List;

/** Who takes part in which workload. The first of a workload is what the others are held against. */
final class Contenders {
    private static final int STREAM = 64 * 1024;
    private static final int PING = 64;

    private Contenders() {}

    /**
     * A workload.
     *
     * @param latency true if round trips are compared, false for octets per second
     */
    record Workload(String title, boolean latency, List<String> contenders) {}

    /** On one core spinning makes no sense: the other end could not run. */
    static List<Workload> workloads(int cores) {
        String inline = cores == 1 ? "block" : "spin";
        return List.of(
                new Workload(
                        "Stream of 64 KiB messages",
                        false,
                        List.of(
                                "netty-stream",
                                "netty-stream-crc",
                                "jwarp-write-" + inline,
                                "jwarp-write-threaded",
                                "jwarp-send-" + inline,
                                "jwarp-send-threaded",
                                "jwarp-write-nocrc-" + inline)),
                new Workload(
                        "Round trip of 64 B messages",
                        true,
                        List.of("netty-echo", "jwarp-pingpong-" + inline, "jwarp-pingpong-threaded")));
    }

    static Contender open(String name) throws Exception {
        String mode = name.substring(name.lastIndexOf('-') + 1);
        return switch (name.substring(0, Math.max(name.lastIndexOf('-'), 0))) {
            case "netty" -> mode.equals("echo") ? new NettyEcho(PING) : new NettyStream(STREAM, false);
            case "netty-stream" -> new NettyStream(STREAM, true);
            case "jwarp-write" -> new VerbsStream(mode, VerbsStream.Kind.WRITE, true, STREAM);
            case "jwarp-write-nocrc" -> new VerbsStream(mode, VerbsStream.Kind.WRITE, false, STREAM);
            case "jwarp-send" -> new VerbsStream(mode, VerbsStream.Kind.SEND, true, STREAM);
            case "jwarp-pingpong" -> new VerbsPingPong(mode, PING);
            default -> throw new IllegalArgumentException("no contender " + name);
        };
    }
}
