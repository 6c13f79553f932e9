package dev.jwarp.conformance.app;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An rping server (the tester is the client) or an rping client (the tester is the server). All Sends have 16
 * bytes: address 8, STag 4, size 4. In each round the client's first Send makes the server read so many bytes from
 * that address; its second Send makes the server write them back.
 *
 * <p>A server can be probed and made to read; it writes back the text that it has read. A client sends, serves Reads
 * and takes Writes at times of its own choice.
 */
public final class Rping extends Application {
    /** Size in bytes of every Send. */
    public static final int MESSAGE = 16;
    /** Largest size that a server without -S accepts. */
    public static final int SIZE = 64;

    private final boolean server;
    /** Whether the server answers the next Send with an RDMA Write: it reads and writes in turn. */
    private boolean writes;

    private @Nullable Region offered;

    /** The role of the program under test: a server if the device is the responder. */
    public Rping(Role device) {
        super("rping");
        server = device == Role.RESPONDER;
    }

    @Override
    public boolean can(Ability ability) {
        return switch (ability) {
            case PROBE, FOLLOWS -> true;
            case READS -> server;
            case SOURCE -> !server;
            default -> false;
        };
    }

    @Override
    protected void greet(Talk talk) {
        if (!server) {
            // The client begins: it offers the memory that its server is to read.
            byte[] offer = talk.expectMessage(Opcode.SEND);
            if (offer.length != MESSAGE) {
                throw new Deviation("a Send of 16 bytes, as every rping client begins", offer.length + " bytes");
            }
            offered = new Region(Octets.number(offer, 8, 4), Octets.number(offer, 0, 8), Octets.number(offer, 12, 4));
        }
    }

    @Override
    public Segment probe() {
        return server
                ? Segment.send(talk().nextSend(), offer(STAG, BASE, SIZE))
                : Segment.send(talk().nextSend(), new byte[MESSAGE]);
    }

    @Override
    public void expectAnswer() {
        if (!server) {
            // "Go on": the client offers the memory that its server is to write, or, after that, the memory of its next
            // round.
            talk().expectMessage(Opcode.SEND);
        } else if (writes) {
            writes = false;
            talk().expectMessage(Opcode.WRITE);
            talk().expectMessage(Opcode.SEND);
        } else {
            // Without this Read Response the server accepts no other Send.
            writes = true;
            byte[] text = new byte[SIZE];
            Arrays.fill(text, 0, SIZE - 1, (byte) 'a');
            serve(new Region(STAG, BASE, SIZE), text, "");
            talk().expectMessage(Opcode.SEND);
        }
    }

    @Override
    public void askReads(long stag, long to, int length, int count) {
        if (!server) {
            throw unable(Ability.READS);
        }
        if (count != 1) {
            throw new Skip("needs a program that issues several RDMA Reads at once on command");
        }
        if (writes) {
            talk().send(probe());
            expectAnswer();
        }
        writes = true;
        talk().needReads();
        talk().send(Segment.send(talk().nextSend(), offer(stag, to, length)));
    }

    @Override
    public byte[] expectRead() {
        // The server's "go on" says that the Read has ended; it does not show the bytes.
        return talk().expectMessage(Opcode.SEND);
    }

    @Override
    public Region source() {
        if (offered == null) {
            throw unable(Ability.SOURCE);
        }
        return offered;
    }

    private static byte[] offer(long stag, long to, int length) {
        return new Octets().u64(to).u32(stag).u32(length).bytes();
    }
}
