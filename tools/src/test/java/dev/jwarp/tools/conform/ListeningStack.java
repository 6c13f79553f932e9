package dev.jwarp.tools.conform;

import dev.jwarp.tools.Run;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** A conformance target above the stack of the class loader that loaded this class: it listens until it is closed. */
public final class ListeningStack implements Supplier<InetSocketAddress>, AutoCloseable {
    private final ConformTarget target = new ConformTarget(
            RdmaProvider.load().devices().get(0),
            SelfExamination.SETTINGS,
            Run.later().console());

    /** Called by reflection. */
    public ListeningStack() {}

    @Override
    public InetSocketAddress get() {
        return target.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @Override
    public void close() {
        target.close();
    }
}
