package dev.jwarp.sockets.programs;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;

/**
 * Jedis and a Redis server: values of many lengths, pipelines, transactions, messages, several connections at a time.
 * It does not use jwarp's API.
 */
public final class JedisClient {
    private static final int[] LENGTHS = {0, 1, 1_000, 70_000, 1_000_000, 8_000_000};
    private static final int PIPELINED = 5_000;
    private static final int CLIENTS = 4;
    private static final int ROUNDS = 200;
    private static final int PATIENCE_MILLIS = 300_000;

    private JedisClient() {}

    /**
     * Throws if received data differ from the sent data. Deletes all data of the server first.
     *
     * @param arguments the server's address, redis://HOST:PORT
     */
    public static void main(String[] arguments) throws Exception {
        URI at = URI.create(arguments[0]);
        HostAndPort server = new HostAndPort(at.getHost(), at.getPort());
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Jedis first = connect(server);
                Jedis second = connect(server)) {
            first.flushAll();
            for (int length : LENGTHS) {
                byte[] key = text("value of " + length);
                first.set(key, body(length));
                check(Arrays.equals(second.get(key), body(length)), "a value of " + length + " bytes");
                check(second.strlen(key) == length, "the length of one of " + length);
            }
            pipelined(first, second);
            transaction(first, second);
            message(threads, server, first);
            manyAtATime(threads, server);
            check(second.dbSize() == LENGTHS.length + PIPELINED + 1 + CLIENTS, "how many keys there are");
            System.out.println("Jedis: values of up to " + LENGTHS[LENGTHS.length - 1] + " bytes, " + PIPELINED
                    + " in a pipeline, a transaction, a message, " + CLIENTS
                    + " connections at a time: all came as they were sent");
        } finally {
            threads.shutdownNow();
        }
    }

    private static Jedis connect(HostAndPort server) {
        return new Jedis(
                server,
                DefaultJedisClientConfig.builder()
                        .connectionTimeoutMillis(PATIENCE_MILLIS)
                        .socketTimeoutMillis(PATIENCE_MILLIS)
                        .build());
    }

    private static void pipelined(Jedis first, Jedis second) throws IOException {
        try (Pipeline all = first.pipelined()) {
            for (int i = 0; i < PIPELINED; i++) {
                all.set(text("pipelined " + i), body(i % 500));
            }
        }
        List<Response<byte[]>> came = new ArrayList<>();
        try (Pipeline all = second.pipelined()) {
            for (int i = 0; i < PIPELINED; i++) {
                came.add(all.get(text("pipelined " + i)));
            }
        }
        for (int i = 0; i < PIPELINED; i++) {
            check(Arrays.equals(came.get(i).get(), body(i % 500)), "value " + i + " of a pipeline");
        }
    }

    private static void transaction(Jedis first, Jedis second) throws IOException {
        try (Transaction all = first.multi()) {
            for (int i = 0; i < ROUNDS; i++) {
                all.rpush("list", "item " + i);
            }
            check(all.exec().size() == ROUNDS, "a transaction's answers");
        }
        List<String> list = second.lrange("list", 0, -1);
        for (int i = 0; i < ROUNDS; i++) {
            check(list.get(i).equals("item " + i), "item " + i + " of a list");
        }
    }

    private static void message(ExecutorService threads, HostAndPort server, Jedis first) throws Exception {
        BlockingQueue<byte[]> came = new LinkedBlockingQueue<>();
        BinaryJedisPubSub listener = new BinaryJedisPubSub() {
            @Override
            public void onSubscribe(byte[] channel, int channels) {
                came.add(channel);
            }

            @Override
            public void onMessage(byte[] channel, byte[] message) {
                came.add(message);
                unsubscribe();
            }
        };
        Future<?> listening = threads.submit(() -> {
            try (Jedis third = connect(server)) {
                third.subscribe(listener, text("news"));
            }
        });
        check(came.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS) != null, "a subscription");
        check(first.publish(text("news"), body(50_000)) == 1, "who is told");
        check(Arrays.equals(came.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS), body(50_000)), "a message");
        listening.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static void manyAtATime(ExecutorService threads, HostAndPort server) throws Exception {
        List<Future<Long>> counts = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            String key = "counter " + i;
            counts.add(threads.submit(() -> {
                try (Jedis own = connect(server)) {
                    Set<Long> seen = new HashSet<>();
                    for (int k = 0; k < ROUNDS; k++) {
                        seen.add(own.incr(key));
                    }
                    return (long) seen.size();
                }
            }));
        }
        for (Future<Long> count : counts) {
            check(count.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS) == ROUNDS, "a counter");
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
