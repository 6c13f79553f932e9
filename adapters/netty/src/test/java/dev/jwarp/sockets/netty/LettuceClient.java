package dev.jwarp.sockets.netty;

import dev.jwarp.vectors.Patience;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.ConnectionEvents;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** Lettuce on jwarp's event loops and channels, and a Redis server: values of many lengths, thousands of requests, messages. */
public final class LettuceClient extends RedisClient {
    private static final int[] LENGTHS = {0, 1, 1_000, 70_000, 1_000_000, 8_000_000};
    private static final int REQUESTS = 5_000;
    private static final Duration PATIENCE = Patience.LIMIT;

    private LettuceClient(ClientResources resources, RedisURI server) {
        super(resources, server);
        setOptions(ClientOptions.builder()
                .autoReconnect(false) // a connection that ends is a failure
                .socketOptions(SocketOptions.builder().keepAlive(false).build()) // its intervals are options of TCP
                .build());
    }

    /** Replaces the channel type in Lettuce's bootstrap, which knows only Netty's transports. */
    @Override
    protected void connectionBuilder(
            Mono<SocketAddress> to, ConnectionBuilder builder, ConnectionEvents events, RedisURI server) {
        super.connectionBuilder(to, builder, events, server);
        Bootstrap made = builder.bootstrap();
        Bootstrap ours = new Bootstrap()
                .group(made.config().group())
                .channel(JwarpSocketChannel.class)
                .resolver(made.config().resolver());
        for (Map.Entry<ChannelOption<?>, Object> option :
                made.config().options().entrySet()) {
            set(ours, option.getKey(), option.getValue());
        }
        builder.bootstrap(ours);
    }

    @SuppressWarnings("unchecked") // each value has its option's type
    private static <T> void set(Bootstrap bootstrap, ChannelOption<T> option, Object value) {
        bootstrap.option(option, (T) value);
    }

    /** Provides these event loops. */
    private static EventLoopGroupProvider provider(MultiThreadIoEventLoopGroup loops) {
        return new DefaultEventLoopGroupProvider(1) {
            @Override
            public <T extends EventLoopGroup> T allocate(Class<T> type) {
                return type.cast(loops);
            }
        };
    }

    /**
     * Throws if data does not arrive unchanged. Deletes all data of the server first.
     *
     * @param arguments the server's address, redis://HOST:PORT, and the number of outstanding requests
     */
    public static void main(String[] arguments) throws Exception {
        int most = Integer.parseInt(arguments[1]);
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, JwarpIoHandler.newFactory());
        ClientResources resources = ClientResources.builder()
                .eventLoopGroupProvider(provider(loops))
                // Lettuce's default resolver would register a socket of another transport with these loops.
                .addressResolverGroup(DefaultAddressResolverGroup.INSTANCE)
                .build();
        RedisURI server = RedisURI.create(arguments[0]);
        server.setTimeout(PATIENCE);
        LettuceClient client = new LettuceClient(resources, server);
        try (StatefulRedisConnection<byte[], byte[]> first = client.connect(ByteArrayCodec.INSTANCE);
                StatefulRedisConnection<byte[], byte[]> second = client.connect(ByteArrayCodec.INSTANCE)) {
            first.sync().flushall();
            for (int length : LENGTHS) {
                byte[] key = text("value of " + length);
                first.sync().set(key, body(length));
                check(Arrays.equals(second.sync().get(key), body(length)), "a value of " + length + " bytes");
                check(second.sync().strlen(key) == length, "the length of one of " + length);
            }
            underWay(first, second, most);
            message(client, first);
            check(second.sync().dbsize() == LENGTHS.length + REQUESTS, "how many keys there are");
            System.out.println("Lettuce: values of up to " + LENGTHS[LENGTHS.length - 1] + " bytes, " + REQUESTS
                    + " written and read, " + most + " at a time, a message: all came as they were sent");
        } finally {
            client.shutdown(Duration.ZERO, PATIENCE);
            resources.shutdown(0, PATIENCE.toSeconds(), TimeUnit.SECONDS).await();
            loops.shutdownGracefully(0, PATIENCE.toSeconds(), TimeUnit.SECONDS).await();
        }
    }

    private static void underWay(
            StatefulRedisConnection<byte[], byte[]> first, StatefulRedisConnection<byte[], byte[]> second, int most)
            throws Exception {
        for (int from = 0; from < REQUESTS; from += most) {
            int to = Math.min(REQUESTS, from + most);
            List<RedisFuture<String>> set = new ArrayList<>();
            for (int i = from; i < to; i++) {
                set.add(first.async().set(text("request " + i), body(i % 500)));
            }
            for (RedisFuture<String> each : set) {
                check("OK".equals(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)), "an answer");
            }
            List<RedisFuture<byte[]>> came = new ArrayList<>();
            for (int i = from; i < to; i++) {
                came.add(second.async().get(text("request " + i)));
            }
            for (int i = from; i < to; i++) {
                byte[] value = came.get(i - from).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                check(Arrays.equals(value, body(i % 500)), "value " + i);
            }
        }
    }

    private static void message(RedisClient client, StatefulRedisConnection<byte[], byte[]> first) throws Exception {
        BlockingQueue<byte[]> came = new LinkedBlockingQueue<>();
        try (StatefulRedisPubSubConnection<byte[], byte[]> third = client.connectPubSub(ByteArrayCodec.INSTANCE)) {
            third.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(byte[] channel, byte[] message) {
                    came.add(message);
                }
            });
            third.sync().subscribe(text("news"));
            check(first.sync().publish(text("news"), body(50_000)) == 1, "who is told");
            check(Arrays.equals(came.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS), body(50_000)), "a message");
        }
    }

    private static byte[] text(String is) {
        return is.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] body(int length) {
        byte[] body = new byte[length];
        new Random(length).nextBytes(body);
        return body;
    }

    private static void check(boolean is, String what) throws IOException {
        if (!is) {
            throw new IOException("came otherwise than it was sent: " + what);
        }
    }
}
