package dev.jwarp.tools.loss;

import dev.jwarp.verbs.QueuePairType;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A way to move a message. */
enum Service {
    /** Send over UD: all or nothing. */
    UD_SEND("UD send", QueuePairType.UD),
    /** Write-Record over UD: what arrives counts. */
    UD_WRITE_RECORD("UD write-record", QueuePairType.UD),
    /** RDMA Read over UD: request and response can be lost. */
    UD_READ("UD read", QueuePairType.UD),
    /** Send over reliable datagrams. */
    RD_SEND("RD send", QueuePairType.RD),
    /** Write-Record over reliable datagrams. */
    RD_WRITE_RECORD("RD write-record", QueuePairType.RD),
    /** Send over a connection. */
    RC_SEND("RC send", QueuePairType.RC),
    /** RDMA Write with Immediate Data over a connection, so that the target gets a completion. */
    RC_WRITE("RC write", QueuePairType.RC);

    private final String title;
    private final QueuePairType type;

    Service(String title, QueuePairType type) {
        this.title = title;
        this.type = type;
    }

    /** {@return its name on the command line, such as {@code ud-send}} */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the service of that name, or null} */
    static @Nullable Service of(String word) {
        return Arrays.stream(values())
                .filter(service -> service.word().equals(word.strip().toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElse(null);
    }

    /** {@return its name in a table} */
    String title() {
        return title;
    }

    QueuePairType type() {
        return type;
    }

    /** {@return whether the service uses TCP, which the injector of the UDP transport does not affect} */
    boolean connected() {
        return type == QueuePairType.RC;
    }

    /** {@return whether nothing is retransmitted} */
    boolean unreliable() {
        return type == QueuePairType.UD;
    }

    boolean read() {
        return this == UD_READ;
    }

    /** {@return whether each message takes a receive at the target} */
    boolean takesReceives() {
        return this == UD_SEND || this == RD_SEND || connected();
    }

    boolean send() {
        return this == UD_SEND || this == RD_SEND || this == RC_SEND;
    }

    /**
     * {@return the share of messages that should arrive whole}
     *
     * @param loss the share of datagrams that is lost, each independently
     * @param datagrams of one message
     */
    double expectedWhole(double loss, long datagrams) {
        double all = Math.pow(1 - loss, (double) datagrams);
        return switch (this) {
            case UD_SEND, UD_WRITE_RECORD -> all;
            case UD_READ -> all * (1 - loss);
            case RD_SEND, RD_WRITE_RECORD, RC_SEND, RC_WRITE -> 1;
        };
    }

    /** {@return the theoretical share of usable bytes; parameters as above} */
    double expectedValid(double loss, long datagrams) {
        return switch (this) {
            case UD_WRITE_RECORD -> 1 - loss;
            case UD_READ -> (1 - loss) * (1 - loss);
            default -> expectedWhole(loss, datagrams);
        };
    }
}
