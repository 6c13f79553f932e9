package dev.jwarp.tools.copy;

import static dev.jwarp.tools.Listeners.port;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jwarp.sockets.JwarpSockets;
import dev.jwarp.tools.Run;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("jwarp cp with a peer that lies, or does nothing")
class HostileCopyTest {
    private static final int MILLIS = (int) Patience.LIMIT.toMillis();
    private static final long MINUTE = Duration.ofSeconds(61).toNanos();
    private static final byte[] DATA = "what is sent".getBytes(UTF_8);

    @TempDir
    Path here;

    @TempDir
    Path there;

    private final AtomicLong skipped = new AtomicLong();

    /** Looks, and lets a minute go: who does not wait yet does so at the next look. */
    private boolean aMinuteLater(BooleanSupplier done) {
        skipped.addAndGet(MINUTE);
        return done.getAsBoolean();
    }

    private long now() {
        return System.nanoTime() + skipped.get();
    }

    private Run.Background serve(String... more) {
        List<String> words =
                new ArrayList<>(List.of("cp", "--tcp", "--serve", there.toString(), "-a", "127.0.0.1", "-p", "0"));
        words.addAll(List.of(more));
        return Run.later(words.toArray(String[]::new)).clock(this::now).start();
    }

    private Run.Background send(int port) throws IOException {
        Path file = Files.write(here.resolve("file"), DATA);
        return Run.later("cp", "--tcp", "-p", String.valueOf(port), file.toString(), "127.0.0.1:")
                .clock(this::now)
                .start();
    }

    /** A sender that says what it likes. */
    private static final class Sender implements AutoCloseable {
        final Socket socket;
        final DataOutputStream out;
        final DataInputStream in;

        Sender(Run.Background server) throws IOException {
            this(server, 1);
        }

