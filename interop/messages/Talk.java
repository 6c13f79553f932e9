import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.messaging.EndpointOptions;
import dev.jwarp.messaging.Message;
import dev.jwarp.messaging.MessageEndpoint;
import dev.jwarp.messaging.zookeeper.ZooKeeperDirectory;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;

/** Service 7, or a client that calls it for ever: {@code serve|call SERVERS ADDRESS}. ZooKeeper tells where the service is. */
public final class Talk {
    private static final int SERVICE = 7;
    private static final int SESSION_MILLIS = 3_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private Talk() {}

    public static void main(String[] arguments) throws Exception {
        CuratorFramework client = CuratorFrameworkFactory.newClient(
                arguments[1], SESSION_MILLIS, SESSION_MILLIS, new RetryForever(100));
        client.start();
        try (ZooKeeperDirectory directory =
                        new ZooKeeperDirectory(client, "/services", InetAddress.getByName(arguments[2]));
                Context context = RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of())) {
            if (arguments[0].equals("serve")) {
                serve(context, directory);
            } else {
                call(context, directory);
            }
        }
    }

    /** The id may be taken until the session of the host that died has ended. */
    private static void serve(Context context, ZooKeeperDirectory directory) throws InterruptedException {
        while (true) {
            try (MessageEndpoint service = MessageEndpoint.open(
                    context, directory, EndpointOptions.of(SERVICE).withCarriers(QueuePairType.RC))) {
                System.out.println("service " + SERVICE + " is at " + service.place());
                while (true) {
                    try (Message question = service.receive(TIMEOUT)) {
                        if (question != null) {
                            question.reply(question.data());
                        }
                    }
                }
            } catch (RdmaException e) {
                System.out.println(e.getMessage());
                if (e.code() != RdmaErrorCode.ADDRESS_IN_USE) {
                    throw e;
                }
                Thread.sleep(100);
            }
        }
    }

    private static void call(Context context, ZooKeeperDirectory directory) throws InterruptedException {
        try (MessageEndpoint client = MessageEndpoint.open(
                context, directory, EndpointOptions.of(0).withCarriers(QueuePairType.RC).withTimeout(TIMEOUT))) {
            for (int i = 0; ; i++) {
                ByteBuffer question = UTF_8.encode("question " + i);
                try (Message answer = client.call(SERVICE, question.duplicate(), TIMEOUT).get()) {
                    System.out.println((answer.data().equals(question) ? "answer " : "wrong answer ") + i);
                } catch (ExecutionException e) {
                    System.out.println("failed " + i + ": " + e.getCause().getMessage());
                }
                Thread.sleep(100);
            }
        }
    }
}
