package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramService;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("datagram-iWARP §11.6: the status of unsent operations after a lost channel")
class DatagramRefusedPeerTest {
    private final DatagramStation a = new DatagramStation(1, DatagramService.RD, DatagramSettings.DEFAULT, 8);
    private final DatagramStation b = new DatagramStation(2, DatagramService.RD, DatagramSettings.DEFAULT, 8);
    private final DatagramDestination toB = a.to(b);
    private final TaggedBuffer memory = a.random(5_000, 1);

    /** One Send is sent to the peer, the other not yet. */
    private void sendOneOfTwo() {
        a.send(1, toB, memory, 0, 10);
        assertThat(a.sent()).hasSize(1);
        a.port.admits = peer -> false;
        a.send(2, toB, memory, 0, 10);
        assertThat(a.sent()).isEmpty();
    }

    @Test
    @DisplayName("A refusal fails the sent operations; unsent ones are flushed")
    void refused() {
        sendOneOfTwo();
        a.endpoint.onChannelLost(
                toB.peer(), OperationStatus.REM_ACCESS_ERR, TerminateCode.DDP_BASE_BOUNDS, true, a.now);
        assertThat(a.sends).containsExactly("1 REM_ACCESS_ERR", "2 WR_FLUSH_ERR");
    }

    @Test
    @DisplayName("A silent peer fails all operations to it")
    void unanswered() {
        sendOneOfTwo();
        a.endpoint.onChannelLost(toB.peer(), OperationStatus.RETRY_EXC_ERR, null, true, a.now);
        assertThat(a.sends).containsExactly("1 RETRY_EXC_ERR", "2 RETRY_EXC_ERR");
    }
}
