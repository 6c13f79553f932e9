package dev.jwarp.transport.udp.engine;

import static dev.jwarp.transport.udp.engine.EngineRig.NUMBER;
import static dev.jwarp.transport.udp.engine.EngineRig.STRANGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Groups (datagram-iWARP §G.1)")
class GroupsTest {
    private static final InetSocketAddress WHERE = new InetSocketAddress("239.1.2.3", 9100);
    private static final DatagramAddress GROUP = DatagramAddress.of(WHERE);
    private static final int KEY = 77;
    private static final int OTHER = 17;

    private final EngineRig rig = new EngineRig();
    private final DatagramPort port = rig.engine.port();

    @Tag("DG-G.2-1")
    @Test
    @DisplayName("the broadcast address of a network that the host is on is a group, and no other address of it")
    void broadcastOfOneNetwork() {
        InetSocketAddress broadcast = new InetSocketAddress("192.0.2.255", 9999);
        assertThat(port.group(broadcast)).isFalse();
        assertThatThrownBy(() -> port.join(NUMBER, broadcast, null, KEY)).isInstanceOf(LlpException.class);
        rig.broadcast = broadcast.getAddress();
        assertThat(port.group(broadcast)).isTrue();
        assertThat(port.group(new InetSocketAddress("192.0.2.254", 9999))).isFalse();
        port.join(NUMBER, broadcast, null, KEY);
        assertThat(rig.joined).containsExactly(DatagramAddress.of(broadcast));
    }

    @Test
    @DisplayName("any thread joins and leaves while datagrams are delivered")
    void comeAndGo() throws InterruptedException {
        rig.attach(DatagramService.UD, OTHER, 1, false, new ToyUpper(OTHER));
        port.join(NUMBER, WHERE, null, KEY);
        AtomicBoolean over = new AtomicBoolean();
        Thread other = new Thread(() -> {
            while (!over.get()) {
                port.join(OTHER, WHERE, null, KEY);
                port.leave(OTHER, WHERE);
            }
        });
        other.start();
        try {
            for (int i = 1; i <= 20_000; i++) {
                rig.receive(EngineRig.toGroup(KEY), STRANGER, GROUP, false);
                assertThat(rig.upper.received).hasSize(i);
            }
        } finally {
            over.set(true);
            other.join();
        }
        port.leave(NUMBER, WHERE);
        assertThat(rig.joined).isEmpty();
    }
}
