package dev.jwarp.sockets.netty;

import io.netty.channel.ChannelOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The options that a channel has beside those of all channels: how each is read and set. */
final class OptionTable {
    private final Map<ChannelOption<?>, Access<?>> all = new LinkedHashMap<>();

    private record Access<T>(Supplier<? extends @Nullable T> get, Consumer<T> set) {}

    /** One more, whose value is null as long as nothing was said. */
    <T> OptionTable with(ChannelOption<T> option, Supplier<? extends @Nullable T> get, Consumer<T> set) {
        all.put(option, new Access<>(get, set));
        return this;
    }

    ChannelOption<?>[] options() {
        return all.keySet().toArray(new ChannelOption<?>[0]);
    }

    @SuppressWarnings("unchecked") // with puts them in together
    private <T> @Nullable Access<T> access(ChannelOption<T> option) {
        return (Access<T>) all.get(option);
    }

    /** {@return its value; null: it has none, or is none of these} */
    <T> @Nullable T get(ChannelOption<T> option) {
        Access<T> access = access(option);
        return access == null ? null : access.get.get();
    }

    /** {@return whether it is one of these, and is set now} */
    <T> boolean set(ChannelOption<T> option, T value) {
        Access<T> access = access(option);
        if (access == null) {
            return false;
        }
        access.set.accept(value);
        return true;
    }
}
