package dev.jwarp.conformance.app;

import dev.jwarp.conformance.wire.Depths;

/**
 * How a device is to be configured for one connection, where its program can do that.
 *
 * @param markers it wants Markers in what it receives
 * @param crc it wants CRCs
 * @param revision the MPA revision that it speaks, 1 or 2
 * @param depths its IRD and ORD, and the Ready-to-Receive messages that it supports
 * @param mss the maximum segment size that its MULPDU is computed from; 0: whatever it takes it to be
 */
public record DeviceConfiguration(boolean markers, boolean crc, int revision, Depths depths, int mss) {
    /** CRCs, no Markers, revision 2, 16 reads each way, client and server. */
    public static final DeviceConfiguration USUAL =
            new DeviceConfiguration(false, true, 2, Depths.clientServer(16, 16), 0);

    public DeviceConfiguration withMarkers() {
        return new DeviceConfiguration(true, crc, revision, depths, mss);
    }

    public DeviceConfiguration withoutCrc() {
        return new DeviceConfiguration(markers, false, revision, depths, mss);
    }

    public DeviceConfiguration withRevision(int revision) {
        return new DeviceConfiguration(markers, crc, revision, depths, mss);
    }

    public DeviceConfiguration with(Depths depths) {
        return new DeviceConfiguration(markers, crc, revision, depths, mss);
    }

    public DeviceConfiguration withMss(int mss) {
        return new DeviceConfiguration(markers, crc, revision, depths, mss);
    }
}
