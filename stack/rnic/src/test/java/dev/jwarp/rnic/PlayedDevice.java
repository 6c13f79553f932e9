package dev.jwarp.rnic;

import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.rnic.ScriptLine.Names;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An emulated device that starts up as in its profile, and then sends one Send and answers one, as a program above it
 * would. Input and output are bytes. The object stands for one connection, or for a second one if a side tries again.
 * Any thread.
 */
final class PlayedDevice {
    /** What a Send of the device carries. */
    static final String GREETING = "\"from the device\"";

    private static final Names NO_NAMES = (name, key) -> null;
    private static final int HEADER = 20;
    private static final String RESET = "reset";

    /** The destination of its output. */
    interface Wire {
        void send(byte[] octets);

        void end(Ending ending);
    }

    private final DeviceProfile profile;
    private final boolean connects;
    private int revision;
    private ScriptFrames frames = new ScriptFrames();
    private byte[] input = new byte[0];
    private boolean started;
    private boolean crc;
    private boolean sendsMarkers;
    private boolean sentAny;
    private boolean readUnanswered;
    private boolean over;
    private boolean again;
    private @Nullable String first;
    private @Nullable String heard;
    private @Nullable String fault;

    PlayedDevice(DeviceProfile profile, boolean connects) {
        this.profile = profile;
        this.connects = connects;
        revision = profile.number("connects.revision");
    }

    // ---- results for the test

    synchronized boolean isOver() {
        return over;
    }

    /** {@return whether the device wants to connect again; true once} */
    synchronized boolean takeAgain() {
        boolean wanted = again;
        again = false;
        return wanted;
    }

    /** {@return the payload of the other side's Send, once all expected messages have arrived; null before} */
    synchronized @Nullable String heard() {
        return readUnanswered ? null : heard;
    }

    /**
     * {@return the kind of the first FPDU: write, read or send if it was empty, otherwise {@code data}; null before}
     */
    synchronized @Nullable String first() {
        return first;
    }

    /** {@return the revision of the current connection's frames} */
    synchronized int revision() {
        return revision;
    }

    /** {@return protocol violations of the other side} */
    synchronized @Nullable String fault() {
        return fault;
    }

    // ---- the connection

    synchronized void onConnected(Wire wire) {
        frames = new ScriptFrames();
        input = new byte[0];
        started = false;
        sentAny = false;
        over = false;
        first = null;
        if (connects) {
            String flags = profile.is("connects.crc", "on") ? "C " : "";
            String rtr = revision == 2 ? String.join(",", profile.list("connects.rtr")) : "";
            wire.send(startFrame("< request " + flags, profile.number("depth"), profile.number("depth"), rtr));
        }
    }

    private byte[] startFrame(String begin, int ird, int ord, String rtr) {
        String word = revision == 2 ? " ird=" + ird + " ord=" + ord + (rtr.isEmpty() ? "" : " rtr=" + rtr) : "";
        ScriptLine line = line(begin + " rev=" + revision + word);
        return ScriptFrames.startFrame(line, connects, NO_NAMES);
    }

    private ScriptLine line(String text) {
        return new ScriptLine(profile.name(), 0, text);
    }

    synchronized void receive(byte[] octets, Wire wire) {
        byte[] all = Arrays.copyOf(input, input.length + octets.length);
        System.arraycopy(octets, 0, all, input.length, octets.length);
        int length = frameLength(all);
        while (length > 0 && !over) {
            byte[] frame = Arrays.copyOf(all, length);
            all = Arrays.copyOfRange(all, length, all.length);
            if (started) {
                onFpdu(frame, wire);
            } else {
                onStartFrame(frame, wire);
            }
            length = frameLength(all);
        }
        input = all;
    }

    private int frameLength(byte[] octets) {
        return started ? ScriptFrames.fpduLength(octets, true) : ScriptFrames.startFrameLength(octets);
    }

    synchronized void onEnd(boolean reset) {
        if (connects && !started && reset && revision == 2 && profile.is("connects.again", RESET)) {
            revision = 1;
            again = true;
        } else {
            over = true;
        }
    }

    private void end(Wire wire, Ending ending) {
        over = true;
        wire.end(ending);
    }

    // ---- start-up

    private void onStartFrame(byte[] frame, Wire wire) {
        Map<String, String> got = ScriptFrames.startFields(frame);
        if (frame.length - HEADER > profile.number("private-data.most")) {
            end(wire, Ending.ABORT);
        } else if (connects) {
            onReply(got, wire);
        } else {
            onRequest(got, wire);
        }
    }

    private static boolean yes(Map<String, String> fields, String flag) {
        return "yes".equals(fields.get(flag));
    }

    private static String text(Map<String, String> fields, String key) {
        return Objects.requireNonNull(fields.get(key), key);
    }

