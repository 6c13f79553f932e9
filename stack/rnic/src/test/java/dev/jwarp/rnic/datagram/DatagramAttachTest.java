package dev.jwarp.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.rnic.Inside;
import dev.jwarp.rnic.RnicProvider;
import dev.jwarp.rnic.SimulatedReliability;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.sim.SimDatagrams;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.engine.UdpEngineFactory;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("While another thread attaches a datagram queue pair to its port")
class DatagramAttachTest {
    private static final int PORT = 4000;

    private final SimNetwork network = new SimNetwork(42);
    private Runnable meanwhile = () -> {};
    private InetSocketAddress local;
    private Context context;
    private RnicProtectionDomain domain;
    private RnicDatagramQueuePair first;

    @BeforeEach
    void open() throws UnknownHostException {
        InetAddress host = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
        local = new InetSocketAddress(host, PORT);
        Tally<UdpCounter> counters = new Tally<>(UdpCounter.class);
        DatagramTransport own = new SimDatagrams(network)
                .host(
                        host,
                        new UdpEngineFactory(
                                UdpSettings.of(Map.of()),
                                counters,
                                SimulatedReliability.FACTORY,
                                network.random(),
                                null))
                .counting(() -> UdpCounter.list(counters));
        context = new RnicProvider()
                .rnic()
                .open(
                        watched(DatagramTransport.class, own),
                        () -> network.clock().nowNanos(),
                        new SplittableRandom(42),
                        Map.of());
        domain = (RnicProtectionDomain) context.allocateProtectionDomain();
        first = newQueuePair();
    }

    /** {@link #meanwhile} happens at the beginning of attach. */
    private <T> T watched(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("attach")) {
                        meanwhile.run();
                    }
                    try {
                        Object answer = method.invoke(target, arguments);
                        return answer instanceof DatagramPort port ? watched(DatagramPort.class, port) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private RnicDatagramQueuePair newQueuePair() {
        return (RnicDatagramQueuePair) domain.createDatagramQueuePair(
                QueuePairType.UD,
                QueuePairAttributes.builder(context.createCompletionQueue(64)).build(),
                DatagramAttributes.builder(local).build());
    }

    private RnicDatagramQueuePair attaching() {
        return List.copyOf(Inside.datagrams(context).queuePairs().all()).stream()
                .filter(queuePair -> queuePair != first)
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("a region can be closed, and limits be asked for")
    void region() {
        MemoryRegion region = domain.allocate(8);
        meanwhile = () -> {
            region.close();
            Inside.datagrams(context).limits(attaching(), (name, current, highWater, limit) -> {});
        };
        newQueuePair().close();
        context.close();
    }

    @Test
    @DisplayName("the queue pair can be closed: its creation fails, and other queue pairs keep the port")
    void closed() {
        meanwhile = () -> {
            RnicDatagramQueuePair made = attaching();
            meanwhile = () -> {};
            made.close();
        };
        assertThatThrownBy(this::newQueuePair)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.CLOSED));
        meanwhile = () -> {};
        RnicDatagramQueuePair third = newQueuePair();
        assertThat(third.port()).as("the port that the first one uses").isSameAs(first.port());
        third.close();
        context.close();
    }
}
