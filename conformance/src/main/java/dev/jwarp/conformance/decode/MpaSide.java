package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Packet.Tcp;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.FramingDiagnosis;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Plausible;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
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
    /** What is held to find out how a side frames: the longest FPDU and some more. */
    private static final int MOST_DIAGNOSED = 160 << 10;

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
    /** How this side frames, as far as it is known. */
    private Framing framing = Framing.right(false);
    /** What the sender's count of octets is ahead of the position; other than 0 only where it counts wrongly. */
    private long shift;
    /** Rules of framing that the FPDUs so far would not have shown to be broken. */
    private final EnumSet<FramingFault> open = EnumSet.allOf(FramingFault.class);

    private int startOctets;
    /** The start of an FPDU was found in the middle of the stream. */
    private boolean believed;

    private @Nullable Segment before;
    private long fpdusRead;
    private long markersRead;
    private @Nullable FramingDiagnosis diagnosis;
    /** Stream position up to which the diagnosis has what came. */
    private long diagnosed;
    /** No rule explains what stands here: it is one FPDU that is wrong. */
    private boolean unexplained;

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

    /** True if octets that have come wait until it is known how they are framed. */
    boolean holds() {
        return diagnosis != null;
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
        if (phase == Phase.FRAMES && !framing.marked() && !isHeaderLikely()) {
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
        startOctets = length;
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
        framing = Framing.right(markers);
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
        Fpdu fpdu = framing.read(buffer.array(), buffer.start(), buffer.end(), position, position + shift);
        boolean missing = fpdu != null && buffer.source(fpdu.octets().length).missing();
        if ((!unsure || believed) && framing.fault() == FramingFault.NONE && !missing && !unexplained) {
            switch (diagnose(fpdu, position, end)) {
                case WAIT -> {
                    return false;
                }
                case CHANGED -> {
                    return true;
                }
                case GO -> {}
            }
        }
        if (fpdu == null) {
            return false;
        }
        StreamBuffer.Source source = buffer.source(fpdu.octets().length);
        if (unsure && !fpdu.crcGood() && !source.missing()) {
            Boundary boundary = new Boundary(
                    buffer, new Boundary.Known(true, counted, true, false, FramingFault.NONE), position, end);
            Boolean marked = boundary.markersHere();
            if (marked == null) {
                return false;
            }
            if (marked) {
                believe(boundary);
                return true;
            }
        }
        if (believed && !missing && !Boolean.TRUE.equals(talk.crcInUse()) && !fpdu.crcGood()) {
            // Nothing but plausibility led here.
            Boolean sound = isSound(fpdu);
            if (sound == null && !end) {
                return false;
            }
            if (!Boolean.TRUE.equals(sound)) {
                lose("the stream makes no sense here; looking for the next FPDU");
                buffer.drop(1);
                skipped = 1;
                return true;
            }
        }
        boolean good = (fpdu.crcGood() && !framing.fault().provesNothing())
                || (Plausible.ulpdu(fpdu.ulpdu())
                        && (source.missing()
                                || framing.fault().provesNothing()
                                || !Boolean.TRUE.equals(talk.crcInUse())));
        if (!good && doubtful) {
            lose("the stream makes no sense here; looking for the next FPDU");
            return true;
        }
        doubtful = !good;
        unexplained = false;
        lookForCountedPad(fpdu, source);
        shift = framing.countAfter(position + shift, fpdu) - position - fpdu.octets().length;
        fpdusRead++;
        markersRead += fpdu.markers().size();
        buffer.drop(fpdu.octets().length);
        if (unsure && buffer.position() - believedAt > 2 * 512) {
            unsure = false;
        }
        talk.framed(this, fpdu, framing.fault(), source);
        return true;
    }

    /** Where all pads are counted, every reading fits, and only offsets within a message show it. */
    private void lookForCountedPad(Fpdu fpdu, StreamBuffer.Source source) {
        Segment segment = Plausible.ulpdu(fpdu.ulpdu()) && !source.missing() ? fpdu.segment() : null;
        if (segment != null
                && before != null
                && framing.fault() == FramingFault.NONE
                && open.contains(FramingFault.LENGTH_COUNTS_PAD)
                && FramingDiagnosis.showsCountedPad(before, segment)) {
            framing = new Framing(markers, FramingFault.LENGTH_COUNTS_PAD, startOctets);
            talk.misframed(this, framing.fault(), framing.fault().words(), source);
        }
        before = segment;
    }

    private enum Diagnosed {
        /** More octets have to tell. */
        WAIT,
        /** The stream is read by another rule from here on. */
        CHANGED,
        GO
    }

    /** Looks whether an FPDU that is not sound, or does not end, shows a rule of framing that this side breaks. */
    private Diagnosed diagnose(@Nullable Fpdu fpdu, long position, boolean end) {
        Boolean sound = fpdu == null ? null : isSound(fpdu);
        if (fpdu != null && Boolean.TRUE.equals(sound)) {
            Fpdu whole = fpdu;
            open.removeIf(fault -> {
                Framing other = new Framing(markers, fault, startOctets);
                return !other.agrees(whole, other.countAt(position, fpdusRead, markersRead));
            });
            diagnosis = null;
            return Diagnosed.GO;
        }
        if (fpdu == null && fpdusRead > 0 && !end && isHeaderLikely()) {
            return Diagnosed.WAIT;
        }
        if (buffer.available() > MOST_DIAGNOSED) {
            return unexplained();
        }
        if (diagnosis == null) {
            FramingDiagnosis.Place place = new FramingDiagnosis.Place(position, fpdusRead, markersRead);
            diagnosis = new FramingDiagnosis(
                    markers, Boolean.TRUE.equals(talk.crcInUse()), startOctets, place, EnumSet.copyOf(open));
            diagnosed = buffer.position();
        }
        int from = buffer.start() + (int) (diagnosed - buffer.position());
        diagnosis.add(Arrays.copyOfRange(buffer.array(), from, buffer.end()));
        diagnosed = buffer.position() + buffer.available();
        FramingDiagnosis.Verdict verdict = diagnosis.verdict(end);
        return switch (verdict.state()) {
            case BROKEN -> {
                framing = verdict.framing();
                shift = framing.countAt(position, fpdusRead, markersRead) - position;
                markers = framing.marked();
                diagnosis = null;
                talk.misframed(this, framing.fault(), verdict.what(), buffer.source(1));
                yield Diagnosed.CHANGED;
            }
            case UNEXPLAINED -> unexplained();
            case RIGHT, UNDECIDED ->
                fpdu != null && verdict.requirement().isEmpty() && (end || isFollowedBySound(fpdu, position))
                        ? unexplained()
                        : Diagnosed.WAIT;
        };
    }

    private Diagnosed unexplained() {
        unexplained = true;
        diagnosis = null;
        return Diagnosed.GO;
    }

    /** Whether an FPDU is beyond doubt; null if what follows has to tell. */
    private @Nullable Boolean isSound(Fpdu fpdu) {
        return isSound(fpdu, fpdu.octets().length);
    }

    private @Nullable Boolean isSound(Fpdu fpdu, int next) {
        boolean pointed = fpdu.markers().stream().allMatch(m -> m.reserved() == 0 && m.points());
        if (!pointed || (Boolean.TRUE.equals(talk.crcInUse()) && !fpdu.crcGood())) {
            return false;
        }
        if (fpdu.crcGood() && Octets.number(fpdu.octets(), fpdu.octets().length - 4, 4) != 0) {
            return true;
        }
        if (!Plausible.ulpdu(fpdu.ulpdu())) {
            return false;
        }
        if (next == buffer.available() || buffer.beginsFrame(next)) {
            return true;
        }
        long position = buffer.position() - origin + next;
        byte[] head = framing.head(buffer.array(), buffer.start() + next, buffer.end(), position + shift, HEADERS);
        return head.length < HEADERS ? null : Plausible.header(head, 2, head.length, (int) Octets.number(head, 0, 2));
    }

    private boolean isFollowedBySound(Fpdu fpdu, long position) {
        int length = fpdu.octets().length;
        long next = position + length;
        Fpdu following = framing.read(buffer.array(), buffer.start() + length, buffer.end(), next, next + shift);
        return following != null && Boolean.TRUE.equals(isSound(following, length + following.octets().length));
    }

    /** True if what waits for the rest of an FPDU looks like one, or is too little to tell. */
    private boolean isHeaderLikely() {
        long position = buffer.position() - origin;
        byte[] head = framing.head(buffer.array(), buffer.start(), buffer.end(), position + shift, HEADERS);
        return head.length < HEADERS
                || Plausible.header(head, 2, head.length, framing.ulpduLength((int) Octets.number(head, 0, 2)));
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
                counted && !unsure && !framing.losesCount(),
                !Boolean.TRUE.equals(used),
                !talk.found() && !talk.named(),
                framing.fault());
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
        framing = new Framing(markers, framing.fault(), startOctets);
        shift = 0;
        open.remove(FramingFault.MARKERS_FORGET_CRC);
        open.remove(FramingFault.MARKERS_FORGET_THEMSELVES);
        if (unsure) {
            // What was agreed on is not known.
            open.removeIf(FramingFault::ofMarkers);
        }
        before = null;
        unexplained = false;
        believed = true;
        diagnosis = null;
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
        diagnosis = null;
        long count = buffer.position() - origin + shift;
        byte[] head = framing.head(buffer.array(), buffer.start(), buffer.end(), count, HEADERS);
        if (head.length == HEADERS) {
            int total = framing.length(buffer.array(), buffer.start(), buffer.end(), count);
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
