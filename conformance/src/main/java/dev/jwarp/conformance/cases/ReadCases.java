package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.ENHANCED;
import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.app.Ability.READS;
import static dev.jwarp.conformance.app.Ability.REGISTERS;
import static dev.jwarp.conformance.app.Ability.SOURCE;
import static dev.jwarp.conformance.app.Ability.TARGET;
import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.app.Application.Rights;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.Arrays;

/** RDMA Reads in both directions: RFC 5040 §4.4, §5.2, §5.5 and §7.2. */
final class ReadCases {
    private static final long SINK = FramingCases.SINK;
    private static final int INVALID_STAG = 0x0100;
    private static final int BOUNDS = 0x0101;
    private static final int RIGHTS = 0x0102;
    private static final int OTHER_STREAM = 0x0103;
    private static final int WRAP = 0x0104;

    // ---- the device answers

    @Case(
            value = "RDMAP-5.2.1-2 RDMAP-5.2-1: answers a Read with one Response of the size that was asked for",
            needs = SOURCE)
    void answers(Trial trial) {
        Talk talk = trial.probed();
        Region source = trial.app().source();
        int size = (int) Math.min(source.length(), 60_000);
        read(talk, SINK, 0x1000, size, source.stag(), source.to());
        byte[] data = talk.expectMessage(Opcode.READ_RESPONSE);
        unless(data.length == size, size + " bytes", data.length);
        if (trial.app().name().equals("echo")) {
            same(data, Octets.pattern(size, 0), "the bytes of the source");
        }
    }

    @Case(value = "RDMAP-5.2-1: leaves no gap in the Response to a Read of a megabyte", needs = TARGET)
    void megabyte(Trial trial) {
        Talk talk = trial.probed();
        Region target = trial.app().target();
        read(talk, SINK, 0, 1 << 20, target.stag(), target.to());
        unless(talk.expectMessage(Opcode.READ_RESPONSE).length == 1 << 20, "1,048,576 bytes", "another number");
    }

    @Case(
            value = "RDMAP-4.4-2: copies the sink's STag and TO into the Response as they are",
            needs = SOURCE,
            after = "DDP-4.2-1 DDP-5.2-2")
    void sinkUninterpreted(Trial trial) {
        Talk talk = trial.probed();
        Region source = trial.app().source();
        // One sink has no memory; the other one differs in another byte order.
        long[][] sinks = {{0xFFFF_FFFFL, 0xFFFF_FFFF_FFFF_F000L}, {0x1234_5678L, 0x0102_0304_0506_0708L}};
        for (long[] sink : sinks) {
            read(talk, sink[0], sink[1], 16, source.stag(), source.to());
            Segment s = talk.expect(Opcode.READ_RESPONSE);
            unless(s.stag() == sink[0] && s.to() == sink[1], "the same STag and TO", s);
        }
    }

    @Case(
            value = "RDMAP-5.2.1-4 RDMAP-5.2.1-5: answers a Read of no bytes without looking at its source",
            needs = PROBE)
    void emptyRead(Trial trial) {
        Talk talk = trial.probed();
        read(talk, 5, 6, 0, 0xFFFF_FFFFL, -1);
        Segment s = talk.expect(Opcode.READ_RESPONSE);
        unless(s.last() && s.payload().length == 0 && s.stag() == 5 && s.to() == 6, "an empty Response with L", s);
    }

    @Case(value = "RDMAP-5.2.1-3 RDMAP-5.2.2-1: answers Reads in the order of their arrival", needs = SOURCE)
    void inOrder(Trial trial) {
        Talk talk = trial.probed();
        Region source = trial.app().source();
        int[] sizes = {4_000, 1, 20_000, 0, 300};
        if (talk.granted() < sizes.length) {
            throw new Skip("needs a device that takes " + sizes.length + " RDMA Reads at once");
        }
        Segment[] requests = new Segment[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            requests[i] =
                    request(talk, SINK + i, 0, (int) Math.min(sizes[i], source.length()), source.stag(), source.to());
        }
        talk.sendTogether(requests);
        for (int i = 0; i < sizes.length; i++) {
            byte[] data = talk.expectMessage(Opcode.READ_RESPONSE);
            long stag = talk.seen().get(talk.seen().size() - 1).segment().stag();
            unless(
                    stag == SINK + i && data.length == Math.min(sizes[i], source.length()),
                    "Response " + i + " of " + sizes[i] + " bytes",
                    "one for STag " + Long.toHexString(stag) + " of " + data.length);
        }
    }