    private void onRequest(Map<String, String> got, Wire wire) {
        if (!profile.list("listens.revisions").contains(text(got, "rev"))) {
            end(wire, Ending.ABORT);
            return;
        }
        revision = Integer.parseInt(text(got, "rev"));
        crc = yes(got, "C") || profile.is("listens.crc", "on");
        sendsMarkers = yes(got, "M");
        boolean refuses = sendsMarkers && profile.is("markers", "refuses");
        String rtr = "";
        if (revision == 2 && !refuses) {
            boolean peerToPeer = !text(got, "rtr").startsWith("none");
            String answer = peerToPeer ? answer(DeviceProfile.words(text(got, "rtr"))) : "";
            if (answer.equals(RESET) || (!peerToPeer && profile.is("listens.needs-peer-to-peer", "yes"))) {
                end(wire, Ending.ABORT);
                return;
            }
            rtr = answer;
        }
        int most = profile.number("depth");
        int ord = revision == 2 ? Math.min(most, Integer.parseInt(text(got, "ird"))) : most;
        wire.send(startFrame("< reply " + (crc ? "C " : "") + (refuses ? "R " : ""), most, ord, rtr));
        started = true;
        if (refuses) {
            end(wire, Ending.CLOSE);
        }
    }

    /** {@return the ready-to-receive messages of the Reply, nothing for a client-server Reply, or {@code reset}} */
    private String answer(List<String> asked) {
        List<String> common = new ArrayList<>(profile.list("listens.rtr"));
        common.retainAll(asked);
        List<String> answer;
        String rule = common.isEmpty() ? profile.value("listens.none-in-common") : profile.value("listens.answers");
        switch (rule) {
            case RESET, "client-server" -> {
                return rule.equals(RESET) ? RESET : "";
            }
            case "first" -> answer = new ArrayList<>(common.subList(0, 1));
            case "common" -> answer = common;
            default -> answer = DeviceProfile.words(rule.substring("own ".length()));
        }
        answer.addAll(profile.list("listens.always-names"));
        return String.join(",", answer);
    }

    private void onReply(Map<String, String> got, Wire wire) {
        if (Integer.parseInt(text(got, "rev")) != revision) {
            fault = "a Reply of revision " + got.get("rev") + " to a Request of revision " + revision;
        }
        crc = yes(got, "C") || profile.is("connects.crc", "on");
        sendsMarkers = yes(got, "M");
        started = true;
        if (yes(got, "R") || (sendsMarkers && profile.is("markers", "refuses"))) {
            end(wire, Ending.CLOSE);
            return;
        }
        String rtr = profile.value("connects.rtr-after-revision-1");
        if (revision == 2) {
            rtr = "none";
            if (profile.is("connects.peer-to-peer", "on")) {
                List<String> named = DeviceProfile.words(text(got, "rtr"));
                List<String> needs = profile.list("connects.needs");
                rtr = profile.list("connects.takes").stream()
                        .filter(named::contains)
                        .findFirst()
                        .orElse("nothing");
                if (rtr.equals("nothing") || (!needs.isEmpty() && !needs.contains(rtr))) {
                    mismatch(wire);
                    return;
                }
            }
        }
        switch (rtr) {
            case "write" -> send(wire, "< tagged L write stag=1 to=1 len=0");
            case "read" -> {
                readUnanswered = true;
                send(wire, "< untagged L read-request sink=1 sinkto=1 size=0 source=1 sourceto=1");
            }
            case "send" -> send(wire, "< untagged L send len=0");
            default -> {}
        }
        send(wire, "< untagged L send data=" + GREETING);
    }

    private void mismatch(Wire wire) {
        if (profile.is("connects.mismatch", "terminate")) {
            send(wire, "< untagged L terminate code=0x2/0x0/0x07");
            end(wire, Ending.CLOSE);
        } else {
            end(wire, Ending.ABORT);
        }
    }

    // ---- FPDUs

    private void send(Wire wire, String text) {
        // RFC 5044 §4.3: the first octet of a direction is a Marker; there are fewer than 512 in all.
        String marker = sendsMarkers && !sentAny ? " marker" : "";
        sentAny = true;
        wire.send(frames.fpdu(line(text + marker), NO_NAMES));
    }

    private void onFpdu(byte[] fpdu, Wire wire) {
        Map<String, String> got = ScriptFrames.fpduFields(fpdu, crc);
        String message = text(got, "message");
        boolean empty = got.get("len").equals("0");
        if (!got.get("crc").equals("good")) {
            fault = "a bad CRC in a " + message;
        }
        if (first == null) {
            first = message.equals("read-request") ? "read" : message.equals("send") && !empty ? "data" : message;
        }
        switch (message) {
            case "read-request" ->
                send(wire, "< tagged L read-response stag=" + got.get("sink") + " to=" + got.get("sinkto") + " len=0");
            case "read-response" -> readUnanswered = false;
            case "send" -> {
                if (!empty) {
                    heard = got.get("data");
                    if (!connects) {
                        send(wire, "< untagged L send data=" + GREETING);
                    }
                }
            }
            default -> {}
        }
    }
}
