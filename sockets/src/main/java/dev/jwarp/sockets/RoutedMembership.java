package dev.jwarp.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.channels.MembershipKey;
import java.nio.channels.MulticastChannel;
import org.jspecify.annotations.Nullable;

/** A group that a channel has joined through the one beneath it. Any thread. */
final class RoutedMembership extends MembershipKey {
    private final MulticastChannel channel;
    private final MembershipKey beneath;

    /** @param channel the one that the program has */
    RoutedMembership(MulticastChannel channel, MembershipKey beneath) {
        this.channel = channel;
        this.beneath = beneath;
    }

    @Override
    public MulticastChannel channel() {
        return channel;
    }

    @Override
    public boolean isValid() {
        return beneath.isValid();
    }

    @Override
    public void drop() {
        beneath.drop();
    }

    @Override
    public MembershipKey block(InetAddress source) throws IOException {
        beneath.block(source);
        return this;
    }

    @Override
    public MembershipKey unblock(InetAddress source) {
        beneath.unblock(source);
        return this;
    }

    @Override
    public InetAddress group() {
        return beneath.group();
    }

    @Override
    public NetworkInterface networkInterface() {
        return beneath.networkInterface();
    }

    @Override
    public @Nullable InetAddress sourceAddress() {
        return beneath.sourceAddress();
    }

    @Override
    public String toString() {
        return beneath.toString();
    }
}
