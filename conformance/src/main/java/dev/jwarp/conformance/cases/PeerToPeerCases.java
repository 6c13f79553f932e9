package dev.jwarp.conformance.cases;

import static dev.jwarp.conformance.app.Ability.CONFIGURE;
import static dev.jwarp.conformance.app.Ability.ENHANCED;
import static dev.jwarp.conformance.app.Ability.PROBE;
import static dev.jwarp.conformance.cases.EnhancedCases.depths;
import static dev.jwarp.conformance.cases.EnhancedCases.reply;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.script.Role.INITIATOR;
import static dev.jwarp.conformance.script.Role.RESPONDER;

import dev.jwarp.conformance.app.Application.DeviceConfiguration;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Case;
import dev.jwarp.conformance.suite.Trial;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;

/** The peer-to-peer model of RFC 6581: §9.2, Ready-to-Receive messages. */
@Case.Needs(ENHANCED)
final class PeerToPeerCases {
    private static final int NO_COMMON_RTR = 0x2007;

    @Case(
            value = "MPA2-9.1-10: grants an IRD to a peer that offers only a Read as Ready-to-Receive message",
            device = RESPONDER)
    void readAsRtr(Trial trial) {
        StartFrame reply = peers(trial, new Depths(true, Depths.READ, 4, 0));
        if (!reply.has(StartFrame.REJECT) && (depths(reply).rtr() & Depths.READ) != 0) {
            unless(depths(reply).ird() >= 1, "IRD of at least 1", depths(reply));
        }
    }

    @Case(value = "MPA2-9.2-1: answers a client-server Request with A, B, C and D of 0", device = RESPONDER)
    void clientServer(Trial trial) {
        Depths depths = depths(reply(trial, Depths.clientServer(8, 4)));
        unless(!depths.peerToPeer() && depths.rtr() == 0, "A, B, C, D all 0", depths);
    }

    @Case(value = "MPA2-9.2-6 MPA2-9.2-1: ignores B, C and D of a client-server Request", device = RESPONDER)
    void rtrBitsWithoutPeerToPeer(Trial trial) {
        Depths depths = depths(reply(trial, new Depths(false, 7, 8, 4)));
        unless(!depths.peerToPeer() && depths.rtr() == 0, "A, B, C, D all 0", depths);
    }

    @Case(
            value = "MPA2-9.2-6: sends no Ready-to-Receive message when the Reply has A=0 and B, C, D set",
            device = INITIATOR,
            needs = PROBE)
    void rtrBitsInReply(Trial trial) {
        Talk talk = trial.connect();
        Depths asked = depths(talk.expectFrame());
        if (asked.peerToPeer()) {
            throw new Skip("needs a device that asks for client and server");
        }
        replies(trial, talk, new Depths(false, 7, asked.ord(), asked.ird()));

        trial.begin(talk);
        Segment first = talk.seen().get(0).segment();
        unless(
                (first.is(Opcode.SEND) || first.is(Opcode.WRITE)) && first.payload().length > 0,
                "the program's first message as the first FPDU",
                Octets.hex(first.bytes()));
    }

    @Case(value = "MPA2-9.2-2: answers A=1 with A=1", device = RESPONDER)
    void peerToPeer(Trial trial) {
        Depths depths = depths(peers(trial, new Depths(true, 7, 8, 4)));
        unless(depths.peerToPeer(), "A=1", depths);
    }

    @Case(value = "MPA2-9.2-3: names a Ready-to-Receive message, a common one if possible", device = RESPONDER)
    void namesRtr(Trial trial) {
        int own = 0;
        for (int offer = 1; offer <= 7; offer++) {
            own |= depths(peers(trial, new Depths(true, offer, 8, 4))).rtr();
        }
        for (int offer = 1; offer <= 7; offer++) {
            Depths d = depths(peers(trial, new Depths(true, offer, 8, 4)));
            unless(d.rtr() != 0, "at least one of B, C, D", d);
            unless((offer & own) == 0 || (d.rtr() & offer) != 0, "one of those offered, bits " + offer, d);
        }
    }

