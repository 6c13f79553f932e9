package dev.jwarp.verbs;

import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * An implementation of the verbs, found with {@link ServiceLoader}: the entry point for programs.
 *
 * <pre>{@code
 * Device device = RdmaProvider.load().devices().get(0);
 * try (Context context = device.open()) { ... }
 * }</pre>
 *
 * <p>Threads: any.
 */
public interface RdmaProvider {
    /**
     * {@return the first provider on the class path or module path}
     *
     * @throws RdmaException NOT_FOUND if there is none
     */
    static RdmaProvider load() {
        return ServiceLoader.load(RdmaProvider.class)
                .findFirst()
                .orElseThrow(() -> new RdmaException(
                        RdmaErrorCode.NOT_FOUND,
                        "No RDMA provider was found. Put jwarp-rnic and a transport such as jwarp-transport-tcp on the"
                                + " class path."));
    }

    /** {@return the name of the provider} */
    String name();

    /** {@return the version of the provider} */
    String version();

    /** {@return the devices of the provider; never empty} */
    List<Device> devices();

    /**
     * {@return the device of that name}
     *
     * @param name such as {@code jwarp0}
     * @throws RdmaException NOT_FOUND if there is no such device; the message lists the existing names
     */
    default Device device(String name) {
        RdmaException.requireArgument(name, "name");
        for (Device device : devices()) {
            if (device.name().equals(name)) {
                return device;
            }
        }
        throw new RdmaException(
                RdmaErrorCode.NOT_FOUND,
                "There is no device " + name + ". The devices are "
                        + String.join(", ", devices().stream().map(Device::name).toList()) + ".");
    }

    /** {@return all settings of the provider and its transports} */
    List<Setting> settings();

    /**
     * Resolves the settings that a context opened with {@code settings} would use.
     *
     * @param settings as for {@link Device#open(Map)}
     * @return all settings with their values and the sources of the values
     * @throws RdmaException INVALID_SETTING for an invalid value or an unknown key
     */
    List<EffectiveSetting> configuration(Map<String, String> settings);

    /**
     * {@return the pids, ascending, of this user's processes that can be observed; a process in the list need not
     * answer}
     */
    default List<Long> observable() {
        return List.of();
    }

    /**
     * Takes a snapshot of a running process of this user (as root: of any user): links, resources, counters. The
     * process is not disturbed.
     *
     * @param pid the process id
     * @return the snapshot
     * @throws RdmaException NOT_FOUND if the process does not exist or cannot be observed; PERMISSION_DENIED; TIMED_OUT
     *     if the process does not answer; PROTOCOL_MISMATCH if it runs an incompatible version; NOT_SUPPORTED if this
     *     provider cannot observe processes
     */
    default Observation observe(long pid) {
        throw new RdmaException(
                RdmaErrorCode.NOT_SUPPORTED,
                "Provider " + name() + " cannot observe other processes such as " + pid + ".");
    }
}
