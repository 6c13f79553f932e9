package dev.jwarp.transport.udp.seal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Envelope;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Receivers of envelopes")
class ReceiversTest {
    private static final SealKeys KEYS =
            SealKeys.parse("keys", "7 send hex:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f any");
    private static final DatagramAddress A = address("192.0.2.1");
    private static final DatagramAddress B = address("192.0.2.2");
    private static final DatagramAddress C = address("192.0.2.3");
    private static final int LENGTH = 60;

    private long now;

    /** What a port sends: the address, and the envelope. */
    private record Sent(End from, DatagramAddress to, byte[] octets) {}

    private final ArrayDeque<Sent> network = new ArrayDeque<>();
    private final List<End> ends = new ArrayList<>();
    private final End a = new End(A, 1);
    private final End b = new End(B, 2);

    private static DatagramAddress address(String host) {
        return DatagramAddress.of(new InetSocketAddress(host, 4000));
    }

    /** A port with its counters, and the numbers of the datagrams that came. */
    private final class End {
        final Tally<UdpCounter> counters = new Tally<>(UdpCounter.class);
        final List<Integer> received = new ArrayList<>();
        final DatagramAddress address;
        final PortSeal seal;

        End(DatagramAddress address, long seed) {
            this.address = address;
            seal = new PortSeal(seconds -> KEYS, 64, new Random(seed), () -> 1_800_000_000L, counters::count);
            ends.removeIf(end -> end.address.equals(address));
            ends.add(this);
        }

        /** Sends a datagram with that number. */
        void send(DatagramAddress to, int number) {
            ByteBuffer plain = ByteBuffer.allocate(LENGTH).put(0, (byte) 0x10).putInt(ShimHeader.LENGTH, number);
            DatagramBatch batch = new DatagramBatch();
            batch.set(to, plain, 0, LENGTH, LENGTH);
            DatagramBatch sealed = new DatagramBatch();
            UdpCounter other = seal.seal(batch, sealed, now);
            if (other == null) {
                network.add(new Sent(this, to.copy(), octets(sealed)));
            } else {
                counters.count(other);
            }
            flush();
        }

        /** Sends a datagram with that number; delivers it, and all that the ports send then. */
        void sendAndRun(DatagramAddress to, int number) {
            send(to, number);
            run();
        }

        /** {@return the envelope of a datagram to a known receiver} */
        byte[] sealed(DatagramAddress to, ByteBuffer plain) {
            DatagramBatch batch = new DatagramBatch();
            batch.set(to, plain, 0, plain.capacity(), plain.capacity());
            DatagramBatch sealed = new DatagramBatch();
            assertThat(seal.seal(batch, sealed, now)).isNull();
            return octets(sealed);
        }

        void flush() {
            DatagramBatch sealed = new DatagramBatch();
            while (seal.next(sealed)) {
                network.add(new Sent(this, sealed.destination().copy(), octets(sealed)));
            }
        }

        void receive(byte[] octets, DatagramAddress source) {
            ByteBuffer in = ByteBuffer.wrap(octets.clone());
            UdpCounter other = seal.open(in, 0, octets.length, source, false, now);
            if (other == null) {
                received.add(in.getInt(Envelope.SHIFT + ShimHeader.LENGTH));
            } else {
                counters.count(other);
            }
            flush();
        }

        long count(UdpCounter counter) {
            return counters.get(counter);
        }
    }

    private static byte[] octets(DatagramBatch sealed) {
        byte[] octets = new byte[sealed.length()];
        sealed.memory().get(sealed.offset(), octets);
        return octets;
    }

    /** Delivers everything to the ports at its addresses. */
    private void run() {
        for (Sent sent = network.poll(); sent != null; sent = network.poll()) {
            deliver(sent);
        }
    }

    private void deliver(Sent sent) {
        for (End end : List.copyOf(ends)) {
            if (end.address.equals(sent.to)) {
                end.receive(sent.octets, sent.from.address);
            }
        }
    }

    @Test
    @Tag("DG-K.7-8")
    @Tag("DG-K.4-1")
    @DisplayName(
            "a datagram waits until a greeting has told which port is at its address; then nothing waits at either end")
    void introduced() {
        a.send(B, 1);
        a.send(B, 2);
        assertThat(network).as("one greeting").hasSize(1);
        run();
        assertThat(b.received).containsExactly(1, 2);
        assertThat(a.count(UdpCounter.TX_HELD)).isEqualTo(2);
        b.send(A, 3);
        a.sendAndRun(B, 4);
        assertThat(a.received).containsExactly(3);
        assertThat(b.received).containsExactly(1, 2, 4);
        assertThat(b.count(UdpCounter.TX_HELD)).isZero();
        assertThat(a.count(UdpCounter.TX_GREETING))
                .as("a question and an answer")
                .isEqualTo(2);
    }

