package dev.jwarp.transport.tcp.netty;

import io.netty.channel.AbstractEventLoop;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * An event loop of the program, as the channels here see it: the same, but that they are registered as {@link LastingInterest} does it.
 * Any thread.
 */
@SuppressWarnings("deprecation") // who registers a channel calls what is deprecated
final class GivenLoop extends AbstractEventLoop implements IoEventLoop {
    private final IoEventLoop loop;

    GivenLoop(IoEventLoop loop) {
        this.loop = loop;
    }

    /** {@return the program's} */
    IoEventLoop loop() {
        return loop;
    }

    // ---- what is different

    @Override
    public Future<IoRegistration> register(IoHandle handle) {
        Promise<IoRegistration> registered = newPromise();
        loop.register(handle).addListener((Future<IoRegistration> done) -> {
            if (done.isSuccess()) {
                registered.setSuccess(LastingInterest.of(done.getNow()));
            } else {
                registered.setFailure(done.cause());
            }
        });
        return registered;
    }

    @Override
    public ChannelFuture register(Channel channel) {
        return register(new DefaultChannelPromise(channel, this));
    }

    @Override
    public ChannelFuture register(ChannelPromise promise) {
        promise.channel().unsafe().register(this, promise);
        return promise;
    }

    @Override
    @Deprecated
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        channel.unsafe().register(this, promise);
        return promise;
    }

    @Override
    public IoEventLoop next() {
        return this;
    }

    // ---- what is the same

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return loop.isCompatible(handleType);
    }

    @Override
    public boolean isIoType(Class<? extends IoHandler> handlerType) {
        return loop.isIoType(handlerType);
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return loop.inEventLoop(thread);
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(task);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return loop.schedule(command, delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return loop.schedule(callable, delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return loop.scheduleAtFixedRate(command, initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return loop.scheduleWithFixedDelay(command, initialDelay, delay, unit);
    }

    @Override
    public boolean isShuttingDown() {
        return loop.isShuttingDown();
    }

    @Override
    public boolean isShutdown() {
        return loop.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return loop.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return loop.awaitTermination(timeout, unit);
    }

    @Override
    public Future<?> terminationFuture() {
        return loop.terminationFuture();
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        throw notOurs();
    }

    @Override
    @Deprecated
    public void shutdown() {
        throw notOurs();
    }

    private static UnsupportedOperationException notOurs() {
        return new UnsupportedOperationException("the event loop is the program's");
    }
}
