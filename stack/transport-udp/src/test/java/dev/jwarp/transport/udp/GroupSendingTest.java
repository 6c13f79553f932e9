package dev.jwarp.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.MortalJvm;
import dev.jwarp.vectors.OwnNetwork;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A port sends to groups as it is told, where it goes and how far, with each driver")
class GroupSendingTest {
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"udp-nio", "udp-netty", "udp-netty jwarp.udp.shared-port=on"})
    @DisplayName("through an interface, with and without members on this host")
    void groups(String driver, @TempDir Path folder) throws Exception {
        NotRun.unless(OwnNetwork.possible(), "this user cannot have a network of its own here");
        assertThat(MortalJvm.runInOwnNetwork(folder, MortalJvm.compilers(), GroupSender.class, driver.split(" ")))
                .contains("all heard what they should");
    }
}
