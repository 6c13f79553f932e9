package dev.jwarp.rdmap.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.DatagramOperation.Kind;
import dev.jwarp.rdmap.work.OperationPool;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("In steady state a datagram endpoint allocates nothing")
class DatagramAllocationTest {
    /** A side that passes each segment directly to the other side, from one buffer, and loses some. */
    private static final class Side implements DatagramLowerLayer, SegmentWriter, DatagramListener, ReceiveSource {
        final STagTable table = new STagTable(new Random(1), 10);
        final OperationPool<DatagramOperation> queue = new OperationPool<>(16, () -> new DatagramOperation(2, 0));
        final ReceiveOperation receive = new ReceiveOperation(1);
        final DatagramAddress address;
        final int number;
        final DatagramEndpoint endpoint;
        final TaggedBuffer region = table.register(1, ByteBuffer.allocateDirect(65_536), 0x1000, DatagramStation.ALL);
        final ByteBuffer segment = ByteBuffer.allocateDirect(9_000);
        final ReceivedDatagram handed = new ReceivedDatagram();
        DatagramDestination destination;
        Side other;
        boolean receiveFree = true;
        int at;
        int lose;
        int count;
        long now = 1;
        long completed;
        long received;
        long recorded;

        Side(int host) {
            address = FakePort.address(host);
            number = 100 + host;
            endpoint = new DatagramEndpoint(
                    new EndpointCore(DatagramService.UD, number, DatagramSettings.DEFAULT, this),
                    new TaggedAccess(table, 1, 0),
                    new DatagramEndpoint.Queues(queue, this, () -> 4),
                    new SeenMessages(new Random(host), 1_024, SeenMessages.NANOS),
                    new SecureRandom()); // as in devices; allocates for each number
            endpoint.onAttached(this, now);
        }

        void post(Kind kind, int length) {
            DatagramOperation op = queue.claim();
            op.reset(kind, 1, destination).remote(other.region.stag(), other.region.baseOffset());
            op.memory().add(region, 0, length);
            queue.publish();
        }

        boolean move() {
            boolean moved = false;
            while (endpoint.pollSegment(this, now)) {
                moved = true;
                endpoint.onTransmitted(now);
                if (lose == 0 || ++count % lose != 0) {
                    handed.from(address).body(segment, 0, at).proved(AddressProof.DATAGRAM);
                    other.endpoint.onSegment(handed, now);
                }
            }
            return moved;
        }

        void later(long nanos) {
            now += nanos;
            if (endpoint.nextTimeout() <= now) {
                endpoint.onTimeout(now);
            }
        }

        @Override
        public boolean admits(DatagramPeer peer, long nowNanos) {
            return true;
        }

        @Override
        public int segmentSize(DatagramPeer peer, int headerLength, boolean cookie) {
            return 1_424;
        }

        @Override
        public int begin(DatagramPeer peer, Shim of, boolean cookie, int headerLength, int payloadLength) {
            handed.shim().set(of);
            at = headerLength;
            return 0;
        }

        @Override
        public ByteBuffer buffer() {
            return segment;
        }

        @Override
        public void payload(ByteBuffer source, int offset, int length, boolean stable) {
            segment.put(at, source, offset, length);
            at += length;
        }

        @Override
        public void end(OutboundMessage message) {
            Shim shim = handed.shim();
            if (shim.padded()) {
                at = 14 + shim.segmentSize() + (segment.get(0) < 0 ? 0 : 4);
            }
        }

        @Override
        public void sendCompleted(DatagramOperation operation, OperationStatus status, MessageRecord record) {
            completed++;
            if (record != null) {
                record.release();
            }
        }

        @Override
        public void receiveCompleted(ReceiveOperation operation, OperationStatus status, DatagramReceipt receipt) {
            received++;
        }

        @Override
        public boolean writeRecorded(MessageRecord record) {
            recorded++;
            record.release();
            return true;
        }

