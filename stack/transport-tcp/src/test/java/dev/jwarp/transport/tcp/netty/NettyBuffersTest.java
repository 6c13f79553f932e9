package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.transport.tcp.EchoPair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@DisplayName("The buffers of the Netty driver")
class NettyBuffersTest {
    @Test
    @DisplayName("never leak: the paranoid detector finds the leak of this test and no other")
    void noLeaks() {
        assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger detector = (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
        log.start();
        detector.addAppender(log);
        detector.setAdditive(false);
        try {
            for (Map<String, String> settings : List.of(
                    Map.<String, String>of(),
                    Map.of("jwarp.tcp.epoll", "off"),
                    Map.of("jwarp.tcp.copy-limit", "4096"))) {
                exchange(settings);
            }
            leak();
            await().until(() -> {
                System.gc();
                ByteBufAllocator.DEFAULT.directBuffer(1).release(); // the detector reports when it tracks another one
                return log.list.stream()
                        .anyMatch(event -> event.getFormattedMessage().contains("planted"));
            });
            assertThat(log.list.stream()
                            .filter(event -> event.getFormattedMessage().contains("LEAK")))
                    .hasSize(1);
        } finally {
            detector.detachAppender(log);
            detector.setAdditive(true);
        }
    }

    private static void leak() {
        // The detector reports the same leak once in a process: another run of this test has another one.
        ByteBufAllocator.DEFAULT.directBuffer(1).touch("planted at " + System.nanoTime());
    }

    private static void exchange(Map<String, String> settings) {
        try (EchoPair pair = new EchoPair(new NettyTransportProvider(), settings)) {
            pair.connect();
            for (int i = 0; i < 200; i++) {
                pair.send(i % 2 == 0 ? 100 : 60_000);
            }
            await().until(() -> pair.received() == 200);
            pair.send(60_000); // and close in the middle
        }
    }

    @Test
    @DisplayName("to write are asked for each time that the socket has room, and may have moved meanwhile")
    void region() throws IOException {
        StreamEngine engine = mock(100);
        ByteBuffer[] output = engine.output();
        EngineRegion region = new EngineRegion().begin(engine, 100);
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        assertThat(region.transferTo(target(taken, 30), 0)).isEqualTo(30);
        assertThat(region.takeReported()).as("what the engine was told").isEqualTo(30);
        ByteBuffer left = output[0];
        output[0] = ByteBuffer.allocate(70).put(left).flip();
        assertThat(region.transferTo(target(taken, 1000), 30)).isEqualTo(70);
        assertThat(region.transferred()).isEqualTo(region.count());
        assertThat(taken.toByteArray()).isEqualTo(octets(100));
    }

    private static byte[] octets(int length) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = (byte) i;
        }
        return octets;
    }

    private static WritableByteChannel target(ByteArrayOutputStream taken, int room) {
        return new WritableByteChannel() {
            @Override
            public int write(ByteBuffer source) {
                int count = Math.min(room, source.remaining());
                for (int i = 0; i < count; i++) {
                    taken.write(source.get());
                }
                return count;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
    }

    /** An engine that has so many octets to write, and wants to read no more than 50 at a time. */
    private static StreamEngine mock(int length) {
        ByteBuffer[] output = {ByteBuffer.wrap(octets(length))};
        return (StreamEngine) Proxy.newProxyInstance(
                NettyBuffersTest.class.getClassLoader(),
                new Class<?>[] {StreamEngine.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "output" -> output;
                    case "outputCount" -> 1;
                    case "readQuota" -> 50;
                    default -> null;
                });
    }

    @Test
    @DisplayName("to read into are one, and reading goes on while it is filled, for some turns")
    void ring() {
        ByteBuf ring = Unpooled.directBuffer(100);
        RecvByteBufAllocator.ExtendedHandle handle = new RingAllocator(ring, mock(0)).newHandle();
        handle.reset(null);
        assertThat(handle.guess()).isEqualTo(100);
        int reads = 0;
        do {
            ByteBuf lent = handle.allocate(null);
            assertThat(lent).isSameAs(ring);
            assertThat(lent.refCnt()).isEqualTo(2);
            assertThat(lent.writableBytes()).as("what the engine wants").isEqualTo(50);
            handle.attemptedBytesRead(50);
            handle.lastBytesRead(50);
            handle.incMessagesRead(1);
            lent.release();
            reads++;
        } while (handle.continueReading());
        assertThat(reads).isEqualTo(4);
        handle.reset(null);
        handle.attemptedBytesRead(50);
        handle.lastBytesRead(49);
        handle.incMessagesRead(1);
        assertThat(handle.continueReading()).isFalse();
        ring.release();
    }
}
