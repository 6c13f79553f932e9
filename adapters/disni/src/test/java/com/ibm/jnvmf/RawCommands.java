package com.ibm.jnvmf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Commands that jNVMf lacks, built from its classes with other bytes. In jNVMf's package for its constructors and
 * buffers.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the future is the answer passed in
public final class RawCommands {
    /** The name of the discovery subsystem; jNVMf accepts only names with a colon. */
    public static final NvmeQualifiedName DISCOVERY = new NvmeQualifiedName("nqn.2014-08.org.nvmexpress:discovery") {
        @Override
        public String toString() {
            return "nqn.2014-08.org.nvmexpress.discovery";
        }
    };

    private static final int OPCODE = 0;
    private static final int DWORD_10 = 40;

    private RawCommands() {}

    /** Flush: makes all writes durable; NVMe base specification, opcode 0 of I/O commands. */
    public static void flush(IoQueuePair queue, KeyedNativeBuffer any)
            throws IOException, InterruptedException, ExecutionException {
        NvmWriteCommand command = new NvmWriteCommand(queue);
        NvmIoCommandSqe entry = command.getCommandCapsule().getSubmissionQueueEntry();
        entry.getBuffer().put(OPCODE, (byte) 0);
        entry.setNamespaceIdentifier(new NamespaceIdentifier(1));
        command.getCommandCapsule().setSglDescriptor(any);
        entry.getKeyedSglDataBlockDescriptor().setLength(0);
        Future<?> sent = command.newCommandFuture();
        ResponseFuture<NvmResponseCapsule> answer = command.newResponseFuture();
        command.execute(answer);
        sent.get();
        check(answer.get().getCompletionQueueEntry());
        command.getCommandCapsule().free();
    }

    /** {@return the discovery log page, with the subsystems: Get Log Page, opcode 2 of admin commands, page 0x70} */
    public static ByteBuffer discoveryPage(Controller controller, int length)
            throws IOException, InterruptedException, ExecutionException {
        AdminIdentifyControllerCommand command = new AdminIdentifyControllerCommand(controller.getAdminQueue());
        ByteBuffer page = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
        KeyedNativeBuffer registered = controller.getAdminQueue().registerMemory(page);
        AdminIdentifyCommandSqe entry = command.getCommandCapsule().getSubmissionQueueEntry();
        entry.getBuffer().put(OPCODE, (byte) 2);
        entry.getBuffer().putInt(DWORD_10, (length / Integer.BYTES - 1) << 16 | 0x70);
        entry.getKeyedSglDataBlockDescriptor().set(registered);
        Future<?> sent = command.newCommandFuture();
        ResponseFuture<AdminResponseCapsule> answer = command.newResponseFuture();
        command.execute(answer);
        sent.get();
        check(answer.get().getCompletionQueueEntry());
        return page;
    }

    private static void check(CompletionQueueEntry entry) throws IOException {
        if (!entry.getStatusCode().equals(GenericStatusCode.getInstance().SUCCESS)) {
            throw new UnsuccessfulComandException(entry);
        }
    }
}