        @Override
        public void event(DatagramEvent event) {}

        @Override
        public void detached() {}

        @Override
        public ReceiveOperation take() {
            if (!receiveFree) {
                return null;
            }
            receiveFree = false;
            receive.memory().add(region, 32_768, 32_768);
            return receive;
        }

        @Override
        public void release(ReceiveOperation operation) {
            receiveFree = true;
        }

        @Override
        public boolean shared() {
            return false;
        }

        @Override
        public void afterCall(AfterCalls.Task task) {
            throw new UnsupportedOperationException("no handler is tested here");
        }

        @Override
        public void doorbell() {}

        @Override
        public void ready() {}

        @Override
        public void timeoutChanged() {}

        @Override
        public void execute(Runnable task) {}

        @Override
        public void refuse(DatagramPeer peer, Shim question, TerminateCode code, long nowNanos) {}

        @Override
        public void abandon(DatagramPeer peer, long nowNanos) {}

        @Override
        public void resetPeer(DatagramPeer peer) {}

        @Override
        public void stop(long nowNanos) {}

        @Override
        public void resume() {}

        @Override
        public void detach() {}
    }

    @Test
    @DisplayName("Send, Write, Write-Record and Read, with losses: 0 bytes per operation")
    void nothing() {
        Side a = new Side(1);
        Side b = new Side(2);
        a.other = b;
        b.other = a;
        a.destination = new DatagramDestination(new DatagramPeer().set(b.address, b.number, 7, 1_472));
        a.lose = 41;
        b.lose = 43;
        rounds(a, b, 6_000);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        threads.getCurrentThreadAllocatedBytes();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) { // the compiler may allocate in our name now and then
            long before = threads.getCurrentThreadAllocatedBytes();
            rounds(a, b, 2_000);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(a.completed).isGreaterThan(71_900);
        assertThat(b.received).isGreaterThan(15_000);
        assertThat(b.recorded).isGreaterThan(20_000);
        // 12,000 operations: a single byte for each of them would show.
        assertThat(least).isLessThan(10_000);
    }

    @Test
    @DisplayName("and nothing for peers: 20,000 of them write a record each, and retain no byte")
    void noPeers() {
        Side crowd = new Side(1);
        Side target = new Side(2);
        crowd.other = target;
        crowd.destination = new DatagramDestination(new DatagramPeer().set(target.address, target.number, 7, 1_472));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        fromEverywhere(crowd, 0);
        int crowds = 1;
        long least = Long.MAX_VALUE;
        for (; crowds < 5 && least >= 10_000; crowds++) { // the JVM may allocate in our name now and then
            long before = threads.getCurrentThreadAllocatedBytes();
            fromEverywhere(crowd, crowds * 20_000);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(target.recorded).isEqualTo(crowds * 20_000L);
        assertThat(least).isLessThan(10_000);
    }

    /** Write-Records of 20,000 sources, each for the first time. */
    private static void fromEverywhere(Side crowd, int first) {
        for (int i = 0; i < 20_000; i++) {
            crowd.address.setIpv4(0x0a00_0000 + first + i, 4_711);
            crowd.post(Kind.WRITE_RECORD, 64);
            crowd.move();
        }
    }

    private static void rounds(Side a, Side b, int rounds) {
        for (int i = 0; i < rounds; i++) {
            a.post(Kind.SEND, 64);
            a.post(Kind.SEND, 9_000);
            a.post(Kind.WRITE_RECORD, 9_000);
            a.post(Kind.WRITE_RECORD, 64);
            a.post(Kind.WRITE_RECORD, 20_000);
            a.post(Kind.RDMA_READ, 20_000);
            boolean moved = true;
            while (moved) {
                moved = a.move();
                moved |= b.move();
            }
            a.later(200_000_000);
            b.later(200_000_000);
            a.later(2_000_000_000);
            b.later(2_000_000_000);
        }
    }
}
