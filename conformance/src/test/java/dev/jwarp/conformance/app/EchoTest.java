package dev.jwarp.conformance.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.script.Wire;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The tester's end of the conversation with a conformance target, which the test plays. */
class EchoTest {
    private static final int WRITES = 4;
    private static final int ATOMIC = 13;
    private static final int UNABLE = 1;

    private final Framer framer = new Framer(false, true);
    private final Echo echo = new Echo(Role.RESPONDER);
    private Socket target;
    private Talk talk;
    private int msn;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket tester = new Socket(listener.getInetAddress(), listener.getLocalPort());
            target = listener.accept();
            talk = new Talk(new Wire(tester), Role.RESPONDER, Patience.of(2_000, 50, 2_000));
        }
        target.getOutputStream().write(StartFrame.reply().bytes());
        talk.open(StartFrame.request());
        answers(1, 0, new byte[8]);
        echo.begin(talk);
    }

    @AfterEach
    void close() throws IOException {
        talk.close();
        target.close();
    }

    private void answers(int order, int status, byte... data) throws IOException {
        byte[] answer = new Octets()
                .u32(0x4A435231)
                .u16(order)
                .u16(0)
                .u32(status)
                .zeros(20)
                .add(data)
                .bytes();
        target.getOutputStream().write(framer.frame(Segment.send(++msn, answer).bytes()));
    }

    @Test
    @DisplayName("a command that the target cannot carry out skips the case, whatever the case waits for")
    void orderThatTargetCannotCarryOutSkipsCase() throws IOException {
        answers(WRITES, UNABLE);
        echo.askWrites(1, 0, 16, 1);

        assertThatThrownBy(() -> talk.expect(Opcode.WRITE))
                .isInstanceOf(Skip.class)
                .hasMessage("needs a target that can WRITES");
    }

    @Test
    @DisplayName("also while the case waits for an answer")
    void orderWithAnswerThatTargetCannotCarryOutSkipsCase() throws IOException {
        answers(ATOMIC, UNABLE);
        echo.askAtomic(0, 1, 0, 0, 0, 0, 0);

        assertThatThrownBy(echo::expectAtomic).isInstanceOf(Skip.class).hasMessage("needs a target that can ATOMIC");
    }

    @Test
    @DisplayName("other Sends belong to the case")
    void otherSendsAreTheCases() throws IOException {
        target.getOutputStream()
                .write(framer.frame(Segment.send(++msn, Octets.pattern(64, 0)).bytes()));

        assertThat(talk.expectMessage(Opcode.SEND)).isEqualTo(Octets.pattern(64, 0));
    }

    @Test
    @DisplayName("it has the abilities of its HELLO, and none that only the device has")
    void features() {
        assertThat(echo.can(Ability.PROBE)).isTrue();
        assertThat(echo.can(Ability.WRITES)).isFalse();
        assertThat(echo.can(Ability.ENHANCED)).isFalse();
    }
}
