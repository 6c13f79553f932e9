package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.COMPLETIONS;
import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.app.Ability.REGISTERS;
import static dev.jwarp.conformance.app.Ability.RIGHTS;
import static dev.jwarp.conformance.app.Ability.TARGET;
import static dev.jwarp.conformance.app.Ability.WRITABLE;
import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.app.Application.Rights;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.Arrays;
import java.util.function.Function;

/** Tagged segments for the device, good and bad: RFC 5041 §5 and §7.1, RFC 5040 §7. */
final class PlacementCases {
    private static final int STEP = 16_384;
    private static final int INVALID_STAG = 0x1100;
    private static final int BOUNDS = 0x1101;
    private static final int OTHER_STREAM = 0x1102;
    private static final int WRAP = 0x1103;
    private static final int TAGGED_VERSION = 0x1104;
    private static final int UNEXPECTED_OPCODE = 0x0206;
    private static final int RDMAP_VERSION = 0x0205;

    @Case(
            value = "RDMAP-5.1-1 DDP-7.1-8: places a Write that fits exactly, and does not report it to its program",
            needs = TARGET)
    void exactFit(Trial trial) {
        Talk talk = trial.open();
        Region target = trial.app().target();
        long to = target.to() + target.length() - 40;
        talk.send(Segment.write(target.stag(), to, Octets.pattern(40, 8)));
        same(
                trial.app().peek((int) target.length() - 40, 40),
                Octets.pattern(40, 8),
                "the 40 bytes at the end of the region");
        // The next probe shows that no receive and no MSN was consumed.
        trial.probed(talk);
    }

    @Case(value = "DDP-7.1-8: refuses a Write that ends one byte after the region", needs = WRITABLE)
    void oneTooFar(Trial trial) {
        refused(trial, r -> Segment.write(r.stag(), r.to() + r.length() - 39, Octets.pattern(40, 8)), BOUNDS);
    }

    @Case(value = "DDP-7.1-8: refuses a Write that begins a byte before the region", needs = WRITABLE)
    void oneTooEarly(Trial trial) {
        refused(trial, r -> Segment.write(r.stag(), r.to() - 1, Octets.pattern(40, 8)), BOUNDS);
    }

    @Case(value = "DDP-7.1-8: refuses a Write that begins after the region", needs = WRITABLE)
    void farBehind(Trial trial) {
        refused(trial, r -> Segment.write(r.stag(), r.to() + r.length() + 4096, Octets.pattern(4, 8)), BOUNDS);
    }

    @Case(value = "DDP-7.1-9: refuses a Write whose TO wraps", needs = WRITABLE)
    void wraps(Trial trial) {
        refused(trial, r -> Segment.write(r.stag(), -16, Octets.pattern(40, 8)), WRAP, BOUNDS);
    }

    @Case(value = "DDP-7.1-6: refuses a Write to an STag that was never registered", needs = WRITABLE)
    void unknownStag(Trial trial) {
        TerminateFields t = refused(
                trial, r -> Segment.write(~r.stag() & 0xFFFF_FFFFL, r.to(), Octets.pattern(40, 8)), INVALID_STAG);
        unless(t.ddpHeader() != null, "the DDP header in the Terminate", t);
    }

    @Case(
            value = "DDP-7.1-6 DDP-8.3-1 SEC-6.2.2-1: refuses a Write to an STag that was deregistered",
            needs = {TARGET, REGISTERS})
    void deregistered(Trial trial) {
        Region r = opened(trial);
        Talk talk = trial.current();
        talk.send(Segment.write(r.stag(), r.to(), Octets.pattern(8, 8)));
        same(trial.app().peek(0, 8), Octets.pattern(8, 8), "the first Write placed");
        trial.app().deregister(Rights.ALL);
        talk.refuses(Segment.write(r.stag(), r.to(), Octets.pattern(8, 9)), INVALID_STAG);
    }

    @Case(
            value = "DDP-7.1-7 SEC-6.1.1-1 DDP-8.2-1: refuses a Write to an STag of another protection domain",
            needs = RIGHTS)
    void otherDomain(Trial trial) {
        refused(trial, Rights.OTHER_DOMAIN, OTHER_STREAM);
    }

    @Case(
            value = "SEC-6.3.5-1: refuses a Write to memory that may only be read",
            needs = RIGHTS,
            after = "RDMAP-5.2.1-4")
    void readOnly(Trial trial) {
        refused(trial, Rights.READ_ONLY, INVALID_STAG, 0x0102);
    }

    @Case(
            value = "SEC-6.3.5-1: refuses a Write to memory without any remote right",
            needs = RIGHTS,
            after = "RDMAP-5.2.1-4")
    void noRight(Trial trial) {
        refused(trial, Rights.NONE, INVALID_STAG, 0x0102);
    }

    @Case(value = "DDP-5.2-4: ignores STag and TO of a Write of no bytes", needs = PROBE)
    void emptyWrite(Trial trial) {
        Talk talk = trial.open();
        talk.send(Segment.write(0, 0));
        talk.send(Segment.write(0xFFFF_FFFFL, -1));
        trial.probed(talk);
    }

    @Case(value = "DDP-7.2-1: refuses a tagged segment of another DDP version", needs = WRITABLE)
    void ddpVersion(Trial trial) {
        refused(trial, r -> Segment.write(r.stag(), r.to(), new byte[8]).ddpVersion(2), TAGGED_VERSION);
    }

    @Case(value = "DDP-7.2-1: refuses an empty tagged segment of another DDP version", needs = PROBE)
    void ddpVersionOfNothing(Trial trial) {
        trial.probed().refuses(Segment.write(0, 0).ddpVersion(0), TAGGED_VERSION);
    }

