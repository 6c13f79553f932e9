package dev.jwarp.benchmarks.memory;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.SendWorkRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * All peers, in a process of their own. It prints its peers, one a line, then {@code ready}; a line on its standard
 * input makes them send, a second line makes them silent.
 */
final class Crowd {
    private static final int TO_A_PORT = 100;
    /** Limit of messages in flight. */
    private static final int BURST = 50;

    private final Bench bench;
    private final Scenario scenario;
    private final List<DatagramQueuePair> pairs = new ArrayList<>();
    /** Number of completed messages of this end, and of received ones. */
    private int spoken;

    private final SendWorkRequest send = new SendWorkRequest();

    private Crowd(Scenario scenario) {
        this.scenario = scenario;
        bench = new Bench(scenario);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Crowd crowd = new Crowd(Scenario.valueOf(arguments[0]));
        int peers = Integer.parseInt(arguments[1]);
        InetSocketAddress server =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[2]));
        if (crowd.scenario.connected) {
            crowd.connect(peers, server);
            crowd.progressUntilAsked();
            return;
        }
        crowd.open(peers);
        System.out.println("ready");
        crowd.progressUntilAsked();
        if (!crowd.scenario.weSend) {
            crowd.speak(
                    server,
                    Integer.parseInt(arguments[3]),
                    Integer.parseInt(arguments[4]),
                    Long.parseLong(arguments[5]),
                    Integer.parseInt(arguments[6]));
            System.out.println("spoken");
            crowd.progressUntilAsked();
        }
        Thread.sleep(Long.MAX_VALUE); // silent, but alive
    }

    private void connect(int peers, InetSocketAddress server) {
        for (int i = 0; i < peers; i++) {
            CmId id = bench.context.createId();
            id.resolveAddress(null, server);
            QueuePair pair = id.createQueuePair(bench.domain, bench.attributes(1, 1));
            bench.postReceive(pair);
            id.connect(scenario.connection().withTimeout(Duration.ofSeconds(20)));
        }
        System.out.println("ready");
    }

    private void open(int peers) {
        int port = 0;
        for (int i = 0; i < peers; i++) {
            DatagramQueuePair pair = bench.datagrams(i % TO_A_PORT == 0 ? 0 : port, 2, 1);
            port = pair.localAddress().getPort();
            bench.postReceive(pair);
            pairs.add(pair);
            System.out.println(port + " " + pair.number() + " " + pair.key());
        }
    }

    private void speak(InetSocketAddress server, int number, int key, long address, int rkey)
            throws InterruptedException {
        for (int i = 0; i < pairs.size(); i++) {
            AddressHandle handle = pairs.get(i).createAddressHandle(server, number, key);
            send.clear().destination(handle).add(bench.region, 0, Bench.MESSAGE);
            if (!scenario.reliable) {
                send.writeRecord(address, rkey);
            }
            pairs.get(i).postSend(send);
            while (i - spoken >= BURST) {
                progress();
            }
        }
        while (spoken < pairs.size()) {
            progress();
        }
    }

    private void progress() throws InterruptedException {
        int count = bench.drain();
        spoken += count;
        if (count == 0 && !bench.context.poll()) {
            Thread.sleep(1); // the other side gets time
        }
    }

    private void progressUntilAsked() throws IOException, InterruptedException {
        while (System.in.available() == 0) {
            progress();
        }
        System.in.read();
    }
}