    @Case(
            value = "RDMAP-5.5-2 DDP-5.3-2: reads the bytes that an earlier Write in the same TCP segment wrote",
            needs = TARGET)
    void readAfterWrite(Trial trial) {
        Talk talk = trial.probed();
        Region target = trial.app().target();
        talk.sendTogether(
                Segment.write(target.stag(), target.to(), Octets.pattern(64, 5)),
                request(talk, SINK, 0, 64, target.stag(), target.to()));
        same(talk.expectMessage(Opcode.READ_RESPONSE), Octets.pattern(64, 5), "the written bytes");
    }

    @Case(
            value = "RDMAP-7.2-4: refuses a Read from an STag that was never registered",
            needs = SOURCE,
            after = "RDMAP-4.8-2")
    void unknownStag(Trial trial) {
        Talk talk = trial.probed();
        Region source = trial.app().source();
        TerminateFields t = refused(talk, 16, ~source.stag() & 0xFFFF_FFFFL, source.to(), INVALID_STAG);
        unless(t.ddpHeader() != null && t.rdmapHeader() != null, "both headers of the request", t);
    }

    @Case(value = "RDMAP-4.8-2 RDMAP-4.8-3: copies the Read Request into the Terminate", needs = SOURCE)
    void headersCopied(Trial trial) {
        Talk talk = trial.probed();
        Region source = trial.app().source();
        Segment bad = request(talk, SINK, 0x77, 16, ~source.stag() & 0xFFFF_FFFFL, source.to());
        talk.send(bad);
        Segment s = talk.expect(Opcode.TERMINATE);
        byte[] p = s.payload();
        unless(p.length == 52, "52 bytes: control, length, DDP header, Read Request header", p.length);
        unless((p[2] & 0xFF) == 0xE0, "M, D and R set", Octets.hex(p));
        unless(
                Arrays.equals(Arrays.copyOfRange(p, 24, 52), bad.payload()),
                "the Read Request header as it was sent",
                Octets.hex(p));
    }

    @Case(
            value = "RDMAP-7.2-5 SEC-6.1.1-1: refuses a Read from an STag of another protection domain",
            needs = Ability.RIGHTS,
            after = "DDP-7.1-7")
    void otherDomain(Trial trial) {
        refused(trial, Rights.OTHER_DOMAIN, OTHER_STREAM);
    }

    @Case(
            value = "RDMAP-7.2-6 SEC-6.3.1-1: answers a Read that fits exactly and refuses one a byte longer",
            needs = SOURCE,
            after = "DDP-7.1-8")
    void bounds(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().source();
        read(talk, SINK, 0, 16, r.stag(), r.to() + r.length() - 16);
        unless(talk.expectMessage(Opcode.READ_RESPONSE).length == 16, "16 bytes", "another number");
        refused(talk, 17, r.stag(), r.to() + r.length() - 16, BOUNDS);
    }

    @Case(
            value = "RDMAP-7.2-6 SEC-6.3.1-1: refuses a Read that begins a byte before the region",
            needs = SOURCE,
            after = "DDP-7.1-8")
    void before(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().source();
        refused(talk, 16, r.stag(), r.to() - 1, BOUNDS);
    }

    @Case(value = "RDMAP-7.2-7: refuses a Read whose source TO wraps", needs = SOURCE)
    void wraps(Trial trial) {
        Talk talk = trial.probed();
        refused(talk, 32, trial.app().source().stag(), -16, WRAP, BOUNDS);
    }

    @Case(
            value = "RDMAP-7.2-8 SEC-6.3.5-1: refuses a Read from memory that may only be written",
            needs = Ability.RIGHTS)
    void writeOnly(Trial trial) {
        refused(trial, Rights.WRITE_ONLY, RIGHTS);
    }

    @Case(value = "RDMAP-7.2-8: refuses a Read from memory without any remote right", needs = Ability.RIGHTS)
    void noRight(Trial trial) {
        refused(trial, Rights.NONE, RIGHTS);
    }

    @Case(
            value = "SEC-6.3.5-1: answers an empty Read from memory that may only be written",
            needs = Ability.RIGHTS,
            after = "RDMAP-5.2.1-4")
    void emptyReadOfWriteOnly(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().region(Rights.WRITE_ONLY);
        read(talk, SINK, 0, 0, r.stag(), r.to());
        talk.expectMessage(Opcode.READ_RESPONSE);
    }

