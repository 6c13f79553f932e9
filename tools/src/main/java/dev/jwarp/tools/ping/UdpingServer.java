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
 * Answers pings: Sends with the same, Write-Records with what came of them; Reads are the stack's business. Clients are
 * not known to it before they ask for its service, which proves their address; it keeps a handle for each of the
 * latest. A client that has not asked gets no answer that is longer than what came. One thread.
 */
final class UdpingServer implements AutoCloseable {
    /** The fewest bytes of a ping: what the answer to a Write-Record needs. */
    static final int LEAST = 16;

    /** The most bytes of a ping: what a slot of the server holds. */
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
    /** Hosts that have asked lately; the handler may run on another thread. */
    private final Set<InetAddress> invited = Collections.synchronizedSet(Collections.newSetFromMap(new Latest()));

    private long answered;

    /** As many as are remembered, those that asked last. */
    private static final class Latest extends LinkedHashMap<InetAddress, Boolean> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetAddress, Boolean> eldest) {
            return size() > MOST_INVITED;
        }
    }

    /** A client that pings. */
    private record Client(InetSocketAddress address, int queuePairNumber) {}

    /** What it did, for JSON. */
    record Totals(long answered, int clients) {
        @Override
        public String toString() {
            return answered + " pings answered, of " + clients + " clients";
        }
    }

    /**
     * What a server of udping says of itself to hosts that resolve its service, as private data: 32 bytes, big-endian.
     *
     * @param writeAddress of its memory to be written
     * @param writeKey of it
     * @param readAddress of its memory to be read
     * @param readKey of it
     * @param slot bytes of a slot; ping number n uses slot n modulo {@code slots}
     * @param slots how many there are
     */
    record Invitation(long writeAddress, int writeKey, long readAddress, int readKey, int slot, int slots) {
        /** "jwudping": the id of the service. */
        static final long SERVICE = 0x6a77_7564_7069_6e67L;

        private static final int LENGTH = 32;

        /** {@return it as private data} */
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
         * {@return what the private data say}
         *
         * @throws IllegalArgumentException if they are something else
         */
        static Invitation of(byte[] octets) {
            if (octets.length != LENGTH) {
                throw new IllegalArgumentException(octets.length + " bytes are no invitation to ping");
            }
            ByteBuffer from = ByteBuffer.wrap(octets);
            Invitation invitation = new Invitation(
                    from.getLong(), from.getInt(), from.getLong(), from.getInt(), from.getInt(), from.getInt());
            if (invitation.slot < LEAST || invitation.slots < 1) {
                throw new IllegalArgumentException("an invitation to ping without memory");
            }
            return invitation;
        }

        /** {@return where ping number {@code ping} has its place, from the start of the memory} */
        int offset(long ping) {
            return (int) (ping % slots) * slot;
        }
    }

    /**
     * What the server answers to a Write-Record, 12 bytes in big endian: where it went and how many of its bytes came. A Send of so many
     * bytes is no longer on the wire than a Write-Record of {@link #LEAST}.
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

    /** The bytes of a ping: its number in 8 bytes, then printable characters from {@code A} to {@code z} round and round. */
    static final class PingData {
        private static final int FIRST = 'A';
        private static final int CHARACTERS = 'z' - 'A' + 1;

        private PingData() {}

        static void write(long ping, ByteBuffer to, int at, int length) {
            for (int i = 0; i < length; i++) {
                to.put(at + i, octet(ping, i));
            }
        }

        /** {@return the number at the beginning} */
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

    /** Answers until the user wants it to end. */
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
            // Of fewer bytes the answer would be longer than what came.
            if (completion.byteLength() >= LEAST) {
                tellWhatCame(completion);
            }
        } else if (completion.opcode() == WorkCompletionOpcode.RECV && completion.succeeded()) {
            // In several datagrams the echo can be longer than what came, as it is cut otherwise.
            if (completion.byteLength() <= ONE_DATAGRAM || isInvited(completion)) {
                echo(completion);
            } else {
                postReceive(completion.id());
            }
        } else if (completion.opcode() == WorkCompletionOpcode.SEND && completion.id() > 0) {
            // The echo is out: its memory is free for the next message.
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
     * {@return a handle for the sender of this} Clients take the server's Q_Key for their own. Null for one too many, and for one
     * that cannot be answered: a datagram may say that it comes from anywhere.
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

    /** Keeps the number of handles down, at a moment when none is in use. @return whether there is room for one more */
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
