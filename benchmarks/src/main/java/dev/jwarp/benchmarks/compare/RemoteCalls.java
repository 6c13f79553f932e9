package dev.jwarp.benchmarks.compare;

import com.ibm.darpc.DaRPCClientEndpoint;
import com.ibm.darpc.DaRPCClientGroup;
import com.ibm.darpc.DaRPCMessage;
import com.ibm.darpc.DaRPCProtocol;
import com.ibm.darpc.DaRPCServerEndpoint;
import com.ibm.darpc.DaRPCServerEvent;
import com.ibm.darpc.DaRPCServerGroup;
import com.ibm.darpc.DaRPCService;
import com.ibm.darpc.DaRPCStream;
import com.ibm.disni.RdmaServerEndpoint;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Remote procedure calls, one at a time: with DaRPC on jwarp, or with gRPC's unary calls over Netty. A request and its
 * response have {@link #BYTES} bytes each, and the server responds in the thread that receives the request. Each end is
 * a process.
 */
final class RemoteCalls implements Contender {
    private static final int BYTES = 64;
    private static final int PIPELINE = 16;
    private static final int PATIENCE_MILLIS = 100;

    /** The first byte of a request: whether more requests follow in this round. */
    private static final byte MORE = 1;

    private static final byte LAST = 0;

    /** One call. */
    private interface Caller {
        void call() throws IOException;
    }

    private final FarProcess far;
    private final Caller caller;
    private final byte[] question = new byte[BYTES];
    private final TimedRoundTrips trips = new TimedRoundTrips(BYTES, new Turn());

    /**
     * @param arguments {@code with=darpc|grpc polling=yes}: whether DaRPC's server spins during its turn; settings of
     * jwarp
     */
    RemoteCalls(Arguments arguments) throws Exception {
        far = new FarProcess(RemoteCalls.class, arguments);
        InetSocketAddress there = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(far.next()));
        caller = arguments.is("with", "grpc") ? grpc(there) : darpc(there, arguments);
        caller.call(); // the last call of a turn: the server then waits for the next turn
    }

    @Override
    public Sample round(long nanos) throws IOException {
        far.say("It is your turn.");
        question[0] = MORE;
        Sample sample = trips.round(nanos, caller::call);
        question[0] = LAST;
        caller.call();
        return sample;
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {
        far.close();
    }

    /** The far end: the server. */
    public static void main(String[] words) throws Exception {
        Arguments arguments = Arguments.of(Arrays.asList(words));
        InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (arguments.is("with", "grpc")) {
            Server server = grpcServer(here);
            System.out.println(((InetSocketAddress) server.getListenSockets().get(0)).getPort());
            server.awaitTermination();
        } else {
            RdmaServerEndpoint<?> listener = darpcServer(here, arguments);
            System.out.println(((InetSocketAddress) listener.getSrcAddr()).getPort());
            while (true) {
                listener.accept();
            }
        }
    }

    // ---- DaRPC

    /** A request or a response. */
    private static final class Message implements DaRPCMessage {
        private final byte[] bytes;

        Message(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public int size() {
            return BYTES;
        }

        @Override
        public int write(ByteBuffer to) {
            to.put(bytes);
            return BYTES;
        }

        @Override
        public void update(ByteBuffer from) {
            from.get(bytes);
        }
    }

    private static class Protocol implements DaRPCProtocol<Message, Message> {
        @Override
        public Message createRequest() {
            return new Message(new byte[BYTES]);
        }

        @Override
        public Message createResponse() {
            return new Message(new byte[BYTES]);
        }
    }

    private static final class Service extends Protocol implements DaRPCService<Message, Message> {
        private final BufferedReader turns =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        private final boolean polling;

        Service(boolean polling) {
            this.polling = polling;
        }

        /** A server that spins must not do so in the rounds of other contenders: its thread waits here. */
        @Override
        public void processServerEvent(DaRPCServerEvent<Message, Message> event) throws IOException {
            event.triggerResponse();
            if (polling && event.getReceiveMessage().bytes[0] == LAST) {
                turns.readLine();
            }
        }

        @Override
        public void open(DaRPCServerEndpoint<Message, Message> client) {}

        @Override
        public void close(DaRPCServerEndpoint<Message, Message> client) {}
    }

    private static RdmaServerEndpoint<?> darpcServer(InetSocketAddress here, Arguments arguments) throws Exception {
        DisniEnd.install(arguments);
        boolean polling = arguments.is("polling", "yes");
        DaRPCServerGroup<Message, Message> group = DaRPCServerGroup.createServerGroup(
                new Service(polling), new long[] {1}, PATIENCE_MILLIS, 0, polling, PIPELINE, PIPELINE, PIPELINE, 1);
        RdmaServerEndpoint<DaRPCServerEndpoint<Message, Message>> listener = group.createServerEndpoint();
        listener.bind(here, 1);
        return listener;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the stream delivers the response
    private Caller darpc(InetSocketAddress there, Arguments arguments) throws Exception {
        DisniEnd.install(arguments);
        DaRPCClientEndpoint<Message, Message> server = DaRPCClientGroup.createClientGroup(
                        new Protocol(), PATIENCE_MILLIS, 0, PIPELINE, PIPELINE)
                .createEndpoint();
        server.connect(there, 1000);
        DaRPCStream<Message, Message> stream = server.createStream();
        Message asked = new Message(question);
        Message answer = new Message(new byte[BYTES]);
        return () -> {
            stream.request(asked, answer, true);
            stream.take();
        };
    }

    // ---- gRPC

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final MethodDescriptor<byte[], byte[]> ECHO = MethodDescriptor.newBuilder(new Bytes(), new Bytes())
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("jwarp.Calls/Echo")
            .build();

    private static Server grpcServer(InetSocketAddress here) throws IOException {
        return NettyServerBuilder.forAddress(here)
                .directExecutor()
                .addService(ServerServiceDefinition.builder("jwarp.Calls")
                        .addMethod(ECHO, ServerCalls.asyncUnaryCall((request, answers) -> {
                            answers.onNext(request);
                            answers.onCompleted();
                        }))
                        .build())
                .build()
                .start();
    }

    private Caller grpc(InetSocketAddress there) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(there)
                .usePlaintext()
                .directExecutor()
                .build();
        return () -> ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, question);
    }
}