    @Test
    @Tag("DG-K.7-8")
    @DisplayName("a datagram for one port is not taken by another with the same key, whatever its source address")
    void anotherReceiver() {
        End c = new End(C, 3);
        a.sendAndRun(B, 1);
        a.send(B, 2);
        byte[] copied = network.remove().octets;
        c.receive(copied, A);
        c.receive(copied, C);
        b.receive(copied, A);
        assertThat(c.received).isEmpty();
        assertThat(c.count(UdpCounter.RX_SEAL_OTHER)).isEqualTo(1);
        assertThat(c.count(UdpCounter.RX_SEAL_REPLAY)).isEqualTo(1);
        assertThat(b.received).containsExactly(1, 2);
        run(); // the question of c to a, and its answer
        a.sendAndRun(B, 3);
        assertThat(b.received).containsExactly(1, 2, 3);
        assertThat(c.received).isEmpty();
    }

    @Test
    @Tag("DG-K.7-8")
    @Tag("DG-K.4-1")
    @DisplayName("a restarted receiver asks the sender, which learns its new origin")
    void restart() {
        a.sendAndRun(B, 1);
        assertThat(b.received).containsExactly(1);
        End after = new End(B, 3);
        a.sendAndRun(B, 2);
        a.sendAndRun(B, 3);
        assertThat(after.received).containsExactly(3);
        assertThat(after.count(UdpCounter.RX_SEAL_OTHER)).isEqualTo(1);
    }

    @Test
    @Tag("DG-K.4-1")
    @DisplayName("a sender that is not known yet is asked once in 200 ms")
    void askedOnce() {
        a.sendAndRun(B, 1);
        End after = new End(B, 3);
        for (int i = 0; i < 10; i++) {
            a.send(B, 2);
        }
        List<Sent> all = List.copyOf(network);
        network.clear();
        all.forEach(this::deliver);
        assertThat(after.count(UdpCounter.TX_GREETING)).isEqualTo(1);
        network.clear();
        now += Receivers.GREET_NANOS;
        a.send(B, 3);
        deliver(network.remove());
        assertThat(after.count(UdpCounter.TX_GREETING)).isEqualTo(2);
    }

