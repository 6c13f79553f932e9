package dev.jwarp.disni;

import com.ibm.jnvmf.Controller;
import com.ibm.jnvmf.GenericStatusCode;
import com.ibm.jnvmf.IdentifyControllerData;
import com.ibm.jnvmf.IoQueuePair;
import com.ibm.jnvmf.KeyedNativeBuffer;
import com.ibm.jnvmf.NamespaceIdentifier;
import com.ibm.jnvmf.NvmIoCommand;
import com.ibm.jnvmf.NvmIoCommandCapsule;
import com.ibm.jnvmf.NvmIoCommandSqe;
import com.ibm.jnvmf.NvmReadCommand;
import com.ibm.jnvmf.NvmResponseCapsule;
import com.ibm.jnvmf.NvmWriteCommand;
import com.ibm.jnvmf.Nvme;
import com.ibm.jnvmf.NvmeQualifiedName;
import com.ibm.jnvmf.NvmfTransportId;
import com.ibm.jnvmf.RawCommands;
import com.ibm.jnvmf.ResponseFuture;
import com.ibm.jnvmf.UnsuccessfulComandException;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A host of NVMe over Fabrics on jNVMf: writes to a target, reads the data back, and keeps a copy of the expected
 * contents of the namespace. {@code interop/siw} runs this host against Linux's target.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the futures are the answers passed in
public final class NvmeHost {
    private static final NamespaceIdentifier NAMESPACE = new NamespaceIdentifier(1);
    private static final int BLOCK = 512;
    private static final int[] SIZES = {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};
    private static final int IN_CAPSULE = 4 << 10;

    /** Outstanding commands. */
    private static final int DEPTH = 32;

    private final InetSocketAddress target;
    private final String subsystem;
    private final Random random;
    private final byte[] copy;

    private NvmeHost(InetSocketAddress target, String subsystem, long seed, int bytes) {
        this.target = target;
        this.subsystem = subsystem;
        random = new Random(seed);
        copy = new byte[bytes];
    }

    /** A slot for one command at a time. */
    private final class Slot {
        final ByteBuffer memory = ByteBuffer.allocateDirect(SIZES[SIZES.length - 1]);
        final KeyedNativeBuffer registered;
        final NvmWriteCommand write;
        final NvmReadCommand read;
        Future<?> sent;
        ResponseFuture<NvmResponseCapsule> answer;
        int at;
        int length;
        boolean reads;

        Slot(IoQueuePair queue) throws IOException {
            registered = queue.registerMemory(memory.duplicate());
            write = new NvmWriteCommand(queue);
            read = new NvmReadCommand(queue);
        }

        void begin(boolean reading, int place, int bytes) throws IOException {
            reads = reading;
            at = place;
            length = bytes;
            if (!reading) {
                byte[] data = new byte[bytes];
                random.nextBytes(data);
                memory.put(0, data);
                System.arraycopy(data, 0, copy, place, bytes);
            }
            NvmIoCommand<? extends NvmIoCommandCapsule> command = reading ? read : write;
            registered.clear();
            registered.limit(bytes);
            command.getCommandCapsule().setSglDescriptor(registered);
            NvmIoCommandSqe entry = command.getCommandCapsule().getSubmissionQueueEntry();
            entry.setStartingLba(place / BLOCK);
            entry.setNumberOfLogicalBlocks(bytes / BLOCK);
            entry.setNamespaceIdentifier(NAMESPACE);
            sent = command.newCommandFuture();
            answer = command.newResponseFuture();
            command.execute(answer);
        }

        /** Waits for the answer; checks that a read returns the written bytes. */
        void end() throws Exception {
            if (answer == null) {
                return;
            }
            sent.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
            NvmResponseCapsule said = answer.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
            answer = null;
            if (!said.getCompletionQueueEntry().getStatusCode().equals(GenericStatusCode.getInstance().SUCCESS)) {
                throw new UnsuccessfulComandException(said.getCompletionQueueEntry());
            }
            if (reads && !memory.slice(0, length).equals(ByteBuffer.wrap(copy, at, length))) {
                throw new IOException("the " + length + " bytes at " + at + " are not those that were written");
            }
        }

        boolean overlaps(int place, int bytes) {
            return answer != null && place < at + length && at < place + bytes;
        }
    }

    private Controller connect(NvmeQualifiedName name) throws Exception {
        Controller controller = new Nvme().connect(new NvmfTransportId(target, name));
        controller.getControllerConfiguration().setEnable(true);
        controller.syncConfiguration();
        controller.waitUntilReady();
        return controller;
    }

