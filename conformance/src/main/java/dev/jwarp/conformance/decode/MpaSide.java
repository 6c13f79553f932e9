package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Packet.Tcp;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Plausible;
import dev.jwarp.conformance.wire.StartFrame;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The octets that one side of a connection sent, taken apart: its startup frame, then FPDUs. Finds back into a stream that was not captured whole. */
final class MpaSide implements StreamOrder.Sink {
    private static final int KEY = 16;
    /** Where octets of a conversation that was not named are looked through for an FPDU. */
    private static final int MOST_SEARCHED = 256 << 10;

    /** Octets behind the Request that wait for a Reply: none may be sent before it, so it was not captured, or comes late. */
    private static final int MOST_WAITING = 64 << 10;

    private static final int HEADERS = 2 + 18;
    private static final byte[] REQUEST_KEY = StartFrame.REQUEST_KEY.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = StartFrame.REPLY_KEY.getBytes(StandardCharsets.US_ASCII);

    private enum Phase {
        /** A startup frame is expected. */
        START,
        /** It has come, and what the other side answers is not known yet. */
        WAITING,
        FRAMES,
        /** In the middle of the stream: the start of an FPDU is looked for. */
        SEEKING,
        OVER
    }

    private final MpaTalk talk;
    private final StreamBuffer buffer = new StreamBuffer();
    private Phase phase = Phase.START;

    /** Whether FPDUs have Markers; a guess while {@link #unsure}. */
    private boolean markers;

    private boolean unsure;
    /** Stream position of the first Marker; means nothing before {@link #counted}. */
    private long origin;

    private boolean counted;
    private long believedAt;
    private boolean doubtful;
    private boolean lostWhileWaiting;

    private int searched;
    private long skipped;
    private boolean cutTold;
    /** Whether the other side has confirmed more than was captured of it. */
    private boolean otherBehind;

    MpaSide(MpaTalk talk) {
        this.talk = talk;
    }

    /** Says whether what comes next was sent in the knowledge of octets that are not decoded yet. */
    void otherBehind(boolean behind) {
        otherBehind = behind;
    }

    boolean otherBehind() {
        return otherBehind;
    }

    @Override
    public void octets(Tcp segment, int skip, int length) {
        if (phase == Phase.OVER) {
            return;
        }
        buffer.add(
                segment.data(),
                segment.at() + skip,
                length,
                segment.frame().number(),
                segment.frame().nanos());
        work(false);
        if (phase == Phase.WAITING && buffer.available() > MOST_WAITING) {
            goOnWithoutReply();
        }
    }

    @Override
    public void end(boolean fin) {
        if (phase == Phase.WAITING && buffer.available() > 0) {
            goOnWithoutReply();
        }
        work(true);
        if (phase == Phase.FRAMES && isNonsense()) {
            lose("the stream makes no sense here; looking for the next FPDU");
            work(true);
        }
        int left = buffer.available();
        if (left > 0 && phase == Phase.FRAMES && talk.found()) {
            note(
                    fin
                            ? "the stream ends " + left + " bytes into an FPDU"
                            : "the capture ends " + left + " bytes into an FPDU");
        } else if (left > 0 && phase == Phase.START && talk.found()) {
            note("the stream ends " + left + " bytes into a startup frame");
        }
        over();
    }

    /** True if what waits for the rest of an FPDU looks like none. */
    private boolean isNonsense() {
        int at = buffer.start() + 2;
        return !markers
                && buffer.available() >= HEADERS
                && !Plausible.header(
                        buffer.array(), at, buffer.end(), (int) Octets.number(buffer.array(), buffer.start(), 2));
    }

    /** Nothing more of this side is of interest. */
    void over() {
        phase = Phase.OVER;
        buffer.release();
    }

    private void work(boolean end) {
        boolean more = true;
        while (more) {
            more = switch (phase) {
                case START -> buffer.available() > 0 && start();
                case WAITING -> false;
                case FRAMES -> buffer.available() > 0 && frame(end);
                case SEEKING -> buffer.available() > 0 && seek(end);
                case OVER -> {
                    buffer.skip(0);
                    yield false;
                }
            };
        }
    }

    private boolean start() {
        byte[] head =
                Arrays.copyOfRange(buffer.array(), buffer.start(), buffer.start() + Math.min(KEY, buffer.available()));
        boolean request = begins(REQUEST_KEY, head);
        if (!request && !begins(REPLY_KEY, head)) {
            talk.noKey(this);
            return phase != Phase.START;
        }
        if (buffer.available() < StartFrame.HEADER) {
            return false;
        }
        int declared = (int) Octets.number(buffer.array(), buffer.start() + 18, 2);
        boolean tooLong = declared > 512;
        int length = StartFrame.HEADER + (tooLong ? 0 : declared);
        if (buffer.available() < length) {
            return false;
        }
        byte[] octets = Arrays.copyOfRange(buffer.array(), buffer.start(), buffer.start() + length);
        StreamBuffer.Source source = buffer.source(length);
        buffer.drop(length);
        origin = buffer.position();
        counted = true;
        phase = tooLong ? Phase.OVER : Phase.WAITING;
        talk.started(this, request, StartFrame.parse(octets), octets, declared, source);
        return phase != Phase.WAITING;
    }

