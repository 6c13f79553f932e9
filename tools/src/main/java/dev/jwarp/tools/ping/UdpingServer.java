package dev.jwarp.tools.ping;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.DatagramLink;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Outgoing;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ServiceHandler;
import dev.jwarp.verbs.ServiceListener;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers Sends with the same bytes, and Write-Records with the number of arrived bytes; the stack answers Reads. A
 * client proves its address by resolving the service. A client that has not done so gets no answer that is longer than
 * its ping. The server keeps address handles of the latest clients. One thread.
 */
final class UdpingServer implements AutoCloseable {
    /** The fewest bytes of a ping: those of the answer to a Write-Record. */
    static final int LEAST = 16;

    /** The most bytes of a ping: those of a slot of the server. */
    static final int MOST = 64 << 10;

    private static final int SLOTS = 64;
    private static final int SENDS = 256;
    private static final int MOST_CLIENTS = 1024;
    private static final int MOST_INVITED = 4096;
    /** Bytes that fit into one datagram on any path. */
    private static final int ONE_DATAGRAM = 1_024;

    private final DatagramLink link;
    private final MemoryRegion messages;
    private final Outgoing answers;
    private final ServiceListener service;
    private final Map<Client, AddressHandle> clients = new LinkedHashMap<>(16, 0.75f, true);
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final SendWorkRequest send = new SendWorkRequest();
    /** Hosts that have resolved the service lately. The handler may run on another thread. */
    private final Set<InetAddress> invited = Collections.synchronizedSet(Collections.newSetFromMap(new Latest()));

    private long answered;

