package dev.jwarp.conformance.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.wire.Opcode;
import java.io.IOException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The tester's end of the conversation with a conformance target, which the test plays. */
class EchoTest {
    private static final int WRITES = 4;
    private static final int ATOMIC = 13;
    private static final int UNABLE = 1;

    private final Echo echo = new Echo(Role.RESPONDER);

    @AutoClose
    private Played target;

    @BeforeEach
    void connect() throws IOException {
        target = new Played();
        answers(1, 0, "00".repeat(8));
        echo.begin(target.talk());
    }

    private void answers(int order, int status, String data) throws IOException {
        target.sends("4a435231 %04x 0000 %08x".formatted(order, status) + "00".repeat(20) + data);
    }

    @Test
    @DisplayName("a command that the target cannot carry out skips the case, whatever the case waits for")
    void orderThatTargetCannotCarryOutSkipsCase() throws IOException {
        answers(WRITES, UNABLE, "");
        echo.askWrites(1, 0, 16, 1);

        assertThatThrownBy(() -> target.talk().expect(Opcode.WRITE))
                .isInstanceOf(Skip.class)
                .hasMessage("needs a target that can WRITES");
    }

    @Test
    @DisplayName("also while the case waits for an answer")
    void orderWithAnswerThatTargetCannotCarryOutSkipsCase() throws IOException {
        answers(ATOMIC, UNABLE, "");
        echo.askAtomic(0, 1, 0, 0, 0, 0, 0);

        assertThatThrownBy(echo::expectAtomic).isInstanceOf(Skip.class).hasMessage("needs a target that can ATOMIC");
    }

    @Test
    @DisplayName("other Sends belong to the case")
    void otherSendsAreTheCases() throws IOException {
        target.sends("00".repeat(64));

        assertThat(target.talk().expectMessage(Opcode.SEND)).isEqualTo(new byte[64]);
    }

    @Test
    @DisplayName("it has the abilities of its HELLO, and none that only the device has")
    void features() {
        assertThat(echo.can(Ability.PROBE)).isTrue();
        assertThat(echo.can(Ability.WRITES)).isFalse();
        assertThat(echo.can(Ability.ENHANCED)).isFalse();
    }
}
