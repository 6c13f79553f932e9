package dev.jwarp.conformance.app;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Any program of perftest with -R ({@code ib_write_bw}, {@code ib_send_lat} and so on), as server or client, on the
 * first of its two connections. On this connection both ends describe themselves: the client sends a Send, and the
 * server answers with a Send. So the program answers each Send of the tester, a few times. docs/perftest-exchange.md
 * describes the messages.
 */
public final class Perftest extends Application {
    private static final int LONGEST_VERSION = 16;
    private static final int PAGE = 4_096;
    private static final int CACHE_LINE = 64;
    /**
     * Bytes of a client's next message, which says that the client is ready for the second connection. A server
     * that receives this message waits for that connection.
     */
    private static final int DESTINATION = 56;

    /** Version, page, cache line, MTU. */
    private static final List<byte[]> SAID = List.of(
            Arrays.copyOf("6.06".getBytes(StandardCharsets.US_ASCII), LONGEST_VERSION),
            new Octets().u32(PAGE).bytes(),
            new Octets().u32(CACHE_LINE).bytes(),
            new byte[] {'3', 0});

    private final boolean server;
    /** Number of messages that the tester has sent. */
    private int turn;

    /** The role of the program under test: a server if the device is the responder. */
    public Perftest(Role device) {
        super("perftest");
        server = device == Role.RESPONDER;
    }

    @Override
    public boolean can(Ability ability) {
        return ability == Ability.PROBE || ability == Ability.FOLLOWS;
    }

    @Override
    protected void greet(Talk talk) {
        if (!server) {
            version(heard(0));
        }
    }

    /** Probes follow each other; after the last probe the program goes on with its second connection. */
    @Override
    public Segment probe() {
        if (turn == SAID.size()) {
            throw new Skip("needs a program that answers more than " + SAID.size() + " Sends of a connection");
        }
        return Segment.send(talk().nextSend(), SAID.get(turn++));
    }

    @Override
    public void expectAnswer() {
        byte[] answer = heard(server ? turn - 1 : turn);
        if (server && turn == 1) {
            version(answer);
        }
    }

    /** The program's message with this number. */
    private byte[] heard(int number) {
        byte[] came = talk().expectMessage(Opcode.SEND);
        int length = number < SAID.size() ? SAID.get(number).length : DESTINATION;
        if (came.length != length) {
            throw new Deviation(
                    "a Send of " + length + " bytes, as message " + (number + 1) + " of perftest",
                    came.length + " bytes: " + Octets.start(came));
        }
        return came;
    }

    private static void version(byte[] came) {
        if (came[0] < '0' || came[0] > '9') {
            throw new Deviation("a version of perftest", Octets.start(came));
        }
    }
}
