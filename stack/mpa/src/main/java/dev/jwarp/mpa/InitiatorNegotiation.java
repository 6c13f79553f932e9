package dev.jwarp.mpa;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The start-up of the initiator as pure functions: the Request, and the evaluation of the Reply. */
public final class InitiatorNegotiation {
    private InitiatorNegotiation() {}

    /**
     * {@return the Request for the settings}
     *
     * @param privateData of the layer above: at most 508 octets with revision 2, 512 with revision 1
     */
    public static StartFrame request(StartSettings wanted, PrivateData privateData) {
        EnhancedData enhanced = null;
        // MPA2-10-3, MPA-7.1.1-11: revision 1 has no enhanced data.
        if (wanted.revision() >= StartFrame.REVISION_2) {
            // RFC 6581 §9.2, MPA2-9.2-8, MPA2-9.2-7: without A, none of B, C, D; with A, all messages that this side
            // can send.
            Set<RtrType> rtr = wanted.peerToPeer() ? wanted.rtrTypes() : Set.of();
            enhanced = new EnhancedData(wanted.peerToPeer(), rtr, wanted.ird(), wanted.ord());
        }
        return new StartFrame(
                StartFrame.Kind.REQUEST,
                wanted.revision(),
                wanted.markers(),
                wanted.crc(),
                false, // RFC 5044 §7.1.1, MPA-7.1.1-8: R is 0 in a Request
                0,
                enhanced,
                privateData);
    }

    /**
     * {@return the result of the Reply}
     *
     * @param wanted the settings of the Request
     */
    public static StartOutcome judge(StartSettings wanted, StartFrame request, StartFrame reply) {
        // RFC 5044 §7.1.2 (3), MPA-7.1.2-4: a rejection ends MPA regardless of the rest of the Reply.
        if (reply.rejected()) {
            return new StartOutcome.RejectedByPeer(reply);
        }
        // RFC 6581 §10, MPA2-10-4: an enhanced Request gets an enhanced Reply, a plain Request a plain one.
        if (request.enhanced() != null && reply.enhanced() == null) {
            return new StartOutcome.Close(StartFrameProblem.REPLY_NOT_ENHANCED);
        }
        if (request.enhanced() == null && reply.enhanced() != null) {
            return new StartOutcome.Close(StartFrameProblem.REPLY_ENHANCED);
        }
        EnhancedData offered = reply.enhanced();
        if (offered == null) {
            // RFC 5040 §6.1: read depths are not negotiated here, so our settings apply.
            return agreement(wanted.ird(), wanted.ord(), Set.of(), request, reply);
        }
        Set<RtrType> common = commonRtrTypes(request.enhanced(), offered);
        // RFC 6581 §9.1, MPA2-9.1-3, MPA2-9.1-8: our ORD is at most the responder's IRD; 0x3FFF, the largest value,
        // leaves ours unchanged.
        int ord = Math.min(wanted.ord(), offered.ird());
        Agreement agreement = agreement(wanted.ird(), ord, firstOf(common), request, reply);
        // RFC 6581 §9.1, MPA2-9.1-4, MPA2-9.1-5: our IRD must be at least the responder's ORD; otherwise Terminate
        // 2/0/06.
        if (offered.ord() != EnhancedData.NOT_NEGOTIATED && offered.ord() > wanted.ird()) {
            return new StartOutcome.Terminate(
                    MpaError.INSUFFICIENT_IRD,
                    "the peer wants to have " + offered.ord() + " RDMA Reads outstanding, we can hold " + wanted.ird(),
                    agreement);
        }
        // RFC 6581 §9.2, MPA2-9.2-5: no ready-to-receive message in
        // common, or no peer-to-peer at all: Terminate 2/0/07.
        if (wanted.peerToPeer() && common.isEmpty()) {
            return new StartOutcome.Terminate(
                    MpaError.NO_MATCHING_RTR,
                    offered.peerToPeer()
                            ? "the peer takes " + offered.rtrTypes() + " as ready-to-receive message, we can send "
                                    + wanted.rtrTypes()
                            : "we asked for the peer-to-peer set-up, the peer answered client-server",
                    agreement);
        }
        return agreement;
    }

    /** RFC 6581 §9.2: B, C and D are valid only if both sides set A. */
    private static Set<RtrType> commonRtrTypes(@Nullable EnhancedData asked, EnhancedData offered) {
        EnumSet<RtrType> common = EnumSet.noneOf(RtrType.class);
        if (asked != null && asked.peerToPeer() && offered.peerToPeer()) {
            common.addAll(asked.rtrTypes());
            common.retainAll(offered.rtrTypes());
        }
        return common;
    }

    /** RFC 6581 §9.2, MPA2-9.2-4: the initiator chooses one of the negotiated messages. */
    private static Set<RtrType> firstOf(Set<RtrType> types) {
        return types.isEmpty() ? Set.of() : Set.of(types.iterator().next());
    }

    private static Agreement agreement(int ird, int ord, Set<RtrType> rtr, StartFrame request, StartFrame reply) {
        return new Agreement(
                true,
                reply.revision(),
                request.crc() || reply.crc(), // RFC 5044 §7.1.1, MPA-7.1.1-7: in use if either side wants it
                reply.markers(), // RFC 5044 §7.1.1, MPA-7.1.1-6: each side decides what it receives
                request.markers(),
                ird,
                ord,
                rtr,
                reply);
    }
}
