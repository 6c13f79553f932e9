package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jwarp.transport.tcp.EchoPair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.nio.ByteBuffer;
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
        ByteBufAllocator.DEFAULT.directBuffer(1).touch("planted");
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
    @DisplayName("of a batch are one view, used again, and given up when many others came")
    void sendBuffers() {
        SendBuffers buffers = new SendBuffers();
        ByteBuffer slice = ByteBuffer.allocateDirect(100).limit(60).position(20);
        ByteBuf view = buffers.viewOf(slice);
        assertThat(view.readableBytes()).isEqualTo(40);
        assertThat(view.refCnt()).isEqualTo(2);
        view.skipBytes(40).release(); // as a write does
        slice.limit(100).position(1);
        assertThat(buffers.viewOf(slice)).isSameAs(view);
        assertThat(view.readableBytes()).isEqualTo(99);
        view.release();
        for (int i = 0; i < 64; i++) {
            buffers.viewOf(ByteBuffer.allocateDirect(1)).release();
        }
        assertThat(view.refCnt()).isZero();
        ByteBuffer last = ByteBuffer.allocateDirect(1);
        ByteBuf lastView = buffers.viewOf(last);
        lastView.release();
        buffers.release();
        assertThat(lastView.refCnt()).isZero();
    }

    @Test
    @DisplayName("to read into are one, and reading goes on while it is filled, for some turns")
    void ring() {
        ByteBuf ring = Unpooled.directBuffer(100);
        RecvByteBufAllocator.ExtendedHandle handle = new RingAllocator(ring).newHandle();
        handle.reset(null);
        assertThat(handle.guess()).isEqualTo(100);
        int reads = 0;
        do {
            ByteBuf lent = handle.allocate(null);
            assertThat(lent).isSameAs(ring);
            assertThat(lent.refCnt()).isEqualTo(2);
            handle.attemptedBytesRead(100);
            handle.lastBytesRead(100);
            handle.incMessagesRead(1);
            lent.release();
            reads++;
        } while (handle.continueReading());
        assertThat(reads).isEqualTo(4);
        handle.reset(null);
        handle.attemptedBytesRead(100);
        handle.lastBytesRead(99);
        handle.incMessagesRead(1);
        assertThat(handle.continueReading()).isFalse();
        ring.release();
    }
}