    private void discover() throws Exception {
        Controller discovery = connect(RawCommands.DISCOVERY);
        ByteBuffer page = RawCommands.discoveryPage(discovery, 4096);
        boolean found = false;
        for (long entry = 1; entry <= page.getLong(8); entry++) { // after a header of the same length
            byte[] name = new byte[256];
            page.position(Math.toIntExact(entry * 1024 + 256)).get(name); // SUBNQN
            found |= new String(name, StandardCharsets.UTF_8).startsWith(subsystem + '\0');
        }
        if (!found) {
            throw new IOException("the discovery page has not " + subsystem);
        }
        System.out.println("discovered " + subsystem);
        discovery.free();
    }

    private void inCapsule(Controller controller) throws Exception {
        IoQueuePair queue = controller.createIoQueuePair(DEPTH, 0, IN_CAPSULE, 0);
        NvmWriteCommand write = new NvmWriteCommand(queue);
        byte[] data = new byte[IN_CAPSULE];
        random.nextBytes(data);
        write.getIncapsuleData().put(data);
        write.getIncapsuleData().clear();
        write.setIncapsuleData(write.getIncapsuleData());
        NvmIoCommandSqe entry = write.getCommandCapsule().getSubmissionQueueEntry();
        entry.setStartingLba(0);
        entry.setNumberOfLogicalBlocks(IN_CAPSULE / BLOCK);
        entry.setNamespaceIdentifier(NAMESPACE);
        Future<?> sent = write.newCommandFuture();
        ResponseFuture<NvmResponseCapsule> answer = write.newResponseFuture();
        write.execute(answer);
        sent.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
        if (!answer.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)
                .getCompletionQueueEntry()
                .getStatusCode()
                .equals(GenericStatusCode.getInstance().SUCCESS)) {
            throw new IOException("a write with its data in the command failed");
        }
        System.arraycopy(data, 0, copy, 0, IN_CAPSULE);
        queue.free();
    }

    private void run(int operations) throws Exception {
        discover();
        Controller controller = connect(new NvmeQualifiedName(subsystem));
        IdentifyControllerData data = controller.getIdentifyControllerData();
        System.out.println("connected to " + data.getModelNumber().strip() + ", "
                + controller.getActiveNamespaces().size() + " namespace");
        controller.keepAlive();
        inCapsule(controller);
        IoQueuePair queue = controller.createIoQueuePair(2 * DEPTH);
        Slot[] slots = new Slot[DEPTH];
        for (int i = 0; i < DEPTH; i++) {
            slots[i] = new Slot(queue);
        }
        for (int size : SIZES) {
            slots[0].begin(false, 0, size);
            slots[0].end();
            slots[0].begin(true, 0, size);
            slots[0].end();
        }
        for (int i = 0; i < operations; i++) {
            Slot slot = slots[i % DEPTH];
            slot.end();
            int length = i % 64 == 0 ? SIZES[random.nextInt(SIZES.length)] : SIZES[0];
            int at = random.nextInt((copy.length - length) / BLOCK + 1) * BLOCK;
            for (Slot other : slots) {
                if (other.overlaps(at, length)) {
                    other.end(); // a target may answer in any order
                }
            }
            slot.begin(random.nextBoolean(), at, length);
        }
        for (Slot slot : slots) {
            slot.end();
        }
        RawCommands.flush(queue, slots[0].registered);
        controller.keepAlive();
        System.out.println(operations + " operations, the namespace must have the SHA-256 " + sum());
        controller.free();
    }

    private String sum() throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(copy));
    }

    /** Writes until the target is removed. */
    private void untilRemoved() throws Exception {
        Controller controller = connect(new NvmeQualifiedName(subsystem));
        IoQueuePair queue = controller.createIoQueuePair(2 * DEPTH);
        Slot[] slots = new Slot[DEPTH];
        for (int i = 0; i < DEPTH; i++) {
            slots[i] = new Slot(queue);
        }
        System.out.println("writing");
        try {
            for (int i = 0; ; i++) {
                slots[i % DEPTH].end();
                slots[i % DEPTH].begin(false, i % 1024 * SIZES[0], SIZES[0]);
            }
        } catch (Exception e) {
            System.out.println("the writes ended: " + e.getMessage());
        }
    }

    /**
     * Runs the host.
     *
     * @param args host, port, name of the subsystem, bytes of its namespace, and a number of operations or {@code removed}; seed
     */
    public static void main(String[] args) throws Exception {
        InetSocketAddress target = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        NvmeHost host = new NvmeHost(target, args[2], Long.parseLong(args[5]), Integer.parseInt(args[3]));
        if (args[4].equals("removed")) {
            host.untilRemoved();
        } else {
            host.run(Integer.parseInt(args[4]));
        }
        System.exit(0); // jNVMf's threads do not end
    }
}
