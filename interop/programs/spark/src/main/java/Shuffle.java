import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.Tuple2;

/**
 * A job whose executors send each other blocks of known bytes in a shuffle, and take a broadcast from the driver; what it gives is compared with the same computed
 * here. The master, the workers and the driver are this process, the executors others. It ends when its input ends.
 */
public final class Shuffle {
    private static final int BLOCKS = 3_000;
    private static final int LENGTH = 16_384;
    private static final int PARTITIONS = 4;
    private static final int KEYS = 97;
    private static final int RESULT = 100_000;

    private Shuffle() {}

    public static void main(String[] words) throws Exception {
        try (JavaSparkContext spark = new JavaSparkContext(new SparkConf())) {
            spark.parallelize(numbers(PARTITIONS), PARTITIONS).count(); // waits until both executors are there
            AtomicLong remote = new AtomicLong();
            spark.sc().addSparkListener(new SparkListener() {
                @Override
                public void onTaskEnd(SparkListenerTaskEnd end) {
                    remote.addAndGet(end.taskMetrics().shuffleReadMetrics().remoteBytesRead());
                }
            });
            shuffle(spark, "the first time");
            shuffle(spark, "once more");
            spark.sc().listenerBus().waitUntilEmpty();
            System.out.println("executors read " + remote + " bytes of the other one's");
            System.out.println("bytes: " + remote);
            broadcastAndCollect(spark);
            System.out.println("done");
            while (System.in.read() >= 0) {}
        }
    }

    private static void shuffle(JavaSparkContext spark, String time) throws IOException {
        long began = System.nanoTime();
        JavaPairRDD<Integer, byte[]> blocks = spark.parallelize(numbers(BLOCKS), PARTITIONS)
                .mapToPair(number -> new Tuple2<>(number % KEYS, block(number)));
        Map<Integer, Long> sums = blocks.groupByKey(PARTITIONS).mapValues(Shuffle::sum).collectAsMap();
        long nanos = System.nanoTime() - began;
        Map<Integer, Long> wanted = new HashMap<>();
        for (int number = 0; number < BLOCKS; number++) {
            wanted.merge(number % KEYS, sum(List.of(block(number))), Long::sum);
        }
        same(sums, wanted, "a shuffle of " + BLOCKS + " blocks of " + LENGTH + " bytes");
        System.out.println("figure: shuffled, " + time + ", MB/s: " + Math.round(BLOCKS * LENGTH * 10_000.0 / nanos) / 10.0);
    }

    private static void broadcastAndCollect(JavaSparkContext spark) throws IOException {
        byte[] addend = new byte[8 << 20];
        new SplittableRandom(1).nextBytes(addend);
        Broadcast<byte[]> shared = spark.broadcast(addend);
        long began = System.nanoTime();
        List<Long> results = spark.parallelize(numbers(RESULT), PARTITIONS)
                .map(number -> (long) number * number + shared.value()[number])
                .collect();
        long nanos = System.nanoTime() - began;
        same(results, numbers(RESULT).stream().map(number -> (long) number * number + addend[number]).toList(), "a broadcast and " + RESULT + " results");
        System.out.println("bytes: " + 2 * addend.length); // to each executor
        System.out.println("figure: broadcast of 8 MiB and collect, ms: " + nanos / 1_000_000);
    }

    private static List<Integer> numbers(int count) {
        return new ArrayList<>(IntStream.range(0, count).boxed().toList());
    }

    private static byte[] block(int number) {
        byte[] block = new byte[LENGTH];
        new SplittableRandom(number).nextBytes(block);
        return block;
    }

    /** Of all bytes, in whichever order the blocks come. */
    private static long sum(Iterable<byte[]> blocks) {
        long sum = 0;
        for (byte[] block : blocks) {
            sum += Arrays.hashCode(block);
        }
        return sum;
    }

    private static void same(Object got, Object wanted, String what) throws IOException {
        if (!got.equals(wanted)) {
            throw new IOException(what + ": Spark's result is not that of this process");
        }
        System.out.println(what + ": the same as computed without Spark");
    }
}
