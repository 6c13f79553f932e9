package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.vectors.Vectors;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("How a stream ends (RFC 5040 §6.2, RFC 5041 §6.2)")
class EndingTest {
    private final Pair pair = Pair.connected(4);
    private final Station a = pair.a;
    private final Station b = pair.b;
    private final TaggedBuffer local = Station.fill(a.region(100_000), 1);
    private final TaggedBuffer remote = Station.fill(b.region(100_000), 2);

    @Tag("DDP-6.2.1-2")
    @Test
    @DisplayName("a disconnect sends what is posted, then ends our direction; both sides end idle")
    void disconnect() {
        for (int i = 0; i < 3; i++) {
            b.postReceive(i, remote, i * 5000, 5000);
            a.send(i, local, 0, 4000);
        }
        a.postReceive(7, local, 0, 10);
        a.stream.disconnect(0);
        assertThat(a.stream.state()).isEqualTo(StreamState.CLOSING);
        assertThat(a.lower.closeRequested).isFalse();
        pair.run();

        assertThat(a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
        assertThat(a.receiveResults()).containsExactly("7 WR_FLUSH_ERR");
        assertThat(b.receives()).hasSize(3);
        assertThat(b.peerClosed).isTrue();
        assertThat(b.stream.state()).isEqualTo(StreamState.RTS);

        b.stream.disconnect(0);
        pair.run();
        assertThat(a.states).containsExactly(StreamState.RTS, StreamState.CLOSING, StreamState.IDLE);
        assertThat(b.states).containsExactly(StreamState.RTS, StreamState.CLOSING, StreamState.IDLE);
        assertThat(a.end).isEqualTo(LlpEnd.GRACEFUL);
        assertThat(a.failures + b.failures).isZero();
    }

    @Test
    @DisplayName(
            "a disconnect with nothing to send ends our direction at once, even if the lower layer may not send yet")
    void disconnectIdle() {
        a.stream.disconnect(0);
        assertThat(a.lower.closeRequested).isTrue();
    }

    @Tag("DDP-6.2.1-1")
    @Test
    @DisplayName("operations posted after the disconnect are flushed, and so are unanswered Reads")
    void disconnectFlushes() {
        a.send(1, local, 0, 10);
        a.read(2, local, 0, 10, remote.stag(), 0x1000);
        a.send(3, local, 0, 10);
        a.stream.disconnect(0);
        a.send(4, local, 0, 10);
        assertThat(a.lower.sent(a.stream)).hasSize(3);
        assertThat(a.lower.closeRequested).isTrue();
        assertThat(a.sendResults()).containsExactly("1 SUCCESS", "2 WR_FLUSH_ERR", "3 WR_FLUSH_ERR", "4 WR_FLUSH_ERR");
        a.send(5, local, 0, 10);
        a.stream.flushPosted(0);
        assertThat(a.sendResults()).endsWith("5 WR_FLUSH_ERR");
        a.stream.onClosed(LlpEnd.GRACEFUL, 0);
        assertThat(a.stream.state()).isEqualTo(StreamState.IDLE);
    }

    @Test
    @DisplayName("a disconnect that waits for a credit continues when the response arrives")
    void disconnectWaitsForCredits() {
        for (int i = 0; i < 6; i++) {
            a.read(i, local, i * 10, 10, remote.stag(), 0x1000);
        }
        a.write(6, local, 0, 10, remote.stag(), 0x1000);
        a.stream.disconnect(0);
        pair.run();
        // The responses to the last Reads may arrive before or after our end; here they arrive after it.
        assertThat(a.sends()).hasSize(7);
        assertThat(a.sendResults().subList(0, 4)).allMatch(result -> result.endsWith("SUCCESS"));
        assertThat(a.lower.closeRequested).isTrue();
    }

    @Test
    @DisplayName("pending responses are sent before our direction ends")
    void disconnectAnswersFirst() {
        b.take(Ulpdus.readRequest(1, 1, 0, 5000, remote.stag(), 0x1000));
        b.stream.disconnect(0);
        assertThat(b.lower.closeRequested).isFalse();
        assertThat(b.lower.sent(b.stream)).hasSize(4);
        assertThat(b.lower.closeRequested).isTrue();
    }

    @Test
    @DisplayName("a disconnect that takes too long is aborted")
    void disconnectTimesOut() {
        a.read(1, local, 0, 10, remote.stag(), 0x1000);
        a.post(Kind.SEND, 2, op -> op.fence(true).memory().add(local, 0, 10));
        a.stream.disconnect(100);
        a.lower.sent(a.stream);
        long deadline = a.stream.nextTimeout();
        assertThat(deadline).isEqualTo(100 + StreamSettings.DEFAULT.disconnectTimeoutNanos());
        a.stream.onTimeout(deadline - 1);
        assertThat(a.lower.aborted).isFalse();
        a.stream.onTimeout(deadline);
        assertThat(a.lower.aborted).isTrue();
        assertThat(a.sendResults()).containsExactly("1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR");
        assertThat(a.stream.state()).isEqualTo(StreamState.ERROR);
        assertThat(a.stream.nextTimeout()).isEqualTo(Long.MAX_VALUE);
        assertThat(a.counters.get(RdmapCounter.DISCONNECTS_TIMED_OUT)).isEqualTo(1);
    }

    @Tag("DDP-6.2.1-3")
    @Tag("DDP-6.2.1-4")
    @Test
    @DisplayName("when the peer ends its direction, outstanding and later Reads fail; Sends and Writes still go")
    void halfClosed() {
        a.send(1, local, 0, 10);
        a.read(2, local, 0, 10, remote.stag(), 0x1000);
        a.send(3, local, 0, 10);
        a.lower.sent(a.stream);
        a.stream.onPeerClosed(0);
        assertThat(a.peerClosed).isTrue();
        assertThat(a.stream.state()).isEqualTo(StreamState.RTS);
        assertThat(a.sendResults()).containsExactly("1 SUCCESS", "2 REM_ABORT_ERR", "3 SUCCESS");

        a.fetchAndAdd(4, local, 0, 1, remote.stag(), 0x1000);
        a.send(5, local, 0, 10);
        a.post(Kind.SEND, 6, op -> op.fence(true).memory().add(local, 0, 10));
        a.send(7, local, 0, 10);
        assertThat(a.lower.sent(a.stream)).hasSize(2);
        // The fenced operation would wait for the data of a Read that fails.
        assertThat(a.sendResults().subList(3, 7))
                .containsExactly("4 REM_ABORT_ERR", "5 SUCCESS", "6 WR_FLUSH_ERR", "7 SUCCESS");
        assertThat(a.counters.get(RdmapCounter.REQUESTS_UNANSWERED)).isEqualTo(2);

        a.stream.disconnect(0);
        assertThat(a.lower.closeRequested).isTrue();
        assertThat(a.lower.aborted).isFalse();
        a.stream.onClosed(LlpEnd.GRACEFUL, 0);
        assertThat(a.stream.state()).isEqualTo(StreamState.IDLE);
        assertThat(a.failures).isZero();
    }

    @Test
    @DisplayName("a fenced operation continues after the peer's end if all our Reads were answered")
    void halfClosedFence() {
        a.stream.onPeerClosed(0);
        a.post(Kind.SEND, 1, op -> op.fence(true).memory().add(local, 0, 10));
        assertThat(a.lower.sent(a.stream)).hasSize(1);
        assertThat(a.sendResults()).containsExactly("1 SUCCESS");
    }

    @Test
    @DisplayName("pending responses are still sent to a peer that ended its direction")
    void halfClosedAnswers() {
        b.take(Ulpdus.readRequest(1, 1, 0, 10, remote.stag(), 0x1000));
        b.stream.onPeerClosed(0);
        assertThat(b.lower.sent(b.stream)).hasSize(1);
    }

    @Tag("DDP-6.2.2-1")
    @Tag("DDP-6.2.2-2")
    @Tag("MPA-8-4")
    @Tag("RDMAP-7.1-3")
    @ParameterizedTest
    @EnumSource(
            value = LlpEnd.class,
            names = {"RESET", "TRUNCATED", "LINGER_EXPIRED", "ABORTED"})
    @DisplayName("a lost connection flushes all work and reports the cause")
    void lost(LlpEnd end) {
        a.send(1, local, 0, 10);
        a.read(2, local, 0, 10, remote.stag(), 0x1000);
        a.lower.pollAll(a.stream, 0);
        a.send(3, local, 0, 10);
        a.postReceive(4, local, 0, 10);
        a.stream.onClosed(end, 0);

        assertThat(a.events)
                .containsExactly(
                        "state RTS",
                        "failed MPA_CONNECTION_LOST here",
                        "state ERROR",
                        "send 1 WR_FLUSH_ERR",
                        "send 2 WR_FLUSH_ERR",
                        "send 3 WR_FLUSH_ERR",
                        "receive 4 WR_FLUSH_ERR",
                        "closed " + end);
        assertThat(a.counters.get(RdmapCounter.CONNECTIONS_LOST)).isEqualTo(end == LlpEnd.ABORTED ? 0 : 1);
        assertThat(a.counters.get(RdmapCounter.SENDS_FLUSHED)).isEqualTo(3);
        assertThat(a.counters.get(RdmapCounter.RECEIVES_FLUSHED)).isEqualTo(1);
        a.stream.onClosed(end, 0);
        assertThat(a.events).hasSize(8);
    }

    @Test
    @DisplayName("fail() aborts the connection and flushes all work")
    void fail() {
        a.send(1, local, 0, 10);
        a.lower.pollAll(a.stream, 0);
        a.postReceive(2, local, 0, 10);
        a.stream.fail(0);
        assertThat(a.lower.aborted).isTrue();
        assertThat(a.events)
                .containsExactly("state RTS", "state ERROR", "send 1 WR_FLUSH_ERR", "receive 2 WR_FLUSH_ERR");
        a.take(Ulpdus.send(1));
        assertThat(a.lower.poll(a.stream, 0)).isFalse();
        a.stream.onClosed(LlpEnd.ABORTED, 0);
        assertThat(a.events).last().isEqualTo("closed ABORTED");
        assertThat(a.failures).isZero();

        a.postReceive(3, local, 0, 10);
        a.send(4, local, 0, 10);
        a.stream.flushPosted(0);
        assertThat(a.events).endsWith("send 4 WR_FLUSH_ERR", "receive 3 WR_FLUSH_ERR");
        a.stream.fail(0);
        assertThat(a.counters.get(RdmapCounter.TRANSITIONS_REFUSED)).isZero();
    }

    @Test
    @DisplayName("a stream can fail without a connection; a connection established later is aborted")
    void failBeforeConnection() {
        Station station = new Station();
        TaggedBuffer region = station.region(10);
        station.send(1, region, 0, 10);
        station.postReceive(2, region, 0, 10);
        station.stream.flushPosted(0);
        assertThat(station.completions).isEmpty();
        station.stream.fail(0);
        assertThat(station.events).containsExactly("state ERROR", "send 1 WR_FLUSH_ERR", "receive 2 WR_FLUSH_ERR");
        station.establish();
        assertThat(station.lower.aborted).isTrue();
        assertThat(station.stream.agreement()).isNull();
        assertThat(station.stream.state()).isEqualTo(StreamState.ERROR);
        assertThat(station.counters.get(RdmapCounter.TRANSITIONS_REFUSED)).isEqualTo(1);
        station.stream.onClosed(LlpEnd.ABORTED, 0);
        assertThat(station.end).isEqualTo(LlpEnd.ABORTED);
        assertThat(station.failures).isZero();
    }

    @Test
    @DisplayName("after an orderly end the state does not change")
    void afterTheEnd() {
        a.stream.disconnect(0);
        a.stream.onClosed(LlpEnd.GRACEFUL, 0);
        a.stream.fail(0);
        a.stream.disconnect(0);
        a.stream.onPeerClosed(0);
        a.stream.onTransmitted(0);
        assertThat(a.stream.state()).isEqualTo(StreamState.IDLE);
        assertThat(a.lower.aborted).isFalse();
        assertThat(a.counters.get(RdmapCounter.TRANSITIONS_REFUSED)).isEqualTo(1);
        assertThat(a.events).containsExactly("state RTS", "state CLOSING", "state IDLE", "closed GRACEFUL");
    }

    @Tag("MPA-7.1.2-7")
    @Test
    @DisplayName(
            "an error of the lower layer that may not be answered closes without a Terminate (RFC 5044 §7.1.2 (4))")
    void errorWithoutAnswer() {
        b.postReceive(1, remote, 0, 10);
        b.stream.onLlpError(TerminateCode.MPA_CRC, false, 0);
        assertThat(b.lower.sent(b.stream)).isEmpty();
        assertThat(b.lower.closeRequested).isTrue();
        assertThat(b.events)
                .containsExactly("state RTS", "failed MPA_CRC here", "state ERROR", "receive 1 WR_FLUSH_ERR");
        assertThat(b.failureMessage).isNull();
        assertThat(b.counters.get(RdmapCounter.ERRORS_NOT_ANSWERED)).isEqualTo(1);
        b.stream.onClosed(LlpEnd.GRACEFUL, 0);
        assertThat(b.stream.state()).isEqualTo(StreamState.ERROR);
    }

    @Tag("DDP-7.1-11")
    @Tag("RDMAP-7.1-2")
    @Test
    @DisplayName("the first of several errors counts (RFC 5040 §7.1 (4))")
    void firstErrorWins() {
        b.take(Ulpdus.write(1, 0, (byte) 1));
        b.take(Ulpdus.send(5));
        b.stream.onLlpError(TerminateCode.MPA_CRC, true, 0);
        assertThat(b.lower.sent(b.stream))
                .containsExactly(Vectors.hex(
                        "41470000000000000002000000010000000011" + "00c000000fc140000000010000000000000000"));
        assertThat(b.counters.get(RdmapCounter.ERRORS_FOUND)).isEqualTo(1);
        b.stream.terminate(TerminateCode.RDMAP_CATASTROPHIC_GLOBAL, 0);
        assertThat(b.failure).isEqualTo(TerminateCode.DDP_INVALID_STAG);
        assertThat(b.failures).isEqualTo(1);
        // A device that calls fail() while the stream is ending does not wait for the peer.
        assertThat(b.lower.aborted).isTrue();
    }

    @Tag("RDMAP-5.4-2")
    @Test
    @DisplayName("a Terminate precedes all waiting messages, and nothing follows it (RFC 5040 §5.4)")
    void terminateOvertakes() {
        for (int i = 0; i < 20; i++) {
            b.send(i, remote, 0, 5000);
        }
        b.take(Ulpdus.readRequest(1, 1, 0, 5000, remote.stag(), 0x1000));
        b.lower.poll(b.stream, 0);
        b.lower.poll(b.stream, 0);
        b.take(Ulpdus.write(1, 0, (byte) 1));
        List<byte[]> wire = b.lower.sent(b.stream);
        assertThat(wire)
                .extracting(Ulpdus::opcode)
                .containsExactly(RdmapOpcode.RDMA_READ_RESPONSE, RdmapOpcode.RDMA_READ_RESPONSE, RdmapOpcode.TERMINATE);
        assertThat(b.sends()).hasSize(20).allMatch(c -> c.status().name().equals("WR_FLUSH_ERR"));
    }

    @Test
    @DisplayName("a device can terminate a stream with a local error; MPA's codes are rejected")
    void terminateLocally() {
        assertThatThrownBy(() -> a.stream.terminate(TerminateCode.MPA_CRC, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("MPA_CRC");
        b.stream.terminate(TerminateCode.RDMAP_CATASTROPHIC_STREAM, 0);
        pair.run();
        assertThat(a.failure).isEqualTo(TerminateCode.RDMAP_CATASTROPHIC_STREAM);
        assertThat(b.failure).isEqualTo(TerminateCode.RDMAP_CATASTROPHIC_STREAM);
        assertThat(a.stream.state()).isEqualTo(StreamState.ERROR);
        assertThat(b.stream.state()).isEqualTo(StreamState.ERROR);
        assertThat(a.end).isEqualTo(LlpEnd.GRACEFUL);

        Station idle = new Station();
        idle.stream.terminate(TerminateCode.RDMAP_LOCAL_CATASTROPHIC, 0);
        assertThat(idle.stream.state()).isEqualTo(StreamState.ERROR);
    }

    @Test
    @DisplayName("an unordered lower layer is rejected")
    void unordered() {
        Station station = new Station();
        station.lower.ordered = false;
        assertThatThrownBy(() -> station.stream.onEstablished(
                        station.lower, new LlpAgreement(true, 1, 1, ReadyToReceive.NONE), 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
