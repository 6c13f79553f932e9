package dev.jwarp.mpa;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The start-up of the responder as pure functions: whether a Request can be handled, and the Reply that accepts or
 * rejects it. In between the layer above decides, by private data and read depths of the Request.
 *
 * <p>A responder never sends a Terminate at start-up, because it must not send an FPDU before it has received one (RFC
 * 5044 §7.1.2 (4)).
 */
public final class ResponderNegotiation {
    private ResponderNegotiation() {}

    /**
     * An accepting Reply with its result.
     *
     * @param reply the Reply, to be sent in one piece
     * @param agreement the result once the Reply is sent
     */
    public record Acceptance(StartFrame reply, Agreement agreement) {}

    /** {@return the reason to close the connection without a Reply; null if the Request can be answered} */
    public static @Nullable StartFrameProblem examine(StartSettings offered, StartFrame request) {
        // RFC 5044 §7.1.1, MPA-7.1.1-10: close on a revision that cannot be handled; RFC 6581 §10, MPA2-10-5: the same
        // for an enhanced Request.
        return request.revision() > offered.revision() ? StartFrameProblem.UNSUPPORTED_REVISION : null;
    }

    /**
     * {@return the Reply that accepts the Request, and the agreement}
     *
     * @param offered settings of this side; {@code ird} and {@code ord} are reduced to those of the Request
     * @param privateData of the layer above: at most 508 octets if the Request is enhanced, else 512
     */
    public static Acceptance accept(StartSettings offered, StartFrame request, PrivateData privateData) {
        EnhancedData asked = request.enhanced();
        if (asked == null) {
            StartFrame reply = reply(offered, request, false, null, privateData);
            // RFC 5040 §6.1: read depths are not negotiated here, so our settings apply.
            return new Acceptance(reply, agreement(offered.ird(), offered.ord(), Set.of(), request, reply));
        }
        Set<RtrType> common = commonRtrTypes(offered, asked);
        int ird = irdFor(offered.ird(), asked.ord(), common.contains(RtrType.READ));
        // RFC 6581 §9.1, MPA2-9.1-1, MPA2-9.1-7: our ORD is at most the initiator's IRD; 0x3FFF, the largest value,
        // leaves ours unchanged.
        int ord = Math.min(offered.ord(), asked.ird());
        EnhancedData answer = new EnhancedData(
                asked.peerToPeer(), // RFC 6581 §9.2, MPA2-9.2-2: the same A
                asked.peerToPeer() ? orElse(common, offered.rtrTypes()) : Set.of(),
                asked.ord() == EnhancedData.NOT_NEGOTIATED ? EnhancedData.NOT_NEGOTIATED : ird,
                asked.ird() == EnhancedData.NOT_NEGOTIATED ? EnhancedData.NOT_NEGOTIATED : ord);
        StartFrame reply = reply(offered, request, false, answer, privateData);
        return new Acceptance(reply, agreement(ird, ord, common, request, reply));
    }

    /**
     * {@return the Reply that rejects the Request}
     *
     * @param offered our settings; {@code ird} and {@code ord} tell the peer which depths we have and need (RFC 6581
     *     §9.1)
     * @param privateData of the layer above, as the reason; lengths as in {@link #accept}
     */
    public static StartFrame reject(StartSettings offered, StartFrame request, PrivateData privateData) {
        EnhancedData asked = request.enhanced();
        EnhancedData answer = null;
        if (asked != null) {
            Set<RtrType> rtr =
                    asked.peerToPeer() ? orElse(commonRtrTypes(offered, asked), offered.rtrTypes()) : Set.of();
            answer = new EnhancedData(asked.peerToPeer(), rtr, offered.ird(), offered.ord());
        }
        return reply(offered, request, true, answer, privateData);
    }

    /**
     * RFC 6581 §9.1, MPA2-9.1-2, MPA2-9.1-10: our IRD is the depth that this side actually provides. It should reach
     * the initiator's ORD; otherwise the initiator has to lower its ORD. A zero-length Read as ready-to-receive message
     * needs a depth of 1 even if the initiator's ORD is 0. 0x3FFF leaves our IRD unchanged.
     */
    private static int irdFor(int offeredIrd, int peerOrd, boolean readComesFirst) {
        if (peerOrd == EnhancedData.NOT_NEGOTIATED) {
            return offeredIrd;
        }
        return Math.max(Math.min(offeredIrd, peerOrd), readComesFirst ? 1 : 0);
    }

    /** RFC 6581 §9.2, MPA2-9.2-6, MPA2-9.2-1: B, C and D are valid only with A. */
    private static Set<RtrType> commonRtrTypes(StartSettings offered, EnhancedData asked) {
        EnumSet<RtrType> common = EnumSet.noneOf(RtrType.class);
        if (asked.peerToPeer()) {
            common.addAll(asked.rtrTypes());
            common.retainAll(offered.rtrTypes());
        }
        return common;
    }

    /**
     * RFC 6581 §9.2, MPA2-9.2-3: without a common message, the Reply names ours, and the initiator ends the connection.
     */
    private static Set<RtrType> orElse(Set<RtrType> common, Set<RtrType> ours) {
        return common.isEmpty() ? ours : common;
    }

    private static StartFrame reply(
            StartSettings offered,
            StartFrame request,
            boolean rejected,
            @Nullable EnhancedData enhanced,
            PrivateData privateData) {
        return new StartFrame(
                StartFrame.Kind.REPLY,
                // RFC 6581 §6, §10, MPA2-6-2, MPA2-10-1, MPA2-10-2: the revision of the Request; an initiator of
                // revision 1 may know no other
                request.revision(),
                offered.markers(),
                // RFC 5044 §7.1.1, MPA-7.1.1-7, MPA-4.4-8: CRCs are in use if either side requests them. C is also set
                // for the initiator's request alone, because siw gives up without C in the Reply.
                offered.crc() || request.crc(),
                rejected,
                0,
                enhanced,
                privateData);
    }

    private static Agreement agreement(int ird, int ord, Set<RtrType> rtr, StartFrame request, StartFrame reply) {
        return new Agreement(
                false,
                request.revision(),
                reply.crc(),
                request.markers(), // RFC 5044 §7.1.1, MPA-7.1.1-6, MPA-7.1.1-5: each side decides what it receives
                reply.markers(),
                ird,
                ord,
                rtr,
                request);
    }
}