    private static boolean begins(byte[] key, byte[] head) {
        return Arrays.equals(key, 0, head.length, head, 0, head.length);
    }

    /** The startup frames agree: FPDUs follow. */
    void open(@Nullable Boolean withMarkers) {
        if (phase != Phase.WAITING) {
            return;
        }
        markers = Boolean.TRUE.equals(withMarkers);
        unsure = withMarkers == null;
        believedAt = buffer.position();
        phase = lostWhileWaiting ? Phase.SEEKING : Phase.FRAMES;
        work(false);
    }

    /** The startup frame of this stream is not there, or has not the form of one. */
    void seekFrames() {
        phase = Phase.SEEKING;
        unsure = true;
    }

    /** The other side's startup frame will not come. */
    void goOnWithoutReply() {
        open(talk.markersFrom(this));
    }

    private boolean frame(boolean end) {
        long position = buffer.position() - origin;
        Fpdu fpdu = FpduReader.read(buffer.array(), buffer.start(), buffer.end(), markers, position);
        if (fpdu == null) {
            return false;
        }
        StreamBuffer.Source source = buffer.source(fpdu.octets().length);
        if (unsure && !fpdu.crcGood() && !source.missing()) {
            Boundary boundary = new Boundary(buffer, new Boundary.Known(true, counted, true, false), position, end);
            Boolean marked = boundary.markersHere();
            if (marked == null) {
                return false;
            }
            if (marked) {
                believe(boundary);
                return true;
            }
        }
        boolean good = fpdu.crcGood()
                || (Plausible.ulpdu(fpdu.ulpdu()) && (source.missing() || !Boolean.TRUE.equals(talk.crcInUse())));
        if (!good && doubtful) {
            lose("the stream makes no sense here; looking for the next FPDU");
            return true;
        }
        doubtful = !good;
        buffer.drop(fpdu.octets().length);
        if (unsure && buffer.position() - believedAt > 2 * 512) {
            unsure = false;
        }
        talk.framed(this, fpdu, source);
        return true;
    }

    private void lose(String text) {
        note(text);
        phase = Phase.SEEKING;
        doubtful = false;
        skipped = 0;
        searched = 0;
        talk.lost(this);
    }

    private boolean seek(boolean end) {
        Boolean used = talk.crcInUse();
        Boundary.Known known = new Boundary.Known(
                unsure ? talk.markersFrom(this) : Boolean.valueOf(markers),
                counted && !unsure,
                !Boolean.TRUE.equals(used),
                !talk.found() && !talk.named());
        Boundary boundary = new Boundary(buffer, known, buffer.position() - origin, end);
        int next = boundary.find(0);
        if (next >= 0) {
            skipped += next;
            searched += next;
            buffer.drop(next);
            if (searched > MOST_SEARCHED && !talk.found()) {
                talk.searchedInVain(this);
            }
            return false;
        }
        skipped += boundary.at();
        buffer.drop(boundary.at());
        believe(boundary);
        talk.foundBy(this, boundary.how(), skipped, buffer.source(1));
        skipped = 0;
        return true;
    }

    private void believe(Boundary boundary) {
        markers = boundary.markers();
        origin = buffer.position() - boundary.position();
        counted |= markers;
        unsure &= !markers;
        believedAt = buffer.position();
        phase = Phase.FRAMES;
        doubtful = false;
    }

    @Override
    public void gap(long length, boolean snapLength) {
        switch (phase) {
            case OVER -> {}
            case START -> {
                buffer.skip(length);
                talk.noStart(this);
            }
            case WAITING -> {
                lostWhileWaiting = true;
                talk.lost(this);
                buffer.skip(length);
            }
            case FRAMES -> gapInFrames(length, snapLength);
            case SEEKING -> {
                skipped += buffer.available();
                buffer.skip(length);
            }
        }
    }

    /** What is missing may lie within one FPDU, whose length is known: then the next one follows all the same. */
    private void gapInFrames(long length, boolean snapLength) {
        long rest = length;
        int lead = FpduReader.lead(markers, buffer.position() - origin);
        if (buffer.available() >= lead + HEADERS) {
            int total = FpduReader.length(
                    buffer.array(), buffer.start(), buffer.end(), markers, buffer.position() - origin);
            int missing = (int) Math.min(rest, Math.max(0, total - buffer.available()));
            buffer.addMissing(missing);
            rest -= missing;
            work(false);
        }
        if (!snapLength) {
            note(length + " bytes are missing from the capture" + (rest > 0 ? "; looking for the next FPDU" : ""));
        } else if (!cutTold) {
            cutTold = true;
            note("frames were cut when they were captured (tcpdump -s): payloads and CRCs are not all there");
        }
        if (rest > 0) {
            phase = Phase.SEEKING;
            skipped = buffer.available();
            searched = 0;
            doubtful = false;
            talk.lost(this);
            buffer.skip(rest);
        }
    }

    private void note(String text) {
        talk.note(this, text, List.of());
    }
}
