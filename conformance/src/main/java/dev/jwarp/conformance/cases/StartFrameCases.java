package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.CONFIGURE;
import static dev.jwarp.conformance.app.Ability.ENHANCED;
import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.app.Ability.REFUSES;
import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.script.Role.INITIATOR;
import static dev.jwarp.conformance.script.Role.RESPONDER;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.app.Application.DeviceConfiguration;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/** The fields of Requests and Replies: RFC 5044 §7.1.1. */
final class StartFrameCases {
    @Case(value = "MPA-7.1.1-1: begins its Request with the right Key", device = INITIATOR)
    void requestKey(Trial trial) {
        trial.connect().expectFrame();
    }

    @Case(value = "MPA-7.1.1-3: begins its Reply with the right Key", device = RESPONDER)
    void replyKey(Trial trial) {
        Talk talk = trial.connect();
        talk.send(trial.request());
        if (!talk.wire().await(1, talk.patience().answerMillis()) && talk.wire().ended()) {
            throw new Inconclusive("the device ended the connection instead of a Reply: " + talk.came());
        }
        talk.expectFrame();
    }

    @Case(
            value = "MPA-7.1.1-2 MPA-8-2: closes a connection that begins with a wrong Key, and sends nothing",
            device = RESPONDER)
    void wrongRequestKey(Trial trial) {
        refusesRequest(trial, trial.request().key("MPA ID Rex Frame"));
    }

    @Case(value = "MPA-7.1.1-4 MPA-8-2: gives up on a Reply with a wrong Key, and sends nothing", device = INITIATOR)
    void wrongReplyKey(Trial trial) {
        refusesReply(trial, f -> f.key("MPA ID Rex Frame"));
    }

    @Case(value = "MPA-7.1.2-8 MPA-7.1.1-4: gives up when both sides send Requests", device = INITIATOR)
    void requestForReply(Trial trial) {
        refusesReply(trial, f -> f.key(StartFrame.REQUEST_KEY));
    }

    @Case(value = "MPA-7.1.2-2 MPA-7.1.1-2: closes a connection that begins with a Reply", device = RESPONDER)
    void replyForRequest(Trial trial) {
        refusesRequest(trial, StartFrame.reply());
    }

    @Case(value = "MPA-7.1.1-8: ignores R in a Request", device = RESPONDER)
    void rejectBitInRequest(Trial trial) {
        accepted(trial, trial.request().with(StartFrame.REJECT));
    }

    @Case(value = "MPA-7.1.1-8: sends R as zero in its Request", device = INITIATOR)
    void noRejectBitInRequest(Trial trial) {
        unless(!trial.connect().expectFrame().has(StartFrame.REJECT), "R=0", "R=1");
    }

    @Case(value = "MPA-7.1.1-9: ignores the reserved bits of a Request", device = RESPONDER)
    void reservedInRequest(Trial trial) {
        accepted(trial, trial.request().with(0x0F));
    }

    @Case(value = "MPA-7.1.1-9: ignores the reserved bits of a Reply", device = INITIATOR, needs = PROBE)
    void reservedInReply(Trial trial) {
        trial.probed(trial.open(f -> f.with(0x0F)));
    }

    @Case("MPA-7.1.1-9: sends the reserved bits as zero")
    void reservedZero(Trial trial) {
        StartFrame frame = trial.device() == INITIATOR
                ? trial.connect().expectFrame()
                : trial.connect().exchange(trial.request().with(0x0F));
        int reserved = frame.flags() & (frame.revision() < 2 ? 0x1F : 0x0F);
        unless(reserved == 0, "reserved bits of 0", Integer.toHexString(reserved));
    }

    @Case(value = "MPA-7.1.1-10: closes on a revision that it does not know", device = RESPONDER)
    void unknownRevision(Trial trial) {
        refusesRequest(trial, trial.request().revision(3));
    }

    @Case(value = "MPA-7.1.1-10: closes on a Reply of a revision that it does not know", device = INITIATOR)
    void unknownReplyRevision(Trial trial) {
        refusesReply(trial, f -> f.revision(3));
    }

    @Case(value = "MPA-4.4-1: asks for CRCs in its default configuration", needs = PROBE)
    void askedByDefault(Trial trial) {
        trial.unlessDenied(Ability.CRC);
        Talk talk = trial.open(f -> f.without(StartFrame.CRC));
        unless(talk.theirs().has(StartFrame.CRC), "C=1 in its frame", "C=0");
        trial.probed(talk);
    }

