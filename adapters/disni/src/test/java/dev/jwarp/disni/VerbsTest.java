package dev.jwarp.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.IbvWC.IbvWcOpcode;
import com.ibm.disni.verbs.IbvWC.IbvWcStatus;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCPostSend;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Counter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("DiSNI's verbs on jwarp")
class VerbsTest {
    private End.Listener listener;
    private End near;
    private End far;

    @BeforeEach
    void connect() throws IOException {
        listener = End.Listener.at(End.anyPort());
        End[] both = End.connected(listener);
        near = both[0];
        far = both[1];
    }

    @AfterEach
    void end() throws Exception {
        near.close();
        if (near.events.isOpen()) {
            near.events.destroyEventChannel();
        }
        far.close();
        listener.close();
    }

    @Test
    @DisplayName("deliver a Send to a receive")
    void send() throws IOException {
        far.receive(7, 100, 50);
        near.memory.put(0, new byte[] {1, 2, 3});
        near.post(near.request(8, IbvSendWR.IBV_WR_SEND, 0, 3));
        near.succeeded(8, IbvWcOpcode.IBV_WC_SEND);
        IbvWC received = far.succeeded(7, IbvWcOpcode.IBV_WC_RECV);
        assertThat(received.getByte_len()).isEqualTo(3);
        assertThat(received.getWc_flags()).isZero();
        assertThat(far.memory.slice(100, 4)).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3, 0}));
    }

    @Test
    @DisplayName("write and read memory of the peer")
    void writeAndRead() throws IOException {
        near.memory.put(0, new byte[] {1, 2, 3});
        near.post(
                near.request(1, IbvSendWR.IBV_WR_RDMA_WRITE, 0, 3, far, 1000),
                near.request(2, IbvSendWR.IBV_WR_RDMA_READ, 10, 3, far, 1000));
        near.succeeded(1, IbvWcOpcode.IBV_WC_RDMA_WRITE);
        near.succeeded(2, IbvWcOpcode.IBV_WC_RDMA_READ);
        assertThat(near.memory.slice(10, 3)).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }

    @Test
    @DisplayName("write with immediate data: one completion at the receiver, with the data and iWARP's message length")
    void writeWithImmediate() throws IOException {
        far.receive(7, 0, 8);
        near.memory.put(0, new byte[] {1, 2, 3});
        IbvSendWR request = near.request(1, IbvSendWR.IBV_WR_RDMA_WRITE_WITH_IMM, 0, 3, far, 1000);
        request.setImm_data(0x89abcdef);
        near.post(request);
        near.succeeded(1, IbvWcOpcode.IBV_WC_RDMA_WRITE);
        IbvWC received = far.succeeded(7, IbvWcOpcode.IBV_WC_RECV_RDMA_WITH_IMM);
        assertThat(received.getImm_data()).isEqualTo(0x89abcdef);
        assertThat(received.getWc_flags()).as("IBV_WC_WITH_IMM").isEqualTo(2);
        assertThat(received.getByte_len()).isEqualTo(8);
        assertThat(far.memory.slice(1000, 3)).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }

    @Test
    @DisplayName("send immediate data only without other bytes")
    void sendWithImmediate() throws IOException {
        far.receive(7, 0, 8);
        IbvSendWR request = near.request(1, IbvSendWR.IBV_WR_SEND_WITH_IMM, 0, 0);
        request.setImm_data(5);
        near.post(request);
        near.succeeded(1, IbvWcOpcode.IBV_WC_SEND);
        assertThat(far.succeeded(7, IbvWcOpcode.IBV_WC_RECV_RDMA_WITH_IMM).getImm_data())
                .isEqualTo(5);
        assertThatThrownBy(() -> near.post(near.request(2, IbvSendWR.IBV_WR_SEND_WITH_IMM, 0, 1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("iWARP has no Send with immediate data and other bytes");
    }

    @Test
    @DisplayName("change words of the peer atomically")
    void atomics() throws IOException {
        far.memory.order(ByteOrder.nativeOrder()).putLong(8, 40);
        IbvSendWR add = near.request(1, IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8);
        add.getAtomic().setRemote_addr(far.region.getAddr() + 8);
        add.getAtomic().setRkey(far.region.getRkey());
        add.getAtomic().setCompare_add(2);
        IbvSendWR swap = near.request(2, IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP, 8, 8);
        swap.getAtomic().setRemote_addr(far.region.getAddr() + 8);
        swap.getAtomic().setRkey(far.region.getRkey());
        swap.getAtomic().setCompare_add(42);
        swap.getAtomic().setSwap(-1);
        near.post(add, swap);
        near.succeeded(1, IbvWcOpcode.IBV_WC_FETCH_ADD);
        near.succeeded(2, IbvWcOpcode.IBV_WC_COMP_SWAP);
        near.memory.order(ByteOrder.nativeOrder());
        assertThat(near.memory.getLong(0)).isEqualTo(40);
        assertThat(near.memory.getLong(8)).isEqualTo(42);
    }

    @Test
    @DisplayName("have flags: not signalled, inline, solicited; reject unknown flags")
    void flags() throws IOException {
        far.queue.reqNotification(true).execute().free();
        far.receive(1, 0, 8);
        far.receive(2, 8, 8);
        IbvSendWR silent = near.request(1, IbvSendWR.IBV_WR_SEND, 0, 1);
        silent.setSend_flags(IbvSendWR.IBV_SEND_INLINE);
        near.memory.put(0, (byte) 5);
        near.post(silent);
        near.memory.put(0, (byte) 6); // the inline data was copied
        far.succeeded(1, IbvWcOpcode.IBV_WC_RECV);
        assertThat(far.memory.get(0)).isEqualTo((byte) 5);
        assertThat(far.channel.getCqEvent(far.queue, 0)).isFalse();
        IbvSendWR solicited = near.request(2, IbvSendWR.IBV_WR_SEND, 0, 1);
        solicited.setSend_flags(IbvSendWR.IBV_SEND_SOLICITED | IbvSendWR.IBV_SEND_FENCE | IbvSendWR.IBV_SEND_SIGNALED);
        near.post(solicited);
        near.succeeded(2, IbvWcOpcode.IBV_WC_SEND);
        assertThat(far.channel.getCqEvent(far.queue, -1)).isTrue();
        assertThat(far.queue.ackEvents(1)).isZero();
        solicited.setSend_flags(1 << 9);
        assertThatThrownBy(() -> near.post(solicited)).hasMessageContaining("There is no send flag 0x200");
        solicited.setOpcode(77);
        solicited.setSend_flags(0);
        assertThatThrownBy(() -> near.post(solicited)).hasMessageContaining("There is no opcode 77");
    }

    @Test
    @DisplayName("notify once for the next completion, and wait no longer than the timeout")
    void notification() throws Exception {
        assertThat(far.channel.getCqEvent(far.queue, 0)).isFalse();
        assertThat(far.channel.getCqEvent(far.queue, 1)).isFalse();
        far.queue.reqNotification(false).execute().free();
        far.receive(1, 0, 8);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Future<Boolean> waiting = thread.submit(() -> {
            Thread.currentThread().interrupt(); // must not end a wait of DiSNI
            boolean came = far.channel.getCqEvent(far.queue, -1);
            return came && Thread.interrupted();
        });
        near.post(near.request(1, IbvSendWR.IBV_WR_SEND, 0, 1));
        assertThat(Patience.get(waiting)).isTrue();
        thread.shutdown();
        far.succeeded(1, IbvWcOpcode.IBV_WC_RECV);
        near.succeeded(1, IbvWcOpcode.IBV_WC_SEND);
    }

    @Test
    @DisplayName("have stateful calls that can be changed in place and executed again, until they are freed")
    void statefulCalls() throws IOException {
        near.memory.put(0, new byte[] {1, 2, 3, 4});
        SVCPostSend call = near.post(near.request(1, IbvSendWR.IBV_WR_RDMA_WRITE, 0, 1, far, 0));
        near.succeeded(1, IbvWcOpcode.IBV_WC_RDMA_WRITE);
        SVCPostSend.SendWRMod request = call.getWrMod(0);
        assertThat(request.getOpcode()).isEqualTo(IbvSendWR.IBV_WR_RDMA_WRITE);
        assertThat(request.getNum_sge()).isEqualTo(1);
        request.setWr_id(2);
        request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED | IbvSendWR.IBV_SEND_FENCE);
        request.getRdmaMod().setRemote_addr(far.region.getAddr() + 5);
        request.getRdmaMod().setRkey(far.region.getRkey());
        request.getRdmaMod().setReserved(0);
        request.getSgeMod(0).setAddr(near.region.getAddr() + 2);
        request.getSgeMod(0).setLength(2);
        request.getSgeMod(0).setLkey(near.region.getLkey());
        call.execute();
        near.succeeded(2, IbvWcOpcode.IBV_WC_RDMA_WRITE);
        assertThat(call.isValid()).isTrue();
        call.free();
        assertThat(call.isValid()).isFalse();
        assertThatThrownBy(call::execute).hasMessageContaining("was freed");
        near.post(near.request(3, IbvSendWR.IBV_WR_RDMA_READ, 100, 7, far, 0));
        near.succeeded(3, IbvWcOpcode.IBV_WC_RDMA_READ);
        assertThat(near.memory.slice(100, 7)).isEqualTo(ByteBuffer.wrap(new byte[] {1, 0, 0, 0, 0, 3, 4}));
    }

    @Test
    @DisplayName("have stateful calls that several threads may execute, even right after a change")
    void sharedCall() throws Exception {
        near.memory.put(0, (byte) 7);
        IbvSendWR request = near.request(1, IbvSendWR.IBV_WR_RDMA_WRITE, 0, 1, far, 0);
        SVCPostSend call = near.queuePair.postSend(List.of(request), null);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        for (int round = 0; round < 1000; round++) {
            call.getWrMod(0).getRdmaMod().setRemote_addr(far.region.getAddr() + round);
            List<Future<SVCPostSend>> both = threads.invokeAll(List.of(call::execute, call::execute));
            for (Future<SVCPostSend> one : both) {
                Patience.get(one);
                near.succeeded(1, IbvWcOpcode.IBV_WC_RDMA_WRITE);
            }
        }
        threads.shutdown();
    }

    @Test
    @DisplayName("keep a request as it was when its call was created")
    void snapshot() throws IOException {
        IbvSendWR request = near.request(1, IbvSendWR.IBV_WR_RDMA_WRITE, 0, 1, far, 0);
        SVCPostSend call = near.queuePair.postSend(List.of(request), null);
        request.setWr_id(99);
        request.getSge(0).setLength(1 << 30);
        call.execute().free();
        near.succeeded(1, IbvWcOpcode.IBV_WC_RDMA_WRITE);
    }

    @Test
    @DisplayName("reject memory outside of the region before posting")
    void checkedBefore() throws IOException {
        IbvSendWR beyond = near.request(1, IbvSendWR.IBV_WR_SEND, 1, End.BYTES);
        assertThatThrownBy(() -> near.post(beyond)).isInstanceOf(IOException.class);
        IbvSendWR strange = near.request(1, IbvSendWR.IBV_WR_SEND, 0, 1);
        strange.getSge(0).setLkey(near.region.getLkey() + 1);
        assertThatThrownBy(() -> near.post(strange)).isInstanceOf(IOException.class);
        IbvSendWR fewer = near.request(1, IbvSendWR.IBV_WR_SEND, 0, 1);
        fewer.setNum_sge(2);
        assertThatThrownBy(() -> near.post(fewer))
                .hasMessage("num_sge is 2, and the list has 1 scatter/gather elements.");
        near.post(near.request(2, IbvSendWR.IBV_WR_RDMA_WRITE, 0, 1, far, 0));
        near.succeeded(2, IbvWcOpcode.IBV_WC_RDMA_WRITE);
    }

    @Test
    @DisplayName("report a full queue, and how much of a list was posted")
    void full() throws IOException {
        IbvSendWR[] many = new IbvSendWR[End.REQUESTS + 1];
        for (int i = 0; i < many.length; i++) {
            many[i] = near.request(i, IbvSendWR.IBV_WR_RDMA_READ, 0, 1, far, 0);
        }
        for (int i = 0; i < End.REQUESTS; i++) {
            far.receive(i, 0, 1);
        }
        assertThatThrownBy(() -> far.receive(99, 0, 1))
                .hasMessageContaining("is full: 0 of 1 work requests were posted");
        assertThatThrownBy(() -> near.post(many))
                .hasMessageContaining("is full: " + End.REQUESTS + " of " + many.length + " work requests were posted");
    }

    @Test
    @DisplayName("complete a refused request with an error, and flush later requests")
    void refused() throws IOException {
        far.receive(1, 0, 1);
        IbvSendWR wrong = near.request(1, IbvSendWR.IBV_WR_RDMA_READ, 0, 1, far, 0);
        wrong.getRdma().setRkey(far.region.getRkey() ^ 1);
        near.post(wrong, near.request(2, IbvSendWR.IBV_WR_RDMA_READ, 0, 1, far, 0));
        IbvWC first = near.completion();
        assertThat(first.getWr_id()).isEqualTo(1);
        assertThat(IbvWcStatus.valueOf(first.getStatus())).isEqualTo(IbvWcStatus.IBV_WC_REM_ACCESS_ERR);
        assertThat(first.getQp_num()).isEqualTo(near.queuePair.getQp_num());
        assertThat(IbvWcStatus.valueOf(near.completion().getStatus())).isEqualTo(IbvWcStatus.IBV_WC_WR_FLUSH_ERR);
        assertThat(IbvWcStatus.valueOf(far.completion().getStatus())).isEqualTo(IbvWcStatus.IBV_WC_WR_FLUSH_ERR);
        End.wanted(near.events, EventType.RDMA_CM_EVENT_DISCONNECTED);
        assertThat(near.queuePair.getState()).isEqualTo(IbvQP.IBV_QPS_ERR);
    }

    @Test
    @DisplayName("disconnect, with one event at both ends")
    void disconnect() throws IOException {
        assertThat(near.queuePair.getState()).isEqualTo(IbvQP.IBV_QPS_RTS);
        assertThat(near.id.disconnect()).isZero();
        assertThat(End.wanted(near.events, EventType.RDMA_CM_EVENT_DISCONNECTED).getConnIdPriv())
                .isSameAs(near.id);
        End.wanted(far.events, EventType.RDMA_CM_EVENT_DISCONNECTED);
        assertThat(near.id.disconnect()).isZero();
        assertThat(near.events.getCmEvent(0)).isNull();
        RdmaCmId unused = far.events.createId(RdmaCm.RDMA_PS_TCP);
        assertThat(unused.disconnect())
                .as("rdma_disconnect without a connection")
                .isEqualTo(-1);
        unused.destroyId();
    }

    @Test
    @DisplayName("report addresses, numbers and keys")
    void tell() throws IOException {
        assertThat(near.id.getDestination()).isEqualTo(listener.address());
        assertThat(near.id.getSource()).isEqualTo(far.id.getDestination());
        assertThat(far.id.getSource()).isEqualTo(listener.address());
        assertThat(near.context.getCmd_fd()).isEqualTo(far.context.getCmd_fd());
        assertThat(near.context.getNumCompVectors()).isEqualTo(1);
        assertThat(near.queuePair.getQp_num()).isNotEqualTo(far.queuePair.getQp_num());
        assertThat(near.id.getQp()).isSameAs(near.queuePair);
        assertThat(near.queuePair.getPd()).isSameAs(near.pd);
        assertThat(near.queue.getCqe()).isGreaterThanOrEqualTo(2 * End.REQUESTS);
        assertThat(near.pd.getHandle()).isNotEqualTo(far.pd.getHandle());
        assertThat(near.region.getLength()).isEqualTo(End.BYTES);
        assertThat(RdmaVerbs.getVersion()).isEqualTo(32);
    }

    @Test
    @SuppressWarnings("AddressSelection") // a number, not a name
    @DisplayName("connect over IPv6, and report its addresses")
    void ipv6() throws Exception {
        InetSocketAddress any = new InetSocketAddress("::1", 0);
        assumeThat(NetworkInterface.getByInetAddress(any.getAddress()))
                .as("there is IPv6")
                .isNotNull();
        End.Listener other = End.Listener.at(any);
        assertThat(other.address().getAddress()).isEqualTo(any.getAddress());
        assertThat(other.address().getPort()).isNotZero();
        End[] both = End.connected(other);
        both[1].receive(1, 0, 3);
        both[0].memory.put(0, new byte[] {1, 2, 3});
        both[0].post(both[0].request(2, IbvSendWR.IBV_WR_SEND, 0, 3));
        both[0].succeeded(2, IbvWcOpcode.IBV_WC_SEND);
        both[1].succeeded(1, IbvWcOpcode.IBV_WC_RECV);
        assertThat(both[1].memory.slice(0, 3)).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(both[0].id.getDestination()).isEqualTo(other.address());
        assertThat(both[1].id.getSource()).isEqualTo(other.address());
        InetSocketAddress source = (InetSocketAddress) both[0].id.getSource();
        assertThat(source.getAddress()).isEqualTo(any.getAddress());
        assertThat(source.getPort()).isNotZero();
        assertThat(both[1].id.getDestination()).isEqualTo(source);
        both[0].close();
        both[0].events.destroyEventChannel();
        both[1].close();
        other.close();
    }

    @Test
    @DisplayName("register a whole buffer under its own address, page memory on demand, and reject unknown flags")
    void register() throws IOException {
        ByteBuffer slice = near.memory.slice(64, 128).position(7).limit(9);
        IbvMr part = near.pd
                .regMr(slice, End.ALL | IbvMr.IBV_ACCESS_ON_DEMAND)
                .execute()
                .getMr();
        assertThat(part.getAddr()).isEqualTo(near.region.getAddr() + 64);
        assertThat(part.getLength()).isEqualTo(128);
        assertThat(near.context.queryOdpSupport()).isEqualTo(0b11111);
        assertThat(part.expPrefetchMr(part.getAddr(), part.getLength())).isZero();
        part.deregMr().execute().free();
        assertThatThrownBy(() -> part.deregMr().execute()).hasMessage("The memory region is closed.");
        assertThatThrownBy(() -> near.pd.regMr(ByteBuffer.allocate(8), 0).execute())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("allocateDirect");
        assertThatThrownBy(() -> near.pd.regMr(slice, 1 << 5).execute()).hasMessageContaining("no access flag 0x20");
        assertThatThrownBy(() ->
                        near.pd.regMr(slice, IbvMr.IBV_ACCESS_REMOTE_WRITE).execute())
                .isInstanceOf(IOException.class);
    }

    @Test
    @DisplayName("register memory given by its address")
    void registerAddress() throws IOException {
        IbvMr part = near.pd
                .regMr(near.region.getAddr() + 64, 128, End.ALL)
                .execute()
                .free()
                .getMr();
        far.memory.put(0, (byte) 9);
        IbvSendWR read = near.request(1, IbvSendWR.IBV_WR_RDMA_READ, 64, 1, far, 0);
        read.getSge(0).setLkey(part.getLkey());
        near.post(read);
        near.succeeded(1, IbvWcOpcode.IBV_WC_RDMA_READ);
        assertThat(near.memory.get(64)).isEqualTo((byte) 9);
        part.deregMr().execute().free();
        assertThatThrownBy(() -> near.pd.regMr(0, 128, 0))
                .hasMessageContaining("no memory of 128 bytes at the address 0");
    }

    @Test
    @DisplayName("return EBUSY for an object in use, which stays open; a channel is closed with its last queue")
    void busy() throws Exception {
        int busy = 16;
        assertThat(near.queue.destroyCQ()).isEqualTo(busy);
        assertThat(near.pd.deallocPd()).isEqualTo(busy);
        near.post(near.request(1, IbvSendWR.IBV_WR_RDMA_WRITE, 0, 1, far, 0));
        near.succeeded(1, IbvWcOpcode.IBV_WC_RDMA_WRITE);

        End other = End.to(listener.address());
        assertThat(other.id.destroyEp()).isZero();
        assertThatThrownBy(() -> other.id.disconnect()).hasMessage("The connection id is closed.");
        assertThatThrownBy(() -> other.post(other.request(1, IbvSendWR.IBV_WR_SEND, 0, 0)))
                .hasMessage("The queue pair is closed.");
        assertThat(other.channel.destroyCompChannel())
                .as("as DiSNI's groups do it")
                .isEqualTo(busy);
        assertThatThrownBy(() -> other.channel.getCqEvent(other.queue, 0))
                .hasMessage("The completion channel is closed.");
        assertThat(other.queue.destroyCQ()).isZero();
        assertThatThrownBy(() -> other.queue.destroyCQ()).hasMessage("The completion queue is closed.");
        other.region.deregMr().execute().free();
        assertThat(other.pd.deallocPd()).isZero();
        assertThatThrownBy(() -> other.pd.regMr(other.memory, 0).execute())
                .hasMessage("The protection domain is closed.");
        assertThat(other.events.destroyEventChannel()).isZero();
        assertThatThrownBy(() -> other.events.createId(RdmaCm.RDMA_PS_TCP)).hasMessage("The event channel is closed.");
    }

    @Test
    @DisplayName("close an event channel and its ids while a thread waits for an event")
    void channelEnds() throws Exception {
        AtomicReference<Thread> waiter = new AtomicReference<>();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Future<?> waiting = thread.submit(() -> {
            waiter.set(Thread.currentThread());
            return near.events.getCmEvent(-1);
        });
        await().until(() -> waiter.get() != null
                && waiter.get().getState() == Thread.State.TIMED_WAITING); // in the wait, whose check is over
        assertThat(near.events.destroyEventChannel()).isZero();
        assertThatThrownBy(() -> Patience.get(waiting)).isInstanceOf(IOException.class);
        thread.shutdown();
        End.wanted(far.events, EventType.RDMA_CM_EVENT_DISCONNECTED);
        assertThatThrownBy(() -> near.id.disconnect()).hasMessage("The connection id is closed.");
        assertThat(near.queuePair.isOpen()).isFalse();
    }

    @Test
    @DisplayName("reject the connection requests left in an event channel that is closed")
    void channelEndsWithRequests() throws Exception {
        End.Listener other = End.Listener.at(End.anyPort());
        End end = End.to(other.address());
        long before = requests();
        end.id.connect(new RdmaConnParam());
        await().until(() -> requests() > before);
        assertThat(other.events().destroyEventChannel()).isZero();
        End.wanted(end.events, EventType.RDMA_CM_EVENT_REJECTED);
        end.close();
        end.events.destroyEventChannel();
        assertThat(other.id().isOpen()).isFalse();
    }

    private static long requests() {
        return JwarpProvider.context().counters().stream()
                .filter(counter -> counter.name().equals("requests_received"))
                .mapToLong(Counter::value)
                .sum();
    }

    @Test
    @DisplayName("create queue pairs only of type RC, and only with open objects")
    void queuePairs() throws IOException {
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.setSend_cq(near.queue);
        attributes.setRecv_cq(near.queue);
        attributes.setQp_type(IbvQP.IBV_QPT_UD);
        RdmaCmId id = far.events.createId(RdmaCm.RDMA_PS_TCP);
        assertThatThrownBy(() -> id.createQP(near.pd, attributes)).hasMessageContaining("use the type IBV_QPT_RC");
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.cap().setMax_send_wr(-1);
        assertThatThrownBy(() -> id.createQP(near.pd, attributes)).isInstanceOf(IOException.class);
        attributes.cap().setMax_send_wr(0); // an unused queue
        attributes.cap().setMax_send_sge(32); // DiSNI requests 4 in any case
        id.createQP(near.pd, attributes);
        assertThat(id.destroyQP()).isZero();
        assertThatThrownBy(id::destroyQP).hasMessage("The queue pair is closed.");
        assertThatThrownBy(() -> near.context.createCQ(near.channel, 1, 1))
                .hasMessageContaining("There is no completion vector 1");
        assertThat(id.destroyId()).isZero();
        assertThatThrownBy(id::destroyId).hasMessage("The connection id is closed.");
    }

    @Test
    @DisplayName("report a missing listener by an event, and an address in use by an exception")
    void noListener() throws Exception {
        try (HeldPort silent = new HeldPort()) {
            End end = End.to(silent.address());
            end.id.connect(new RdmaConnParam());
            assertThat(End.wanted(end.events, EventType.RDMA_CM_EVENT_REJECTED).getStatus())
                    .isNegative();
            end.close();
            end.events.destroyEventChannel();
        }
        InetSocketAddress taken = listener.address();
        assertThatThrownBy(() -> End.Listener.at(taken))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(Integer.toString(taken.getPort()));
        assertThatThrownBy(() -> near.id.connect(new RdmaConnParam())).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> near.id.resolveAddr(null, taken, 0)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> near.id.listen(1)).isInstanceOf(IOException.class);
        RdmaCmId unused = far.events.createId(RdmaCm.RDMA_PS_TCP);
        assertThatThrownBy(() -> unused.resolveAddr(null, InetSocketAddress.createUnresolved("nowhere", 1), 0))
                .isInstanceOf(UnknownHostException.class);
        unused.bindAddr(End.anyPort());
        unused.listen(Integer.MAX_VALUE);
        unused.destroyId();
        RdmaCmId bound = far.events.createId(RdmaCm.RDMA_PS_TCP);
        bound.resolveAddr(End.anyPort(), taken, 0);
        assertThat(((InetSocketAddress) bound.getSource()).getAddress())
                .isEqualTo(End.anyPort().getAddress());
        bound.destroyId();
    }

    @Test
    @DisplayName("deliver private data to the listener")
    void privateData() throws Exception {
        End end = End.to(listener.address());
        end.memory.put(0, new byte[] {1, 2, 3});
        RdmaConnParam parameters = new RdmaConnParam();
        parameters.setPrivate_data(end.region.getAddr());
        parameters.setPrivate_data_len((byte) 3);
        end.id.connect(parameters);
        JwarpCmEvent event = (JwarpCmEvent) End.wanted(listener.events(), EventType.RDMA_CM_EVENT_CONNECT_REQUEST);
        assertThat(event.getStatus()).isZero();
        assertThat(event.privateData()).containsExactly(1, 2, 3);
        event.getConnIdPriv().destroyId();
        End.wanted(end.events, EventType.RDMA_CM_EVENT_REJECTED);
        end.close();
        end.events.destroyEventChannel();
    }
}
