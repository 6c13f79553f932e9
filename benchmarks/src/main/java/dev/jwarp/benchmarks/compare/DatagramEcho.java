package dev.jwarp.benchmarks.compare;

import java.io.IOException;

/** Round trips of a datagram, one at a time. */
final class DatagramEcho extends DatagramNear {
    private final TimedRoundTrips trips;

    /** @param arguments {@code provider=jdk|jwarp size=N} */
    DatagramEcho(Arguments arguments) throws IOException {
        super(arguments, 64);
        trips = new TimedRoundTrips(message.capacity(), new Turn());
    }

    @Override
    public Sample round(long nanos) throws IOException {
        return trips.round(nanos, this::trip);
    }

    private void trip() throws IOException {
        channel.write(message.clear());
        channel.read(message.clear());
    }
}
