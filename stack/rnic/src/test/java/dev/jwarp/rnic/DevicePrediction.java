package dev.jwarp.rnic;

import java.util.ArrayList;
import java.util.List;

/**
 * The expected outcome of a meeting, derived only from the profile of the device and the RFCs.
 *
 * @param what as in {@link DeviceMeeting.End}; {@link DeviceProfile#UNKNOWN} if the driver's sources do not say
 * @param phrase required part of the event's sentence
 * @param revision of the frames, if they connect
 * @param kinds which messages may come first from jwarp, if it connects; empty: any
 */
record DevicePrediction(String what, String phrase, int revision, List<String> kinds) {
    static final String CONNECTS = "connects";

    private static final DevicePrediction NOT_KNOWN = failure(DeviceProfile.UNKNOWN, "");
    private static final DevicePrediction RESET = failure("CONNECT_ERROR CLOSED_BY_PEER", "without a Reply");
    private static final DevicePrediction REJECTED = failure("REJECTED REJECTED", "");
    private static final DevicePrediction NO_AGREEMENT = failure("CONNECT_ERROR NO_AGREEMENT", "peer");
    private static final DevicePrediction NO_REQUEST = failure(DeviceMeeting.NO_REQUEST, "");
    private static final DevicePrediction TERMINATED = failure("CONNECT_ERROR NO_AGREEMENT", "ready-to-receive");
    private static final DevicePrediction LOST_BEFORE_READY = failure("CONNECT_ERROR CLOSED_BY_PEER", "ready");
    private static final DevicePrediction LOST = failure("ESTABLISHED, then DISCONNECTED", "");

    private static DevicePrediction failure(String what, String phrase) {
        return new DevicePrediction(what, phrase, 0, List.of());
    }

    private static DevicePrediction connects(int revision, List<String> kinds) {
        return new DevicePrediction(CONNECTS, "", revision, kinds);
    }

    boolean connects() {
        return what.equals(CONNECTS);
    }

    static DevicePrediction of(DeviceProfile device, StartCase start) {
        DevicePrediction known = known(device, start);
        boolean markers = start.markers() && device.is("markers", DeviceProfile.UNKNOWN);
        return markers && known.connects() ? NOT_KNOWN : known;
    }

    private static DevicePrediction known(DeviceProfile device, StartCase start) {
        int first = start.connects() ? start.revision() : device.number("connects.revision");
        DevicePrediction one = start.connects() ? connecting(device, start, first) : listening(device, start, first);
        // RFC 6581 §10: after a request for the enhanced set-up, a new connection without it may be tried.
        boolean again = start.connects()
                ? one.equals(RESET) && start.fallback()
                : one.equals(NO_REQUEST) && device.is("connects.again", "reset");
        if (first == 2 && again) {
            return start.connects() ? connecting(device, start, 1) : listening(device, start, 1);
        }
        return one;
    }

    /** RFC 6581 §6: the word with IRD and ORD is part of the private data. */
    private static boolean takes(DeviceProfile device, StartCase start, int revision) {
        return start.privateData() + (revision == 2 ? 4 : 0) <= device.number("private-data.most");
    }

    private static DevicePrediction connecting(DeviceProfile device, StartCase start, int revision) {
        if (!device.list("listens.revisions").contains(String.valueOf(revision)) || !takes(device, start, revision)) {
            return RESET;
        }
        if (start.markers() && device.is("markers", "refuses")) {
            return REJECTED;
        }
        if (revision == 1) {
            return connects(1, List.of());
        }
        if (start.rtr().isEmpty()) {
            return device.is("listens.needs-peer-to-peer", "yes") ? RESET : connects(2, List.of());
        }
        List<String> asked = DeviceProfile.words(start.rtr());
        List<String> known = device.list("listens.rtr");
        List<String> common = asked.stream().filter(known::contains).toList();
        if (common.isEmpty() && device.is("listens.none-in-common", "reset")) {
            return RESET;
        }
        // RFC 6581 §9.2: the Reply has the flag A, too, and names at least one requested message; otherwise the
        // initiator sends Terminate 2/0/07.
        if (common.isEmpty()) {
            return NO_AGREEMENT;
        }
        List<String> named =
                switch (device.value("listens.answers")) {
                    case "common" -> common;
                    case "first" ->
                        known.stream().filter(asked::contains).limit(1).toList();
                    default ->
                        DeviceProfile.words(device.value("listens.answers").substring("own ".length()));
                };
        List<String> may = new ArrayList<>(named);
        may.addAll(device.list("listens.always-names"));
        may.retainAll(asked);
        return may.isEmpty() ? NO_AGREEMENT : connects(2, may);
    }

    private static DevicePrediction listening(DeviceProfile device, StartCase start, int revision) {
        // RFC 5044 §7.1.1, RFC 6581 §10: closed, without a Reply.
        if (revision > start.revision()) {
            return NO_REQUEST;
        }
        boolean peerToPeer = revision == 2 && device.is("connects.peer-to-peer", "on");
        // RFC 6581 §9.2: a responder is ready after a ready-to-receive message; without one, after its Reply.
        DevicePrediction lost = peerToPeer ? LOST_BEFORE_READY : LOST;
        if (!takes(device, start, revision) || (start.markers() && device.is("markers", "refuses"))) {
            return lost;
        }
        if (!peerToPeer) {
            // RFC 5040 §6.1: no more Reads than IRD, even empty ones.
            boolean reads = revision == 1 && device.is("connects.rtr-after-revision-1", "read");
            return reads && start.depth() == 0 ? LOST : connects(revision, List.of());
        }
        // RFC 6581 §9.2: the Reply names the messages that both support, or, if there are none, those of the responder.
        // An initiator that supports none of them sends Terminate 2/0/07.
        List<String> ours = DeviceProfile.words(start.rtr());
        List<String> common =
                device.list("connects.rtr").stream().filter(ours::contains).toList();
        List<String> named = common.isEmpty() ? ours : common;
        List<String> needs = device.list("connects.needs");
        return device.list("connects.takes").stream()
                .filter(named::contains)
                .findFirst()
                .filter(kind -> needs.isEmpty() || needs.contains(kind))
                .map(kind -> connects(2, List.of()))
                .orElse(device.is("connects.mismatch", "terminate") ? TERMINATED : LOST_BEFORE_READY);
    }
}
