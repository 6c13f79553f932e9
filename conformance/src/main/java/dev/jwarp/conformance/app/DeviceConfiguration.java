package dev.jwarp.conformance.app;

import dev.jwarp.conformance.wire.Depths;

/**
 * The configuration of a device for one connection, where its program can choose it.
 *
 * @param markers whether the device asks for Markers
 * @param crc whether the device asks for CRCs
 * @param revision the MPA revision of the device, 1 or 2
 * @param depths IRD and ORD of the device, and the Ready-to-Receive messages that it supports
 * @param mss the maximum segment size for its MULPDU; 0 leaves it to the device
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
