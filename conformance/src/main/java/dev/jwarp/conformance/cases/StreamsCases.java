package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.INVALIDATE;
import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.app.Ability.RIGHTS;
import static dev.jwarp.conformance.app.Ability.TARGET;
import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.script.Role.RESPONDER;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.app.Application.Rights;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Isolation of streams, and limits of the resources of one peer: RFC 5042 §6, RFC 5040 §6.1. */
final class StreamsCases {
    private static final long SINK = FramingCases.SINK;
    private static final int OTHER_STREAM_WRITE = 0x1102;
    private static final int OTHER_STREAM_READ = 0x0103;
    private static final int CANNOT_INVALIDATE = 0x0109;
    private static final int CANNOT_INVALIDATE_OPERATION = 0x0209;
    private static final int NO_BUFFER = 0x1202;
    private static final int MSN_RANGE = 0x1203;
    private static final int CATASTROPHIC_STREAM = 0x0207;

    /** Requests beyond the agreed number: more than TCP lets the device answer while the tester does not read. */
    private static final int TOO_MANY = 16;

    // ---- STags of another stream

    @Case(
            value = "SEC-6.1.1-3 SEC-6.1.1-1 DDP-8.2-1: "
                    + "lets no stream write through the STag of another stream, which keeps working",
            device = RESPONDER,
            needs = TARGET,
            after = "DDP-7.1-7")
    void writesElsewhere(Trial trial) {
        Talk owner = trial.open();
        Application program = trial.app();
        Region region = program.target();
        Talk intruder = trial.probed();
        intruder.refuses(Segment.write(region.stag(), region.to(), Octets.pattern(16, 9)), OTHER_STREAM_WRITE);
        owner.send(Segment.write(region.stag(), region.to() + 8, Octets.pattern(8, 4)));
        byte[] memory = program.peek(0, 16);
        same(memory, new Octets().zeros(8).add(Octets.pattern(8, 4)).bytes(), "only the bytes that the owner wrote");
    }

    @Case(
            value =
                    "SEC-6.1.1-3 SEC-6.1.1-1: lets no stream read through the STag of another stream, which keeps working",
            device = RESPONDER,
            needs = TARGET,
            after = "DDP-7.1-7 RDMAP-7.2-5")
    void readsElsewhere(Trial trial) {
        Talk owner = trial.open();
        Region region = trial.app().target();
        Talk intruder = trial.probed();
        intruder.refuses(read(intruder, region, 16), OTHER_STREAM_READ);
        stillReads(owner, region);
    }

    @Case(
            value =
                    "RDMAP-5.3-5 SEC-6.1.1-1: lets no stream invalidate the STag of another stream, which keeps working",
            device = RESPONDER,
            needs = INVALIDATE,
            after = "DDP-7.1-7 RDMAP-7.2-3")
    void invalidatesElsewhere(Trial trial) {
        Talk owner = trial.open();
        Region region = trial.app().revocable();
        refusesToInvalidate(trial, trial.probed(), region.stag());
        stillReads(owner, region);
    }

    @Case(
            value = "RDMAP-5.3-5: lets no stream invalidate an STag of another protection domain",
            needs = {RIGHTS, INVALIDATE},
            after = "DDP-7.1-7 RDMAP-7.2-3")
    void invalidatesOtherDomain(Trial trial) {
        Talk talk = trial.probed();
        refusesToInvalidate(trial, talk, trial.app().region(Rights.OTHER_DOMAIN).stag());
    }

    private static Segment read(Talk talk, Region region, long size) {
        return Segment.readRequest(talk.nextRead(), SINK, 0, size, region.stag(), region.to());
    }

    private static void stillReads(Talk owner, Region region) {
        owner.send(read(owner, region, 16));
        unless(owner.expectMessage(Opcode.READ_RESPONSE).length == 16, "16 bytes for the owner", "another number");
    }

    private static void refusesToInvalidate(Trial trial, Talk talk, long stag) {
        talk.refuses(QueueCases.invalidating(trial, stag), CANNOT_INVALIDATE, CANNOT_INVALIDATE_OPERATION);
    }

    // ---- Read Requests beyond the agreed number

    @Case(
            value = "RDMAP-6.1-3: refuses Read Requests beyond the agreed number",
            needs = TARGET,
            after = "DDP-7.1-2 RDMAP-7.1-1 RDMAP-6.2.1-1 DDP-6.2.1-4")
    void tooManyReads(Trial trial) {
        Talk talk = trial.probed();
        overflow(talk, trial.app().target());
    }

