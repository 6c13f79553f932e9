package dev.jwarp.llp.datagram;

/** Answers the requests of a service. */
@FunctionalInterface
public interface ServiceResponder {
    /** {@return the answer} Called by the owner of the port: it must not block. */
    ServiceAnswer answer(ServiceQuestion question);
}
