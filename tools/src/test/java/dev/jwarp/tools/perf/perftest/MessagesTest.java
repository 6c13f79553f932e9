package dev.jwarp.tools.perf.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessagesTest {
    private static final List<PerftestControl.Check> CHECKS = List.of(
            VersionText::fault,
            Session.SizeMessage::fault,
            Session.MtuText::fault,
            Destination::fault,
            BandwidthReport::fault);

    private final ByteBuffer octets = ByteBuffer.allocate(Destination.LENGTH);

    @Property
    @Label("a version comes back as it was written")
    void versionComesBackAsItWasWritten(@ForAll @IntRange(min = 570, max = 627) int hundredths) {
        String version = String.format("%d.%02d", hundredths / 100, hundredths % 100);
        VersionText.write(octets, version);

        assertThat(VersionText.fault(octets, VersionText.LENGTH)).isNull();
        assertThat(VersionText.read(octets)).isEqualTo(version);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.70", "5.7", "5.8", "5.93", "6.06", "6.1", "6.25-rc1", "6.27"})
    @DisplayName("versions that speak this exchange are taken")
    void versionsThatSpeakThisExchangeAreTaken(String version) {
        VersionText.write(octets, version);

        assertThat(VersionText.fault(octets, VersionText.LENGTH)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.69", "5.6", "5.33", "5.07", "4.5", "0.1", "6.28", "6.3", "10.0", "9999.9999"})
    @DisplayName("versions that perftest itself would not go together with are refused")
    void versionsThatPerftestItselfWould(String version) {
        VersionText.write(octets, version);

        assertThat(VersionText.fault(octets, VersionText.LENGTH))
                .contains("has another exchange; supported are versions 5.70 to 6.27");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "6", "6.", ".6", "six", "6.06 beta", "-6.06", "99999.1"})
    @DisplayName("what is no version is said to be none")
    void whatIsNoVersionIsSaidToBeNone(String text) {
        VersionText.write(octets, text);

        assertThat(VersionText.fault(octets, VersionText.LENGTH)).isEqualTo("the text is not a version of perftest");
    }

    @Test
    @DisplayName("a version is no longer than its message")
    void versionIsNoLongerThanItsMessage() {
        assertThatThrownBy(() -> VersionText.write(octets, "6.0123456789ABCD")).isInstanceOf(RuntimeException.class);
    }

    @Property
    @Label("a size comes back as it was written")
    void sizeComesBackAsItWasWritten(@ForAll @IntRange(min = 1, max = 1 << 24) int size) {
        Session.SizeMessage.write(octets, size);

        assertThat(Session.SizeMessage.fault(octets, Session.SizeMessage.LENGTH))
                .isNull();
        assertThat(Session.SizeMessage.read(octets)).isEqualTo(size);
    }

    @Property
    @Label("sizes that no machine has are refused")
    void sizesThatNoMachineHasAreRefused(@ForAll @IntRange(min = Integer.MIN_VALUE, max = 0) int size) {
        Session.SizeMessage.write(octets, size);

        assertThat(Session.SizeMessage.fault(octets, Session.SizeMessage.LENGTH))
                .contains("not plausible");
    }

    @Property
    @Label("an mtu comes back as it was written")
    void mtuComesBackAsItWasWritten(@ForAll @IntRange(min = 1, max = 5) int number) {
        Session.MtuText.write(octets, number);

        assertThat(Session.MtuText.fault(octets, Session.MtuText.LENGTH)).isNull();
        assertThat(Session.MtuText.read(octets)).isEqualTo(number);
        assertThat(octets.get(1)).isZero();
    }

    @Property
    @Label("a destination comes back as it was written")
    void destinationComesBackAsItWasWritten(
            @ForAll int reads,
            @ForAll int queuePair,
            @ForAll int stag,
            @ForAll long address,
            @ForAll @Size(16) byte[] gid) {
        Destination written = new Destination(reads, queuePair, stag, address, gid);
        written.write(octets);

        assertThat(Destination.fault(octets, Destination.LENGTH)).isNull();
        assertThat(Destination.read(octets)).isEqualTo(written).hasSameHashCodeAs(written);
    }

    @Test
    @DisplayName("a destination without meaning is all zeros")
    void destinationWithoutMeaningIsAllZeros() {
        octets.put(0, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        Destination.NOTHING.write(octets);

        assertThat(octets.array()).containsOnly(0);
    }

    @Property
    @Label("a report comes back part by part")
    void reportComesBackPartByPart(
            @ForAll long size,
            @ForAll long messages,
            @ForAll double peak,
            @ForAll double average,
            @ForAll double rate) {
        BandwidthReport written = new BandwidthReport(size, messages, peak, average, rate);
        BandwidthReport read = BandwidthReport.NOTHING;
        for (int part = 0; part < BandwidthReport.PARTS; part++) {
            written.write(octets, part);
            assertThat(BandwidthReport.fault(octets, BandwidthReport.PART_LENGTH))
                    .isNull();
            read = read.read(octets, part);
        }

        assertThat(read).isEqualTo(written);
    }

    @Test
    @DisplayName("a report of a run is in the units of perftest")
    void reportOfRunIsInUnitsOfPerftest() {
        BandwidthReport report = BandwidthReport.of(1 << 20, 500, 250_000_000);

        assertThat(report).isEqualTo(new BandwidthReport(1 << 20, 500, 0, 2000, 0.002));
        assertThat(report.plausible()).isTrue();
    }

    @Test
    @DisplayName("figures that no run has are not plausible")
    void figuresThatNoRunHasAreNotPlausible() {
        assertThat(BandwidthReport.NOTHING.plausible()).isFalse();
        assertThat(new BandwidthReport(64, 5, 0, Double.NaN, 1).plausible()).isFalse();
        assertThat(new BandwidthReport(64, 5, 0, 1, Double.POSITIVE_INFINITY).plausible())
                .isFalse();
        assertThat(new BandwidthReport(-64, 5, 0, 1, 1).plausible()).isFalse();
    }

    @Property
    @Label("no bytes of a peer make a check fail otherwise than in words")
    void noBytesOfPeerMake(@ForAll @Size(56) byte[] any, @ForAll @IntRange(max = 56) int length) {
        for (PerftestControl.Check check : CHECKS) {
            String fault = check.fault(ByteBuffer.wrap(any), length);
            assertThat(fault == null || !fault.isBlank()).isTrue();
        }
    }

    @Property
    @Label("a message of another length is none")
    void messageOfAnotherLengthIsNone(@ForAll @IntRange(max = 56) int length) {
        VersionText.write(octets, VersionText.OURS);
        List<Integer> lengths = List.of(16, 4, 2, 56, 8);
        for (int i = 0; i < CHECKS.size(); i++) {
            if (lengths.get(i) != length) {
                assertThat(CHECKS.get(i).fault(octets, length)).contains("this message has " + length);
            }
        }
    }

    @Property
    @Label("a credit tells what is still on its way")
    void creditTellsWhatIsStillOnItsWay(
            @ForAll @LongRange(max = 1L << 40) long arrived,
            @ForAll @IntRange(max = 8192) int underWay,
            @ForAll boolean little) {
        ByteBuffer memory = ByteBuffer.allocate(4).order(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        Credit.write(memory, 0, arrived);

        assertThat(Credit.outstanding(memory, arrived + underWay)).isEqualTo(underWay);
        assertThat(memory.get(0)).isEqualTo((byte) arrived);
    }

    @Test
    @DisplayName("a credit for more than was sent counts for nothing")
    void creditForMoreThanWasSentCountsForNothing() {
        ByteBuffer memory = ByteBuffer.allocate(4);
        Credit.write(memory, 0, 852);

        assertThat(Credit.outstanding(memory, 100)).isEqualTo(100);
    }

    @Test
    @DisplayName("credits are due where perftest tells them")
    void creditsAreDueWherePerftestTellsThem() {
        assertThat(java.util.stream.LongStream.rangeClosed(1, 1000).filter(n -> Credit.due(n, 512)))
                .containsExactly(170L, 340L, 510L, 512L, 682L, 852L);
        assertThat(Credit.last(1000, 512)).isEqualTo(852);
        assertThat(Credit.last(100, 512)).isZero();
    }

    @Property
    @Label("a sender never waits for a credit that is not due")
    void senderNeverWaitsForCreditThatIsNotDue(
            @ForAll @IntRange(min = 1, max = 600) int receives, @ForAll @IntRange(min = 1, max = 3000) int messages) {
        int depth = Math.min(receives, messages);
        long told = 0;
        for (long arrived = 1; arrived < messages; arrived++) {
            told = Credit.due(arrived, depth) ? arrived : told;
            // All that the sender may send with what it was told is more than what has arrived.
            assertThat(Math.min(messages, told + depth)).isGreaterThan(arrived);
        }
    }
}
