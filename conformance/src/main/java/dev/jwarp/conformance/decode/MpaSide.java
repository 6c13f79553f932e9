package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Packet.Tcp;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.FramingDiagnosis;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Plausibility;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes apart the bytes that one side of a connection sent: its start-up frame, then FPDUs. In a stream that was
 * not captured whole it finds the next FPDU.
 */
final class MpaSide implements StreamOrder.Sink {
    private static final String LOOKING = "; looking for the next FPDU";
    /** So many bytes of a conversation that was not named are searched for an FPDU. */
    private static final int MOST_SEARCHED = 256 << 10;

    /** Bytes behind the Request that wait for a Reply: none may be sent before it, so it was not captured, or comes late. */
    private static final int MOST_WAITING = 64 << 10;

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
    private final Effort effort = new Effort();
    private final StreamBuffer buffer;
    private Phase phase = Phase.START;

    /** Whether FPDUs have Markers; a guess while {@link #unsure}. */
    private boolean markers;
    /** How this side frames, as far as it is known. */
    private Framing framing = Framing.right(false);
    /** What the sender's count of bytes is ahead of the position; other than 0 only where it counts wrongly. */
    private long shift;

    private final SideStart begin;
    /** Whether it was reported that this side cannot be read with certainty. */
    private boolean doubted;

    /** The start of an FPDU was found in the middle of the stream. */
    private boolean believed;

    private long fpdusRead;
    private long markersRead;
    private final Boundary.Searched boundaries = new Boundary.Searched(effort);
    private final WrongRule wrongRule;
    private final RuleSearch rules;
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
    private boolean effortTold;
    /** Whether it was reported that more than the rest of one FPDU was cut off. */
    private boolean cutBeyondTold;
    /** Whether the other side has confirmed more than was captured of it. */
    private boolean otherBehind;

    MpaSide(MpaTalk talk, Budget budget) {
        this.talk = talk;
        buffer = new StreamBuffer(budget, effort);
        begin = new SideStart(buffer, effort);
        wrongRule = new WrongRule(buffer, effort);
        rules = new RuleSearch(buffer, effort);
    }

    /** Says whether what comes next was sent in the knowledge of bytes that are not decoded yet. */
    void otherBehind(boolean behind) {
        otherBehind = behind;
    }

    boolean otherBehind() {
        return otherBehind;
    }

    /** The effort to find the FPDUs of this side. */
    Effort effort() {
        return effort;
    }

    /** True if bytes that have come wait for others, and may hold more than the beginning of one FPDU. */
    boolean holds() {
        return buffer.available() > 0 && (phase != Phase.FRAMES || fpdusRead == 0 || rules.waits() || !isWithinFpdu());
    }

    private boolean isWithinFpdu() {
        long count = buffer.position() - origin + shift;
        return framing.length(buffer.array(), buffer.start(), buffer.end(), count) > buffer.available();
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
        effort.come(length);
        talk.speaks(this);
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
        if (phase == Phase.FRAMES && !framing.marked() && !certainty().isHeaderLikely()) {
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
        } else if (left + skipped > 0 && phase == Phase.SEEKING && cutBeyondTold) {
            note(left + skipped + " bytes at the end are left out: no FPDU was found in them");
        }
        over();
    }

    /** Stops reading: nothing more of this side is of interest. */
    void over() {
        phase = Phase.OVER;
        buffer.skip(0);
        rules.end();
        talk.forget(this);
    }

    boolean isOver() {
        return phase == Phase.OVER;
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
        return switch (begin.state()) {
            case BEGUN -> false;
            case NO_KEY -> {
                talk.noKey(this);
                yield phase != Phase.START;
            }
            case WHOLE -> {
                started(false);
                yield phase != Phase.WAITING;
            }
        };
    }

    private void started(boolean all) {
        SideStart.Taken frame = begin.take(all);
        origin = buffer.position();
        counted = true;
        phase = Phase.WAITING;
        talk.started(this, frame);
    }

    /**
     * The other side speaks, in the knowledge of all that came of this side: if that is a startup frame that states more private data than there
     * is, it ends here (RFC 5044 §7.1.2: each side waits for the other's).
     */
    void answered() {
        if (phase == Phase.START && begin.isHeaderWhole()) {
            believed = true;
            started(true);
            work(false);
        }
    }

    /**
     * What stands behind a startup frame may be more private data than it states: no FPDU begins there, but one does with the next segment.
     *
     * @return true if more bytes have to tell
     */
    private boolean passOverPrivateData(boolean end) {
        Certainty certainty = certainty();
        if (certainty.isFirstLikely(0) || isFpduWhoseHeaderIsWrong(certainty)) {
            return false;
        }
        int more = begin.morePrivateData(certainty);
        if (more == 0) {
            return !end && begin.mayHaveMore();
        }
        if (begin.isBounded()) {
            talk.morePrivateData(this, begin.length() - StartFrame.HEADER, more);
        }
        begin.pass(more);
        origin = buffer.position();
        believed = true;
        return false;
    }