        /** At an address of this host, 127.0.0.1 or another one. */
        Sender(Run.Background server, int host) throws IOException {
            socket = new Socket();
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) host}), 0));
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port(server))));
            socket.setSoTimeout(MILLIS);
            out = new DataOutputStream(socket.getOutputStream());
            in = new DataInputStream(socket.getInputStream());
        }

        Sender hello(int manner) throws IOException {
            out.writeLong(CopyWire.MAGIC);
            out.writeByte(CopyWire.VERSION);
            out.writeByte(manner);
            return this;
        }

        Sender hello() throws IOException {
            hello(CopyWire.STREAM);
            assertThat(in.readByte()).isEqualTo((byte) CopyWire.DONE);
            return this;
        }

        Sender file(String name, long length) throws IOException {
            out.writeByte(CopyWire.FILE);
            text(name);
            out.writeLong(length);
            out.writeLong(Long.MAX_VALUE); // when it was changed
            return this;
        }

        void text(String text) throws IOException {
            byte[] bytes = text.getBytes(UTF_8);
            out.writeShort(bytes.length);
            out.write(bytes);
        }

        /** So much is there already. */
        long place() throws IOException {
            assertThat(in.readByte()).isEqualTo((byte) CopyWire.DONE);
            long bytes = in.readLong();
            in.readNBytes(CopyWire.SUM);
            return bytes;
        }

        /** {@return from where on it may send, if it says that it has these bytes} */
        long goesOn(long bytes, byte[] challenge, byte[] guess) throws Exception {
            MessageDigest proof = CopyWire.sha256(challenge);
            proof.update(guess);
            out.writeLong(bytes);
            out.write(proof.digest());
            assertThat(in.readByte()).isEqualTo((byte) CopyWire.DONE);
            return in.readLong();
        }

        /** Sends all of {@link #DATA}. */
        void whole() throws Exception {
            out.writeLong(0);
            out.write(DATA);
            out.write(sum(DATA));
            assertThat(in.readByte()).isEqualTo((byte) CopyWire.DONE);
        }

        String refusal() throws IOException {
            assertThat(in.readByte()).isEqualTo((byte) CopyWire.REFUSED);
            String sentence = new String(in.readNBytes(in.readUnsignedShort()), UTF_8);
            socket.shutdownOutput();
            assertThat(in.read()).isNegative();
            return sentence;
        }

        /** {@return whether there is no more to come} */
        boolean isEnded() {
            try {
                socket.setSoTimeout(50);
                in.readAllBytes();
                return true;
            } catch (SocketTimeoutException e) {
                return false;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static byte[] sum(byte[] data) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(data);
    }

    // ---- senders

    @ParameterizedTest
    @ValueSource(ints = {CopyWire.FILE, CopyWire.FOLDER})
    @DisplayName("makes no folder behind a link that leads out, for an entry of kind:")
    void linkLeadsOut(int kind) throws Exception {
        Path outside = Files.createDirectory(here.resolve("outside"));
        Files.createSymbolicLink(there.resolve("out"), outside);
        try (Run.Background server = serve();
                Sender sender = new Sender(server).hello()) {
            if (kind == CopyWire.FILE) {
                sender.file("out/new/file", 1);
            } else {
                sender.out.writeByte(kind);
                sender.text("out/new/folder");
            }
            assertThat(sender.refusal()).contains("leads out of the served folder");
        }
        assertThat(outside).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/etc/x", "a/", "a\0b", "x.JWCP-PART", ".x.jwcp-part/y", ".."})
    @DisplayName("refuses the name:")
    void names(String name) throws Exception {
        try (Run.Background server = serve();
                Sender sender = new Sender(server).hello().file(name, 1)) {
            assertThat(sender.refusal()).containsPattern("is not a path (on this system|within the served folder)");
        }
        assertThat(there).isEmptyDirectory();
    }

    @Test
    @DisplayName("refuses with a sentence: lengths below 0, long names, unknown entries, one-sided over TCP")
    void refusals() throws Exception {
        try (Run.Background server = serve()) {
            try (Sender sender = new Sender(server).hello().file("x", -5)) {
                assertThat(sender.refusal()).isEqualTo("the length of a file is negative: -5");
            }
            try (Sender sender = new Sender(server).hello().file("x".repeat(5000), 1)) {
                assertThat(sender.refusal()).contains("a text of 5000 bytes; the limit is 4096");
            }
            try (Sender sender = new Sender(server).hello()) {
                sender.out.writeByte(9);
                assertThat(sender.refusal()).contains("an entry of unknown kind 9");
            }
            try (Sender sender = new Sender(server).hello(CopyWire.ONE_SIDED)) {
                assertThat(sender.refusal()).contains("--one-sided needs RDMA");
            }
            try (Sender sender = new Sender(server).hello(7)) {
                assertThat(sender.refusal()).contains("manner 7 is not supported");
            }
            try (Sender sender = new Sender(server).hello().file("x", 100)) {
                assertThat(sender.place()).isZero();
                sender.out.writeLong(50);
                assertThat(sender.refusal()).contains("the sender continues at byte 50, but the part has 0 bytes");
            }
        }
        assertThat(there.resolve("x")).doesNotExist();
    }

    @Test
    @DisplayName("a file with another SHA-256 is refused, and the file before it stays")
    void otherSum() throws Exception {
        Files.writeString(there.resolve("x"), "before");
        try (Run.Background server = serve();
                Sender sender = new Sender(server).hello().file("x", DATA.length)) {
            sender.place();
            sender.out.writeLong(0);
            sender.out.write(DATA);
            sender.out.write(sum("other".getBytes(UTF_8)));
            assertThat(sender.refusal()).contains("arrived with a wrong SHA-256");
        }
        assertThat(there.resolve("x")).hasContent("before");
        assertThat(there.resolve(".x.jwcp-part")).doesNotExist();
    }

    @Test
    @DisplayName("a sender that ends in the middle leaves a part, and the file before it stays")
    void endsInTheMiddle() throws Exception {
        Files.writeString(there.resolve("x"), "before");
        try (Run.Background server = serve("-n", "1")) {
            try (Sender sender = new Sender(server).hello().file("x", Long.MAX_VALUE)) {
                sender.place();
                sender.out.writeLong(0);
                sender.out.write(DATA);
            }
            assertThat(server.await().err()).contains("the other end has closed the connection");
        }
        assertThat(there.resolve("x")).hasContent("before");
        assertThat(there.resolve(".x.jwcp-part")).exists();
    }

    @Test
    @DisplayName("a file is written by one sender at a time, until it has its name")
    void oneAtATime() throws Exception {
        try (Run.Background server = serve();
                Sender first = new Sender(server).hello().file("x", DATA.length)) {
            first.place();
            try (Sender second = new Sender(server).hello().file("x", 1)) {
                assertThat(second.refusal()).contains("is being written by another sender");
            }
            first.out.writeLong(0);
            first.out.write(DATA);
            first.out.write(sum(DATA));
            assertThat(first.in.readByte()).isEqualTo((byte) CopyWire.DONE);
        }
        assertThat(there.resolve("x")).hasBinaryContent(DATA);
    }

    @Test
    @DisplayName("a file name of a peer does not control the terminal")
    void terminal() throws Exception {
        String name = "a\u001b[2J\njwarp: all is well\u202Eb";
        try (Run.Background server = serve("-n", "2")) {
            try (Sender sender = new Sender(server).hello().file(name, 0)) {
                sender.place();
                sender.out.writeLong(0);
                sender.out.write(sum(new byte[0]));
                assertThat(sender.in.readByte()).isEqualTo((byte) CopyWire.DONE);
                sender.out.writeByte(CopyWire.END);
            }
            try (Sender sender = new Sender(server).hello().file(name + "/..", 0)) {
                sender.refusal();
            }
            assertThat(server.await().err())
                    .contains("a?[2J?jwarp: all is well?b: 0 bytes", "'a?[2J?jwarp: all is well?b/..' is not a path")
                    .doesNotContain("\u001b", "\u202E");
        }
    }

    @Test
    @DisplayName(
            "senders that do nothing have their connections ended: for a minute between two files, for 10 s within a request")
    void silentSenders() throws Exception {
        try (Run.Background server = serve();
                Sender strange = new Sender(server);
                Sender silent = new Sender(server).hello()) {
            await().until(() -> aMinuteLater(strange::isEnded));
            await().until(() -> aMinuteLater(silent::isEnded));
            assertThat(server.run().err()).contains("the other end has made too little progress for ");
        }
    }

    // ---- many senders

    private static void assertNeeded(Sender displaced) throws IOException {
        assertThat(displaced.refusal()).isEqualTo("another sender needs the place: copy again to resume");
    }

    private static List<Sender> heard(List<Sender> senders) {
        return senders.stream()
                .filter(sender -> {
                    try {
                        return sender.in.available() > 0;
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .toList();
    }

    @Test
    @DisplayName(
            "one address has three quarters of the places at most; where all are taken, it gives one to another address, and is told so")
    void placesAreDivided() throws Exception {
        List<Sender> many = new ArrayList<>();
        try (Run.Background server = serve()) {
            for (int i = 0; i < CopyServer.AT_A_TIME; i++) {
                Sender sender = new Sender(server, 2);
                sender.hello(CopyWire.STREAM);
                many.add(sender);
            }
            int most = CopyServer.AT_A_TIME * 3 / 4;
            await().until(() -> heard(many).size() == most);
            for (Sender sender : many.subList(0, most)) {
                assertThat(sender.in.readByte()).isEqualTo((byte) CopyWire.DONE);
                sender.out.writeByte(CopyWire.FILE); // and never more than that
            }
            for (int i = most; i < CopyServer.AT_A_TIME; i++) {
                many.add(new Sender(server, 1).hello());
            }
            assertThat(heard(many)).isEmpty();
            many.add(new Sender(server, 3).hello());
            await().until(() -> heard(many).size() == 1);
            Sender displaced = heard(many).get(0);
            assertThat(many.indexOf(displaced)).isLessThan(most);
            assertNeeded(displaced);
            assertThat(server.run().err()).contains("room for senders (fixed, 16) is used up");
        } finally {
            for (Sender sender : many) {
                sender.close();
            }
        }
    }

    @Test
    @DisplayName("a new sender takes the place of a sender of its address that was idle for 5 s")
    void idleGivesWay() throws Exception {
        List<Sender> many = new ArrayList<>();
        try (Run.Background server = serve()) {
            for (int i = 0; i < CopyServer.AT_A_TIME; i++) {
                Sender sender = new Sender(server).hello(CopyWire.STREAM);
                many.add(sender);
                if (i < CopyServer.AT_A_TIME * 3 / 4) {
                    assertThat(sender.in.readByte()).isEqualTo((byte) CopyWire.DONE);
                }
            }
            skipped.addAndGet(Duration.ofSeconds(6).toNanos());
            try (Sender last = new Sender(server).hello(CopyWire.STREAM)) {
                last.socket.setSoTimeout(MILLIS / 3); // less than those are waited for that do nothing
                assertThat(last.in.readByte()).isEqualTo((byte) CopyWire.DONE);
                assertThat(heard(many)).isNotEmpty();
            }
        } finally {
            for (Sender sender : many) {
                sender.close();
            }
        }
    }

    @Test
    @DisplayName(
            "of those of one address that wait, the oldest gives way when they are too many, and another address is served")
    void waitingIsDivided() throws Exception {
        int served = CopyServer.AT_A_TIME * 3 / 4;
        int wait = CopyServer.MOST_WAITING * 3 / 4;
        List<Sender> many = new ArrayList<>();
        try (Run.Background server = serve()) {
            for (int i = 0; i < served + wait + 1; i++) {
                many.add(new Sender(server, 2).hello(CopyWire.STREAM));
            }
            await().until(() -> heard(many).size() == served + 1);
            assertNeeded(many.get(served));
            new Sender(server, 1).hello().close();
        } finally {
            for (Sender sender : many) {
                sender.close();
            }
        }
    }

    // ---- what costs a sender nothing

    @ParameterizedTest
    @ValueSource(ints = {CopyWire.FILE, CopyWire.FOLDER})
    @DisplayName("a path of too many names is refused before a folder is made, for an entry of kind:")
    void tooDeep(int kind) throws Exception {
        String name = "a/".repeat(CopyWire.DEEPEST) + "a";
        try (Run.Background server = serve();
                Sender sender = new Sender(server).hello()) {
            if (kind == CopyWire.FILE) {
                sender.file(name, 1);
            } else {
                sender.out.writeByte(kind);
                sender.text(name);
            }
            assertThat(sender.refusal()).startsWith("a path may have at most 256 names");
        }
        assertThat(there).isEmptyDirectory();
    }

    @Test
    @DisplayName("a part that is longer than the file is neither hashed nor reported")
    void longerPart() throws Exception {
        Files.write(there.resolve(".x.jwcp-part"), new byte[100]);
        try (Run.Background server = serve();
                Sender sender = new Sender(server).hello().file("x", 99)) {
            assertThat(sender.place()).isZero();
        }
    }

    // ---- what is there of a copy that was interrupted

    @Test
    @DisplayName("a sender learns only the length of a part; without the content it has one guess")
    void guesses() throws Exception {
        byte[] part = "password=1".getBytes(UTF_8);
        List<byte[]> told = new ArrayList<>();
        for (String name : List.of("x", "y")) {
            Files.write(there.resolve("." + name + ".jwcp-part"), part);
        }
        try (Run.Background server = serve();
                Sender stranger = new Sender(server).hello();
                Sender owner = new Sender(server).hello()) {
            for (Sender sender : List.of(stranger.file("x", DATA.length), owner.file("y", DATA.length))) {
                assertThat(sender.in.readByte()).isEqualTo((byte) CopyWire.DONE);
                assertThat(sender.in.readLong()).isEqualTo(part.length);
                told.add(sender.in.readNBytes(CopyWire.SUM));
            }
            assertThat(told.get(0)).isNotEqualTo(sum(part)).isNotEqualTo(told.get(1));

            assertThat(stranger.goesOn(part.length, told.get(0), "password=2".getBytes(UTF_8)))
                    .isZero();
            assertThat(there.resolve(".x.jwcp-part")).isEmptyFile();
            assertThat(owner.goesOn(part.length, told.get(1), part)).isEqualTo(part.length);
            owner.out.write(DATA, 0, DATA.length - part.length);
            byte[] whole = Arrays.copyOf(part, DATA.length);
            System.arraycopy(DATA, 0, whole, part.length, DATA.length - part.length);
            owner.out.write(sum(whole));
            assertThat(owner.in.readByte()).isEqualTo((byte) CopyWire.DONE);
            assertThat(there.resolve("y")).hasBinaryContent(whole);
        }
    }

    @Test
    @DisplayName("a file outside with the name of a part stays as it is")
    void hardLink() throws Exception {
        Path outside = Files.writeString(here.resolve("outside"), "outside");
        Files.createLink(there.resolve(".x.jwcp-part"), outside);
        try (Run.Background server = serve();
                Sender sender = new Sender(server).hello().file("x", DATA.length)) {
            assertThat(sender.place()).isZero();
            sender.whole();
        }
        assertThat(outside).hasContent("outside");
        assertThat(there.resolve("x")).hasBinaryContent(DATA);
    }

    @Test
    @DisplayName("a folder that a link replaces during a copy still gets its file")
    void folderBecomesLink() throws Exception {
        Path outside = Files.createDirectory(here.resolve("outside"));
        Files.writeString(outside.resolve(".x.jwcp-part"), "outside");
        try (Run.Background server = serve();
                Sender sender = new Sender(server).hello().file("folder/x", DATA.length)) {
            sender.place();
            Files.move(there.resolve("folder"), there.resolve("moved"));
            Files.createSymbolicLink(there.resolve("folder"), outside);
            sender.whole();
        }
        assertThat(outside.resolve(".x.jwcp-part")).hasContent("outside");
        assertThat(outside.resolve("x")).doesNotExist();
        assertThat(there.resolve("moved/x")).hasBinaryContent(DATA);
    }

    @Test
    @DisplayName("a pipe is no folder, and nothing waits for it")
    void pipe() throws Exception {
        Path pipe = there.resolve("pipe");
        assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0);
        try (Run.Background server = serve();
                Sender sender = new Sender(server).hello().file("pipe/x", 1)) {
            assertThat(sender.refusal()).isEqualTo("a file is in the place of a folder");
        }
    }

    @Test
    @DisplayName("Ctrl-C ends a receiver, which reports what has come and stays")
    void interruptedReceiver() throws Exception {
        try (Run.Background server = serve();
                Sender sender = new Sender(server).hello().file("x", 2L * CopyWire.PIECE)) {
            sender.place();
            sender.out.writeLong(0);
            sender.out.write(new byte[CopyWire.PIECE]);
            Path part = there.resolve(".x.jwcp-part");
            await().until(() -> Files.size(part) == CopyWire.PIECE);
            server.interrupt();
            assertThat(server.await().status()).isEqualTo(130);
            assertThat(server.run().err())
                    .contains("jwarp: x: 1048576 of 2097152 bytes are kept: copy again to resume");
            assertThat(part).hasSize(CopyWire.PIECE);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "at the end of a sender, or Ctrl-C, before it is clear what is there, the receiver says what stays (Ctrl-C):")
    void interruptedInAgreement(boolean interrupt) throws Exception {
        Path part = Files.write(there.resolve(".x.jwcp-part"), new byte[CopyWire.PIECE]);
        try (Run.Background server = serve("-n", "1")) {
            try (Sender sender = new Sender(server).hello().file("x", 2L * CopyWire.PIECE)) {
                assertThat(sender.place()).isEqualTo(CopyWire.PIECE);
                if (interrupt) {
                    server.interrupt();
                    server.await();
                }
            }
            assertThat(server.await().err()).contains("x: 1048576 of 2097152 bytes are kept: copy again to resume");
        }
        assertThat(part).hasSize(CopyWire.PIECE);
    }

    // ---- receivers

    /** A receiver that says what it likes to the first sender, and stays until that has gone. */
    private static final class Receiver implements AutoCloseable {
        /** What it says. */
        @FunctionalInterface
        interface Script {
            void run(DataInputStream in, DataOutputStream out) throws Exception;
        }

        final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        final CompletableFuture<Void> done;

        Receiver(Script script) throws IOException {
            done = CompletableFuture.runAsync(
                    () -> {
                        try (Socket sender = listener.accept()) {
                            DataInputStream in = new DataInputStream(sender.getInputStream());
                            script.run(in, new DataOutputStream(sender.getOutputStream()));
                            in.transferTo(OutputStream.nullOutputStream());
                        } catch (Exception e) {
                            assertThat(e).isInstanceOf(IOException.class); // the sender has gone
                        }
                    },
                    OwnThread.EACH);
        }

        int port() {
            return listener.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            listener.close();
            done.join();
        }
    }

    private static void untilPlace(DataInputStream in, DataOutputStream out) throws IOException {
        in.readNBytes(Long.BYTES + 2);
        out.writeByte(CopyWire.DONE);
        assertThat(in.readByte()).isEqualTo((byte) CopyWire.FILE);
        in.readNBytes(in.readUnsignedShort() + 2 * Long.BYTES);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 13})
    @DisplayName("a receiver that has more than the file is no receiver:")
    void moreThanThere(long bytes) throws Exception {
        try (Receiver receiver = new Receiver((in, out) -> {
                    untilPlace(in, out);
                    out.writeByte(CopyWire.DONE);
                    out.writeLong(bytes);
                    out.write(MessageDigest.getInstance("SHA-256").digest());
                });
                Run.Background run = send(receiver.port())) {
            assertThat(run.await().status()).as(run.run().toString()).isEqualTo(4);
            assertThat(run.run().err()).contains("error: the other end does not speak as 'jwarp cp --serve' does");
        }
    }

    @Test
    @DisplayName("another service is no receiver")
    void anotherService() throws Exception {
        try (Receiver receiver = new Receiver((in, out) -> out.writeBytes("220 mail.example ready\r\n"));
                Run.Background run = send(receiver.port())) {
            assertThat(run.await().status()).as(run.run().toString()).isEqualTo(4);
        }
    }

    @Test
    @DisplayName("a sentence of a receiver does not control the terminal")
    void sentence() throws Exception {
        try (Receiver receiver = new Receiver((in, out) -> {
                    untilPlace(in, out);
                    out.writeByte(CopyWire.REFUSED);
                    out.writeShort(6);
                    out.writeBytes("\u001b[2Jno");
                });
                Run.Background run = send(receiver.port())) {
            assertThat(run.await().status()).isEqualTo(1);
            assertThat(run.run().err()).contains("error: file: ?[2Jno").doesNotContain("\u001b");
        }
    }

    @Test
    @DisplayName("a receiver that does nothing for a minute, and for as long as a sum takes, is given up")
    void silentReceiver() throws Exception {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        try (Receiver receiver = new Receiver((in, out) -> {
                    untilPlace(in, out);
                    asked.complete(null);
                });
                Run.Background run = send(receiver.port())) {
            asked.join();
            await().until(() -> aMinuteLater(run::ended));
            assertThat(run.await().status()).as(run.run().toString()).isEqualTo(1);
            assertThat(run.run().err()).contains("error: the other end has made too little progress for 60 s");
        }
    }

    @Test
    @DisplayName("Ctrl-C ends a sender whose receiver does nothing; the sender reports its progress")
    void interrupted() throws Exception {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        try (Receiver receiver = new Receiver((in, out) -> {
                    untilPlace(in, out);
                    asked.complete(null);
                });
                Run.Background run = send(receiver.port())) {
            asked.join();
            run.interrupt();
            assertThat(run.await().status()).as(run.run().toString()).isEqualTo(130);
            assertThat(run.run().out()).startsWith("cp: 0 files, 0 folders, 0 bytes in ");
            assertThat(run.run().err()).contains("jwarp: no file was sent: run the same command again");
        }
    }

    @Test
    @DisplayName("Ctrl-C ends a sender in the middle of a file; the sender reports the part and how to continue")
    void interruptedInTheMiddle() throws Exception {
        CompletableFuture<Void> came = new CompletableFuture<>();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Path large = here.resolve("large");
        try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
            file.setLength(1 << 28); // more than TCP takes
        }
        try (Receiver receiver = new Receiver((in, out) -> {
                    untilPlace(in, out);
                    out.writeByte(CopyWire.DONE);
                    out.writeLong(0);
                    out.write(new byte[CopyWire.SUM]);
                    in.readNBytes(2 * CopyWire.PIECE);
                    came.complete(null);
                    ended.join();
                });
                Run.Background run = Run.inBackground(
                        "cp", "--tcp", "-p", String.valueOf(receiver.port()), large.toString(), "127.0.0.1:")) {
            try {
                came.join();
                run.interrupt();
                run.await();
            } finally {
                ended.complete(null);
            }
            assertThat(run.run().status()).as(run.run().toString()).isEqualTo(130);
            assertThat(run.run().err())
                    .containsPattern("jwarp: large: [0-9]+ of 268435456 bytes are sent, and received bytes are kept:"
                            + " the same command resumes there");
        }
    }

    @Test
    @DisplayName("Ctrl-C ends a sender after its first file; the sender reports that this file is complete")
    void interruptedBehindOne() throws Exception {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        Path first = Files.write(here.resolve("first"), DATA);
        Path second = Files.write(here.resolve("second"), DATA);
        try (Receiver receiver = new Receiver((in, out) -> {
                    untilPlace(in, out);
                    out.writeByte(CopyWire.DONE);
                    out.writeLong(0);
                    out.write(new byte[CopyWire.SUM]);
                    in.readNBytes(Long.BYTES + DATA.length + CopyWire.SUM);
                    out.writeByte(CopyWire.DONE);
                    assertThat(in.readByte()).isEqualTo((byte) CopyWire.FILE);
                    asked.complete(null);
                });
                Run.Background run = Run.inBackground(
                        "cp",
                        "--tcp",
                        "-p",
                        String.valueOf(receiver.port()),
                        first.toString(),
                        second.toString(),
                        "127.0.0.1:into/")) {
            asked.join();
            run.interrupt();
            assertThat(run.await().err())
                    .contains(
                            "jwarp: 1 file is complete; copy the missing files: the same command sends it again, too");
        }
    }

    // ---- both, over RDMA

    @Test
    @DisplayName(
            "over RDMA a sender that does nothing for a minute is given up, and an interrupt ends a receiver at once")
    void silentOverRdma() throws Exception {
        try (Run.Background server = Run.later("cp", "--serve", there.toString(), "-a", "127.0.0.1", "-p", "0")
                        .clock(this::now)
                        .start();
                SocketChannel first = JwarpSockets.openSocketChannel();
                SocketChannel second = JwarpSockets.openSocketChannel()) {
            InetSocketAddress address =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port(server)));
            first.connect(address);
            await().until(() -> aMinuteLater(() -> server.run().err().contains("too little progress for 10 s")));
            assertThat(first.read(ByteBuffer.allocate(1))).isNegative();

            second.connect(address);
            server.interrupt();
            assertThat(server.await().status()).isEqualTo(130);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--crc=on", "--one-sided"})
    @DisplayName("over RDMA a receiver that does nothing for a minute is given up, and an interrupt ends a sender:")
    void silentReceiverOverRdma(String how) throws Exception {
        Path file = Files.write(here.resolve("file"), DATA);
        try (ServerSocketChannel listener = JwarpSockets.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String port = String.valueOf(((InetSocketAddress) listener.getLocalAddress()).getPort());
            String[] words = {"cp", how, "-p", port, file.toString(), "127.0.0.1:"};
            try (Run.Background run = Run.later(words).clock(this::now).start();
                    SocketChannel sender = listener.accept()) {
                await().until(() -> aMinuteLater(run::ended));
                assertThat(run.await().status()).as(run.run().toString()).isEqualTo(1);
                assertThat(run.run().err()).contains("error: the other end has made too little progress for 60 s");
                assertThat(sender.isOpen()).isTrue();
            }
            try (Run.Background run = Run.later(words).clock(this::now).start();
                    SocketChannel sender = listener.accept()) {
                assertThat(sender.read(ByteBuffer.allocate(1))).isOne();
                run.interrupt();
                assertThat(run.await().status()).as(run.run().toString()).isEqualTo(130);
            }
        }
    }
}
