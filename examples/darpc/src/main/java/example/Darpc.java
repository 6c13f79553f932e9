package example;

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
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A service that squares numbers, and its client, on DaRPC. The source does not name jwarp. */
public final class Darpc {
    private static final int PIPELINE = 16;
    private static final int TIMEOUT_MILLIS = 100;
    private static final int CALLS = 1000;

    private Darpc() {}

    /** A request or a response. */
    static final class Number implements DaRPCMessage {
        long value;

        @Override
        public int size() {
            return Long.BYTES;
        }

        @Override
        public int write(ByteBuffer to) {
            to.putLong(value);
            return size();
        }

        @Override
        public void update(ByteBuffer from) {
            value = from.getLong();
        }
    }

    static class Numbers implements DaRPCProtocol<Number, Number> {
        @Override
        public Number createRequest() {
            return new Number();
        }

        @Override
        public Number createResponse() {
            return new Number();
        }
    }

    static final class Squares extends Numbers implements DaRPCService<Number, Number> {
        @Override
        public void processServerEvent(DaRPCServerEvent<Number, Number> event) throws IOException {
            long asked = event.getReceiveMessage().value;
            event.getSendMessage().value = asked * asked;
            event.triggerResponse();
        }

        @Override
        public void open(DaRPCServerEndpoint<Number, Number> client) {}

        @Override
        public void close(DaRPCServerEndpoint<Number, Number> client) {}
    }

    static RdmaServerEndpoint<DaRPCServerEndpoint<Number, Number>> serve(InetSocketAddress address) throws Exception {
        DaRPCServerGroup<Number, Number> group = DaRPCServerGroup.createServerGroup(
                new Squares(), new long[] {1}, TIMEOUT_MILLIS, 0, false, PIPELINE, PIPELINE, PIPELINE, 32);
        RdmaServerEndpoint<DaRPCServerEndpoint<Number, Number>> listener = group.createServerEndpoint();
        listener.bind(address, 10);
        return listener;
    }

    static void acceptAll(RdmaServerEndpoint<?> listener) {
        while (true) {
            try {
                listener.accept();
            } catch (IOException e) {
                System.err.println("a client was not accepted: " + e.getMessage());
            }
        }
    }

    static void ask(InetSocketAddress address) throws Exception {
        DaRPCClientGroup<Number, Number> group =
                DaRPCClientGroup.createClientGroup(new Numbers(), TIMEOUT_MILLIS, 0, PIPELINE, PIPELINE);
        DaRPCClientEndpoint<Number, Number> server = group.createEndpoint();
        server.connect(address, 1000);
        DaRPCStream<Number, Number> stream = server.createStream();
        long sum = 0;
        for (int i = 0; i < CALLS; i++) {
            Number question = new Number();
            question.value = i;
            DaRPCFuture<Number, Number> call = stream.request(question, new Number(), false);
            sum += call.get().value;
        }
        System.out.println("the squares of " + CALLS + " numbers arrived: their sum is " + sum);
        server.close();
        group.close();
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "server" -> acceptAll(serve(new InetSocketAddress(Integer.parseInt(args[1]))));
            case "client" -> ask(new InetSocketAddress(args[1], Integer.parseInt(args[2])));
            default -> {
                RdmaServerEndpoint<?> listener = serve(new InetSocketAddress("127.0.0.1", 0));
                Thread accepting = new Thread(() -> acceptAll(listener));
                accepting.setDaemon(true);
                accepting.start();
                ask((InetSocketAddress) listener.getSrcAddr());
                System.exit(0); // the threads of the server's group never end by themselves
            }
        }
    }
}