    private boolean isFpduWhoseHeaderIsWrong(Certainty certainty) {
        Fpdu fpdu = buffer.first(framing, 0, 0);
        return fpdu != null && certainty.isFpduButForHeader(fpdu);
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
        if (fpdusRead == 0 && !believed && buffer.position() == origin && passOverPrivateData(end)) {
            return false;
        }
        long position = buffer.position() - origin;
        Fpdu fpdu = buffer.first(framing, position, position + shift);
        boolean missing = fpdu != null && buffer.source(fpdu.octets().length).missing();
        if ((!unsure || believed) && framing.fault() == FramingFault.NONE && !missing && !rules.isUnexplained()) {
            switch (diagnose(fpdu, position, end)) {
                case WAIT -> {
                    return false;
                }
                case BROKEN -> {
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
                    buffer,
                    new Boundary.Known(true, counted, true, false, FramingFault.NONE),
                    position,
                    end,
                    boundaries);
            Boolean marked = boundary.markersHere();
            if (marked == null) {
                return false;
            }
            if (marked) {
                believe(boundary);
                return true;
            }
        }
        Boolean agreed = talk.markersFrom(this);
        if (believed && !missing) {
            String doubt = certainty().doubt(fpdu, agreed, end);
            if (doubt == null && !end) {
                return false;
            }
            if (doubt == null || !doubt.isEmpty()) {
                doubt(doubt == null ? "the stream ends before it is known what follows" : doubt);
                return true;
            }
        }
        boolean good = (fpdu.crcGood() && !framing.fault().provesNothing())
                || (Plausibility.ulpdu(fpdu.ulpdu())
                        && (source.missing()
                                || framing.fault().provesNothing()
                                || !Boolean.TRUE.equals(talk.crcInUse())));
        if ((!good && doubtful) || certainty().makesNoSense(fpdu)) {
            lose("the stream makes no sense here; looking for the next FPDU");
            return true;
        }
        doubtful = !good;
        rules.taken();
        if (showsSurplus(fpdu, source)) {
            return true;
        }
        shift = framing.countAfter(position + shift, fpdu) - position - fpdu.octets().length;
        fpdusRead++;
        markersRead += fpdu.markers().size();
        buffer.drop(fpdu.octets().length);
        if (unsure && buffer.position() - believedAt > 2 * Framer.INTERVAL) {
            unsure = false;
        }
        boolean sized = !framing.fault().countsPad() && (agreed != null || fpdu.likeMarker() < 0);
        talk.framed(this, fpdu, framing.fault(), sized, source);
        return true;
    }

    /** Looks whether the FPDU that was read shows that the lengths of those before count more than their ULPDU: then it is read again. */
    private boolean showsSurplus(Fpdu fpdu, StreamBuffer.Source source) {
        RuleSearch.Surplus surplus = rules.surplus(fpdu, framing.fault() == FramingFault.NONE, source.missing());
        switch (surplus) {
            case NONE -> {
                return false;
            }
            case UNCLEAR -> {
                talk.sizeUnclear(this);
                return false;
            }
            case PAD, ITSELF -> {
                FramingFault fault = surplus == RuleSearch.Surplus.PAD
                        ? FramingFault.LENGTH_COUNTS_PAD
                        : FramingFault.LENGTH_COUNTS_ITSELF;
                framing = new Framing(markers, fault, begin.length());
                talk.misframed(this, fault, fault.words(), source);
            }
        }
        return true;
    }

    /** Looks whether an FPDU that is not sound, or does not end, shows a rule of framing that this side breaks. */
    private RuleSearch.Next diagnose(@Nullable Fpdu fpdu, long position, boolean end) {
        boolean agreed = !believed || Boolean.FALSE.equals(talk.markersFrom(this));
        RuleSearch.Next next = rules.look(
                fpdu,
                new Suspect.Side(markers, Boolean.TRUE.equals(talk.crcInUse()), begin.length(), rules.open()),
                new FramingDiagnosis.Place(position, fpdusRead, markersRead, agreed, buffer.position()),
                certainty(),
                end);
        FramingDiagnosis.Verdict verdict = rules.found();
        if (next == RuleSearch.Next.BROKEN && verdict != null) {
            framing = verdict.framing();
            shift = framing.countAt(position, fpdusRead, markersRead) - position;
            markers = framing.marked();
            talk.misframed(this, framing.fault(), verdict.what(), buffer.source(1));
        }
        return next;
    }

    private Certainty certainty() {
        long count = buffer.position() - origin + shift;
        return new Certainty(buffer, framing, count, Boolean.TRUE.equals(talk.crcInUse()));
    }

    /** What stands here may be an FPDU, and may be none. */
    private void doubt(String why) {
        if (!doubted) {
            note("from byte " + buffer.position() + " of this side on it is not certain where FPDUs begin: " + why
                    + "; only those that are beyond doubt are shown");
        }
        doubted = true;
        seekAgain();
        buffer.drop(1);
        skipped = 1;
    }

    private void lose(String text) {
        note(text);
        seekAgain();
    }

    private void seekAgain() {
        phase = Phase.SEEKING;
        rules.drop();
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
        if (effort.refused() && talk.found() && !effortTold) {
            effortTold = true;
            note("too much of this side looks like the start of an FPDU: from here on some places are passed over");
        }
        Boundary boundary = new Boundary(buffer, known, buffer.position() - origin + shift, end, boundaries);
        int next = boundary.find();
        if (!known.onlyCrc() && framing.fault() == FramingFault.NONE && !Boolean.TRUE.equals(known.markers())) {
            int until = next < 0 ? boundary.at() : next;
            boolean unmarked = Boolean.FALSE.equals(talk.markersFrom(this));
            int held = wrongRule.look(until, rules.open(), Boolean.TRUE.equals(used), unmarked, end);
            FramingDiagnosis.Verdict found = wrongRule.found();
            if (found != null) {
                skip(held);
                believe(found);
                return true;
            }
            next = held < until ? held : next;
        }
        if (next >= 0) {
            skip(next);
            if (searched > MOST_SEARCHED && !talk.found()) {
                talk.searchedInVain(this);
            }
            return false;
        }
        skip(boundary.at());
        believe(boundary);
        talk.foundBy(this, doubted ? "" : boundary.how(), skipped, buffer.source(1));
        skipped = 0;
        return true;
    }

    private void skip(int octets) {
        skipped += octets;
        searched += octets;
        buffer.drop(octets);
    }

    private void believe(FramingDiagnosis.Verdict found) {
        origin = buffer.position();
        believeHere(found.framing());
        talk.foundBy(this, doubted ? "" : "the start of a TCP segment", skipped, buffer.source(1));
        talk.misframed(this, framing.fault(), found.what(), buffer.source(1));
        skipped = 0;
    }

    private void believe(Boundary boundary) {
        origin = buffer.position() - boundary.position();
        counted |= boundary.markers();
        unsure &= !boundary.markers();
        believeHere(new Framing(boundary.markers(), framing.fault(), begin.length()));
    }

    private void believeHere(Framing known) {
        markers = known.markers();
        framing = known;
        shift = 0;
        rules.restart();
        believed = true;
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

    @Override
    public void leftOut(Tcp segment) {
        if (talk.found()) {
            note("the last segment, of " + (segment.length() + segment.cut())
                    + " bytes, is left out: it lies more than 1 GiB from all others, and may be of another connection");
        }
    }

    /** Gives up bytes that wait for more, because others need the memory. */
    void giveUp() {
        if (buffer.available() == 0) {
            return;
        }
        if (phase == Phase.FRAMES) {
            seekBehind(0);
        } else {
            gap(0, false);
        }
    }

    /** What is missing may lie within one FPDU, whose length is known: then the next one follows all the same. */
    private void gapInFrames(long length, boolean snapLength) {
        long rest = length;
        rules.drop();
        long count = buffer.position() - origin + shift;
        byte[] head = framing.head(buffer.array(), buffer.start(), buffer.end(), count, Certainty.HEADERS);
        if (head.length == Certainty.HEADERS && (!believed || certainty().isHeaderCertain())) {
            int total = framing.length(buffer.array(), buffer.start(), buffer.end(), count);
            int missing = (int) Math.min(rest, Math.max(0, total - buffer.available()));
            buffer.addMissing(missing);
            // Whether it ends there is not known for certain.
            believed = true;
            rest -= missing;
            work(false);
        }
        if (!snapLength) {
            note(length + " bytes are missing from the capture" + (rest > 0 ? LOOKING : ""));
        } else if (!cutTold || (rest > 0 && !cutBeyondTold)) {
            cutTold = true;
            cutBeyondTold = rest > 0;
            note("frames were cut when they were captured (tcpdump -s): payloads and CRCs are not all there"
                    + (rest > 0 ? LOOKING : ""));
        }
        if (rest > 0) {
            seekBehind(rest);
        }
    }

    /** Looks for an FPDU behind all that is held, and {@code missing} bytes that never came. */
    private void seekBehind(long missing) {
        seekAgain();
        skipped = buffer.available();
        buffer.skip(missing);
    }

    private void note(String text) {
        talk.note(this, text, List.of());
    }
}
