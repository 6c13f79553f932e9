package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Members of a directory's group")
class GroupMemberTest {
    private static final int HOSTS = 100;
    private static final int SERVICES = HOSTS * Whole.or(10, 100);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    /** Messages that a host takes in a millisecond: the receives of a directory. */
    private static final int ROOM = 256;

    private record Event(long at, long order, Runnable task) {}

    /** Simulated time, and a network that loses, doubles and reorders messages. */
    private static final class World {
        final SplittableRandom random;
        final double loss;
        final List<Host> hosts = new ArrayList<>();
        private final PriorityQueue<Event> events =
                new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
        private long now;
        private long order;

        World(long seed, double loss) {
            random = new SplittableRandom(seed);
            this.loss = loss;
        }

        Host host() {
            Host made = new Host(this, hosts.size());
            hosts.add(made);
            return made;
        }

        void at(long time, Runnable task) {
            events.add(new Event(time, order++, task));
        }

        /** Runs until nothing is left to be done. */
        void run() {
            for (Event next = events.poll(); next != null; next = events.poll()) {
                now = next.at;
                next.task.run();
            }
        }
    }

    private static final class Host implements GroupMember.Surroundings {
        final World world;
        final InetSocketAddress address;
        final GroupMember member;
        private long millisecond;
        private int taken;

        Host(World world, int number) {
            this.world = world;
            address = place(number, 7_000).address();
            member = new GroupMember(this, world.random.nextLong(), "simulated");
        }

        @Override
        public long nanoTime() {
            return world.now;
        }

        @Override
        public void say(ByteBuffer message) {
            byte[] bytes = new byte[message.remaining()];
            message.get(bytes);
            do {
                long delay = world.random.nextLong(MILLI / 50, 2 * MILLI);
                world.at(world.now + delay, () -> world.hosts.forEach(each -> each.arrived(bytes, address)));
            } while (world.random.nextDouble() < world.loss / 4);
        }

        private void arrived(byte[] message, InetSocketAddress source) {
            if (world.now / MILLI != millisecond) {
                millisecond = world.now / MILLI;
                taken = 0;
            }
            if (taken < ROOM && world.random.nextDouble() >= world.loss) {
                taken++;
                member.heard(ByteBuffer.wrap(message), source);
            }
        }

        @Override
        public void after(long nanos, Runnable task) {
            world.at(world.now + nanos, task);
        }
    }