    @Case(
            value = "MPA-7.1.1-11 MPA2-10-3: sends a plain Request if no enhanced feature is configured",
            device = INITIATOR,
            needs = CONFIGURE)
    void plainRequest(Trial trial) {
        StartFrame request =
                trial.connect(DeviceConfiguration.USUAL.withRevision(1)).expectFrame();
        unless(!request.has(StartFrame.ENHANCED), "S=0", "S=1");
        unless(request.revision() == 1 || request.revision() == 2, "revision 1", request.revision());
    }

    @Case(value = "MPA-7.1.1-12 MPA-7.1.2-2: closes on a Request with 513 bytes of private data", device = RESPONDER)
    void tooMuchPrivateData(Trial trial) {
        refusesRequest(trial, trial.request().privateData(new byte[513]));
    }

    @Case(value = "MPA-7.1.1-12: closes on a PD_Length of 65,535 without waiting for so much", device = RESPONDER)
    void hugePrivateDataLength(Trial trial) {
        refusesRequest(trial, trial.request().declaring(0xFFFF));
    }

    @Case(value = "MPA-7.1.1-12: closes on a Reply with 513 bytes of private data", device = INITIATOR)
    void tooMuchPrivateDataInReply(Trial trial) {
        refusesReply(trial, f -> filledUp(f, 513));
    }

    @Case(
            value = "MPA-7.1.1-12: closes on a Reply with a PD_Length of 65,535 without waiting for so much",
            device = INITIATOR)
    void hugePrivateDataLengthInReply(Trial trial) {
        refusesReply(trial, f -> f.declaring(0xFFFF));
    }

    @Case(value = "MPA-7.1.1-13: takes 512 bytes of private data", device = RESPONDER)
    void mostPrivateData(Trial trial) {
        accepted(trial, filledUp(trial.request(), 512));
    }

    @Case(value = "MPA-7.1.1-13: takes 512 bytes of private data in a Reply", device = INITIATOR, needs = PROBE)
    void mostPrivateDataInReply(Trial trial) {
        trial.probed(trial.open(f -> filledUp(f, 512)));
    }

    @Case(value = "MPA-7.1.1-14: closes when bytes follow the private data of a Request", device = RESPONDER)
    void extraOctets(Trial trial) {
        Talk talk = trial.connect();
        talk.sendOctets(
                new Octets().add(trial.request().bytes()).add(new byte[8]).bytes(), "a Request and 8 bytes more");
        talk.expectEndAtOnce();
    }

    @Case(
            value = "MPA-7.1.2-10: passes exactly the private data to its program, however TCP divides the Request",
            device = RESPONDER,
            needs = REFUSES)
    void privateDataInPieces(Trial trial) {
        trial.open();
        Talk talk = trial.connect();
        byte[] request = trial.request().privateData(Octets.pattern(5, 6)).bytes();
        int begin = 0;
        for (int end : new int[] {7, 20, 22, request.length}) {
            talk.sendOctets(
                    Arrays.copyOfRange(request, begin, end), "bytes " + begin + " to " + (end - 1) + " of a Request");
            begin = end;
        }
        StartFrame reply = talk.expectFrame();
        same(reply.ulpData(), Octets.pattern(5, 6), "the 5 bytes returned by the program");
    }

    @Case(
            value = "MPA-7.1.2-10: passes exactly the private data of an enhanced Request to its program",
            device = RESPONDER,
            needs = {REFUSES, ENHANCED})
    void privateDataBehindTheWord(Trial trial) {
        trial.open();
        StartFrame reply = trial.connect()
                .exchange(trial.request()
                        .privateData(Octets.pattern(9, 2))
                        .enhanced(trial.wanted().depths()));
        same(reply.ulpData(), Octets.pattern(9, 2), "the 9 bytes returned by the program");
    }

    static void refusesRequest(Trial trial, StartFrame request) {
        Talk talk = trial.connect();
        talk.send(request);
        talk.expectEndAtOnce();
    }

    /** The device closes on a Reply that would fit its Request without this change. */
    private static void refusesReply(Trial trial, UnaryOperator<StartFrame> change) {
        Talk talk = trial.connect();
        talk.send(change.apply(trial.wanted().replyTo(talk.expectFrame())));
        talk.expectEndAtOnce();
    }

    private static StartFrame filledUp(StartFrame frame, int length) {
        return frame.privateData(new Octets()
                .add(frame.privateData())
                .zeros(length - frame.privateData().length)
                .bytes());
    }

    private static void accepted(Trial trial, StartFrame request) {
        StartFrame reply = trial.connect().exchange(request);
        unless(!reply.has(StartFrame.REJECT), "a Reply that accepts", "a Reply with R=1");
    }
}
