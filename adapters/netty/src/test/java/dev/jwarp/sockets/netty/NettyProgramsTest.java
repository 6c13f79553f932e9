package dev.jwarp.sockets.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Patience;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Programs for Netty run on jwarp's channels")
class NettyProgramsTest {
    private static final int LARGEST = 4_000_000;
    private static EventLoopGroup group;

    @BeforeAll
    static void begin() {
        group = new MultiThreadIoEventLoopGroup(2, JwarpIoHandler.newFactory());
    }

    @AfterAll
    static void end() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static byte[] body(int length) {
        byte[] body = new byte[length];
        new Random(length).nextBytes(body);
        return body;
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    // ---- HTTP/1.1

    private static final class Echo extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1,
                    HttpResponseStatus.OK,
                    request.content().retain());
            response.headers()
                    .set(HttpHeaderNames.CONTENT_LENGTH, request.content().readableBytes());
            Future<?> unused = context.writeAndFlush(response, context.voidPromise());
        }
    }

    @Test
    @DisplayName("HTTP/1.1")
    void http() throws Exception {
        BlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(JwarpServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(new HttpServerCodec(), new HttpObjectAggregator(LARGEST), new Echo());
                    }
                })
                .bind(anyPort())
                .sync()
                .channel();
        Channel client = new Bootstrap()
                .group(group)
                .channel(JwarpSocketChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        new HttpClientCodec(),
                                        new HttpObjectAggregator(LARGEST),
                                        new SimpleChannelInboundHandler<FullHttpResponse>() {
                                            @Override
                                            protected void channelRead0(
                                                    ChannelHandlerContext context, FullHttpResponse response) {
                                                answers.add(ByteBufUtil.getBytes(response.content()));
                                            }
                                        });
                    }
                })
                .connect(server.localAddress())
                .sync()
                .channel();
        for (int length : new int[] {0, 1, 1_000, 70_000, 3_000_000}) {
            DefaultFullHttpRequest request = new DefaultFullHttpRequest(
                    HttpVersion.HTTP_1_1, HttpMethod.POST, "/", Unpooled.wrappedBuffer(body(length)));
            request.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
            client.writeAndFlush(request).sync();
            assertThat(answers.poll(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(body(length));
        }
        client.close().sync();
        server.close().sync();
    }

    // ---- gRPC, which is HTTP/2

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

    private static MethodDescriptor<byte[], byte[]> method(MethodDescriptor.MethodType type, String name) {
        return MethodDescriptor.newBuilder(new Bytes(), new Bytes())
                .setType(type)
                .setFullMethodName("jwarp.Test/" + name)
                .build();
    }

    private static final MethodDescriptor<byte[], byte[]> ONE = method(MethodDescriptor.MethodType.UNARY, "One");
    private static final MethodDescriptor<byte[], byte[]> MANY =
            method(MethodDescriptor.MethodType.BIDI_STREAMING, "Many");

    @Test
    @DisplayName("gRPC: unary calls, and streams in both directions")
    void grpc() throws Exception {
        Server server = NettyServerBuilder.forAddress(anyPort())
                .channelType(JwarpServerSocketChannel.class)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .addService(ServerServiceDefinition.builder("jwarp.Test")
                        .addMethod(ONE, ServerCalls.asyncUnaryCall((request, answers) -> {
                            answers.onNext(request);
                            answers.onCompleted();
                        }))
                        .addMethod(MANY, ServerCalls.asyncBidiStreamingCall(answers -> answers))
                        .build())
                .build()
                .start();
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        server.getListenSockets().get(0))
                .channelType(JwarpSocketChannel.class)
                .eventLoopGroup(group)
                .usePlaintext()
                .build();
        try {
            for (int length : new int[] {0, 1, 1_000, 70_000, 3_000_000}) {
                assertThat(ClientCalls.blockingUnaryCall(channel, ONE, CallOptions.DEFAULT, body(length)))
                        .isEqualTo(body(length));
            }
            BlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
            StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(
                    channel.newCall(MANY, CallOptions.DEFAULT), new StreamObserver<>() {
                        @Override
                        public void onNext(byte[] value) {
                            answers.add(value);
                        }

                        @Override
                        public void onError(Throwable t) {
                            answers.add(t.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
                        }

                        @Override
                        public void onCompleted() {
                            answers.add(new byte[0]);
                        }
                    });
            for (int i = 1; i <= 1_000; i++) {
                requests.onNext(body(i));
            }
            requests.onCompleted();
            for (int i = 1; i <= 1_000; i++) {
                assertThat(answers.poll(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isEqualTo(body(i));
            }
            assertThat(answers.poll(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isEmpty();
        } finally {
            channel.shutdownNow();
            server.shutdownNow();
            assertThat(channel.awaitTermination(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(server.awaitTermination(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    @Test
    @DisplayName("and a process without files for a further loop gets one clear message")
    void fewFiles(@TempDir Path folder) throws Exception {
        Path said = folder.resolve("said");
        Process process = new ProcessBuilder(
                        "bash",
                        "-c",
                        "ulimit -n 400; exec \"$@\"",
                        "bash",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        FewFiles.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        assertThat(process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(Files.readString(said))
                .containsOnlyOnce("Caused by: ")
                .containsPattern("RdmaException: .*\\(.+\\): use fewer loops, or .*ulimit -n");
    }
}
