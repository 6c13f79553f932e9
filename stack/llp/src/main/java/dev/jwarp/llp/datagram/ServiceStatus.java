package dev.jwarp.llp.datagram;

import org.jspecify.annotations.Nullable;

/** The result of a service resolution; results with a number are sent on the wire (datagram-iWARP §18). */
public enum ServiceStatus {
    /** The service was found. */
    FOUND(0, "the service is there"),
    /** The port has no service with this id. */
    NO_SERVICE(1, "there is no such service at this port"),
    /** The service refused the requester. */
    REFUSED(2, "the service refused"),
    /** The service has no queue pair of an accepted type. */
    NO_QUEUE_PAIR(3, "the service has no queue pair of a wanted type"),
    /** The resolver is busy: retry later. */
    BUSY(4, "the resolver is busy"),
    /** The peers have no common version. */
    NO_COMMON_VERSION(5, "the two ends speak no version in common"),
    /** No answer arrived in time. */
    TIMED_OUT(-1, "no answer came"),
    /** The port was closed meanwhile. */
    CLOSED(-1, "the port was closed");

    private static final ServiceStatus[] ALL = values();

    private final int number;
    private final String sentence;

    ServiceStatus(int number, String sentence) {
        this.number = number;
        this.sentence = sentence;
    }

    /** {@return the status with this number on the wire, or null} */
    public static @Nullable ServiceStatus of(int number) {
        return number >= 0 && number < ALL.length && ALL[number].number == number ? ALL[number] : null;
    }

    /** {@return the number on the wire; -1 if it is never sent} */
    public int number() {
        return number;
    }

    /** {@return the description of the status, without a full stop} */
    public String sentence() {
        return sentence;
    }
}