    @Test
    @Tag("DG-K.4-1")
    @DisplayName("a lost greeting is repeated after 200 ms while datagrams wait")
    void lostGreeting() {
        assertThat(a.seal.nextTimeout()).isEqualTo(Long.MAX_VALUE);
        a.send(B, 1);
        network.clear();
        assertThat(a.seal.nextTimeout()).isEqualTo(Receivers.GREET_NANOS);
        now = Receivers.GREET_NANOS - 1;
        a.seal.onTimeout(now);
        a.flush();
        assertThat(network).isEmpty();
        now++;
        a.seal.onTimeout(now);
        a.flush();
        run();
        assertThat(b.received).containsExactly(1);
        assertThat(a.seal.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Tag("DG-K.4-1")
    @DisplayName("copies with other sources do not keep a restarted receiver from asking its sender")
    void askedElsewhere() {
        a.sendAndRun(B, 1);
        End after = new End(B, 3);
        for (int i = 0; i < 10; i++) {
            a.send(B, 100 + i);
            after.receive(network.remove().octets, C);
        }
        network.clear();
        a.sendAndRun(B, 2);
        a.sendAndRun(B, 3);
        assertThat(after.received).containsExactly(3);
    }

    @Test
    @Tag("DG-K.4-1")
    @DisplayName("a receiver that is heard is not replaced by another one for a second")
    void heardReceiverStays() {
        End c = new End(C, 3);
        a.sendAndRun(B, 1);
        b.send(A, 2);
        a.sendAndRun(C, 3);
        // An attacker lets a ask at b's address, and c answer from there.
        End p = new End(address("192.0.2.4"), 4);
        p.sendAndRun(C, 4);
        p.send(C, 4);
        a.receive(network.remove().octets, B);
        c.receive(network.remove().octets, A);
        a.receive(network.remove().octets, B);
        assertThat(a.count(UdpCounter.RX_GREETING)).isEqualTo(3);
        a.sendAndRun(B, 5);
        assertThat(b.received).containsExactly(1, 5);
    }

    @Test
    @Tag("DG-K.4-1")
    @DisplayName("two ports may follow each other at one address as often as they like")
    void alternating() {
        End c = new End(B, 3);
        for (int i = 0; i < 30; i++) {
            End there = i % 2 == 0 ? b : c;
            ends.removeIf(end -> end.address.equals(B));
            ends.add(there);
            now += Receivers.GREET_NANOS;
            a.sendAndRun(B, i);
            a.sendAndRun(B, i);
        }
        assertThat(a.count(UdpCounter.TX_HELD)).isEqualTo(1);
        assertThat(b.received.size() + c.received.size()).isGreaterThanOrEqualTo(30);
    }

    @Test
    @Tag("DG-K.4-1")
    @DisplayName("a port may answer from another address of its host")
    void otherAddress() {
        a.send(C, 1);
        b.receive(network.remove().octets, A);
        a.receive(network.remove().octets, B);
        network.removeIf(sent -> sent.from != a || !sent.to.equals(C));
        b.receive(network.remove().octets, A);
        assertThat(b.received).containsExactly(1);
    }

    @Test
    @Tag("DG-K.4-1")
    @DisplayName("what came through a group is not answered, and neither is a short envelope for another port")
    void notAnswered() {
        End c = new End(C, 3);
        a.send(B, 1);
        byte[] question = network.remove().octets;
        assertThat(c.seal.open(ByteBuffer.wrap(question.clone()), 0, question.length, A, true, now))
                .isEqualTo(UdpCounter.RX_SEAL_OTHER);
        a.seal.assume(B, b.seal);
        c.receive(a.sealed(B, ByteBuffer.allocate(28).put(0, (byte) 0x10)), A);
        assertThat(c.count(UdpCounter.RX_SEAL_OTHER)).isEqualTo(1);
        assertThat(c.count(UdpCounter.TX_GREETING)).isZero();
    }

    @Test
    @DisplayName("a port that closes counts what waits")
    void closed() {
        a.send(B, 1);
        a.send(C, 2);
        a.seal.close();
        assertThat(a.count(UdpCounter.TX_NO_RECEIVER)).isEqualTo(2);
        assertThat(a.seal.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Tag("DG-K.4-1")
    @DisplayName("an answer counts only from the address that was asked, and only with the number of the question")
    void forgedAnswers() {
        a.send(C, 1);
        byte[] asked = network.remove().octets;
        b.receive(asked, A); // redirected
        List<byte[]> answers = new ArrayList<>();
        network.forEach(sent -> answers.add(sent.octets));
        network.clear();
        answers.forEach(answer -> a.receive(answer, B));
        network.clear();
        a.send(B, 2);
        assertThat(a.count(UdpCounter.TX_HELD)).as("b answered a question to c").isEqualTo(2);
        assertThat(b.received).isEmpty();
    }

    @Test
    @DisplayName("a datagram waits for a second at most")
    void tooLate() {
        a.send(B, 1);
        List<Sent> held = List.copyOf(network);
        network.clear();
        now += Receivers.HOLD_NANOS;
        held.forEach(this::deliver);
        run();
        assertThat(b.received).isEmpty();
        assertThat(a.count(UdpCounter.TX_NO_RECEIVER)).isEqualTo(1);
        a.send(C, 2);
        now += Receivers.HOLD_NANOS;
        a.seal.onTimeout(now);
        assertThat(a.count(UdpCounter.TX_NO_RECEIVER)).isEqualTo(2);
    }

    @Test
    @DisplayName("of the datagrams that wait, the eldest are dropped first when they take too much memory")
    void tooMany() {
        int most = Receivers.MOST_HELD / (LENGTH + Receivers.AROUND);
        for (int i = 0; i < most + 5; i++) {
            a.send(B, i);
        }
        assertThat(a.count(UdpCounter.TX_NO_RECEIVER)).isEqualTo(5);
        run();
        assertThat(b.received).hasSize(most).startsWith(5);
    }

    @Test
    @Tag("DG-K.7-2")
    @DisplayName("a greeting of another length, or with a shim, is malformed")
    void malformedGreeting() {
        a.seal.assume(B, b.seal);
        for (ByteBuffer plain : List.of(
                ByteBuffer.allocate(LENGTH + 4), ByteBuffer.allocate(LENGTH).put(4, (byte) ShimHeader.GROUP))) {
            b.receive(a.sealed(B, plain), A);
        }
        assertThat(b.count(UdpCounter.RX_MALFORMED)).isEqualTo(2);
        assertThat(b.count(UdpCounter.RX_GREETING)).isZero();
    }

    @Test
    @DisplayName("a port that cannot send drops greetings beyond 1,024")
    void socketFull() {
        for (int i = 0; i < Receivers.MOST_READY + 3; i++) {
            now += Receivers.GREET_NANOS;
            a.seal.onTimeout(now);
            a.send(B, i);
            a.flush();
            byte[] question = network.remove().octets;
            b.seal.open(ByteBuffer.wrap(question), 0, question.length, A, false, now);
        }
        assertThat(b.count(UdpCounter.TX_OVERFLOWED)).isEqualTo(3);
        b.flush();
        assertThat(network).hasSize(Receivers.MOST_READY);
    }

    @Test
    @DisplayName("a port with many addresses is known at eight of them")
    void manyAddresses() {
        long seconds = TimeUnit.SECONDS.toNanos(1);
        for (int i = 0; i < 9; i++) {
            DatagramAddress other = new DatagramAddress().setIpv4(0x0a00_0000 + i, 9);
            a.send(other, i);
            Sent question = network.remove();
            b.receive(question.octets, A);
            a.receive(network.remove().octets, other);
            network.clear();
            now += seconds;
        }
        a.send(new DatagramAddress().setIpv4(0x0a00_0000, 9), 10);
        a.send(new DatagramAddress().setIpv4(0x0a00_0001, 9), 11);
        assertThat(a.count(UdpCounter.TX_HELD)).isEqualTo(10);
    }
}