    private static Place place(int host, int port) {
        try {
            InetAddress at = InetAddress.getByAddress(new byte[] {10, 0, (byte) (host >> 8), (byte) host});
            return new Place(new InetSocketAddress(at, port), Set.of(QueuePairType.RC, QueuePairType.UD));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Looks for a service as an endpoint does: a place that has no such service is doubted. */
    private static Place found(Host host, int service, Map<Integer, Place> places) {
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Place> future = host.member.find(service);
            host.world.run();
            assertThat(future).isDone();
            if (!future.isCompletedExceptionally()) {
                Place at = future.join();
                if (at.equals(places.get(service))) {
                    return at;
                }
                host.member.doubt(service, at);
            }
        }
        throw new AssertionError("service " + service + " was not found");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.02, 0.2})
    @DisplayName("announce, find, move and list the services of 100 hosts, with loss")
    void manyHosts(double loss) {
        World world = new World(1, loss);
        for (int i = 0; i < HOSTS; i++) {
            world.host();
        }
        Map<Integer, Place> places = new HashMap<>();
        List<CompletableFuture<Place>> claims = new ArrayList<>();
        for (int service = 1; service <= SERVICES; service++) {
            int number = service;
            places.put(service, place(service % HOSTS, 10_000 + service));
            world.at(
                    world.random.nextLong(10_000 * MILLI),
                    () -> claims.add(world.hosts
                            .get(number % HOSTS)
                            .member
                            .claim(number, place(number % HOSTS, 10_000 + number))));
        }
        world.run();
        assertThat(claims).hasSize(SERVICES).allSatisfy(each -> assertThat(each).isCompleted());
        for (int i = 0; i < 200; i++) {
            Host asks = world.hosts.get(world.random.nextInt(HOSTS));
            found(asks, 1 + world.random.nextInt(SERVICES), places);
        }

        Host ended = world.hosts.get(0);
        Host next = world.hosts.get(1);
        List<Integer> moved = new ArrayList<>();
        for (int service = HOSTS; service <= SERVICES; service += HOSTS) {
            ended.member.withdraw(service, place(0, 10_000 + service));
            moved.add(service);
        }
        world.run();
        for (int service : moved) {
            places.put(service, place(1, 10_000 + service));
            CompletableFuture<Place> claim = next.member.claim(service, place(1, 10_000 + service));
            world.run();
            assertThat(claim).isCompleted();
            found(world.hosts.get(world.random.nextInt(HOSTS)), service, places);
        }

        CompletableFuture<SortedMap<Integer, Place>> listing =
                world.host().member.services();
        world.run();
        SortedMap<Integer, Place> listed = listing.join();
        assertThat(places).containsAllEntriesOf(listed);
        assertThat(listed).hasSizeGreaterThanOrEqualTo(loss == 0 ? SERVICES : SERVICES * 4 / 5);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.1})
    @DisplayName("give a service to one of those that claim it at once")
    void clash(double loss) {
        int both = 0;
        for (int seed = 0; seed < 500; seed++) {
            World world = new World(seed, loss);
            List<CompletableFuture<Place>> claims = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Host host = world.host();
                world.at(world.random.nextLong(300 * MILLI), () -> claims.add(host.member.claim(7, place(1, 7_200))));
            }
            world.run();
            long granted = claims.stream()
                    .filter(each -> !each.isCompletedExceptionally())
                    .count();
            assertThat(claims).hasSize(3).allSatisfy(each -> assertThat(each).isDone());
            assertThat(granted).as("seed %d", seed).isPositive();
            both += granted > 1 ? 1 : 0;
        }
        assertThat(both).isLessThanOrEqualTo(loss == 0 ? 0 : 10); // all five questions or their answers were lost
    }

    @Test
    @DisplayName("do not contest a service whose claim was withdrawn")
    void withdrawnClaim() {
        for (int seed = 0; seed < 10; seed++) { // either of the two has the lower instance
            World world = new World(seed, 0);
            Host first = world.host();
            CompletableFuture<Place> withdrawn = first.member.claim(7, place(0, 7_200));
            first.member.withdraw(7, place(0, 7_200));
            List<CompletableFuture<Place>> claim = new ArrayList<>();
            Host second = world.host();
            world.at(3 * MILLI, () -> claim.add(second.member.claim(7, place(1, 7_200))));
            world.run();
            assertThat(withdrawn).isCompletedExceptionally();
            assertThat(claim.get(0)).as("seed %d", seed).isCompleted();
        }
    }

    @Test
    @DisplayName("fail what waits when they are closed")
    void closed() {
        World world = new World(1, 0);
        Host host = world.host();
        List<CompletableFuture<?>> waiting = List.of(
                host.member.claim(7, place(1, 7_200)),
                host.member.find(8),
                host.member.find(8),
                host.member.services());
        host.member.close();
        assertThat(waiting).allSatisfy(each -> assertThat(each).isCompletedExceptionally());
        assertThat(waiting)
                .allSatisfy(each -> assertThatThrownBy(each::join)
                        .cause()
                        .isInstanceOfSatisfying(
                                RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.CLOSED)));
        world.run();
        assertThat(host.member.services()).isCompletedExceptionally();
    }

    @Test
    @DisplayName("take any bytes without a failure")
    void anyBytes() {
        World world = new World(1, 0);
        Host host = world.host();
        CompletableFuture<Place> claim = host.member.claim(7, place(1, 7_200));
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[world.random.nextInt(8) == 0 ? world.random.nextInt(64) : GroupMember.LENGTH];
            world.random.nextBytes(bytes);
            if (bytes.length > 16) {
                bytes[0] = 1;
                bytes[1] &= 3;
                bytes[15] &= 31;
            }
            host.member.heard(ByteBuffer.wrap(bytes), place(2, 7_000).address());
        }
        world.run();
        assertThat(claim).isDone();
    }

    @Test
    @DisplayName("forget the service that they have not heard of for longest")
    void manyServices() {
        GroupMember member = new World(1, 0).host().member;
        InetSocketAddress source = place(1, 9).address();
        for (int service = 1; service <= 16_385; service++) {
            ByteBuffer here = ByteBuffer.allocate(GroupMember.LENGTH)
                    .put((byte) 1)
                    .put((byte) 2)
                    .putShort((short) service);
            here.putLong(5).putShort((short) 7_200).put((byte) 4).clear();
            member.heard(here, source);
        }
        assertThat(member.knows(1)).isFalse();
        assertThat(member.knows(2)).isTrue();
        assertThat(member.knows(16_385)).isTrue();
    }
}
