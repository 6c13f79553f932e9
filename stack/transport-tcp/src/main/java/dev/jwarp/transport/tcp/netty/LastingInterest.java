package dev.jwarp.transport.tcp.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import java.io.IOException;

/**
 * Netty's epoll with one difference: a channel that waits for nothing stays registered.
 *
 * <p>A channel whose peer has closed its direction, and that has nothing to send, asks for no event at all. Netty 4.2.18 takes it
 * out of epoll then and does not note that: when it has to wait for room to send again, {@code epoll_ctl} fails, and Netty ends our
 * direction in the middle of the stream (RFC 5041 §6.2.1, DDP-6.2.1-3: it has to flow on). Here it asks for an edge instead, so that a
 * hang-up is told once and not for ever.
 */
final class LastingInterest implements IoHandler {
    /** Errors and hang-ups are told whatever one asks for. */
    private static final EpollIoOps NOTHING_ELSE = EpollIoOps.EPOLLET.with(EpollIoOps.EPOLLERR);

    private final IoHandler epoll;

    private LastingInterest(IoHandler epoll) {
        this.epoll = epoll;
    }

    static IoHandlerFactory factory() {
        IoHandlerFactory factory = EpollIoHandler.newFactory();
        return executor -> new LastingInterest(factory.newHandler(executor));
    }

    /** {@return the same registration with that difference; with another handler than epoll's, without any} */
    static IoRegistration of(IoRegistration registration) {
        return new Registration(registration);
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        try {
            return of(epoll.register(handle));
        } catch (Error e) { // for which Netty would not tell whoever waits for the registration
            throw new IOException("The channel could not be registered.", e);
        }
    }

    private static final class Registration implements IoRegistration {
        private final IoRegistration registration;
        private boolean asked;

        Registration(IoRegistration registration) {
            this.registration = registration;
        }

        @Override
        public long submit(IoOps ops) {
            boolean nothing = EpollIoOps.NONE.equals(ops);
            asked |= !nothing;
            return registration.submit(nothing && asked ? NOTHING_ELSE : ops);
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // Netty's signature
        public <T> T attachment() {
            return registration.attachment();
        }

        @Override
        public boolean isValid() {
            return registration.isValid();
        }

        @Override
        public boolean cancel() {
            return registration.cancel();
        }
    }

    @Override
    public void initialize() {
        epoll.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return epoll.run(context);
    }

    @Override
    public void prepareToDestroy() {
        epoll.prepareToDestroy();
    }

    @Override
    public void destroy() {
        epoll.destroy();
    }

    @Override
    public void wakeup() {
        epoll.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return epoll.isCompatible(handleType);
    }
}