    @Case(
            value = "MPA2-9.2-4 MPA2-5-1: sends the agreed Ready-to-Receive message first",
            device = INITIATOR,
            needs = CONFIGURE,
            after = "DDP-5.2-3")
    void sendsRtr(Trial trial) {
        int tried = 0;
        for (int rtr : new int[] {Depths.WRITE, Depths.READ, Depths.SEND}) {
            Talk talk = peer(trial, rtr);
            Depths offered = talk.theirs().depths();
            if (offered == null || (offered.rtr() & rtr) == 0) {
                continue;
            }
            replies(trial, talk, new Depths(true, rtr, 16, 16));

            Opcode wanted = rtr == Depths.WRITE ? Opcode.WRITE : rtr == Depths.READ ? Opcode.READ_REQUEST : Opcode.SEND;
            Segment first = talk.expect(wanted);
            unless(
                    rtr == Depths.READ ? first.number(12, 4) == 0 : first.payload().length == 0,
                    "a " + wanted.words() + " of no bytes",
                    Octets.hex(first.bytes()));
            tried++;
        }
        if (tried == 0) {
            throw new Skip("needs a device that offers a Ready-to-Receive message");
        }
    }

    @Case(
            value = "MPA2-9.2-5: ends with 2/0/07 when no Ready-to-Receive message is common",
            device = INITIATOR,
            needs = CONFIGURE)
    void noCommonRtr(Trial trial) {
        Talk talk = peer(trial, Depths.WRITE);
        replies(trial, talk, new Depths(true, 0, 16, 16));
        talk.expectRefusal(NO_COMMON_RTR);
    }

    @Case(
            value = "MPA2-9.2-7: sets the bit of every Ready-to-Receive message that it supports",
            device = INITIATOR,
            needs = CONFIGURE)
    void offersAll(Trial trial) {
        Talk talk = trial.connect(DeviceConfiguration.USUAL.with(new Depths(true, 7, 16, 16)));
        Depths depths = depths(talk.expectFrame());
        unless(depths.peerToPeer() && depths.rtr() == 7, "A, B, C and D set", depths);
    }

    @Case(value = "MPA2-9.2-8: sends A, B, C and D as zero as a client", device = INITIATOR)
    void clientBits(Trial trial) {
        Depths depths = depths(trial.connect().expectFrame());
        unless(depths.peerToPeer() || depths.rtr() == 0, "B, C, D of 0 with A=0", depths);
    }

    @Case(
            value = "MPA-8-4: survives a peer that ends the connection before its Ready-to-Receive message",
            device = RESPONDER,
            needs = PROBE)
    void endedBeforeRtr(Trial trial) {
        for (int i = 0; i < 3; i++) {
            Talk talk = trial.connect();
            talk.exchange(trial.request().enhanced(new Depths(true, 7, 8, 4)));
            talk.wire().finish();
            talk.wire().awaitAnything(talk.patience().quietMillis());
        }
        trial.stillServes();
    }

    /**
     * The Reply to a Request that offers peer-to-peer. The tester sends the Ready-to-Receive message that the Reply names, as a peer would.
     */
    private static StartFrame peers(Trial trial, Depths offer) {
        Talk talk = trial.connect();
        StartFrame request = trial.request().enhanced(offer);
        StartFrame reply = talk.exchange(request);
        Depths agreed = reply.depths();
        if (!reply.has(StartFrame.REJECT) && agreed != null && agreed.peerToPeer() && agreed.rtr() != 0) {
            talk.begin(request, reply);
            talk.sendReady(agreed.rtr());

            talk.wire().finish();
        }
        return reply;
    }

    /** Sends an enhanced Reply with these depths, and begins full operation. */
    private static void replies(Trial trial, Talk talk, Depths depths) {
        StartFrame reply = trial.wanted().plainReply().enhanced(depths);
        talk.send(reply);
        talk.begin(reply, talk.theirs());
    }

    /**
     * A connection whose Request has come and asks for peer-to-peer, by default or by a configuration with this
     * message.
     */
    private static Talk peer(Trial trial, int rtr) {
        Talk talk = trial.connect();
        Depths own = talk.expectFrame().depths();
        if (own == null || !own.peerToPeer()) {
            talk = trial.connect(DeviceConfiguration.USUAL.with(new Depths(true, rtr, 16, 16)));
            Depths configured = talk.expectFrame().depths();
            unless(
                    configured != null && configured.peerToPeer() && (configured.rtr() & rtr) != 0,
                    "a Request with A=1 that offers the Ready-to-Receive message of its configuration",
                    configured);
        }
        return talk;
    }
}
