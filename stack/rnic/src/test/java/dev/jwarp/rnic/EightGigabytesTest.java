package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

/** Uses a sparse file, which takes a few pages of memory and disk. Plain file reads verify its content. */
@DisplayName("A region of 8 GiB, a mapped file")
class EightGigabytesTest {
    private static final long GIB = 1L << 30;
    private static final long LENGTH = 8 * GIB;
    private static final long MUCH = GIB;
    private static final int PART = 100_000;
    private static final int HALF = PART / 2 + 1;

    /** Positions around the limits of signed and unsigned 32 bits, of a buffer, and of the file. */
    private static final List<Long> PLACES =
            List.of(0L, GIB - HALF, 2 * GIB - HALF, 4 * GIB - HALF, 5 * GIB + 12_345, LENGTH - PART);

    @TempDir
    private Path folder;

    private FileChannel file;

    @BeforeEach
    void sparseFile() throws IOException {
        Path path = folder.resolve("file");
        long before = Files.getFileStore(folder).getUsableSpace();
        try {
            file = FileChannel.open(
                    path,
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.SPARSE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
            file.write(ByteBuffer.allocate(1), LENGTH - 1);
        } catch (IOException e) {
            Assumptions.abort("this file system takes no file of 8 GiB: " + e);
        }
        long taken = before - Files.getFileStore(folder).getUsableSpace();
        Assumptions.assumeTrue(
                taken < MUCH, "this file system has no sparse files: the file takes " + taken + " bytes");
    }

    @AfterEach
    void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    /** A segment since Java 22, otherwise buffers. */
    private MemoryRegion region(ProtectionDomain domain, AccessFlag... access) throws IOException {
        try {
            if (Arenas.there()) {
                Object segment = Arenas.map(Arenas.arena("ofAuto"), file, FileChannel.MapMode.READ_WRITE, LENGTH);
                return domain.registerSegment(segment, access);
            }
            List<ByteBuffer> parts = new ArrayList<>();
            for (long at = 0; at < LENGTH; at += GIB) {
                parts.add(file.map(FileChannel.MapMode.READ_WRITE, at, GIB));
            }
            return domain.register(parts, access);
        } catch (IOException e) {
            return Assumptions.abort("this process may not map 8 GiB: " + e);
        }
    }

    private byte[] inFile(long place) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(PART);
        while (bytes.hasRemaining()) {
            assertThat(file.read(bytes, place + bytes.position())).isPositive();
        }
        return bytes.array();
    }

    private static byte[] random(long seed) {
        byte[] bytes = new byte[PART];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @EachWorld
    @DisplayName("supports Write, Read, Send and receive across 2 and 4 GiB, over a connection")
    void connection(World.Kind kind) throws IOException {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion region = region(
                    pair.passive.domain, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
            assertThat(region.length()).isEqualTo(LENGTH);
            assertThat(region.buffers()).hasSize(8);
            assertThat(region.access()).contains(AccessFlag.MAPPED);
            ByteBuffer here = pair.active.memory.buffer();
            long seed = 1;
            for (long place : PLACES) {
                byte[] written = random(seed++);
                here.put(0, written);
                pair.active.queuePair.postSend(new SendWorkRequest()
                        .rdmaWrite(region.address() + place, region.rkey())
                        .add(pair.active.memory, 0, PART));
                pair.active.queuePair.postSend(new SendWorkRequest()
                        .rdmaRead(region.address() + place, region.rkey())
                        .add(pair.active.memory, PART, PART));
                pair.active.success();
                pair.active.success();
                assertThat(inFile(place)).as("Write at " + place).isEqualTo(written);
                byte[] read = new byte[PART];
                here.get(PART, read);
                assertThat(read).as("Read at " + place).isEqualTo(written);

                byte[] sent = random(seed++);
                here.put(0, sent);
                pair.passive.queuePair.postReceive(
                        new ReceiveWorkRequest().id(1).add(region, place, PART));
                pair.active.send(2, 0, PART);
                pair.active.success();
                pair.passive.success();
                assertThat(inFile(place)).as("received at " + place).isEqualTo(sent);
                pair.active.receive(3, PART, PART);
                pair.passive.queuePair.postSend(new SendWorkRequest().id(4).add(region, place, PART));
                pair.passive.success();
                pair.active.success();
                here.get(PART, read);
                assertThat(read).as("sent from " + place).isEqualTo(sent);
            }
            region.close();
        }
    }

    @EachDatagramWorld
    @DisplayName("supports Write, Read, Send and receive across 2 and 4 GiB, over datagrams")
    void datagrams(DatagramWorld.Kind kind) throws IOException {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide active = DatagramSide.on(world, 0);
            DatagramSide passive = DatagramSide.on(world, 1);
            AddressHandle peer = active.to(passive);
            AddressHandle back = passive.to(active);
            MemoryRegion region = region(
                    passive.domain,
                    AccessFlag.LOCAL_WRITE,
                    AccessFlag.REMOTE_WRITE,
                    AccessFlag.RECORD,
                    AccessFlag.REMOTE_READ);
            ByteBuffer here = active.memory.buffer();
            long seed = 1;
            for (long place : PLACES) {
                byte[] written = random(seed++);
                here.put(0, written);
                active.queuePair.postSend(new SendWorkRequest()
                        .destination(peer)
                        .writeRecord(region.address() + place, region.rkey())
                        .add(active.memory, 0, PART));
                active.success();
                passive.success().release();
                assertThat(inFile(place)).as("Write-Record at " + place).isEqualTo(written);
                active.queuePair.postSend(new SendWorkRequest()
                        .destination(peer)
                        .rdmaRead(region.address() + place, region.rkey())
                        .add(active.memory, PART, PART));
                active.success();
                byte[] read = new byte[PART];
                here.get(PART, read);
                assertThat(read).as("Read at " + place).isEqualTo(written);

                byte[] sent = random(seed++);
                here.put(0, sent);
                passive.queuePair.postReceive(new ReceiveWorkRequest().id(1).add(region, place, PART));
                active.send(2, peer, 0, PART);
                active.success();
                passive.success();
                assertThat(inFile(place)).as("received at " + place).isEqualTo(sent);
                active.receive(3, PART, PART);
                passive.queuePair.postSend(
                        new SendWorkRequest().id(4).destination(back).add(region, place, PART));
                passive.success();
                active.success();
                here.get(PART, read);
                assertThat(read).as("sent from " + place).isEqualTo(sent);
            }
            region.close();
        }
    }
}
