package dev.jwarp.transport.udp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.MortalJvm;
import dev.jwarp.vectors.OwnNetwork;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A port of each driver sends to groups with the given interface and hop limit")
class GroupSendingTest {
    @Test
    @DisplayName("through an interface, with and without members on this host")
    void groups(@TempDir Path folder) throws Exception {
        NotRun.unless(OwnNetwork.possible(), "this user cannot have a network of its own here");
        String[] drivers = {"nio", "netty", "netty jwarp.progress.shared-port=on"};
        assertThat(MortalJvm.runInOwnNetwork(folder, MortalJvm.compilers(), GroupSender.class, drivers))
                .contains(Stream.of(drivers)
                        .map(driver -> driver + ": all heard what they should")
                        .toArray(String[]::new));
    }
}
