package dev.jwarp.conformance.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.StartFrame;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The offer of the tester at start-up:")
class OfferTest {
    private static StartFrame asked(int ird, int ord) {
        return StartFrame.request().enhanced(Depths.clientServer(ird, ord));
    }

    @Test
    @DisplayName("an enhanced Request, or a plain one of either revision")
    void requests() {
        assertThat(Offer.USUAL.request().depths()).isEqualTo(Depths.clientServer(16, 16));
        StartFrame plain = Offer.USUAL.plain(1).request();
        assertThat(plain.has(StartFrame.ENHANCED)).isFalse();
        assertThat(plain.revision()).isEqualTo(1);
        assertThat(plain.privateData()).isEmpty();
        assertThat(Offer.USUAL.plain(2).request().revision()).isEqualTo(2);
    }

    @Test
    @DisplayName("the wanted CRCs, Markers and private data, in Requests and Replies")
    void wanted() {
        Offer offer = Offer.USUAL.withCrc(false).withMarkers().withPrivateData((byte) 7);

        for (StartFrame frame : new StartFrame[] {offer.request(), offer.replyTo(asked(4, 4))}) {
            assertThat(frame.flags()).isEqualTo(StartFrame.MARKERS | StartFrame.ENHANCED);
            assertThat(frame.ulpData()).containsExactly(7);
        }
    }

    @Test
    @DisplayName("a Reply has the Request's revision, unless that revision does not exist")
    void revisions() {
        assertThat(Offer.USUAL.replyTo(StartFrame.request().revision(0)).revision())
                .isEqualTo(1);
        assertThat(Offer.USUAL.replyTo(StartFrame.request().revision(1)).revision())
                .isEqualTo(1);
        assertThat(Offer.USUAL.replyTo(StartFrame.request().revision(3)).revision())
                .isEqualTo(2);
    }

    @Test
    @DisplayName(
            "a Reply takes all Reads that the Request asks for, unless an IRD was named, and asks for no more than it takes")
    void depths() {
        assertThat(Offer.USUAL.replyTo(asked(4, 40)).depths()).isEqualTo(Depths.clientServer(40, 4));
        Offer firm = Offer.USUAL.with(Depths.clientServer(2, 1)).firmly();
        assertThat(firm.replyTo(asked(4, 40)).depths()).isEqualTo(Depths.clientServer(2, 1));
    }
}
