package dev.jwarp.disni;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.darpc.DaRPCClientEndpoint;
import com.ibm.darpc.DaRPCClientGroup;
import com.ibm.darpc.DaRPCFuture;
import com.ibm.darpc.DaRPCMessage;
import com.ibm.darpc.DaRPCProtocol;
import com.ibm.darpc.DaRPCServerEndpoint;
import com.ibm.darpc.DaRPCServerEvent;
import com.ibm.darpc.DaRPCServerGroup;
import com.ibm.darpc.DaRPCService;
import com.ibm.darpc.DaRPCStream;
import com.ibm.disni.RdmaServerEndpoint;
import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("DaRPC on jwarp")
class DarpcTest {
    private static final int PIPELINE = 16;
    private static final int CLIENTS = Whole.or(8, 64);
    /** Calls of a client, at most. */
    private static final int CALLS = Whole.or(200, 100_000 / 64 + 1);
    /** DaRPC's clients spin while they wait: each of many clients waits until all others have used up their time slices. */
    private static final int WAITS = 200;

    /** A question or an answer: two numbers. */
    private static final class Pair implements DaRPCMessage {
        long client;
        long number;

        @Override
        public int write(ByteBuffer to) {
            to.putLong(client).putLong(number);
            return size();
        }

        @Override
        public void update(ByteBuffer from) {
            client = from.getLong();
            number = from.getLong();
        }

        @Override
        public int size() {
            return 2 * Long.BYTES;
        }
    }

    private static class Protocol implements DaRPCProtocol<Pair, Pair> {
        @Override
        public Pair createRequest() {
            return new Pair();
        }

        @Override
        public Pair createResponse() {
            return new Pair();
        }
    }

    private static long answer(long client, long number) {
        return number * 31 + client;
    }

    /** Answers each question. */
    private static final class Service extends Protocol implements DaRPCService<Pair, Pair> {
        @Override
        public void processServerEvent(DaRPCServerEvent<Pair, Pair> event) throws IOException {
            event.getSendMessage().client = event.getReceiveMessage().client;
            event.getSendMessage().number = answer(event.getReceiveMessage().client, event.getReceiveMessage().number);
            event.triggerResponse();
        }

        @Override
        public void open(DaRPCServerEndpoint<Pair, Pair> endpoint) {}

        @Override
        public void close(DaRPCServerEndpoint<Pair, Pair> endpoint) {}
    }

    @ParameterizedTest(name = "{0} outstanding calls")
    @ValueSource(ints = {1, PIPELINE})
    @DisplayName("answers each call of many clients with its own value,")
    void calls(int underWay) throws Exception {
        DaRPCServerGroup<Pair, Pair> servers = DaRPCServerGroup.createServerGroup(
                new Service(), new long[] {1, 2}, 100, 0, false, PIPELINE, PIPELINE, PIPELINE, CLIENTS);
        RdmaServerEndpoint<DaRPCServerEndpoint<Pair, Pair>> listener = servers.createServerEndpoint();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), CLIENTS);
        InetSocketAddress address = (InetSocketAddress) listener.getSrcAddr();
        ExecutorService threads = Executors.newCachedThreadPool();
        Future<?> accepting = threads.submit(() -> {
            for (int i = 0; i < CLIENTS; i++) {
                listener.accept();
            }
            return null;
        });
        DaRPCClientGroup<Pair, Pair> clients =
                DaRPCClientGroup.createClientGroup(new Protocol(), 100, 0, PIPELINE, PIPELINE);
        List<DaRPCClientEndpoint<Pair, Pair>> ends = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            DaRPCClientEndpoint<Pair, Pair> end = clients.createEndpoint();
            end.connect(address, 1000);
            ends.add(end);
        }
        Patience.get(accepting);
        List<Future<?>> done = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int client = i;
            done.add(threads.submit(() -> {
                ask(client, ends.get(client).createStream(), underWay);
                return null;
            }));
        }
        for (Future<?> one : done) {
            Patience.get(one);
        }
        for (DaRPCClientEndpoint<Pair, Pair> end : ends) {
            end.close();
        }
        clients.close();
        listener.close();
        servers.close();
        threads.shutdown();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the stream returns it
    private static void ask(int client, DaRPCStream<Pair, Pair> stream, int underWay) throws Exception {
        int calls = Math.min(CALLS, WAITS * underWay);
        int taken = 0;
        for (int asked = 0; asked < calls; asked++) {
            Pair question = new Pair();
            question.client = client;
            question.number = asked;
            stream.request(question, new Pair(), true);
            while (asked + 1 - taken >= underWay) {
                check(client, stream.take());
                taken++;
            }
        }
        for (; taken < calls; taken++) {
            check(client, stream.take());
        }
    }

    private static void check(int client, DaRPCFuture<Pair, Pair> call) {
        assertThat(call.getReceiveMessage().client).isEqualTo(client);
        assertThat(call.getReceiveMessage().number).isEqualTo(answer(client, call.getSendMessage().number));
    }
}
