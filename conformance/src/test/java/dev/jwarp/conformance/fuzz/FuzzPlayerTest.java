package dev.jwarp.conformance.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.app.Application.UnknownProgram;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.EndlessDevice;
import dev.jwarp.conformance.suite.ListeningDevice;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.StartFrame;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FuzzPlayerTest {
    @Test
    @DisplayName("a device that never stops sending does not block the tester")
    void deviceThatNeverStopsTalkingDoesNotKeepTester() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            EndlessDevice.serve(
                    listener,
                    StartFrame.reply().enhanced(Depths.clientServer(4, 4)).bytes());
            // On a machine with much to do the flood may pause for long, but not for all that time.
            Patience patience = Patience.of(20_000, 20_000, 20_000);
            FuzzPlayer player = new FuzzPlayer(
                    new ListeningDevice(
                            new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()),
                            patience,
                            r -> new UnknownProgram()),
                    patience,
                    1_500);

            assertThat(player.play(new Recipe(List.of()))).isEqualTo("no end within 1500 ms");
        }
    }
}
