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
import dev.jwarp.conformance.wire.Terminated;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A conversation with a device that is this test: it responds, with CRCs and without Markers. */
class TalkTest {
    private final Framer framer = new Framer(false, true);
    private Socket device;
    private Talk talk;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket tester = new Socket(listener.getInetAddress(), listener.getLocalPort());
            device = listener.accept();
            device.setTcpNoDelay(true);
            talk = new Talk(new Wire(tester), Role.RESPONDER, Patience.of(2_000, 50, 2_000));
        }
        says(StartFrame.reply().enhanced(Depths.clientServer(4, 4)).bytes());
        talk.open(StartFrame.request().enhanced(Depths.clientServer(4, 4)));
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
    void a_message_is_put_together_from_its_segments() throws IOException {
        byte[] whole = Octets.pattern(20, 1);
        says(framer.frame(Segment.send(1, Octets.pattern(8, 1)).last(false).bytes()));
        says(framer.frame(
                Segment.send(1, Arrays.copyOfRange(whole, 8, 20)).mo(8).bytes()));

        assertThat(talk.expectMessage(Opcode.SEND)).isEqualTo(whole);
    }

    @Test
    void a_hole_in_a_message_is_a_deviation() throws IOException {
        says(framer.frame(Segment.send(1, new byte[8]).last(false).bytes()));
        says(framer.frame(Segment.send(1, new byte[8]).mo(12).bytes()));

        assertThatThrownBy(() -> talk.expectMessage(Opcode.SEND))
                .isInstanceOf(Deviation.class)
                .hasMessageContaining("offset 8");
    }

    @Test
    void a_wrong_crc_is_a_deviation_wherever_it_comes() throws IOException {
        says(framer.frame(Segment.send(1, new byte[8]).bytes(), Framer.Flaw.CRC));

        assertThatThrownBy(() -> talk.expect(Opcode.SEND))
                .isInstanceOf(Deviation.class)
                .hasMessageContaining("right CRC");
    }

    @Test
    void silence_is_judged_from_what_has_come_already() throws IOException {
        says(new Octets().add(send(1)).add(send(2)).bytes());
        talk.expect(Opcode.SEND);

        assertThatThrownBy(() -> talk.expectSilence())
                .isInstanceOf(Deviation.class)
                .hasMessageContaining("nothing for 50 ms");
    }

    @Test
    void a_message_without_end_is_a_deviation_and_fills_no_memory() {
        Thread flood = new Thread(() -> {
            try {
                byte[] piece = new byte[60_000];
                for (int mo = 0; ; mo += piece.length) {
                    says(framer.frame(Segment.send(1, piece).mo(mo).last(false).bytes()));
                }
            } catch (IOException e) {
                // The tester has had enough.
            }
        });
        flood.setDaemon(true);
        flood.start();

        assertThatThrownBy(() -> talk.expectMessage(Opcode.SEND))
                .isInstanceOf(Deviation.class)
                .hasMessageContaining("at most 16777216 octets");
        assertThat(talk.seen().stream().mapToInt(f -> f.octets().length).sum()).isLessThanOrEqualTo(16 << 20);
        assertThat(talk.wire().events().stream()
                        .mapToInt(e -> e.octets().length)
                        .sum())
                .isLessThanOrEqualTo(Journal.BUDGET);
        assertThat(talk.wire().events().stream().mapToLong(Event::length).sum()).isGreaterThan(16 << 20);
    }

    @Test
    void silence_is_silence() {
        assertThatCode(() -> talk.expectSilence()).doesNotThrowAnyException();
    }

    @Test
    void an_end_has_nothing_before_it() throws IOException {
        says(send(1));
        device.shutdownOutput();

        assertThatThrownBy(() -> talk.expectEnd())
                .isInstanceOf(Deviation.class)
                .hasMessageContaining("no more octets before");
        talk.expect(Opcode.SEND);
        talk.expectEnd();
        assertThat(talk.wire().wasReset()).isFalse();
    }

    @Test
    void an_end_that_comes_late_is_told_apart_from_one_at_once() throws IOException {
        device.shutdownOutput();

        assertThatThrownBy(() -> talk.expectEndWithin(0))
                .isInstanceOf(Deviation.class)
                .hasMessageContaining("within 0 ms");
        assertThatCode(() -> talk.expectEndWithin(2_000)).doesNotThrowAnyException();
    }

    @Test
    void a_terminate_must_have_one_of_the_causes() throws IOException {
        says(framer.frame(Segment.terminate(1, 2, 0x01, 0).bytes()));
        says(framer.frame(Segment.terminate(1, 2, 0x04, 0).bytes()));

        Terminated terminated = talk.expectTerminate(0x0206, 0x1201);

        assertThat(terminated.cause()).isEqualTo(0x1201);
        assertThatThrownBy(() -> talk.expectTerminate(0x1201))
                .isInstanceOf(Deviation.class)
                .hasMessageContaining("1/2/04");
    }
}
