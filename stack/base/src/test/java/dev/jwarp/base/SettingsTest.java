package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Whitespace;

@Label("Settings")
class SettingsTest {
    private enum Key implements Settings.HasKey {
        WAY(SettingKey.onOff("a.way", "on", "whether")),
        COUNT(SettingKey.number("a.count", "7", 0, 50, "things", "how many")),
        RATIO(SettingKey.number("a.ratio", "-3", -5, 5, "", "how much")),
        COLOUR(SettingKey.oneOf("a.colour", "red", List.of("red", "green", "blue"), "which")),
        EVEN(SettingKey.text("a.even", "xx", "an even number of characters", v -> v.length() % 2 == 0, "what")),
        FILE(SettingKey.anyText("a.file", "", "a file name", "where"));

        @SuppressWarnings("ImmutableEnumChecker") // its test of a value has no state
        private final SettingKey setting;

        Key(SettingKey setting) {
            this.setting = setting;
        }

        @Override
        public SettingKey setting() {
            return setting;
        }
    }

    private static Settings<Key> of(String key, String value) {
        return new Settings<>(Key.class, Map.of(key, value));
    }

    @Example
    @Label("have their defaults if no value is given")
    void defaults() {
        Settings<Key> settings = new Settings<>(Key.class, Map.of());
        assertThat(settings.on(Key.WAY)).isTrue();
        assertThat(settings.number(Key.COUNT)).isEqualTo(7);
        assertThat(settings.nanos(Key.COUNT)).isEqualTo(7_000_000);
        assertThat(settings.number(Key.RATIO)).isEqualTo(-3);
        assertThat(settings.text(Key.COLOUR)).isEqualTo("red");
        assertThat(settings.text(Key.FILE)).isEmpty();
    }

    @Example
    @Label("ignore outer spaces and capitals, except in settings of any text")
    void tidy() {
        assertThat(of("a.way", " OFF ").on(Key.WAY)).isFalse();
        assertThat(of("a.colour", "Blue").text(Key.COLOUR)).isEqualTo("blue");
        assertThat(of("a.even", " AB ").text(Key.EVEN)).isEqualTo("ab");
        assertThat(of("a.file", " A File ").text(Key.FILE)).isEqualTo(" A File ");
    }

    @Example
    @Label("name the known keys if a key is unknown, and the allowed values if a value is not allowed")
    void sentences() {
        assertThatThrownBy(() -> of("a.color", "red"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "there is no setting a.color here; there are a.colour, a.count, a.even, a.file, a.ratio, a.way");
        assertThatThrownBy(() -> of("a.count", "51"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a.count=51 cannot be used: it must be 0 to 50 things");
        assertThatThrownBy(() -> of("a.ratio", "one")).hasMessageEndingWith("it must be -5 to 5");
        assertThatThrownBy(() -> of("a.colour", "grey")).hasMessageEndingWith("it must be red, green or blue");
        assertThatThrownBy(() -> of("a.way", "yes")).hasMessageEndingWith("it must be on or off");
        assertThatThrownBy(() -> of("a.even", "abc")).hasMessageEndingWith("an even number of characters");
    }

    @Property
    @Label("accept a number if and only if it is in its range")
    void range(@ForAll @LongRange(min = -100, max = 100) long number) {
        boolean inRange = number >= 0 && number <= 50;
        assertThat(Key.COUNT.setting().tidy(" " + number)).isEqualTo(inRange ? "" + number : null);
    }

    @Property
    @Label("reject text without digits as a number")
    void noNumber(@ForAll @AlphaChars @Whitespace String text) {
        assertThat(Key.COUNT.setting().tidy(text)).isNull();
    }
}
