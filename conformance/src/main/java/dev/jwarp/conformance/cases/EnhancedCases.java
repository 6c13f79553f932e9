package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.CONFIGURE;
import static dev.jwarp.conformance.app.Ability.ENHANCED;
import static dev.jwarp.conformance.app.Ability.READS;
import static dev.jwarp.conformance.app.Ability.REFUSES;
import static dev.jwarp.conformance.app.Ability.SOURCE;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.script.Role.INITIATOR;
import static dev.jwarp.conformance.script.Role.RESPONDER;

import dev.jwarp.conformance.app.Application.DeviceConfiguration;
import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Expectation;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.Arrays;

/** Read depths, and which peer sends first: RFC 6581. */
@Case.Needs(ENHANCED)
final class EnhancedCases {
    private static final int INSUFFICIENT_IRD = 0x2006;
    private static final long SINK = FramingCases.SINK;

    @Case(value = "MPA2-6-1: asks for enhanced start-up with revision 2", device = INITIATOR)
    void enhancedRequest(Trial trial) {
        StartFrame request = trial.connect().expectFrame();
        unless(request.revision() >= 2, "revision 2", request.revision());
    }

    @Case(value = "MPA2-6-2: takes a Request of revision 1", device = RESPONDER)
    void revisionOne(Trial trial) {
        StartFrame reply = trial.connect().exchange(trial.request());
        unless(!reply.has(StartFrame.REJECT), "a Reply that accepts", "R=1");
        unless(!reply.has(StartFrame.ENHANCED), "S=0", "S=1");
        unless(reply.revision() == 1, "revision 1", reply.revision());
    }

    @Case("MPA2-6-3: puts the IRD/ORD word first into the private data")
    void wordFirst(Trial trial) {
        StartFrame frame = trial.device() == INITIATOR
                ? trial.connect().expectFrame()
                : reply(trial, trial.wanted().depths());
        unless(frame.depths() != null, "at least 4 bytes of private data with S=1", Octets.hex(frame.bytes()));
    }

    @Case(value = "MPA2-6-4: does not accept S=1 with 2 bytes of private data", device = RESPONDER)
    void shortWord(Trial trial) {
        refused(trial, trial.request().revision(2).with(StartFrame.ENHANCED).privateData(new byte[2]));
    }

    @Case(
            value = "MPA2-9-1: reads and writes IRD and ORD as 14 bits each, IRD first, high byte first",
            device = RESPONDER)
    void word(Trial trial) {
        // The ORD of the device is at most the IRD of the tester, unless one of the two is read or written at another
        // place or in another byte order.
        for (int ird : new int[] {300, 3, 1}) {
            StartFrame reply = reply(trial, Depths.clientServer(ird, 5));
            unless(
                    depths(reply).ord() <= ird,
                    "an ORD of at most " + ird + ", in bytes 2 and 3",
                    Octets.hex(reply.bytes()));
        }
    }

    @Case(
            value = "MPA2-9-1: writes IRD and ORD as 14 bits each, IRD first, high byte first",
            device = INITIATOR,
            needs = CONFIGURE)
    void wordInRequest(Trial trial) {
        Talk talk = trial.connect(DeviceConfiguration.USUAL.with(Depths.clientServer(9, 9)));
        byte[] word = Arrays.copyOf(talk.expectFrame().privateData(), Depths.SIZE);
        // The first two of each 16 bits are flags (RFC 6581 §9).
        int depths = (int) Octets.number(word, 0, 4) & 0x3FFF_3FFF;
        unless(depths == 0x0009_0009, "00090009, apart from the flags", Octets.hex(word));
    }

    @Case(
            value = "MPA2-9-2: sends no more private data than fits with the IRD/ORD word",
            device = RESPONDER,
            needs = REFUSES,
            after = "MPA-7.1.2-10 MPA-7.1.1-13")
    void mostBesideTheWord(Trial trial) {
        trial.open();
        // The program returns 508 bytes, the largest allowed number. A PD_Length above 512 is a deviation in any case.
        StartFrame reply = trial.connect()
                .exchange(trial.request()
                        .privateData(Octets.pattern(508, 2))
                        .enhanced(trial.wanted().depths()));
        unless(reply.depths() != null && reply.ulpData().length <= 508, "at most 508 bytes", reply.ulpData().length);
    }

