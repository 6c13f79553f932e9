package dev.jwarp.sockets.connection;

import dev.jwarp.base.SettingKey;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.EffectiveSetting.Source;
import dev.jwarp.verbs.Setting;
import java.util.List;
import java.util.stream.Stream;

/** The settings of all sockets of a process, from a system property or else an environment variable. Immutable. */
public enum SocketSetting {
    /** The rules that select RDMA for streams and datagrams. */
    RULES(
            SettingKey.anyText(
                    "jwarp.sockets.rules",
                    "",
                    "rules, or @ and the name of a file with rules",
                    "The rules that select RDMA, or TCP or UDP, for the streams and datagrams of sockets. Empty: all use RDMA.")),
    /** The memory of all streams. */
    MEMORY(SettingKey.number(
            "jwarp.sockets.memory",
            "0",
            0,
            1L << 50,
            "bytes",
            "The maximum memory of all socket streams of the process; streams with one address use at most three"
                    + " quarters of it. 0: half of the JVM's direct memory limit.")),
    /** The time to wait for the answer of a peer that may use RDMA or TCP. */
    ANSWER_TIMEOUT(SettingKey.number(
            "jwarp.sockets.answer-timeout",
            "1000",
            1,
            3_600_000,
            "milliseconds",
            "The time without an answer after which a connection with the mode rdma-or-tcp is tried over TCP. It must be"
                    + " longer than a round trip, and than the longest pause of the peer."));

    @SuppressWarnings("ImmutableEnumChecker") // its check of a value has no state
    private final SettingKey key;

    SocketSetting(SettingKey key) {
        this.key = key;
    }

    /** {@return all settings with their current values} */
    public static List<EffectiveSetting> all() {
        return Stream.of(values()).map(SocketSetting::effective).toList();
    }

    /** {@return the name of the setting} */
    public String key() {
        return key.key();
    }

    /**
     * {@return the value of the setting}
     *
     * @throws IllegalArgumentException if the value is invalid; the message has the key, the value and the allowed
     *     values
     */
    public String value() {
        return key.check(effective().value());
    }

    private EffectiveSetting effective() {
        Setting setting = new Setting(key.key(), key.defaultValue(), key.allowed(), key.sentence());
        String property = System.getProperty(setting.key());
        if (property != null) {
            return new EffectiveSetting(setting, property, Source.PROPERTY);
        }
        String variable = System.getenv(setting.environmentVariable());
        return variable != null
                ? new EffectiveSetting(setting, variable, Source.ENVIRONMENT)
                : new EffectiveSetting(setting, setting.defaultValue(), Source.DEFAULT);
    }
}
