import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * "Messages BROKER" sends messages whose content follows from their numbers, reads all of them with one consumer, then with a group of two, the second of which
 * comes while the first one reads, and compares the SHA-256 of what was sent and read. It ends when its input ends.
 */
final class Messages {
    private static final String NUMBERS = "numbers";
    private static final String TIMES = "times";
    private static final int PARTITIONS = 4;
    private static final int MESSAGES = 2_000;
    private static final int[] LENGTHS = {100, 1_000, 10_000, 100_000};
    private static final int ROUND_TRIPS = 500;

    /** Digests of what was sent or read, by partition and offset. */
    private static final class Log {
        private final TreeMap<Integer, TreeMap<Long, byte[]>> digests = new TreeMap<>();

        synchronized void add(int partition, long offset, byte[] value) {
            digests.computeIfAbsent(partition, p -> new TreeMap<>()).put(offset, sha256().digest(value));
        }

        synchronized boolean has(int messages) {
            return digests.values().stream().mapToInt(TreeMap::size).sum() >= messages;
        }

        @Override
        public synchronized String toString() {
            MessageDigest all = sha256();
            digests.values().forEach(partition -> partition.values().forEach(all::update));
            return HexFormat.of().formatHex(all.digest());
        }
    }

    private final String broker;

    private Messages(String broker) {
        this.broker = broker;
    }

    public static void main(String[] words) throws Exception {
        Messages messages = new Messages(words[0]);
        messages.createTopics();
        Log sent = messages.send();
        same(sent, messages.readAll(), "one consumer");
        same(sent, messages.readInGroup(), "a group of two");
        messages.roundTrips();
        System.out.println("done");
        while (System.in.read() >= 0) {}
    }

    private void createTopics() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker))) {
            admin.createTopics(List.of(new NewTopic(NUMBERS, PARTITIONS, (short) 1), new NewTopic(TIMES, 1, (short) 1)))
                    .all()
                    .get();
        }
    }

    private Log send() {
        Log sent = new Log();
        long bytes = 0;
        List<ProducerRecord<byte[], byte[]>> messages = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            byte[] content = content(i);
            bytes += content.length;
            messages.add(new ProducerRecord<>(NUMBERS, i % PARTITIONS, null, content));
            sent.add(i % PARTITIONS, i / PARTITIONS, content);
        }
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            producer.partitionsFor(NUMBERS);
            long began = System.nanoTime();
            messages.forEach(producer::send);
            producer.flush();
            rate("messages sent", bytes, began);
        }
        System.out.println("bytes: " + 3 * bytes); // each message is sent, and read twice
        return sent;
    }

    private Log readAll() {
        Log read = new Log();
        long bytes = 0;
        try (KafkaConsumer<byte[], byte[]> consumer = consumer("one")) {
            List<TopicPartition> partitions = IntStream.range(0, PARTITIONS)
                    .mapToObj(partition -> new TopicPartition(NUMBERS, partition))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long began = System.nanoTime();
            while (!read.has(MESSAGES)) {
                bytes += poll(consumer, read);
            }
            rate("messages read", bytes, began);
        }
        return read;
    }

    /** The first consumer reads a part, and waits until the second one has partitions, too. */
    private Log readInGroup() throws InterruptedException {
        Log read = new Log();
        AtomicBoolean joined = new AtomicBoolean();
        Thread second = new Thread(() -> readAsSecond(read, joined), "second");
        try (KafkaConsumer<byte[], byte[]> first = consumer("two")) {
            first.subscribe(List.of(NUMBERS));
            while (!read.has(MESSAGES)) {
                poll(first, read);
                if (joined.get()) {
                    first.resume(first.assignment());
                } else if (read.has(MESSAGES / 4)) {
                    first.pause(first.assignment());
                    if (second.getState() == Thread.State.NEW) {
                        second.start();
                    }
                }
            }
        }
        second.join();
        return read;
    }

    private void readAsSecond(Log read, AtomicBoolean joined) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer("two")) {
            consumer.subscribe(List.of(NUMBERS), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}

                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                    joined.set(!partitions.isEmpty());
                }
            });
            while (!read.has(MESSAGES)) {
                poll(consumer, read);
            }
        }
    }

    /** Each message waits for the answer to the one before. */
    private void roundTrips() throws Exception {
        long[] nanos = new long[ROUND_TRIPS];
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            producer.partitionsFor(TIMES);
            for (int i = 0; i < ROUND_TRIPS; i++) {
                long began = System.nanoTime();
                producer.send(new ProducerRecord<>(TIMES, 0, null, new byte[100])).get();
                nanos[i] = System.nanoTime() - began;
            }
        }
        Arrays.sort(nanos);
        System.out.println("figure: a message of 100 bytes and its answer, us: " + nanos[ROUND_TRIPS / 2] / 1_000);
    }

    private KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", broker, "acks", "all", "linger.ms", 0), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private KafkaConsumer<byte[], byte[]> consumer(String group) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", broker, "group.id", group, "auto.offset.reset", "earliest", "heartbeat.interval.ms", 500);
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static long poll(KafkaConsumer<byte[], byte[]> consumer, Log read) {
        long bytes = 0;
        for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ofMillis(100))) {
            bytes += message.value().length;
            read.add(message.partition(), message.offset(), message.value());
        }
        return bytes;
    }

    private static byte[] content(int number) {
        byte[] content = new byte[LENGTHS[number / PARTITIONS % LENGTHS.length]];
        new SplittableRandom(number).nextBytes(content);
        return content;
    }

    private static void same(Log sent, Log read, String reader) throws IOException {
        if (!read.toString().equals(sent.toString())) {
            throw new IOException(reader + " read " + read + ", and sent was " + sent);
        }
        System.out.println(MESSAGES + " messages read by " + reader + ", SHA-256 " + read);
    }

    private static void rate(String what, long bytes, long began) {
        System.out.println("figure: " + what + ", MB/s: " + Math.round(bytes * 10_000.0 / (System.nanoTime() - began)) / 10.0);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