    @Case(value = "MPA2-9.1-1: replies with an ORD of at most the Request's IRD", device = RESPONDER)
    void ordWithinIrd(Trial trial) {
        for (int ird : new int[] {1, 2, 4}) {
            StartFrame reply = reply(trial, Depths.clientServer(ird, 4));
            unless(reply.has(StartFrame.REJECT) || depths(reply).ord() <= ird, "ORD of at most " + ird, depths(reply));
        }
    }

    @Case(value = "MPA2-9.1-2: replies with an IRD of at least the Request's ORD", device = RESPONDER)
    void irdCoversOrd(Trial trial) {
        // A peer that asks for much gets the largest IRD of the device.
        int own = depths(reply(trial, trial.wanted().depths())).ird();
        int asked = Math.min(4, own);
        if (asked == 0) {
            throw new Skip("needs a device that takes RDMA Reads");
        }
        StartFrame reply = reply(trial, Depths.clientServer(4, asked));
        unless(reply.has(StartFrame.REJECT) || depths(reply).ird() >= asked, "IRD of at least " + asked, depths(reply));
    }

    @Case(value = "MPA2-9.1-3: has no more outstanding Reads than the Reply's IRD", device = INITIATOR, needs = READS)
    void keepsToTheReply(Trial trial) {
        Talk talk = trial.connect();
        talk.open(trial.offer(), reply -> {
            Depths asked = depths(talk.theirs());
            if (asked.ord() < 2) {
                throw new Skip("needs a device that has two outstanding RDMA Reads if allowed");
            }
            return with(reply, Math.min(2, asked.ord() - 1), asked.ird());
        });
        trial.begin(talk);
        onlySoMany(talk, trial, talk.asked());
    }

    @Case(
            value = "MPA2-9.1-1: has no more outstanding Reads than the Request's IRD",
            device = RESPONDER,
            needs = READS,
            after = "RDMAP-6.1-2")
    void keepsToTheRequest(Trial trial) {
        Talk talk = trial.connect();
        talk.open(trial.request().enhanced(Depths.clientServer(2, 2)));
        trial.begin(talk);
        talk.needReads();
        onlySoMany(talk, trial, Math.min(2, talk.asked()));
    }

    /** The device makes eight Reads, and has no more than so many of them outstanding. */
    static void onlySoMany(Talk talk, Trial trial, int most) {
        trial.app().askReads(SINK, 0, 16, 8);
        for (int done = 0; done < 8; ) {
            Segment[] requests = new Segment[Math.min(most, 8 - done)];
            for (int i = 0; i < requests.length; i++) {
                requests[i] = talk.expect(Opcode.READ_REQUEST);
            }
            talk.expectSilence(talk.patience().quietMillis() / 2);
            for (Segment request : requests) {
                talk.send(Segment.response(request, Octets.pattern(16, done++)));
            }
        }
        trial.app().expectRead();
    }

    @Case(value = "MPA2-9.1-4: answers as many Reads at once as its IRD says", needs = SOURCE, after = "RDMAP-5.2.1-3")
    void servesItsIrd(Trial trial) {
        Talk talk = trial.open(f -> f);
        int reads = Math.max(1, Math.min(talk.granted(), 8));
        Region source = trial.app().source();
        Segment[] requests = new Segment[reads];
        for (int i = 0; i < reads; i++) {
            requests[i] = Segment.readRequest(talk.nextRead(), SINK, 64L * i, 16, source.stag(), source.to());
        }
        talk.sendTogether(requests);
        for (int i = 0; i < reads; i++) {
            Segment response = talk.expect(Opcode.READ_RESPONSE);
            unless(response.to() == 64L * i, "the Responses in the order of the requests", response.to());
        }
    }

    @Case(value = "MPA2-9.1-5: ends with 2/0/06 when it cannot provide the Reply's ORD", device = INITIATOR)
    void cannotProvide(Trial trial) {
        Talk talk = trial.connect();
        StartFrame request = talk.expectFrame();
        StartFrame reply = with(trial.wanted().replyTo(request), depths(request).ord(), 0x3FFE);
        talk.send(reply);
        talk.begin(reply, request);
        Expectation refusal = new Expectation.Terminate(INSUFFICIENT_IRD);
        Segment s = talk.expectSegment(refusal);
        if (depths(reply).peerToPeer() && !s.is(Opcode.TERMINATE)) {
            // The Ready-to-Receive message may come before.
            s = talk.expectSegment(refusal);
        }
        talk.terminatedBy(s, INSUFFICIENT_IRD);
        talk.expectEnd();
    }

