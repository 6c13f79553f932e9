package dev.jwarp.conformance.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.conformance.wire.TerminateFields;
import dev.jwarp.vectors.OwnThread;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A conversation with a device that the test plays: it responds, with CRCs and without Markers. */
class TalkTest {
    private final Framer framer = new Framer(false, true);
    private Socket device;
    private Talk talk;

    @BeforeEach
    void connect() throws IOException {
        connect(Patience.of(2_000, 50, 2_000));
        says(StartFrame.reply().enhanced(Depths.clientServer(4, 4)).bytes());
        talk.open(StartFrame.request().enhanced(Depths.clientServer(4, 4)));
    }

    private void connect(Patience patience) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket tester = new Socket(listener.getInetAddress(), listener.getLocalPort());
            device = listener.accept();
            device.setTcpNoDelay(true);
            talk = new Talk(new Wire(tester), Role.RESPONDER, patience);
        }
    }

    /** Another conversation; the previous one has ended. */
    private void again(Patience patience, StartFrame request, StartFrame reply) throws IOException {
        close();
        connect(patience);
        says(reply.bytes());
        talk.open(request);
    }

    /** A slow device: waits so long before each piece of so many bytes. */
    private void saysSlowly(long millis, int piece, byte... octets) {
        OwnThread.EACH.execute(() -> {
            try {
                for (int at = 0; at < octets.length; at += piece) {
                    Thread.sleep(millis);
                    says(Arrays.copyOfRange(octets, at, Math.min(octets.length, at + piece)));
                }
            } catch (IOException | InterruptedException e) {
                // The test is over.
            }
        });
    }

    private static void deviates(ThrowingCallable steps, String words) {
        assertThatThrownBy(steps).isInstanceOf(Deviation.class).hasMessageContaining(words);
    }

    @AfterEach
    void close() throws IOException {
        talk.close();
        device.close();
    }

    private void says(byte... octets) throws IOException {
        device.getOutputStream().write(octets);
    }

    private byte[] send(int msn) {
        return framer.frame(Segment.send(msn, Octets.pattern(16, msn)).bytes());
    }

    @Test
    @DisplayName("a message is assembled from its segments")
    void messageIsPutTogetherFromItsSegments() throws IOException {
        byte[] whole = Octets.pattern(20, 1);
        says(framer.frame(Segment.send(1, Octets.pattern(8, 1)).last(false).bytes()));
        says(framer.frame(
                Segment.send(1, Arrays.copyOfRange(whole, 8, 20)).mo(8).bytes()));

        assertThat(talk.expectMessage(Opcode.SEND)).isEqualTo(whole);
    }

    @Test
    @DisplayName("pieces that are sent together wait until the tester reads")
    void whatIsSentTogetherWaitsUntilTesterReads() throws IOException {
        device.getInputStream().readNBytes(24); // its Request
        talk.writing(Wire.Writes.TOGETHER);
        talk.send(Segment.send(1, new byte[1]));
        talk.send(Segment.send(2, new byte[1]));

        assertThat(device.getInputStream().available()).isZero();
        talk.expectSilence(1);
        assertThat(device.getInputStream().readNBytes(56)).hasSize(56);
        assertThat(talk.relied()).contains(Basics.TOGETHER);
    }

    @Test
    @DisplayName("byte by byte no byte is lost")
    void byteByByteNothingIsLost() throws IOException {
        device.getInputStream().readNBytes(24);
        talk.writing(Wire.Writes.BYTE_BY_BYTE);
        byte[] all = Octets.pattern(5_000, 3);
        talk.sendOctets(all, "");

        assertThat(device.getInputStream().readNBytes(5_000)).isEqualTo(all);
        assertThat(talk.relied()).contains(Basics.PIECES);
    }

    @Test
    @DisplayName("a gap in a message is a deviation")
    void holeInMessageIsDeviation() throws IOException {
        says(framer.frame(Segment.send(1, new byte[8]).last(false).bytes()));
        says(framer.frame(Segment.send(1, new byte[8]).mo(12).bytes()));

        deviates(() -> talk.expectMessage(Opcode.SEND), "offset 8");
    }

    @Test
    @DisplayName("a wrong CRC is a deviation in every case")
    void wrongCrcIsDeviationWhereverItComes() throws IOException {
        says(framer.frame(Segment.send(1, new byte[8]).bytes(), Framer.Flaw.CRC));

        deviates(() -> talk.expect(Opcode.SEND), "right CRC");
    }

    @Test
    @DisplayName("bytes that have come already break the silence")
    void silenceIsJudgedFromWhatHasComeAlready() throws IOException {
        says(new Octets().add(send(1)).add(send(2)).bytes());
        talk.expect(Opcode.SEND);

        deviates(() -> talk.expectSilence(), "nothing for 50 ms");
    }

    @Test
    @DisplayName("a message without end is a deviation and fills no memory")
    void messageWithoutEndIsDeviationAndFillsNoMemory() {
        OwnThread.EACH.execute(() -> {
            try {
                byte[] piece = new byte[60_000];
                for (int mo = 0; ; mo += piece.length) {
                    says(framer.frame(Segment.send(1, piece).mo(mo).last(false).bytes()));
                }
            } catch (IOException e) {
                // The tester has closed the connection.
            }
        });

        deviates(() -> talk.expectMessage(Opcode.SEND), "at most 16777216 bytes");
        assertThat(talk.seen().stream().mapToInt(f -> f.octets().length).sum()).isLessThanOrEqualTo(16 << 20);
        assertThat(talk.wire().events().stream()
                        .mapToInt(e -> e.octets().length)
                        .sum())
                .isLessThanOrEqualTo(Journal.BUDGET);
        assertThat(talk.wire().events().stream().mapToLong(Event::length).sum()).isGreaterThan(16 << 20);
    }

    @Test
    @DisplayName("silence is silence")
    void silenceIsSilence() {
        assertThatCode(() -> talk.expectSilence()).doesNotThrowAnyException();
    }

    @Test
    @DisplayName("no byte may come before an end")
    void endHasNothingBeforeIt() throws IOException {
        says(send(1));
        device.shutdownOutput();

        deviates(() -> talk.expectEnd(), "no more bytes before");
        talk.expect(Opcode.SEND);
        talk.expectEnd();
        assertThat(talk.wire().wasReset()).isFalse();
    }

    @Test
    @DisplayName("a late end is told apart from an immediate one")
    void endThatComesLateIsToldApartFromOneAtOnce() throws IOException {
        Patience strict = new Patience(2_000, 50, 0, 2_000, 0, 0, false);
        connect(strict);
        device.shutdownOutput();
        deviates(() -> talk.expectEndAtOnce(), "within 0 ms");

        connect(strict.slowed(1_000));
        device.shutdownOutput();
        assertThatCode(() -> talk.expectEndAtOnce()).doesNotThrowAnyException();
    }

    @Test
    @DisplayName("a Terminate must have one of the causes")
    void terminateMustHaveOneOfCauses() throws IOException {
        says(framer.frame(Segment.terminate(1, 2, 0x01, 0).bytes()));
        says(framer.frame(Segment.terminate(1, 2, 0x04, 0).bytes()));

        TerminateFields terminated = talk.expectTerminate(0x0206, 0x1201);

        assertThat(terminated.cause()).isEqualTo(0x1201);
        deviates(() -> talk.expectTerminate(0x1201), "1/2/04");
    }

    @Test
    @DisplayName("a late answer charges nothing, and the message says how long to wait")
    void answerThatComesLateChargesNothing() throws IOException {
        again(Patience.of(100, 1, 10_000), StartFrame.request(), StartFrame.reply());
        saysSlowly(1_000, 1_000, send(1));

        assertThatThrownBy(() -> talk.expect(Opcode.SEND))
                .isInstanceOf(Inconclusive.class)
                .hasMessageMatching("the device answered after \\d+\\.\\d s: set --timeout to \\d+ or more");
    }

    @Test
    @DisplayName("so does a late start-up frame")
    void frameThatComesLateChargesNothing() throws IOException {
        close();
        connect(Patience.of(100, 1, 10_000));
        saysSlowly(1_000, 1_000, StartFrame.reply().bytes());

        assertThatThrownBy(() -> talk.open(StartFrame.request()))
                .isInstanceOf(Inconclusive.class)
                .hasMessageContaining("the device answered after");
        assertThat(talk.wire().answeredMillis()).isGreaterThanOrEqualTo(100);
    }

    @Test
    @DisplayName("an answer that never comes is a deviation")
    void answerThatNeverComesIsDeviation() throws IOException {
        again(Patience.of(100, 1, 200), StartFrame.request(), StartFrame.reply());

        deviates(() -> talk.expect(Opcode.SEND), "nothing within the time allowed");
    }

    @Test
    @DisplayName("the tester waits for an answer while bytes still come")
    void whileBytesStillComeAnswerIsAwaited() throws IOException {
        close();
        connect(Patience.of(1_000, 50, 2_000));
        saysSlowly(60, 1, StartFrame.reply().bytes());
        talk.open(StartFrame.request());
        saysSlowly(60, 1, send(1));

        assertThat(talk.expectMessage(Opcode.SEND)).isEqualTo(Octets.pattern(16, 1));
        assertThat(talk.wire().millis()).isGreaterThan(2_000);
    }

    @Test
    @DisplayName("a Read is tried only if the device accepts Reads")
    void readIsTriedOnlyWhereDeviceTakesOne() throws IOException {
        assertThat(talk.granted()).isEqualTo(4);
        again(
                talk.patience(),
                StartFrame.request().enhanced(Depths.clientServer(4, 4)),
                StartFrame.reply().enhanced(Depths.clientServer(0, 0)));

        assertThatThrownBy(() -> talk.nextRead()).isInstanceOf(Skip.class).hasMessageContaining("its IRD is 0");
        assertThatThrownBy(() -> talk.needReads()).isInstanceOf(Skip.class).hasMessageContaining("its ORD is 0");
        assertThat(talk.readBeyond()).isEqualTo(1);
    }

    @Test
    @DisplayName("one Read is tried if no number was agreed")
    void oneReadIsTriedWhereNoNumberWasAgreed() throws IOException {
        again(talk.patience(), StartFrame.request(), StartFrame.reply());

        assertThat(talk.agreed()).isFalse();
        assertThat(talk.granted()).isEqualTo(1);
        assertThat(talk.asked()).isEqualTo(1);
    }

    @Test
    @DisplayName("a wrong CRC is sent only if CRCs are in use")
    void wrongCrcIsSentOnlyWhereCrcsAreInUse() throws IOException {
        again(
                talk.patience(),
                StartFrame.request().without(StartFrame.CRC),
                StartFrame.reply().without(StartFrame.CRC));

        assertThatThrownBy(() -> talk.send(Segment.send(1), Framer.Flaw.CRC))
                .isInstanceOf(Skip.class)
                .hasMessageContaining("CRCs");
    }
}
