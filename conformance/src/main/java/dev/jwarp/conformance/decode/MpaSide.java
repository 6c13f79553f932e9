package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Packet.Tcp;
import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.FramingDiagnosis;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Plausibility;
import dev.jwarp.conformance.wire.StartFrame;
import org.jspecify.annotations.Nullable;

/**
 * Parses the bytes that one side of a connection sent: its start-up frame, then FPDUs. In a stream with missing bytes
 * it finds the next FPDU.
 */
final class MpaSide implements StreamOrder.Sink {
    private static final String LOOKING = "; looking for the next FPDU";
    /** Limit of the bytes that are searched for an FPDU in a conversation whose port was not named. */
    private static final int MOST_SEARCHED = 256 << 10;

    /**
     * Limit of the bytes after the Request that wait for a Reply: none may be sent before the Reply, so it is missing
     * or comes late.
     */
    private static final int MOST_WAITING = 64 << 10;

    private enum Phase {
        /** A startup frame is expected. */
        START,
        /** The startup frame has come, and the answer of the other side is not known yet. */
        WAITING,
        FRAMES,
        /** In the middle of the stream: the decoder looks for the start of an FPDU. */
        SEEKING,
        OVER
    }

    private final MpaTalk talk;
    private final Effort effort = new Effort();
    private final StreamBuffer buffer;
    private Phase phase = Phase.START;

    /** Whether FPDUs have Markers; a guess while {@link #unsure}. */
    private boolean markers;
    /** The framing of this side, as far as it is known. */
    private Framing framing = Framing.right(false);
    /**
     * Difference between the sender's count of bytes and the position; other than 0 only if the sender counts wrongly.
     */
    private long shift;

    private final SideStart begin;
    /** Whether a note has said that this side cannot be read with certainty. */
    private boolean doubted;

    /** Whether the start of an FPDU was found in the middle of the stream. */
    private boolean believed;

    private long fpdusRead;
    private long markersRead;
    private final Boundary.Searched boundaries = new Boundary.Searched(effort);
    private final WrongRule wrongRule;
    private final RuleSearch rules;
    private boolean unsure;
    /** Stream position of the first Marker; only valid while {@link #counted} is true. */
    private long origin;

    private boolean counted;
    private long believedAt;
    private boolean doubtful;
    private boolean lostWhileWaiting;

    private int searched;
    private long skipped;
    private boolean cutTold;
    private boolean effortTold;
    /** Whether a note has said that the cut bytes reach beyond one FPDU. */
    private boolean cutBeyondTold;
    /** Whether bytes of the other side that this side may have received are not decoded yet. */
    private boolean otherBehind;

    MpaSide(MpaTalk talk, Budget budget) {
        this.talk = talk;
        buffer = new StreamBuffer(budget, effort);
        begin = new SideStart(buffer, effort);
        wrongRule = new WrongRule(buffer, effort);
        rules = new RuleSearch(buffer, effort);
    }

    /** Sets whether this side may have received bytes that are not decoded yet before it sent the next ones. */
    void otherBehind(boolean behind) {
        otherBehind = behind;
    }

    boolean otherBehind() {
        return otherBehind;
    }

    Effort effort() {
        return effort;
    }

    /** True if received bytes wait for more bytes, and may hold more than the beginning of one FPDU. */
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
            lose();
            work(true);
        }
        int left = buffer.available();
        if (left > 0 && phase == Phase.FRAMES && talk.found()) {
            note((fin ? "the stream" : "the capture") + " ends " + left + " bytes into an FPDU");
        } else if (left > 0 && phase == Phase.START && talk.found()) {
            note("the stream ends " + left + " bytes into a startup frame");
        } else if (left + skipped > 0 && phase == Phase.SEEKING && cutBeyondTold) {
            note(left + skipped + " bytes at the end are left out: no FPDU was found in them");
        }
        over();
    }

    /** Stops reading: this side has no more items. */
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
                case FRAMES -> buffer.available() > 0 && frame(end);
                case SEEKING -> buffer.available() > 0 && seek(end);
                case WAITING, OVER -> false;
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
     * The other side sends, after it has received all bytes of this side so far. A startup frame of this side that
     * states more private data than there is therefore ends here (RFC 5044 §7.1.2: each side waits for the other's
     * frame).
     */
    void answered() {
        if (phase == Phase.START && begin.isHeaderWhole()) {
            believed = true;
            started(true);
            work(false);
        }
    }

    /**
     * Checks whether the bytes after a startup frame are more private data than the frame states: then no FPDU begins
     * there, but one begins with the next segment.
     *
     * @return true if more bytes are needed
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

    /** Begins full operation, as the startup frames agree: FPDUs follow. */
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

    /** The startup frame of this stream is missing or malformed. */
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
            RuleSearch.Next next = diagnose(fpdu, position, end);
            if (next != RuleSearch.Next.GO) {
                return next == RuleSearch.Next.BROKEN;
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
                doubt(doubt == null ? "the stream ends before the next FPDU" : doubt);
                return true;
            }
        }
        boolean good = (fpdu.crcGood() && !framing.fault().provesNothing())
                || (Plausibility.ulpdu(fpdu.ulpdu())
                        && (source.missing()
                                || framing.fault().provesNothing()
                                || !Boolean.TRUE.equals(talk.crcInUse())));
        if ((!good && doubtful) || certainty().makesNoSense(fpdu)) {
            lose();
            return true;
        }
        doubtful = !good;
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

    /**
     * Checks whether this FPDU shows that the lengths of earlier FPDUs count more than the ULPDU: then it is read
     * again.
     */
    private boolean showsSurplus(Fpdu fpdu, StreamBuffer.Source source) {
        RuleSearch.Surplus surplus = rules.surplus(fpdu, framing.fault() == FramingFault.NONE, source.missing());
        if (surplus == RuleSearch.Surplus.UNCLEAR) {
            talk.sizeUnclear(this);
        }
        if (surplus.fault == FramingFault.NONE) {
            return false;
        }
        framing = new Framing(markers, surplus.fault, begin.length());
        talk.misframed(this, surplus.fault, surplus.fault.words(), source);
        return true;
    }

    /** Checks whether an FPDU that makes no sense, or does not end, shows that this side breaks a rule of framing. */
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

    /** It is not certain whether an FPDU begins here. */
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

    private void lose() {
        note("the stream makes no sense here" + LOOKING);
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
            note("too much of this side looks like the start of an FPDU: from here on some places are not searched");
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
                over();
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

    /** Drops bytes that wait for more bytes, because others need the memory. */
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

    /** Missing bytes may lie within one FPDU whose length is known: then the next FPDU follows all the same. */
    private void gapInFrames(long length, boolean snapLength) {
        long rest = length;
        rules.drop();
        long count = buffer.position() - origin + shift;
        byte[] head = framing.head(buffer.array(), buffer.start(), buffer.end(), count, Certainty.HEADERS);
        if (head.length == Certainty.HEADERS && (!believed || certainty().isHeaderCertain())) {
            int total = framing.length(buffer.array(), buffer.start(), buffer.end(), count);
            int missing = (int) Math.min(rest, Math.max(0, total - buffer.available()));
            buffer.addMissing(missing);
            // It is not certain whether the FPDU ends there.
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

    /** Looks for an FPDU after all held bytes, and after {@code missing} bytes that never came. */
    private void seekBehind(long missing) {
        seekAgain();
        skipped = buffer.available();
        buffer.skip(missing);
    }

    private void note(String text) {
        talk.note(this, text);
    }
}