    @Case(value = "MPA2-9.1-6: answers an ORD of 0x3FFF with an IRD of 0x3FFF", device = RESPONDER)
    void noOrd(Trial trial) {
        StartFrame reply = reply(trial, Depths.clientServer(4, Depths.UNSET));
        unless(depths(reply).ird() == Depths.UNSET, "IRD 0x3FFF", depths(reply));
    }

    @Case(value = "MPA2-9.1-7: answers an IRD of 0x3FFF with an ORD of 0x3FFF", device = RESPONDER)
    void noIrd(Trial trial) {
        StartFrame reply = reply(trial, Depths.clientServer(Depths.UNSET, 4));
        unless(depths(reply).ord() == Depths.UNSET, "ORD 0x3FFF", depths(reply));
    }

    @Case(value = "MPA2-9.1-8: keeps its own depths when the Reply has 0x3FFF", device = INITIATOR, needs = READS)
    void unsetInReply(Trial trial) {
        Talk talk = trial.open(reply -> with(reply, Depths.UNSET, Depths.UNSET));
        trial.app().askReads(SINK, 0, 16, 1);
        Segment read = talk.expect(Opcode.READ_REQUEST);
        talk.send(Segment.response(read, Octets.pattern(16, 0)));
        trial.app().expectRead();
    }

    @Case(value = "MPA2-10-1: answers an enhanced Request with an enhanced Reply", device = RESPONDER)
    void enhancedReply(Trial trial) {
        StartFrame reply = reply(trial, trial.wanted().depths());
        boolean enhanced = reply.has(StartFrame.ENHANCED) && reply.revision() == 2;
        unless(enhanced, "S=1 and revision 2", Octets.hex(reply.bytes()));
    }

    @Case(value = "MPA2-10-2: answers a plain Request with a plain Reply, whatever its revision", device = RESPONDER)
    void plainReply(Trial trial) {
        for (int revision = 1; revision <= 2; revision++) {
            StartFrame reply = trial.connect().exchange(trial.request().revision(revision));
            unless(!reply.has(StartFrame.ENHANCED), "S=0 to a Request of revision " + revision, "S=1");
        }
    }

    @Case(value = "MPA2-10-4: does not go on when its enhanced Request gets a plain Reply", device = INITIATOR)
    void plainReplyToEnhanced(Trial trial) {
        Talk talk = trial.connect();
        talk.expectFrame();
        talk.send(trial.wanted().plainReply());
        talk.expectEndAtOnce();
    }

    @Case(
            value = "MPA2-10-5: closes on an enhanced Request when it knows only revision 1",
            device = RESPONDER,
            needs = CONFIGURE)
    void onlyRevisionOne(Trial trial) {
        Talk talk = trial.connect(DeviceConfiguration.USUAL.withRevision(1));
        talk.send(trial.request().enhanced(trial.wanted().depths()));
        talk.expectEndAtOnce();
    }

    @Case(value = "MPA2-12-1: limits or refuses unreasonable read depths", device = RESPONDER)
    void hugeDepths(Trial trial) {
        StartFrame reply = reply(trial, Depths.clientServer(0x3FFE, 0x3FFE));
        unless(reply.has(StartFrame.REJECT) || depths(reply).ird() < 0x3FFE, "a capped IRD, or R=1", depths(reply));
    }

    /** The Reply to an enhanced Request with these depths. */
    static StartFrame reply(Trial trial, Depths depths) {
        return trial.connect().exchange(trial.request().enhanced(depths));
    }

    static void refused(Trial trial, StartFrame request) {
        Talk talk = trial.connect();
        talk.send(request);
        if (talk.wire().await(StartFrame.HEADER, talk.patience().quietMillis())) {
            StartFrame reply = talk.expectFrame();
            unless(reply.has(StartFrame.REJECT), "the end of the connection, or R=1", "a Reply that accepts");
        } else {
            talk.expectEndAtOnce();
        }
    }

    /** The same Reply, in the model of the device's Request, with these depths. */
    static StartFrame with(StartFrame reply, int ird, int ord) {
        Depths depths = depths(reply);
        return reply.depths(new Depths(depths.peerToPeer(), depths.rtr(), ird, ord));
    }

    static Depths depths(StartFrame frame) {
        Depths depths = frame.depths();
        if (depths == null) {
            throw new Deviation("the IRD/ORD word", Octets.hex(frame.bytes()));
        }
        return depths;
    }
}