    @Case(
            value = "SEC-6.2.2-1: refuses a Read from an STag that was deregistered",
            needs = {SOURCE, REGISTERS})
    void deregistered(Trial trial) {
        Talk talk = trial.probed();
        Region r = trial.app().source();
        trial.app().deregister(Rights.READ_ONLY);
        refused(talk, 16, r.stag(), r.to(), INVALID_STAG);
    }

    // ---- the device asks

    @Case(
            value = "RDMAP-5.5-4 RDMAP-5.2.2-4: ends a Read when the last segment of its Response has come, not before",
            needs = READS)
    void waitsForTheLastSegment(Trial trial) {
        Talk talk = trial.open();
        trial.app().askReads(SINK, 0, 64, 1);
        Segment r = talk.expect(Opcode.READ_REQUEST);
        byte[] data = Octets.pattern(64, 7);
        talk.send(Segment.response(r, Arrays.copyOf(data, 40)).last(false));
        talk.expectSilence();
        talk.send(Segment.readResponse(r.number(0, 4), r.number(4, 8) + 40, Arrays.copyOfRange(data, 40, 64)));
        byte[] got = trial.app().expectRead();
        if (trial.app().name().equals("echo")) {
            same(got, data, "the bytes of the Response");
        }
    }

    @Case(value = "RDMAP-5.2.2-2: takes no byte of a Response that is longer than its Read", needs = READS)
    void tooMuch(Trial trial) {
        // The sinks of two Reads are adjacent: excess bytes of the first Response would land in the second sink.
        badResponse(trial, 2, 16, 0, 20);
    }

    @Case(value = "RDMAP-5.2.2-2: takes no byte of a Response that begins elsewhere", needs = READS)
    void elsewhere(Trial trial) {
        badResponse(trial, 1, 64, 8, 16);
    }

    private static void badResponse(Trial trial, int reads, int size, int off, int length) {
        Talk talk = trial.open();
        int count = Math.min(reads, talk.asked());
        trial.app().askReads(SINK, 0, size, count);
        Segment r = talk.expect(Opcode.READ_REQUEST);
        for (int i = 1; i < count; i++) {
            talk.expect(Opcode.READ_REQUEST);
        }
        Segment bad = Segment.readResponse(r.number(0, 4), r.number(4, 8) + off, Octets.pattern(length, 7));
        talk.refuses(bad.last(length >= size), 0x1101, 0x0206, 0x1100);
    }

    @Case(value = "RDMAP-5.2.1-6: asks for Reads in the order in which they were posted", needs = READS)
    void inOrderOfPosting(Trial trial) {
        Talk talk = trial.open();
        int count = Math.min(5, trial.wanted().depths().ird());
        trial.app().askReads(SINK, 0, 16, count);
        for (int i = 0; i < count; i++) {
            Segment r = talk.expect(Opcode.READ_REQUEST);
            unless(r.msn() == i + 1 && r.number(20, 8) == 16L * i, "MSN " + (i + 1) + ", source TO " + 16 * i, r);
            talk.send(Segment.response(r, Octets.pattern(16, i)));
        }
        trial.app().expectRead();
    }

    @Case(
            value = "RDMAP-6.1-2 RDMAP-8.1.1-1: has one outstanding Read at a time if a depth of 1 is agreed",
            needs = {READS, ENHANCED},
            after = "MPA2-9.1-3")
    void oneAtATime(Trial trial) {
        Talk talk = trial.connect();
        // The tester states the least depths: an initiator may be unable to accept any Read.
        talk.open(
                trial.offer().with(Depths.clientServer(1, 1)),
                f -> EnhancedCases.with(f, 1, EnhancedCases.depths(f).ord()));
        trial.begin(talk);
        EnhancedCases.onlySoMany(talk, trial, 1);
    }

    private static Segment request(Talk talk, long sinkStag, long sinkTo, int size, long stag, long to) {
        return Segment.readRequest(talk.nextRead(), sinkStag, sinkTo, size, stag, to);
    }

    private static void read(Talk talk, long sinkStag, long sinkTo, int size, long stag, long to) {
        talk.send(request(talk, sinkStag, sinkTo, size, stag, to));
    }

    private static void refused(Trial trial, Rights rights, int cause) {
        Talk talk = trial.probed();
        Region r = trial.app().region(rights);
        refused(talk, 16, r.stag(), r.to(), cause);
    }

    private static TerminateFields refused(Talk talk, int size, long stag, long to, int... causes) {
        return talk.refuses(request(talk, SINK, 0, size, stag, to), causes);
    }
}
