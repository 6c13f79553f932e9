package dev.jwarp.transport.udp.wire;

import org.jspecify.annotations.Nullable;

/** The status of a resolver's answer; numbers of the code table (datagram-iWARP §18). */
public enum ResolveStatus {
    /** The answer names a queue pair. */
    OK(0, "the queue pair is named"),
    /** No queue pair listens for this service id. */
    NO_SERVICE(1, "no such service at this port"),
    /** The service has refused the question. */
    REFUSED(2, "the service refused"),
    /** There is a service, but without a queue pair of a requested type. */
    NO_QP_OF_TYPE(3, "no queue pair of a wanted type"),
    /** The question may be repeated later. */
    BUSY(4, "the resolver is busy"),
    /** The two ends have no version in common. */
    NO_COMMON_VERSION(5, "no version in common");

    private static final ResolveStatus[] ALL = values();

    private final int number;
    private final String sentence;

    ResolveStatus(int number, String sentence) {
        this.number = number;
        this.sentence = sentence;
    }

    /** {@return the status with this number, or null} */
    public static @Nullable ResolveStatus of(int number) {
        return number < ALL.length ? ALL[number] : null;
    }

    /** {@return the number on the wire, 0 to 255} */
    public int number() {
        return number;
    }

    /** {@return the description, without a full stop} */
    public String sentence() {
        return sentence;
    }
}
