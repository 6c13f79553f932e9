package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.LowerLayer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.message.TerminateMessage;
import dev.jwarp.rdmap.work.OperationRing;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("In steady state the data path allocates nothing")
class AllocationTest {
    /** A side that passes each ULPDU directly to the other side, from one buffer. */
    private static final class Side implements LowerLayer, UlpduWriter, StreamListener, ReceiveSource, StreamDomain {
        final STagTable table = new STagTable(new Random(1), 10);
        final OperationRing<SendOperation> ring = new OperationRing<>(16, () -> new SendOperation(2, 0));
        final RdmapStream stream = new RdmapStream(
                StreamSettings.DEFAULT, new RdmapStream.Rights(table, this, 1), ring, this, this, new RdmapCounters());
        final ReceiveOperation receive = new ReceiveOperation(1);
        final TaggedBuffer region = table.register(1, Station.memory(65_536), 0, Station.ALL);
        final ByteBuffer ulpdu = ByteBuffer.allocateDirect(9000);
        Side peer;
        int at;
        long sends;
        long receives;

        void post(Kind kind, int length) {
            SendOperation op = ring.claim();
            op.reset(kind, 1).remote(peer.region.stag(), 0).fetchAndAdd(1, 0).immediate(2);
            if (kind != Kind.IMMEDIATE_DATA) {
                op.memory().add(region, 0, length);
            }
            ring.publish();
        }

        boolean move() {
            boolean moved = false;
            while (stream.pollUlpdu(this, 0)) {
                moved = true;
                stream.onTransmitted(0);
                peer.stream.onUlpdu(ulpdu, 0, at, 0);
            }
            return moved;
        }

        @Override
        public int begin(int headerLength, int payloadLength) {
            at = headerLength;
            return 0;
        }

        @Override
        public ByteBuffer buffer() {
            return ulpdu;
        }

        @Override
        public void payload(ByteBuffer source, int offset, int length, boolean stable) {
            ulpdu.put(at, source, offset, length);
            at += length;
        }

        @Override
        public void end() {}

        @Override
        public int mulpdu() {
            return 8882;
        }

        @Override
        public boolean ordered() {
            return true;
        }

        @Override
        public void afterCall(AfterCalls.Task task) {
            throw new UnsupportedOperationException("no handler is tested here");
        }

        @Override
        public void doorbell() {}

        @Override
        public void close() {}

        @Override
        public void abort() {}

        @Override
        public void sendCompleted(SendOperation operation, OperationStatus status) {
            sends += status == OperationStatus.SUCCESS ? 1 : 0;
        }

        @Override
        public void receiveCompleted(ReceiveOperation operation, OperationStatus status, ReceiveDetails details) {
            receives += status == OperationStatus.SUCCESS ? 1 : 0;
        }

        @Override
        public void stateChanged(StreamState state) {}

        @Override
        public void peerClosed() {}

        @Override
        public void failed(TerminateCode code, boolean foundHere, TerminateMessage message) {
            throw new AssertionError(message);
        }

        @Override
        public void closed(LlpEnd end) {}

        @Override
        public ReceiveOperation take() {
            receive.memory().add(region, 32_768, 32_768);
            return receive;
        }

        @Override
        public void release(ReceiveOperation operation) {}

        @Override
        public boolean shared() {
            return false;
        }

        @Override
        public long id() {
            return 1;
        }
    }

    @Test
    @DisplayName("Send, Write, Read, Immediate Data and Atomics: 0 bytes per operation")
    void nothing() {
        Side a = new Side();
        Side b = new Side();
        a.peer = b;
        b.peer = a;
        a.stream.onEstablished(a, new LlpAgreement(true, 4, 4, ReadyToReceive.NONE), 0);
        b.stream.onEstablished(b, new LlpAgreement(false, 4, 4, ReadyToReceive.NONE), 0);
        int rounds = 2_000;
        rounds(a, b, rounds);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        threads.getCurrentThreadAllocatedBytes();
        // The minimum of five parts: JDK 25 sometimes allocates 12,000 bytes once, when compiled code is discarded.
        long allocated = Long.MAX_VALUE;
        for (int part = 0; part < 5 && allocated >= 2_000; part++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            rounds(a, b, 1_000);
            rounds += 1_000;
            allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(a.sends).isEqualTo(6L * rounds);
        assertThat(b.receives).isEqualTo(3L * rounds);
        // 6,000 operations a part: a single byte for each of them would show.
        assertThat(allocated).isLessThan(2_000);
    }

    private static void rounds(Side a, Side b, int rounds) {
        for (int i = 0; i < rounds; i++) {
            a.post(Kind.SEND, 64);
            a.post(Kind.RDMA_WRITE, 20_000);
            a.post(Kind.RDMA_READ, 20_000);
            a.post(Kind.ATOMIC_FETCH_AND_ADD, 8);
            a.post(Kind.IMMEDIATE_DATA, 0);
            a.post(Kind.RDMA_WRITE_WITH_IMMEDIATE, 64);
            boolean moved = true;
            while (moved) {
                moved = a.move();
                moved |= b.move();
            }
        }
    }
}
