package dev.jwarp.rnic;

import dev.jwarp.verbs.ConnectionParameters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of jwarp, and the parameters of its program, at the start of a connection.
 *
 * @param connects whether jwarp connects; otherwise it listens
 * @param rtr ready-to-receive messages, with commas; of a side that connects, nothing for the client-server model
 * @param depth IRD and ORD
 * @param privateData bytes
 */
record StartCase(
        boolean connects,
        int revision,
        boolean crc,
        boolean markers,
        String rtr,
        boolean fallback,
        int depth,
        int privateData) {

    static final int DEPTH = 128;
    private static final String RTR = "write,read";

    /** {@return the case with default settings} */
    static StartCase usual(boolean connects) {
        return new StartCase(connects, 2, true, false, connects ? "" : RTR, false, DEPTH, 0);
    }

    /** {@return the default case, revision 1 and the peer-to-peer set-up, and each of these with one more change} */
    static List<StartCase> few(boolean connects) {
        StartCase usual = usual(connects);
        List<StartCase> begin = new ArrayList<>(List.of(usual, usual.withRevision(1)));
        if (connects) {
            begin.add(usual.withRtr(RTR));
        }
        List<StartCase> few = new ArrayList<>(begin);
        for (String rtr : List.of("write", "read", "send")) {
            few.add(usual.withRtr(rtr));
        }
        if (connects) {
            few.addAll(List.of(usual.withFallback(true), usual.withRtr(RTR).withFallback(true)));
        }
        for (StartCase one : begin) {
            few.addAll(List.of(one.withCrc(false), one.withMarkers(true), one.withDepth(1), one.withDepth(0)));
            for (int bytes : new int[] {252, 253, 508}) {
                few.add(one.withPrivateData(bytes));
            }
        }
        return few;
    }

    /** {@return all valid combinations} */
    static List<StartCase> every(boolean connects) {
        List<StartCase> every = List.of(usual(connects));
        every = times(every, List.of(StartCase::itself, c -> c.withRevision(1)));
        every = times(every, List.of(StartCase::itself, c -> c.withCrc(false)));
        every = times(every, List.of(StartCase::itself, c -> c.withMarkers(true)));
        every = times(every, List.of(StartCase::itself, c -> c.withDepth(1), c -> c.withDepth(0)));
        every = times(
                every,
                List.of(
                        StartCase::itself,
                        c -> c.withPrivateData(252),
                        c -> c.withPrivateData(253),
                        c -> c.withPrivateData(508)));
        every = times(
                every,
                List.of(
                        StartCase::itself,
                        c -> c.withRtr(RTR),
                        c -> c.withRtr("write"),
                        c -> c.withRtr("read"),
                        c -> c.withRtr("send"),
                        c -> c.withRtr("write,read,send")));
        if (connects) {
            every = times(every, List.of(StartCase::itself, c -> c.withFallback(true)));
        }
        return every.stream().distinct().filter(StartCase::canBeSet).toList();
    }

    private interface Change {
        StartCase of(StartCase before);
    }

    private static List<StartCase> times(List<StartCase> cases, List<Change> changes) {
        List<StartCase> all = new ArrayList<>();
        for (StartCase one : cases) {
            changes.forEach(change -> all.add(change.of(one)));
        }
        return all;
    }

    private StartCase itself() {
        return this;
    }

    /** The peer-to-peer set-up needs revision 2. */
    private boolean canBeSet() {
        return revision == 2 || !connects || rtr.isEmpty();
    }

    Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("jwarp.mpa.revision", String.valueOf(revision));
        settings.put("jwarp.mpa.crc", onOff(crc));
        settings.put("jwarp.mpa.markers", onOff(markers));
        settings.put("jwarp.mpa.fallback", onOff(fallback));
        settings.put("jwarp.mpa.peer-to-peer", onOff(connects && !rtr.isEmpty()));
        settings.put("jwarp.mpa.rtr", rtr.isEmpty() ? RTR : rtr);
        return settings;
    }

    ConnectionParameters parameters() {
        return ConnectionParameters.DEFAULT
                .withResponderResources(depth)
                .withInitiatorDepth(depth)
                .withPrivateData(new byte[privateData]);
    }

    private static String onOff(boolean on) {
        return on ? "on" : "off";
    }

    private StartCase withRevision(int other) {
        return new StartCase(connects, other, crc, markers, rtr, fallback, depth, privateData);
    }

    private StartCase withCrc(boolean other) {
        return new StartCase(connects, revision, other, markers, rtr, fallback, depth, privateData);
    }

    private StartCase withMarkers(boolean other) {
        return new StartCase(connects, revision, crc, other, rtr, fallback, depth, privateData);
    }

    private StartCase withRtr(String other) {
        return new StartCase(connects, revision, crc, markers, other, fallback, depth, privateData);
    }

    private StartCase withFallback(boolean other) {
        return new StartCase(connects, revision, crc, markers, rtr, other, depth, privateData);
    }

    private StartCase withDepth(int other) {
        return new StartCase(connects, revision, crc, markers, rtr, fallback, other, privateData);
    }

    private StartCase withPrivateData(int other) {
        return new StartCase(connects, revision, crc, markers, rtr, fallback, depth, other);
    }

    /** {@return the differences from {@link #usual}, as settings} */
    @Override
    public String toString() {
        List<String> words = new ArrayList<>();
        StartCase usual = usual(connects);
        if (revision != usual.revision) {
            words.add("revision=" + revision);
        }
        if (crc != usual.crc) {
            words.add("crc=" + onOff(crc));
        }
        if (markers != usual.markers) {
            words.add("markers=" + onOff(markers));
        }
        if (!rtr.equals(usual.rtr)) {
            words.add((connects ? "peer-to-peer=on" : "")
                    + (rtr.equals(RTR) ? "" : (connects ? " " : "") + "rtr=" + rtr));
        }
        if (fallback != usual.fallback) {
            words.add("fallback=" + onOff(fallback));
        }
        if (depth != usual.depth) {
            words.add("depths " + depth);
        }
        if (privateData != usual.privateData) {
            words.add(privateData + " bytes of private data");
        }
        return words.isEmpty() ? "nothing set" : String.join(", ", words);
    }
}
