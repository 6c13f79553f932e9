package dev.jwarp.benchmarks.compare;

import dev.jwarp.benchmarks.datagram.Figures;
import dev.jwarp.benchmarks.datagram.Pair;
import dev.jwarp.benchmarks.datagram.Setup;
import java.util.Locale;

/** jwarp, UD or RC, as {@link dev.jwarp.benchmarks.datagram} has them: both do the same, with the same code. */
final class Datagrams implements Contender {
    private final Pair pair;
    private final int size;

    /**
     * @param arguments {@code service=ud|rc mtu=N wait=spin|block|threaded op=send|write|read size=N latency=yes|no},
     *     settings of jwarp
     */
    Datagrams(Arguments arguments) throws InterruptedException {
        arguments.settings().forEach(System::setProperty); // a process has one contender
        size = arguments.number("size", 64);
        boolean latency = arguments.is("latency", "yes");
        Setup.Operation operation = word(Setup.Operation.class, arguments.text("op", "send"));
        Setup.Service service = word(Setup.Service.class, arguments.text("service", "ud"));
        Setup.Waiting waiting = word(Setup.Waiting.class, arguments.text("wait", "spin"));
        boolean memoryTells = latency && waiting == Setup.Waiting.SPIN && service == Setup.Service.RC;
        boolean noted = latency && operation == Setup.Operation.WRITE && !memoryTells;
        pair = Pair.of(new Setup(
                service,
                arguments.number("mtu", Setup.ETHERNET),
                waiting,
                operation,
                latency,
                noted && service == Setup.Service.RC));
    }

    private static <T extends Enum<T>> T word(Class<T> type, String text) {
        return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
    }

    @Override
    public Sample round(long nanos) {
        Figures figures = pair.round(size, nanos);
        return new Sample(figures.operations(), figures.octets(), figures.nanos(), figures.lost(), pair.times());
    }

    @Override
    public void close() {
        pair.close();
    }
}
