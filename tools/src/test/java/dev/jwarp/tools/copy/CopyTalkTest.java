package dev.jwarp.tools.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.vectors.OwnThread;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("An end of a copy, while its peer takes its time,")
class CopyTalkTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - SECOND); // it may begin anywhere
    private SocketChannel peer;
    private CopyTalk talk;

    @TempDir
    Path folder;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            peer = SocketChannel.open(listener.getLocalAddress());
            talk = new CopyTalk(listener.accept(), clock::get);
        }
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        talk.close();
    }

    /** {@return when all of that has come, nothing; or why it has not} */
    private CompletableFuture<String> takes(ByteBuffer all) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        talk.take(all);
                        return "";
                    } catch (IOException e) {
                        return String.valueOf(e.getMessage());
                    }
                },
                OwnThread.EACH);
    }

    /** So many bytes come, and some seconds are over. */
    private void comes(ByteBuffer into, int bytes, int seconds) throws IOException {
        int before = into.position();
        peer.write(ByteBuffer.allocate(bytes));
        await().until(() -> into.position() == before + bytes && talk.waits());
        clock.addAndGet(seconds * SECOND);
        talk.look();
    }

    @Test
    @DisplayName("limits the time of a request from its beginning; single bytes do not prolong it")
    void request() throws Exception {
        talk.within(CopyTalk.REQUEST_NANOS);
        ByteBuffer all = ByteBuffer.allocate(100);
        CompletableFuture<String> taken = takes(all);
        comes(all, 1, 4);
        comes(all, 1, 4);
        assertThat(taken).isNotDone();
        comes(all, 1, 4);
        assertThat(taken).succeedsWithin(PATIENCE).isEqualTo("the other end has made too little progress for 10 s");
    }

    @Test
    @DisplayName("does not count its own time")
    void ownTime() throws Exception {
        talk.within(CopyTalk.REQUEST_NANOS);
        ByteBuffer all = ByteBuffer.allocate(2);
        CompletableFuture<String> first = takes(all.duplicate().limit(1));
        peer.write(ByteBuffer.allocate(1));
        assertThat(first).succeedsWithin(PATIENCE).isEqualTo("");
        clock.addAndGet(100 * SECOND);
        talk.look();
        CompletableFuture<String> second = takes(all);
        await().until(talk::waits);
        talk.look();
        peer.write(ByteBuffer.allocate(2));
        assertThat(second).succeedsWithin(PATIENCE).isEqualTo("");
    }

    @Test
    @DisplayName("goes on with data that come slowly, and not with a few bytes a minute")
    void data() throws Exception {
        talk.steadily();
        ByteBuffer all = ByteBuffer.allocate(1 << 20);
        CompletableFuture<String> taken = takes(all);
        for (int i = 0; i < 3; i++) {
            comes(all, CopyTalk.LEAST_BYTES / 2, 20);
            comes(all, CopyTalk.LEAST_BYTES / 2, 20);
        }
        comes(all, CopyTalk.LEAST_BYTES / 2, 20);
        assertThat(taken).isNotDone();
        comes(all, 100, 20);
        assertThat(taken).isNotDone();
        comes(all, 100, 21);
        assertThat(taken).succeedsWithin(PATIENCE).isEqualTo("the other end has made too little progress for 60 s");
    }

    @Test
    @DisplayName("goes on with data that come beside the connection, which has a byte for each piece")
    void besides() throws Exception {
        talk.steadily();
        for (int i = 0; i < 4; i++) {
            ByteBuffer word = ByteBuffer.allocate(1);
            CompletableFuture<String> taken = takes(word);
            await().until(talk::waits);
            clock.addAndGet(40 * SECOND);
            talk.look();
            peer.write(ByteBuffer.allocate(1));
            assertThat(taken).succeedsWithin(PATIENCE).isEqualTo("");
            talk.moved(CopyWire.PIECE);
        }
    }

    @Test
    @DisplayName(
            "sums up what is there one file at a time of each address; one that is told to leave does not wait for that")
    void summing() throws Exception {
        assertRefused(() -> talk.leave("another one needs the place"), "another one needs the place");
    }

    @Test
    @DisplayName("has the sentence of a refusal that comes after all data")
    void refusedAtTheEnd() throws Exception {
        peer.write(ByteBuffer.allocate(100)
                .put((byte) CopyWire.DONE)
                .put((byte) CopyWire.REFUSED)
                .putShort((short) 5)
                .put("no, x".getBytes(UTF_8))
                .flip());
        FileSender sender = new FileSender(talk, false, new FileSender.Watcher() {
            @Override
            public void begins(String name, long length, long from) {}

            @Override
            public void moved(long bytes) {}

            @Override
            public void note(Path what, String why) {}
        });
        assertThatThrownBy(sender::end).hasMessage("the other end: no, x");
    }

    @Test
    @DisplayName("hashes one file at a time for each address; another sender hears why before it gives up")
    void summingForLong() throws Exception {
        assertRefused(
                () -> clock.addAndGet(CopyTalk.PATIENCE_NANOS * 2 / 3),
                "has waited too long: this server checks the parts of other senders of the same address;"
                        + " copy again later");
    }

    /** Another sender's file is summed up, then comes that. */
    private void assertRefused(Runnable then, String sentence) throws Exception {
        Files.writeString(folder.resolve(".x.jwcp-part"), "part");
        ReentrantLock summing = new ReentrantLock();
        summing.lock();
        try {
            peer.write(ByteBuffer.allocate(100)
                    .putLong(CopyWire.MAGIC)
                    .put((byte) CopyWire.VERSION)
                    .put((byte) CopyWire.STREAM)
                    .put((byte) CopyWire.FILE)
                    .putShort((short) 1)
                    .put("x".getBytes(UTF_8))
                    .putLong(1000)
                    .putLong(0)
                    .putLong(4)
                    .put(new byte[CopyWire.SUM])
                    .flip());
            CompletableFuture<String> ended = CompletableFuture.supplyAsync(
                    () -> {
                        try (FileReceiver receiver =
                                new FileReceiver(talk, false, new ServedFolder(folder), summing, line -> {})) {
                            receiver.run();
                            return "";
                        } catch (IOException e) {
                            return String.valueOf(e.getMessage());
                        }
                    },
                    OwnThread.EACH);
            await().until(summing::hasQueuedThreads);
            then.run();
            ByteBuffer answer = ByteBuffer.allocate(100);
            int told = 2 + Long.BYTES + CopyWire.SUM;
            await().until(() -> peer.read(answer) < 0 || answer.position() > told);
            peer.shutdownOutput();
            assertThat(ended)
                    .succeedsWithin(PATIENCE)
                    .isEqualTo(sentence + "; x: 4 of 1000 bytes are kept: copy again to resume");
            assertThat(answer.get(0)).isEqualTo((byte) CopyWire.DONE);
            assertThat(answer.get(1)).isEqualTo((byte) CopyWire.DONE);
            assertThat(answer.get(told)).isEqualTo((byte) CopyWire.REFUSED);
        } finally {
            summing.unlock();
        }
    }
}