    /** The latest hosts, up to a limit. */
    private static final class Latest extends LinkedHashMap<InetAddress, Boolean> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetAddress, Boolean> eldest) {
            return size() > MOST_INVITED;
        }
    }

    /** A client that pings. */
    private record Client(InetSocketAddress address, int queuePairNumber) {}

    /** The totals of the server, for JSON. */
    record Totals(long answered, int clients) {
        @Override
        public String toString() {
            return answered + " pings answered, of " + clients + " clients";
        }
    }

    /**
     * The private data of a udping server for hosts that resolve its service: 32 bytes, big-endian.
     *
     * @param writeAddress address of the memory for Write-Records
     * @param writeKey key of that memory
     * @param readAddress address of the memory for Reads
     * @param readKey key of that memory
     * @param slot bytes of a slot; ping number n uses slot n modulo {@code slots}
     * @param slots number of slots
     */
    record Invitation(long writeAddress, int writeKey, long readAddress, int readKey, int slot, int slots) {
        /** "jwudping": the id of the service. */
        static final long SERVICE = 0x6a77_7564_7069_6e67L;

        private static final int LENGTH = 32;

        /** {@return the invitation as private data} */
        byte[] toOctets() {
            return ByteBuffer.allocate(LENGTH)
                    .putLong(writeAddress)
                    .putInt(writeKey)
                    .putLong(readAddress)
                    .putInt(readKey)
                    .putInt(slot)
                    .putInt(slots)
                    .array();
        }

        /**
         * {@return the invitation in private data}
         *
         * @throws IllegalArgumentException if the bytes are not an invitation
         */
        static Invitation of(byte[] octets) {
            if (octets.length != LENGTH) {
                throw new IllegalArgumentException(octets.length + " bytes are not an invitation to ping");
            }
            ByteBuffer from = ByteBuffer.wrap(octets);
            Invitation invitation = new Invitation(
                    from.getLong(), from.getInt(), from.getLong(), from.getInt(), from.getInt(), from.getInt());
            if (invitation.slot < LEAST || invitation.slots < 1) {
                throw new IllegalArgumentException("an invitation to ping without memory");
            }
            return invitation;
        }

        /** {@return the offset of the slot of ping number {@code ping}} */
        int offset(long ping) {
            return (int) (ping % slots) * slot;
        }
    }

    /**
     * The answer to a Write-Record, 12 bytes, big-endian: its address and the number of arrived bytes. A Send of this
     * length is not longer on the wire than a Write-Record of {@link #LEAST} bytes.
     */
    record Answer(long address, int validBytes) {
        static final int LENGTH = 12;

        static Answer of(ByteBuffer from, int at) {
            return new Answer(from.getLong(at), from.getInt(at + 8));
        }

        void write(ByteBuffer to, int at) {
            to.putLong(at, address).putInt(at + 8, validBytes);
        }
    }

    /** The bytes of a ping: its number in 8 bytes, then the characters from {@code A} to {@code z}, repeated. */
    static final class PingData {
        private static final int FIRST = 'A';
        private static final int CHARACTERS = 'z' - 'A' + 1;

        private PingData() {}

        static void write(long ping, ByteBuffer to, int at, int length) {
            for (int i = 0; i < length; i++) {
                to.put(at + i, octet(ping, i));
            }
        }

        /** {@return the number of a ping} */
        static long number(ByteBuffer from, int at) {
            return from.getLong(at);
        }

        static boolean is(long ping, ByteBuffer what, int at, int length) {
            for (int i = 0; i < length; i++) {
                if (what.get(at + i) != octet(ping, i)) {
                    return false;
                }
            }
            return true;
        }

        private static byte octet(long ping, int place) {
            return place < Long.BYTES
                    ? (byte) (ping >>> (8 * (Long.BYTES - 1 - place)))
                    : (byte) (FIRST + (ping + place) % CHARACTERS);
        }
    }

    UdpingServer(Context context, Console console, InetSocketAddress local) {
        link = new DatagramLink(
                context,
                console,
                new Link.Depths(SENDS, SLOTS),
                SLOTS,
                DatagramAttributes.builder(local).build());
        MemoryRegion written = link.allocate(SLOTS * MOST, AccessFlag.LOCAL_WRITE, AccessFlag.RECORD);
        MemoryRegion read = link.allocate(SLOTS * MOST, AccessFlag.REMOTE_READ);
        messages = link.allocate(SLOTS * MOST, AccessFlag.LOCAL_WRITE);
        answers = new Outgoing(link::allocate, SENDS, Answer.LENGTH);
        for (int slot = 0; slot < SLOTS; slot++) {
            PingData.write(slot, read.buffer(), slot * MOST, MOST);
            postReceive(slot);
        }
        Invitation invitation =
                new Invitation(written.address(), written.rkey(), read.address(), read.rkey(), MOST, SLOTS);
        ServiceHandler.Answer answer = new ServiceHandler.Answer(link.queuePair(), invitation.toOctets());
        service = context.listenService(link.queuePair().localAddress(), Invitation.SERVICE, (source, types, said) -> {
            invited.add(source.getAddress());
            return answer;
        });
        console.note("listening on " + Addresses.text(service.localAddress()));
    }

    private void postReceive(long slot) {
        link.queuePair().postReceive(receive.clear().id(slot).add(messages, slot * MOST, MOST));
    }

    /** Answers until the user ends the command. */
    void run() {
        while (true) {
            WorkCompletion completion = link.next(Link.FOREVER);
            if (completion != null) {
                take(completion);
            }
        }
    }

    private void take(WorkCompletion completion) {
        if (completion.opcode() == WorkCompletionOpcode.RECV_WRITE_RECORD) {
            // The answer to a shorter Write-Record would be longer than the ping.
            if (completion.byteLength() >= LEAST) {
                tellWhatCame(completion);
            }
        } else if (completion.opcode() == WorkCompletionOpcode.RECV && completion.succeeded()) {
            // An echo in several datagrams can be longer on the wire than the ping, because it is segmented
            // differently.
            if (completion.byteLength() <= ONE_DATAGRAM || isInvited(completion)) {
                echo(completion);
            } else {
                postReceive(completion.id());
            }
        } else if (completion.opcode() == WorkCompletionOpcode.SEND && completion.id() > 0) {
            // The echo is sent, so its memory is free for the next message.
            postReceive(completion.id() - 1);
        }
    }

    private boolean isInvited(WorkCompletion completion) {
        InetSocketAddress source = completion.source();
        return source != null && invited.contains(source.getAddress());
    }

    private void echo(WorkCompletion message) {
        long slot = message.id();
        AddressHandle client = handle(message);
        boolean posted = client != null
                && link.queuePair()
                        .tryPostSend(send.clear()
                                .id(slot + 1)
                                .destination(client)
                                .add(messages, slot * MOST, message.byteLength()));
        if (posted) {
            answered++;
        } else {
            postReceive(slot);
        }
    }

    private void tellWhatCame(WorkCompletion record) {
        int valid = record.status() == WorkCompletionStatus.ABORTED ? 0 : record.byteLength();
        int at = answers.offset();
        new Answer(record.localAddress(), valid).write(answers.memory().buffer(), at);
        AddressHandle client = handle(record);
        boolean posted = client != null
                && link.queuePair()
                        .tryPostSend(send.clear()
                                .signaled(false)
                                .destination(client)
                                .add(answers.memory(), at, Answer.LENGTH));
        if (posted) {
            answers.posted();
            answered++;
        }
    }

    /**
     * {@return an address handle of the sender; null if there are too many clients, or if the source address cannot be
     * answered} Clients use the server's Q_Key. The source address of a datagram may be forged.
     */
    private @Nullable AddressHandle handle(WorkCompletion completion) {
        InetSocketAddress source = completion.source();
        if (source == null) {
            throw new IllegalStateException("a datagram without a source: " + completion);
        }
        Client client = new Client(source, completion.sourceQueuePairNumber());
        AddressHandle known = clients.get(client);
        if (known == null && (clients.size() < MOST_CLIENTS || forgetTheOldest())) {
            try {
                known = link.queuePair()
                        .createAddressHandle(completion, link.queuePair().key());
                clients.put(client, known);
            } catch (RdmaException e) {
                return null;
            }
        }
        return known;
    }

    /**
     * Closes the oldest handle, if no handle is in use.
     *
     * @return whether there is room for another handle
     */
    private boolean forgetTheOldest() {
        if (link.queuePair().query().sendsOutstanding() > 0) {
            return false;
        }
        AddressHandle oldest = clients.remove(clients.keySet().iterator().next());
        if (oldest != null) {
            oldest.close();
        }
        return true;
    }

    Totals totals() {
        return new Totals(answered, clients.size());
    }

    @Override
    public void close() {
        service.close();
        link.close();
    }
}
