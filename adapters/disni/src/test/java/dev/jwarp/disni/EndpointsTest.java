package dev.jwarp.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.ibm.disni.RdmaActiveEndpoint;
import com.ibm.disni.RdmaActiveEndpointGroup;
import com.ibm.disni.RdmaEndpoint;
import com.ibm.disni.RdmaEndpointGroup;
import com.ibm.disni.RdmaPassiveEndpointGroup;
import com.ibm.disni.RdmaServerEndpoint;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.SVCPollCq;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs in the shape of DiSNI's examples. */
@DisplayName("DiSNI's endpoints on jwarp")
@SuppressWarnings({"NonApiType", "JdkObsolete"}) // lists of DiSNI's own type
class EndpointsTest {
    private static final int BYTES = 256;
    private static final int REQUESTS = 4;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdown();
    }

    /** The memory of both kinds of endpoints: one buffer to receive into and one to send from. */
    private static final class Memory {
        final ByteBuffer in = ByteBuffer.allocateDirect(BYTES);
        final ByteBuffer out = ByteBuffer.allocateDirect(BYTES);
        final IbvMr inRegion;
        final IbvMr outRegion;
        private final RdmaEndpoint of;

        Memory(RdmaEndpoint of) throws IOException {
            this.of = of;
            inRegion = of.registerMemory(in).execute().free().getMr();
            outRegion = of.registerMemory(out).execute().free().getMr();
        }

        private static LinkedList<IbvSge> whole(IbvMr region) {
            IbvSge element = new IbvSge();
            element.setAddr(region.getAddr());
            element.setLength(region.getLength());
            element.setLkey(region.getLkey());
            return new LinkedList<>(List.of(element));
        }

        void receive() throws IOException {
            IbvRecvWR request = new IbvRecvWR();
            request.setWr_id(2001);
            request.setSg_list(whole(inRegion));
            of.postRecv(List.of(request)).execute().free();
        }

        void send(int opcode, IbvMr from, long address, int key) throws IOException {
            IbvSendWR request = new IbvSendWR();
            request.setWr_id(2000);
            request.setSg_list(whole(from));
            request.setOpcode(opcode);
            request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
            request.getRdma().setRemote_addr(address);
            request.getRdma().setRkey(key);
            of.postSend(List.of(request)).execute().free();
        }
    }

    /** An endpoint whose group has a thread for completions. */
    private static final class Active extends RdmaActiveEndpoint {
        final BlockingQueue<IbvWC> completions = new LinkedBlockingQueue<>();
        private Memory memory;

        Active(RdmaActiveEndpointGroup<Active> group, RdmaCmId id, boolean serverSide) throws IOException {
            super(group, id, serverSide);
        }

        @Override
        protected synchronized void init() throws IOException {
            super.init();
            memory = new Memory(this);
            memory.receive();
        }

        @Override
        public void dispatchCqEvent(IbvWC completion) {
            completions.add(completion.clone());
        }

        void succeeded(IbvWC.IbvWcOpcode opcode) throws InterruptedException {
            IbvWC completion = completions.poll(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(completion).as("completion of %s", opcode).isNotNull();
            assertThat(completion.getStatus()).isZero();
            assertThat(IbvWC.IbvWcOpcode.valueOf(completion.getOpcode())).isEqualTo(opcode);
        }
    }

    private static RdmaActiveEndpointGroup<Active> active(boolean polling, int endpoints) throws IOException {
        RdmaActiveEndpointGroup<Active> group =
                new RdmaActiveEndpointGroup<>(100, polling, REQUESTS, 1, 2 * REQUESTS * endpoints);
        group.init((id, serverSide) -> new Active(group, id, serverSide));
        return group;
    }

    private static <E extends RdmaEndpoint> RdmaServerEndpoint<E> listen(
            RdmaEndpointGroup<E> group, InetSocketAddress address) throws Exception {
        return group.createServerEndpoint().bind(address, 128);
    }

    private static <E extends RdmaEndpoint> List<E> connect(
            RdmaEndpointGroup<E> group, RdmaServerEndpoint<?> to, int count) throws Exception {
        List<E> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            E one = group.createEndpoint();
            one.connect(to.getSrcAddr(), 1000);
            made.add(one);
        }
        return made;
    }

    private <E extends RdmaEndpoint> Future<List<E>> accept(RdmaServerEndpoint<E> listener, int count) {
        return threads.submit(() -> {
            List<E> accepted = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                accepted.add(listener.accept());
            }
            return accepted;
        });
    }

    private static void closeAll(List<? extends RdmaEndpoint> endpoints) throws Exception {
        for (RdmaEndpoint one : endpoints) {
            one.close();
        }
    }

    @ParameterizedTest(name = "polling: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("of an active group exchange messages, a hundred at a time")
    void activeGroup(boolean polling) throws Exception {
        int count = polling ? 10 : 100;
        RdmaActiveEndpointGroup<Active> servers = active(polling, count);
        RdmaActiveEndpointGroup<Active> clients = active(polling, count);
        RdmaServerEndpoint<Active> listener = listen(servers, End.anyPort());
        Future<List<Active>> accepting = accept(listener, count);
        List<Active> asking = connect(clients, listener, count);
        List<Active> answering = Patience.get(accepting);
        for (int i = 0; i < count; i++) {
            asking.get(i).memory.out.putInt(0, i);
            asking.get(i).memory.send(IbvSendWR.IBV_WR_SEND, asking.get(i).memory.outRegion, 0, 0);
        }
        for (Active one : answering) {
            one.succeeded(IbvWC.IbvWcOpcode.IBV_WC_RECV);
            one.memory.out.putInt(0, one.memory.in.getInt(0) + 1);
            one.memory.send(IbvSendWR.IBV_WR_SEND, one.memory.outRegion, 0, 0);
        }
        for (int i = 0; i < count; i++) {
            Active one = asking.get(i);
            List<Integer> opcodes = new ArrayList<>();
            for (int completed = 0; completed < 2; completed++) {
                IbvWC completion = one.completions.poll(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThat(completion).isNotNull();
                assertThat(completion.getStatus()).isZero();
                opcodes.add(completion.getOpcode());
            }
            assertThat(opcodes).containsExactlyInAnyOrder(0, 128);
            assertThat(one.memory.in.getInt(0)).isEqualTo(i + 1);
        }
        closeAll(asking);
        for (Active one : answering) {
            await().until(one::isClosed); // after the event of the peer's disconnect
        }
        closeAll(answering);
        listener.close();
        clients.close();
        servers.close();
    }

    @Test
    @DisplayName("of a passive group poll completions: RDMA Write, RDMA Read, and a Send that reports the end")
    void passiveGroup() throws Exception {
        RdmaPassiveEndpointGroup<RdmaEndpoint> group = new RdmaPassiveEndpointGroup<>(100, REQUESTS, 1, 2 * REQUESTS);
        group.init((id, serverSide) -> new RdmaEndpoint(group, id, serverSide) {});
        RdmaServerEndpoint<RdmaEndpoint> listener = listen(group, End.anyPort());
        Future<List<RdmaEndpoint>> accepting = accept(listener, 1);
        RdmaEndpoint near = connect(group, listener, 1).get(0);
        RdmaEndpoint far = Patience.get(accepting).get(0);
        Memory nearMemory = new Memory(near);
        Memory farMemory = new Memory(far);
        farMemory.receive();
        nearMemory.out.putLong(0, 42);
        nearMemory.send(
                IbvSendWR.IBV_WR_RDMA_WRITE,
                nearMemory.outRegion,
                farMemory.outRegion.getAddr(),
                farMemory.outRegion.getRkey());
        poll(near, IbvWC.IbvWcOpcode.IBV_WC_RDMA_WRITE);
        nearMemory.send(
                IbvSendWR.IBV_WR_RDMA_READ,
                nearMemory.inRegion,
                farMemory.outRegion.getAddr(),
                farMemory.outRegion.getRkey());
        poll(near, IbvWC.IbvWcOpcode.IBV_WC_RDMA_READ);
        assertThat(nearMemory.in.getLong(0)).isEqualTo(42);
        nearMemory.send(IbvSendWR.IBV_WR_SEND, nearMemory.outRegion, 0, 0);
        poll(far, IbvWC.IbvWcOpcode.IBV_WC_RECV);
        assertThat(farMemory.out.getLong(0)).isEqualTo(42);
        near.close();
        far.close();
        near.deregisterMemory(nearMemory.inRegion);
        listener.close();
        group.close();
    }

    private static void poll(RdmaEndpoint of, IbvWC.IbvWcOpcode opcode) throws IOException {
        IbvWC[] completions = {new IbvWC()};
        SVCPollCq poll = of.getCqProvider().getCQ().poll(completions, 1);
        await().until(() -> poll.execute().getPolls() == 1);
        assertThat(completions[0].getStatus()).isZero();
        assertThat(completions[0].getOpcode()).isEqualTo(opcode.getOpcode());
        poll.free();
    }

    @Test
    @DisplayName("can be closed in each state: new, connected, closed by the peer, closed already")
    void closes() throws Exception {
        RdmaActiveEndpointGroup<Active> servers = active(false, 4);
        RdmaActiveEndpointGroup<Active> clients = active(false, 4);
        RdmaServerEndpoint<Active> listener = listen(servers, End.anyPort());
        RdmaPassiveEndpointGroup<RdmaEndpoint> passive = new RdmaPassiveEndpointGroup<>(100, REQUESTS, 1, 2 * REQUESTS);
        passive.init((id, serverSide) -> new RdmaEndpoint(passive, id, serverSide) {});
        passive.createEndpoint().close();
        passive.close();
        Future<List<Active>> accepting = accept(listener, 2);
        List<Active> near = connect(clients, listener, 2);
        List<Active> far = Patience.get(accepting);
        near.get(0).close();
        near.get(0).close();
        await().until(() -> far.stream().anyMatch(RdmaEndpoint::isClosed));
        closeAll(far);
        await().until(near.get(1)::isClosed);
        assertThatThrownBy(() -> near.get(1).connect(listener.getSrcAddr(), 1000))
                .hasMessage("endpoint already connected");
        near.get(1).close();
        listener.close();
        listener.close();
        clients.close();
        servers.close();
        assertThat(servers.isClosed()).isTrue();
    }

    @Test
    @DisplayName("listen again at the same port after the server and its group were closed")
    void restarts() throws Exception {
        InetSocketAddress address = End.anyPort();
        for (int round = 0; round < 3; round++) {
            RdmaActiveEndpointGroup<Active> servers = active(false, 1);
            RdmaActiveEndpointGroup<Active> clients = active(false, 1);
            RdmaServerEndpoint<Active> listener = listen(servers, address);
            address = (InetSocketAddress) listener.getSrcAddr();
            Future<List<Active>> accepting = accept(listener, 1);
            Active near = connect(clients, listener, 1).get(0);
            Active far = Patience.get(accepting).get(0);
            near.memory.send(IbvSendWR.IBV_WR_SEND, near.memory.outRegion, 0, 0);
            far.succeeded(IbvWC.IbvWcOpcode.IBV_WC_RECV);
            listener.close();
            servers.close(); // also closes the connection
            await().until(near::isClosed);
            clients.close();
        }
    }
}
