package example;

import dev.jwarp.sockets.netty.*;
import io.netty.bootstrap.*;
import io.netty.buffer.*;
import io.netty.channel.*;
import io.netty.handler.codec.http.*;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.FingerprintTrustManagerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The roles: an HTTPS server, a client, or both in one process. Only three class names differ from a program on TCP.
 */
public final class Https {
    private static final int LENGTH = 1 << 20;

    public static void main(String[] arguments) throws Exception {
        String words = String.join(" ", arguments);
        // Replaces NioIoHandler: each loop drives an RDMA device of its own.
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, JwarpIoHandler.newFactory());
        try {
            if (words.matches("server \\d+")) {
                Identity identity = Identity.make();
                Channel listener = listen(loops, new InetSocketAddress(Integer.parseInt(arguments[1])), identity);
                System.out.println("listening, the fingerprint is " + identity.fingerprint());
                listener.closeFuture().sync(); // until Ctrl-C
            } else if (words.matches("client \\S+ \\d+ [0-9a-f]+")) {
                InetSocketAddress server = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
                System.out.println(describe(get(loops, server, arguments[3])));
            } else if (words.equals("all")) {
                Identity identity = Identity.make();
                Channel listener = listen(loops, new InetSocketAddress("127.0.0.1", 0), identity);
                InetSocketAddress server = (InetSocketAddress) listener.localAddress();
                String came = describe(get(loops, server, identity.fingerprint()));
                listener.close().sync();
                if (!came.equals(describe(body()))) {
                    throw new IllegalStateException("sent " + describe(body()) + ", but received " + came);
                }
                System.out.println("the received body is the sent one: " + came);
            } else {
                throw new IllegalArgumentException("usage: server PORT | client HOST PORT FINGERPRINT | all");
            }
        } finally {
            loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    /** {@return the body of the server's answers} */
    private static byte[] body() {
        byte[] bytes = new byte[LENGTH];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    private static String describe(byte[] body) throws Exception {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(body);
        return body.length + " bytes, SHA-256 " + HexFormat.of().formatHex(hash);
    }

    private static Channel listen(EventLoopGroup loops, InetSocketAddress address, Identity identity) throws Exception {
        SslContext tls = SslContextBuilder.forServer(identity.key(), identity.certificate())
                .sslProvider(SslProvider.JDK)
                .build();
        byte[] body = body();
        return new ServerBootstrap()
                .group(loops)
                .channel(JwarpServerSocketChannel.class) // replaces NioServerSocketChannel
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(tls.newHandler(channel.alloc()), new HttpServerCodec());
                        channel.pipeline().addLast(new HttpObjectAggregator(65_536), new Answers(body));
                    }
                })
                .bind(address)
                .sync()
                .channel();
    }

    /** Answers each request with the same body, and closes the connection. */
    private static final class Answers extends SimpleChannelInboundHandler<FullHttpRequest> {
        private final byte[] body;

        Answers(byte[] body) {
            this.body = body;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(body));
            HttpUtil.setContentLength(response, body.length);
            HttpUtil.setKeepAlive(response, false);
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /** {@return the body of the server's answer, if the server's certificate has that fingerprint} */
    private static byte[] get(EventLoopGroup loops, InetSocketAddress server, String fingerprint) throws Exception {
        SslContext tls = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(FingerprintTrustManagerFactory.builder("SHA-256")
                        .fingerprints(fingerprint)
                        .build())
                .endpointIdentificationAlgorithm(null) // the fingerprint identifies the server better than a host name
                .build();
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Channel channel = new Bootstrap()
                .group(loops)
                .channel(JwarpSocketChannel.class) // replaces NioSocketChannel
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel made) {
                        made.pipeline().addLast(tls.newHandler(made.alloc()), new HttpClientCodec());
                        made.pipeline().addLast(new HttpObjectAggregator(2 * LENGTH), new Hears(answer));
                    }
                })
                .connect(server)
                .sync()
                .channel();
        FullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
        request.headers().set(HttpHeaderNames.HOST, server.getHostString());
        channel.writeAndFlush(request);
        return answer.get(30, TimeUnit.SECONDS);
    }

    /** Passes on the body of the first answer, or an exception if there is none. */
    private static final class Hears extends SimpleChannelInboundHandler<FullHttpResponse> {
        private final CompletableFuture<byte[]> answer;

        Hears(CompletableFuture<byte[]> answer) {
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
            answer.complete(ByteBufUtil.getBytes(response.content()));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            answer.completeExceptionally(cause);
            context.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            answer.completeExceptionally(new IOException("the server ended the connection without an answer"));
        }
    }
}
