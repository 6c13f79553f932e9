package dev.jwarp.conformance.datagram;

import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.wire.Octets;
import java.util.Arrays;

/**
 * A completion at the device, as the program above reports it.
 *
 * @param opcode {@link #RECEIVE}, {@link #RECORD} or the opcode of the posted work request
 * @param status a status of datagram-iWARP §18 or of verbs
 * @param octets number of bytes that were placed in memory
 * @param length of the message
 * @param stag of a Write-Record
 * @param to of a Write-Record: its base TO
 * @param port the UDP port of the peer
 * @param from the QPN of the peer
 * @param valid the ranges that have arrived, such as {@code 0-256,512-600}
 * @param data the first bytes that were received or read
 */
public record DeviceCompletion(
        int opcode,
        int status,
        long octets,
        long length,
        long stag,
        long to,
        int port,
        int from,
        String valid,
        byte[] data) {
    /** The device has sent a Send. */
    public static final int SEND = 0;
    /** The device has received a Send. */
    public static final int RECEIVE = 128;
    /** The device has received a Write-Record. */
    public static final int RECORD = 192;
    /** The device has read. */
    public static final int READ = 2;

    public static final int SUCCESS = 0;
    public static final int WR_FLUSH_ERR = 5;
    public static final int REM_INV_REQ_ERR = 9;
    public static final int REM_ACCESS_ERR = 10;
    public static final int REM_OP_ERR = 11;
    public static final int RESP_TIMEOUT_ERR = 20;
    public static final int PARTIAL = 64;
    public static final int INCOMPLETE = 65;
    public static final int EVICTED = 66;
    public static final int ABORTED = 67;
    public static final int PEER_RESET = 68;

    /** Size of the fixed part, and of each range. */
    private static final int FIXED = 48;

    private static final int RANGE = 16;

    /** Parses the report of a target. @throws Inconclusive if its length is wrong */
    static DeviceCompletion parse(byte[] d) {
        long stated = d.length < FIXED ? 0 : Octets.number(d, FIXED - 4, 4);
        if (d.length < FIXED || stated > (d.length - FIXED) / RANGE) {
            throw new Inconclusive(
                    "the target reported a completion of " + d.length + " bytes that is to have " + stated + " ranges");
        }
        int ranges = (int) stated;
        // The target also states the work request (bytes 4-7) and the queue pair (bytes 8-11).
        StringBuilder valid = new StringBuilder();
        for (int i = 0; i < ranges; i++) {
            long from = Octets.number(d, FIXED + RANGE * i, 8);
            long length = Octets.number(d, FIXED + RANGE * i + 8, 8);
            valid.append(i == 0 ? "" : ",").append(from).append('-').append(from + length);
        }
        return new DeviceCompletion(
                (int) Octets.number(d, 0, 2),
                (int) Octets.number(d, 2, 2),
                Octets.number(d, 12, 4),
                Octets.number(d, 16, 8),
                Octets.number(d, 24, 4),
                Octets.number(d, 28, 8),
                (int) Octets.number(d, 36, 2),
                (int) Octets.number(d, 40, 4),
                valid.toString(),
                Arrays.copyOfRange(d, FIXED + RANGE * ranges, d.length));
    }

    /** Throws a deviation unless this completes a Send that was received whole from this exchange. */
    public DeviceCompletion received(Exchange from, byte[] payload) {
        is(RECEIVE, SUCCESS);
        unless(octets == payload.length, "a receive of " + payload.length + " bytes", this);
        int reported = Math.min(payload.length, data.length);
        boolean same = Arrays.equals(data, 0, reported, payload, 0, reported);
        boolean enough = reported >= Math.min(payload.length, 2048);
        unless(same && enough, "the bytes that were sent in the receive", Octets.hex(data));
        return from(from);
    }

    /** Throws a deviation unless this names this exchange as its source. */
    public DeviceCompletion from(Exchange exchange) {
        unless(
                from == exchange.number() && port == exchange.port(),
                "QPN %06X at port %d as the source".formatted(exchange.number(), exchange.port()),
                this);
        return this;
    }

    /** Throws a deviation unless this has this opcode and this status. */
    public DeviceCompletion is(int wanted, int ended) {
        unless(opcode == wanted && status == ended, "a completion of %d with status %d".formatted(wanted, ended), this);
        return this;
    }

    /** Throws a deviation unless this completes a Write-Record to this place, with this validity map. */
    public DeviceCompletion record(int ended, Program.Region region, long offset, long ofLength, String ranges) {
        is(RECORD, ended);
        unless(
                stag == region.stag() && to == region.to() + offset && length == ofLength,
                "STag %08X, TO %016X, length %d".formatted(region.stag(), region.to() + offset, ofLength),
                this);
        return covers(ranges);
    }

    /** Throws a deviation unless this has this validity map. */
    public DeviceCompletion covers(String ranges) {
        unless(valid.equals(ranges), "the validity map " + ranges, this);
        return this;
    }

    @Override
    public String toString() {
        return "completion of %d: status %d, %d of %d bytes, valid %s, STag %08X TO %016X, from QPN %06X at port %d"
                .formatted(opcode, status, octets, length, valid.isEmpty() ? "nothing" : valid, stag, to, from, port);
    }
}
