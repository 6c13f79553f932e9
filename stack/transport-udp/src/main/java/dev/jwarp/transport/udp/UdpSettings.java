package dev.jwarp.transport.udp;

import dev.jwarp.base.Networks;
import dev.jwarp.base.Settings;
import java.util.Map;
import java.util.Objects;

/** The settings of one transport, checked. Immutable; any thread. */
public final class UdpSettings extends Settings<UdpSetting> {
    private UdpSettings(Map<String, String> given) {
        super(UdpSetting.class, given);
    }

    /**
     * {@return the settings with these values, and the defaults for the rest}
     *
     * @throws IllegalArgumentException for an unknown key or a bad value; the message names the allowed values
     */
    public static UdpSettings of(Map<String, String> given) {
        return new UdpSettings(given);
    }

    /** {@return the sources that need no proof} */
    public Networks trusted() {
        return Objects.requireNonNull(Networks.parse(text(UdpSetting.TRUST)));
    }

    /** {@return the networks to which UD sends as fast as the system accepts datagrams} */
    public Networks controlled() {
        return Objects.requireNonNull(Networks.parse(text(UdpSetting.CONTROLLED)));
    }

    /** {@return whether the system may cut one send into several datagrams (UDP_SEGMENT)} */
    public boolean sendsSegments() {
        return on(UdpSetting.SEGMENTATION) || text(UdpSetting.SEGMENTATION).equals("send");
    }

    /** {@return whether the system may deliver several datagrams in one receive (UDP_GRO)} */
    public boolean receivesSegments() {
        return on(UdpSetting.SEGMENTATION) || text(UdpSetting.SEGMENTATION).equals("receive");
    }

    /** {@return the faults to inject} */
    public InjectedFaults faults() {
        return Objects.requireNonNull(InjectedFaults.parse(text(UdpSetting.INJECT)));
    }
}
