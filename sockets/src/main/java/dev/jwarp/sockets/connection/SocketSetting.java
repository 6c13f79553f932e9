package dev.jwarp.sockets.connection;

import dev.jwarp.base.SettingKey;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.EffectiveSetting.Source;
import dev.jwarp.verbs.Setting;
import java.util.List;
import java.util.stream.Stream;

/** What is set for all sockets of a process: by a system property, otherwise by an environment variable. Immutable. */
public enum SocketSetting {
    /** Which streams and datagrams are RDMA. */
    RULES(
            SettingKey.anyText(
                    "jwarp.sockets.rules",
                    "",
                    "rules, or @ and the name of a file with rules",
                    "The rules that say which streams and datagrams of sockets are RDMA, and which TCP or UDP. Nothing: all are RDMA.")),
    /** Memory of all streams. */
    MEMORY(SettingKey.number(
            "jwarp.sockets.memory",
            "0",
            0,
            1L << 50,
            "bytes",
            "The most memory of all streams of sockets of the process, three quarters of it for one address. 0: half of the direct"
                    + " memory that the JVM may have.")),
    /** How long a peer is asked for RDMA that may speak either. */
    ANSWER_TIMEOUT(SettingKey.number(
            "jwarp.sockets.answer-timeout",
            "1000",
            1,
            3_600_000,
            "milliseconds",
            "The time without an answer after which a connection of rdma-or-tcp is tried over TCP. It has to be longer than a"
                    + " round trip, and than the peer may pause."));

    @SuppressWarnings("ImmutableEnumChecker") // its test of a value has no state
    private final SettingKey key;

    SocketSetting(SettingKey key) {
        this.key = key;
    }

    /** {@return all of them, as they are now} */
    public static List<EffectiveSetting> all() {
        return Stream.of(values()).map(SocketSetting::effective).toList();
    }

    /** {@return its name} */
    public String key() {
        return key.key();
    }

    /**
     * {@return its value}
     *
     * @throws IllegalArgumentException if it cannot be used, with key, value and what is allowed
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
