package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NetworkChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The options of a channel")
class OptionsTest {
    /** A kind of channel, of both the JDK and jwarp. */
    private enum Kind {
        STREAM(SelectorProvider::openSocketChannel),
        LISTENER(SelectorProvider::openServerSocketChannel),
        DATAGRAM(SelectorProvider::openDatagramChannel);

        private interface Maker {
            NetworkChannel make(SelectorProvider provider) throws IOException;
        }

        @SuppressWarnings("ImmutableEnumChecker") // a method reference
        private final Maker maker;

        Kind(Maker maker) {
            this.maker = maker;
        }

        NetworkChannel jdk() throws IOException {
            return maker.make(JdkProvider.get());
        }

        NetworkChannel jwarp() throws IOException {
            return maker.make(new JwarpSelectorProvider());
        }
    }

    private static final Map<Class<?>, Object> VALUES = Map.of(Boolean.class, true, Integer.class, 3);

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "include all of the JDK's channel: each can be set at both or at neither, and is returned as it was set")
    void all(Kind kind) throws IOException {
        try (NetworkChannel theirs = kind.jdk();
                NetworkChannel ours = kind.jwarp()) {
            assertThat(ours.supportedOptions()).containsAll(theirs.supportedOptions());
            for (SocketOption<?> option : theirs.supportedOptions()) {
                setAlike(option, theirs, ours);
            }
        }
    }

    private static <T> void setAlike(SocketOption<T> option, NetworkChannel theirs, NetworkChannel ours)
            throws IOException {
        T value = option.type().cast(VALUES.get(option.type()));
        Throwable refused = catchThrowable(() -> theirs.setOption(option, value));
        Throwable refusedHere = catchThrowable(() -> ours.setOption(option, value));
        assertThat(refusedHere == null ? "" : refusedHere.toString())
                .as(option.name())
                .isEqualTo(refused == null ? "" : refused.toString());
        if (refused == null && value instanceof Boolean) {
            assertThat(ours.getOption(option)).as(option.name()).isEqualTo(value);
        }
        assertThatThrownBy(() -> ours.setOption(option, null))
                .as(option + " is null")
                .hasSameClassAs(catchThrowable(() -> theirs.setOption(option, null)));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("have the initial values of the JDK, except buffer sizes and properties of rsockets")
    void first(Kind kind) throws IOException {
        try (NetworkChannel theirs = kind.jdk();
                NetworkChannel ours = kind.jwarp()) {
            for (SocketOption<?> option : theirs.supportedOptions()) {
                if (option != StandardSocketOptions.SO_RCVBUF
                        && option != StandardSocketOptions.SO_SNDBUF
                        && option != StandardSocketOptions.TCP_NODELAY) {
                    assertThat((Object) ours.getOption(option))
                            .as(option.name())
                            .isEqualTo(theirs.getOption(option));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("of a closed channel can be neither set nor read")
    void closed(Kind kind) throws IOException {
        NetworkChannel channel = kind.jwarp();
        channel.close();
        assertThatThrownBy(() -> channel.setOption(StandardSocketOptions.SO_RCVBUF, 1))
                .isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> channel.getOption(StandardSocketOptions.SO_RCVBUF))
                .isInstanceOf(ClosedChannelException.class);
    }
}