    @Case(value = "RDMAP-7.2-2: refuses an RDMA Write of another RDMAP version", needs = WRITABLE)
    void rdmapVersion(Trial trial) {
        refused(trial, r -> Segment.write(r.stag(), r.to(), new byte[8]).rdmapVersion(2), RDMAP_VERSION);
    }

    @Case(value = "RDMAP-7.2-9: refuses an RDMA Write in an untagged segment", needs = PROBE)
    void untaggedWrite(Trial trial) {
        Talk talk = trial.probed();
        Segment write = Segment.send(talk.nextSend(), new byte[8]).opcode(Opcode.WRITE.number());
        talk.refuses(write, UNEXPECTED_OPCODE);
    }

    @Case(value = "RDMAP-7.2-9: refuses a Send in a tagged segment", needs = WRITABLE)
    void taggedSend(Trial trial) {
        refused(
                trial,
                r -> Segment.write(r.stag(), r.to(), Octets.pattern(40, 8)).opcode(Opcode.SEND.number()),
                UNEXPECTED_OPCODE);
    }

    @Case(value = "RDMAP-5.2.2-3 SEC-6.2.1-1: refuses a Read Response that it did not ask for", needs = WRITABLE)
    void unsolicitedResponse(Trial trial) {
        refused(
                trial,
                r -> Segment.readResponse(r.stag(), r.to(), Octets.pattern(40, 8)),
                UNEXPECTED_OPCODE,
                INVALID_STAG,
                0x1000);
    }

    @Case(
            value = "DDP-7.1-10 SEC-6.2.1-1: places nothing of a Write that it refuses",
            needs = {TARGET, COMPLETIONS},
            after = "DDP-7.1-8 DDP-7.1-11")
    void nothingPlaced(Trial trial) {
        Region r = opened(trial);
        Talk talk = trial.current();
        // A receiver that places before it checks leaves bytes in memory. The next Write is legal, but comes too late.
        byte[] bad = talk.framed(Segment.write(r.stag(), r.to() - 4, Octets.pattern(40, 8)));
        byte[] late = talk.framed(Segment.write(r.stag(), r.to() + 64, Octets.pattern(40, 9)));
        talk.sendOctets(new Octets().add(bad).add(late).bytes(), "a Write out of bounds, and a legal one behind it");
        talk.expectRefusal(BOUNDS);
        same(trial.after(talk).peek(talk, 0, 128), new byte[128], "128 bytes of 0");
    }

    @Case(
            value = "DDP-7.1-11 RDMAP-7.1-2: reports the first of two errors, once",
            needs = WRITABLE,
            after = "DDP-7.1-6")
    void firstError(Trial trial) {
        Region r = opened(trial);
        Talk talk = trial.current();
        byte[] first = talk.framed(Segment.write(~r.stag() & 0xFFFF_FFFFL, r.to(), new byte[8]));
        byte[] second = talk.framed(Segment.send(talk.nextSend(), new byte[8]).queue(9));
        talk.sendOctets(new Octets().add(first).add(second).bytes(), "a bad STag, then a bad QN");
        talk.expectRefusal(INVALID_STAG);
    }

    @Case(value = "DDP-5.3-3: takes segments of a Write and of a Send in turn", needs = TARGET, after = "DDP-5.4-1")
    void interleaved(Trial trial) {
        Region r = opened(trial);
        Talk talk = trial.current();
        Segment[] probe = QueueCases.halves(trial.app().probe());
        talk.send(Segment.write(r.stag(), r.to(), Octets.pattern(100, 1)).last(false));
        talk.send(probe[0]);
        talk.send(Segment.write(r.stag(), r.to() + 100, Octets.pattern(100, 2)));
        talk.send(probe[1]);

        trial.app().expectAnswer();
        same(trial.app().peek(100, 100), Octets.pattern(100, 2), "both parts of the Write");
    }

    @Case(value = "RDMAP-5.5-1: has placed a megabyte of Writes when it delivers the Send after them", needs = TARGET)
    void writesBeforeTheSend(Trial trial) {
        Region r = opened(trial);
        endsWith(trial, megabyte(trial.current(), r));
    }

    /** {@return the offset of the last of the Writes that fill a region, a megabyte at most} */
    static int megabyte(Talk talk, Region r) {
        int last = (int) Math.min(r.length(), 1 << 20) / STEP * STEP - STEP;
        for (int at = 0; at <= last; at += STEP) {
            talk.send(Segment.write(r.stag(), r.to() + at, Octets.pattern(STEP, at / STEP)));
        }
        return last;
    }

    static void endsWith(Trial trial, int last) {
        byte[] written = Arrays.copyOf(Octets.pattern(STEP, last / STEP), 2_048);
        same(trial.app().peek(last, 2_048), written, "the bytes of the last Write");
    }

    private static Region opened(Trial trial) {
        trial.probed();
        return trial.app().target();
    }

    /** The device must refuse a segment for the region with all rights. */
    private static TerminateFields refused(Trial trial, Function<Region, Segment> bad, int... causes) {
        Region region = opened(trial);
        return trial.current().refuses(bad.apply(region), causes);
    }

    /** The device must refuse a Write to a region with these rights. */
    private static void refused(Trial trial, Rights rights, int... causes) {
        Talk talk = trial.open();
        Region r = trial.app().region(rights);
        talk.refuses(Segment.write(r.stag(), r.to(), Octets.pattern(40, 8)), causes);
    }
}
