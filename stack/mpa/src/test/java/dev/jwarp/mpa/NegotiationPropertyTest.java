package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.mpa.ResponderNegotiation.Acceptance;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

@Label("Two sides with any settings")
class NegotiationPropertyTest {
    @Provide
    Arbitrary<StartSettings> settings() {
        Arbitrary<Boolean> flag = Arbitraries.of(true, false);
        Arbitrary<Integer> depth =
                Arbitraries.oneOf(Arbitraries.integers().between(0, 20), Arbitraries.just(EnhancedData.NOT_NEGOTIATED));
        return Combinators.combine(
                        Arbitraries.integers().between(1, 2),
                        flag,
                        flag,
                        depth,
                        depth,
                        flag,
                        Arbitraries.of(RtrType.class).set().ofMinSize(1))
                .as((revision, markers, crc, ird, ord, peerToPeer, rtr) ->
                        new StartSettings(revision, markers, crc, ird, ord, peerToPeer && revision == 2, rtr));
    }

    @Provide
    Arbitrary<StartFrame> replies() {
        return StartFramePropertyTest.frames().filter(frame -> frame.kind() == StartFrame.Kind.REPLY);
    }

    @Provide
    Arbitrary<StartFrame> requests() {
        return StartFramePropertyTest.frames().filter(frame -> frame.kind() == StartFrame.Kind.REQUEST);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    @Label("agree on the same values, or both get the reason")
    void agree(@ForAll("settings") StartSettings initiator, @ForAll("settings") StartSettings responder) {
        StartFrame request = InitiatorNegotiation.request(initiator, PrivateData.NONE);
        if (ResponderNegotiation.examine(responder, request) != null) {
            assertThat(responder.revision()).isLessThan(initiator.revision());
            return;
        }
        Acceptance acceptance = ResponderNegotiation.accept(responder, request, PrivateData.NONE);
        StartOutcome outcome = InitiatorNegotiation.judge(initiator, request, acceptance.reply());
        Agreement theirs = acceptance.agreement();
        if (outcome instanceof StartOutcome.Terminate terminate) {
            assertThat(terminate.error()).isEqualTo(MpaError.NO_MATCHING_RTR);
            assertThat(initiator.rtrTypes()).doesNotContainAnyElementsOf(responder.rtrTypes());
            assertThat(theirs.rtrTypes()).isEmpty();
            return;
        }
        Agreement ours = (Agreement) outcome;
        assertThat(ours.initiator()).isTrue();
        assertThat(theirs.initiator()).isFalse();
        assertThat(ours.crc()).isEqualTo(theirs.crc()).isEqualTo(initiator.crc() || responder.crc());
        assertThat(ours.sendMarkers()).isEqualTo(theirs.receiveMarkers());
        assertThat(ours.receiveMarkers()).isEqualTo(theirs.sendMarkers());
        assertThat(ours.revision()).isEqualTo(theirs.revision()).isEqualTo(initiator.revision());
        assertThat(theirs.rtrTypes()).containsAll(ours.rtrTypes());
        assertThat(ours.rtrTypes()).hasSize(initiator.peerToPeer() ? 1 : 0);
        boolean negotiated = initiator.revision() == 2;
        if (negotiated && initiator.ord() != EnhancedData.NOT_NEGOTIATED) {
            assertThat(ours.ord()).isLessThanOrEqualTo(theirs.ird());
        }
        if (negotiated && initiator.ird() != EnhancedData.NOT_NEGOTIATED) {
            assertThat(theirs.ord()).isLessThanOrEqualTo(ours.ird());
        }
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    @Label("handle every Reply that can be encoded")
    void everyReply(@ForAll("settings") StartSettings initiator, @ForAll("replies") StartFrame reply) {
        StartFrame request = InitiatorNegotiation.request(initiator, PrivateData.NONE);
        StartOutcome outcome = InitiatorNegotiation.judge(initiator, request, reply);
        if (outcome instanceof Agreement agreement && initiator.revision() == 2) {
            int peerOrd = agreement.peerFrame().enhanced().ord();
            assertThat(peerOrd <= agreement.ird() || peerOrd == EnhancedData.NOT_NEGOTIATED)
                    .isTrue();
        }
        assertThat(outcome instanceof StartOutcome.RejectedByPeer).isEqualTo(reply.rejected());
    }

    @Tag("MPA2-10-1")
    @Tag("MPA2-10-2")
    @Tag("MPA-7.1.1-9")
    @Property(edgeCases = EdgeCasesMode.NONE)
    @Label("answer every Request that can be encoded with a Reply of its revision")
    void everyRequest(@ForAll("settings") StartSettings responder, @ForAll("requests") StartFrame request) {
        for (StartFrame reply : List.of(
                ResponderNegotiation.accept(responder, request, PrivateData.NONE)
                        .reply(),
                ResponderNegotiation.reject(responder, request, PrivateData.NONE))) {
            assertThat(reply.kind()).isEqualTo(StartFrame.Kind.REPLY);
            assertThat(reply.revision()).isEqualTo(request.revision());
            assertThat(reply.enhanced() == null).isEqualTo(request.enhanced() == null);
            assertThat(reply.reserved()).isZero();
            assertThat(reply.crc() || !request.crc()).isTrue();
        }
    }
}