    @Case(
            value = "SEC-6.4.3.3-1 RDMAP-6.1-3: ends only the stream on which too many Read Requests came",
            device = RESPONDER,
            needs = TARGET)
    void tooManyReadsElsewhere(Trial trial) {
        Talk other = trial.open();
        Application program = trial.app();
        Talk greedy = trial.probed();
        overflow(greedy, trial.app().target());
        stillReads(other, program.target());
    }

    private static void overflow(Talk talk, Region region) {
        if (!talk.agreed()) {
            throw new Skip("needs a device that says how many RDMA Reads it takes (RFC 6581)");
        }
        int count = talk.granted() + TOO_MANY;
        long length = Math.min(region.length(), 1 << 20);
        for (int i = 0; i < count; i++) {
            talk.send(Segment.readRequest(talk.readBeyond(), SINK + i, 0, length, region.stag(), region.to()));
        }
        talk.pause();
        int answered = 0;
        Segment s = talk.expectSegment("Read Responses, then a Terminate");
        while (s.is(Opcode.READ_RESPONSE)) {
            answered += s.last() ? 1 : 0;
            unless(answered < count, "a Terminate in place of " + count + " Responses", "all Responses");
            s = talk.expectSegment("Read Responses, then a Terminate");
        }
        talk.terminatedBy(s, NO_BUFFER, MSN_RANGE, CATASTROPHIC_STREAM);
        talk.expectEnd();
    }

    // ---- information and resources of other peers

    @Case(value = "SEC-6.1.1-2: assigns STags that cannot be guessed from earlier ones", needs = INVALIDATE)
    void stags(Trial trial) {
        trial.open();
        int count = 64;
        long[] stags = new long[count];
        Set<Long> different = new HashSet<>();
        Set<Long> steps = new HashSet<>();
        Set<Long> upper = new HashSet<>();
        for (int i = 0; i < count; i++) {
            stags[i] = trial.app().revocable().stag();
            different.add(stags[i]);
            upper.add(stags[i] >>> 28);
            if (i > 0) {
                steps.add(stags[i] - stags[i - 1] & 0xFFFF_FFFFL);
            }
        }
        unless(different.size() == count, count + " different STags", different.size());
        unless(steps.size() > count / 2, "no constant step from one to the next", steps.size() + " different steps");
        unless(upper.size() > 4, "STags spread over the whole range", Arrays.toString(stags));
    }

    @Case(value = "SEC-6.3.2-1: does not show data of an earlier stream to a new stream", needs = TARGET)
    void staleMemory(Trial trial) {
        Talk first = trial.probed();
        Region region = trial.app().target();
        byte[] secret = Octets.pattern(60_000, 3);
        first.send(Segment.write(region.stag(), region.to(), secret));
        same(trial.app().peek(0, 64), Arrays.copyOf(secret, 64), "the Write placed");
        first.close();
        Talk second = trial.probed();
        Region again = trial.app().target();
        second.send(read(second, again, 60_000));
        unless(
                !Arrays.equals(second.expectMessage(Opcode.READ_RESPONSE), secret),
                "memory without the bytes of the earlier stream",
                "these bytes");
    }

    @Case(
            value = "SEC-6.4.2-1: serves new peers while many connections wait in start-up",
            device = RESPONDER,
            needs = PROBE)
    void halfOpen(Trial trial) {
        for (int i = 0; i < 100; i++) {
            trial.connect().sendOctets(Arrays.copyOf(trial.request().bytes(), 10), "half a Request");
        }
        trial.stillServes();
    }

    @Case(
            value = "SEC-6.4.4-1: serves other streams while the peer of one sends a byte at a time",
            device = RESPONDER,
            needs = PROBE)
    void slowPeer(Trial trial) {
        Talk slow = trial.open();
        Application program = trial.app();
        byte[] frame = slow.framed(trial.app().probe());
        for (int i = 0; i < 20; i++) {
            slow.sendOctets(new byte[] {frame[i]}, "a byte of an FPDU");
            trial.stillServes();
        }
        slow.sendOctets(Arrays.copyOfRange(frame, 20, frame.length), "the rest");
        program.expectAnswer();
    }
}
