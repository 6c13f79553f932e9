package dev.jwarp.tools.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.messaging.Directory;
import dev.jwarp.messaging.EndpointOptions;
import dev.jwarp.messaging.Message;
import dev.jwarp.messaging.MessageBuffer;
import dev.jwarp.messaging.MessageEndpoint;
import dev.jwarp.messaging.MulticastDirectory;
import dev.jwarp.messaging.Place;
import dev.jwarp.messaging.StaticDirectory;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.DeviceCommand;
import dev.jwarp.tools.cli.EndedEarly;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.RoundTrips;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jwarp message}: a service, and clients of services, by their ids. */
@Command(
        name = "message",
        description = {
            "Send messages to services by their ids. serve ID: be a service that prints its messages and answers calls"
                    + " with the same bytes. send ID TEXT: send a message. call ID TEXT: send one and wait for the answer."
                    + " resolve ID: say where a service is. services: list all.",
            "Services are found by multicast in one network, or by --table. Long messages move by RDMA."
        })
public final class MessageCommand extends DeviceCommand {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration SLICE = Duration.ofMillis(100);
    private static final int MOST_SHOWN = 60;
    private static final int HIGHEST_ID = 0xffff;

    /** What to do. */
    enum Verb {
        SERVE,
        SEND,
        CALL,
        RESOLVE,
        SERVICES
    }

    @Parameters(index = "0", paramLabel = "serve|send|call|resolve|services", description = "What to do.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Verb verb;

    @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "Service id, 1 to 65535.")
    private @Nullable Integer service;

    @Parameters(index = "2..*", paramLabel = "TEXT", description = "send, call: the message.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = "-S",
            paramLabel = "SIZE",
            description = "send, call: a message of so many bytes in place of TEXT; with more than 1400 a long one.")
    private @Nullable String size;

    @Option(
            names = "-C",
            paramLabel = "COUNT",
            description = "serve: end after so many messages, default 0, never. send, call: how many, default 1; 0:"
                    + " without end. A call that fails is reported, and the next one follows.")
    private @Nullable Long count;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            description = "send, call: time between two messages, default 0.")
    private double interval;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "How long to wait for a peer or an answer, default 5.")
    private @Nullable Double timeout;

    @Option(
            names = "--carrier",
            paramLabel = "rc|rd|ud",
            split = ",",
            description =
                    "What carries messages: connections, reliable or unreliable datagrams; a list has the preferred"
                            + " one first. Default rc,rd,ud.")
    private List<QueuePairType> carriers = List.of();

    @Option(
            names = "--table",
            paramLabel = "ID=HOST:PORT,...",
            description = "Where services are, in place of multicast.")
    private @Nullable String table;

    @Option(
            names = "--group",
            paramLabel = "ADDRESS:PORT",
            description = "Multicast group of the directory, default 239.192.106.119:7176.")
    private @Nullable String group;

    @Option(
            names = "--interface",
            paramLabel = "NAME",
            description = "Network interface of the group; default the first that has multicast, or lo.")
    private @Nullable String interfaceName;

    @Option(names = "--quiet", description = "serve, call: print the totals only.")
    private boolean quiet;

    private final RoundTrips roundTrips = new RoundTrips();
    private long messages;
    private long bytes;
    private long failures;

    /** @param provider of the device */
    public MessageCommand(Console console, Supplier<RdmaProvider> provider) {
        super(console, provider);
    }

    /** Where a service is, for JSON. */
    record Found(int service, String address, List<String> carriers) {
        static Found of(int service, Place place) {
            List<String> names = new TreeSet<>(place.carriers())
                    .stream().map(QueuePairType::name).toList();
            return new Found(service, Addresses.text(place.address()), names);
        }

        @Override
        public String toString() {
            return "service " + service + " is at " + address + " (" + String.join(", ", carriers) + ")";
        }
    }

    /** Counts, for JSON. */
    record Totals(int service, long messages, long bytes, long failures, RoundTrips.@Nullable Summary rttUs) {}

    @Override
    protected void execute() {
        check();
        RdmaProvider rdma = provider.get();
        stream.check(rdma, console);
        stream.preferThreads(rdma);
        try (Context context = rdma.devices().get(0).open(stream.settings());
                Directory directory = directory(context)) {
            switch (verb) {
                case SERVE -> serve(context, directory);
                case SEND, CALL -> talk(context, directory);
                case RESOLVE -> {
                    result = Found.of(id(), get(context, directory.find(id()).toCompletableFuture()));
                    line(result.toString());
                }
                case SERVICES -> {
                    List<Found> all = new ArrayList<>();
                    get(context, directory.services().toCompletableFuture())
                            .forEach((id, place) -> all.add(Found.of(id, place)));
                    result = all;
                    all.forEach(each -> line(each.toString()));
                    if (all.isEmpty()) {
                        console.note("no service has answered");
                    }
                }
            }
        }
    }

    private void check() {
        boolean talks = verb == Verb.SEND || verb == Verb.CALL;
        if ((service == null) != (verb == Verb.SERVICES)) {
            throw ToolFailure.usage(
                    verb == Verb.SERVICES ? "services takes no id" : "the service id is missing: a number, 1 to 65535");
        }
        if (service != null) {
            ToolFailure.inRange("the service id", service, 1, HIGHEST_ID);
        }
        if (talks == (words.isEmpty() == (size == null))) {
            throw ToolFailure.usage(
                    talks ? "give either a TEXT or -S: the message" : "TEXT and -S are for send and call");
        }
        if (count != null) {
            ToolFailure.inRange("-C", count, 0, Long.MAX_VALUE);
        }
        if (table != null && (group != null || interfaceName != null)) {
            throw ToolFailure.usage("--table excludes --group and --interface, which are for multicast");
        }
    }

    private int id() {
        return Objects.requireNonNull(service);
    }

    private Duration limit() {
        return Timeout.limit(timeout, LIMIT, Duration.ofDays(1));
    }

    private Directory directory(Context context) {
        if (table != null) {
            return StaticDirectory.parse(table);
        }
        InetSocketAddress at = group == null ? MulticastDirectory.GROUP : Addresses.resolveWithPort(group);
        return new MulticastDirectory(context, at, networkInterface());
    }

    private @Nullable NetworkInterface networkInterface() {
        try {
            NetworkInterface found = interfaceName == null ? null : NetworkInterface.getByName(interfaceName);
            if (found == null && interfaceName != null) {
                throw ToolFailure.setup(
                        "there is no network interface '" + interfaceName + "'", "'ip link' lists them");
            }
            return found;
        } catch (SocketException e) {
            throw ToolFailure.setup("the network interfaces cannot be read: " + e.getMessage());
        }
    }

    private EndpointOptions options(int id) {
        EndpointOptions options = EndpointOptions.of(id).withTimeout(limit());
        return carriers.isEmpty() ? options : options.withCarriers(carriers.toArray(QueuePairType[]::new));
    }

    // ---- serve

    private void serve(Context context, Directory directory) {
        try (MessageEndpoint endpoint = MessageEndpoint.open(context, directory, options(id()))) {
            line(Found.of(id(), endpoint.place()).toString());
            console.out().flush();
            while (!interrupted() && (count == null || count == 0 || messages < count)) {
                try (Message message = endpoint.receive(SLICE)) {
                    if (message != null) {
                        show(message.data(), message + ": ");
                        answer(endpoint, message);
                    }
                }
            }
        } finally {
            tell();
        }
    }

    private void answer(MessageEndpoint endpoint, Message message) {
        if (!message.isCall()) {
            return;
        }
        try {
            if (message.isLong()) {
                MessageBuffer copy = endpoint.buffers().allocate(message.data().remaining());
                copy.data().put(message.data().duplicate()).flip();
                CompletableFuture<Void> unused = message.replyLong(copy).whenComplete((done, failure) -> copy.close());
            } else {
                message.reply(message.data());
            }
        } catch (RdmaException e) { // the caller is gone, or there is no memory now
            failed(e);
        }
    }

    // ---- send and call

    private void talk(Context context, Directory directory) {
        ByteBuffer message = message();
        long most = count == null ? 1 : count;
        try (MessageEndpoint endpoint = MessageEndpoint.open(context, directory, options(0))) {
            for (long i = 0; !interrupted() && (most == 0 || i < most); i++) {
                if (i > 0) {
                    pause(context, Timeout.seconds("-i", interval));
                }
                try {
                    once(context, endpoint, message.duplicate());
                } catch (RdmaException e) {
                    if (most == 1) {
                        throw e;
                    }
                    failed(e);
                }
            }
        } finally {
            if (most != 1) {
                tell();
            }
        }
        if (failures > 0) {
            throw ToolFailure.failed(failures + " of " + (messages + failures) + " messages failed");
        }
    }

    private ByteBuffer message() {
        if (size == null) {
            return UTF_8.encode(String.join(" ", words));
        }
        ByteBuffer pattern = ByteBuffer.allocate((int) ToolFailure.inRange(
                "-S", Quantities.bytes("-S", size), 0, EndpointOptions.of(0).memory() / 2));
        for (int i = 0; i < pattern.limit(); i++) {
            pattern.put(i, (byte) ('A' + i % 26));
        }
        return pattern;
    }

    private void once(Context context, MessageEndpoint endpoint, ByteBuffer message) {
        long begun = System.nanoTime();
        boolean isShort = message.remaining() <= endpoint.options().maxShort();
        if (verb == Verb.CALL) {
            try (Message answer =
                    get(context, isShort ? endpoint.call(id(), message, limit()) : callLong(endpoint, message))) {
                roundTrips.add(System.nanoTime() - begun);
                show(
                        answer.data(),
                        answer.data().remaining() + " B from service " + id() + " in "
                                + Quantities.duration(System.nanoTime() - begun) + ": ");
            }
            return;
        }
        if (isShort) {
            endpoint.sendShort(id(), message);
        } else {
            MessageBuffer whole = endpoint.buffers().allocate(message.remaining());
            whole.data().put(message.duplicate()).flip();
            get(context, endpoint.sendLong(id(), whole).whenComplete((done, failure) -> whole.close()));
        }
        show(message, message.remaining() + " B to service " + id() + ": ");
    }

    private CompletableFuture<Message> callLong(MessageEndpoint endpoint, ByteBuffer message) {
        MessageBuffer question = endpoint.buffers().allocate(message.remaining());
        question.data().put(message).flip();
        MessageBuffer room = endpoint.buffers().allocate(question.data().remaining());
        return endpoint.callLong(id(), List.of(question), List.of(room), limit())
                .whenComplete((answer, failure) -> question.close());
    }

    private void failed(RdmaException e) {
        failures++;
        console.note(String.valueOf(e.getMessage()));
    }

    private void show(ByteBuffer data, String what) {
        messages++;
        bytes += data.remaining();
        if (!quiet) {
            ByteBuffer some = data.duplicate();
            some.limit(some.position() + Math.min(MOST_SHOWN, some.remaining()));
            line(what + UTF_8.decode(some) + (data.remaining() > MOST_SHOWN ? "..." : ""));
            console.out().flush();
        }
    }

    private void tell() {
        RoundTrips.Summary times = roundTrips.isEmpty() ? null : roundTrips.summary();
        result = new Totals(id(), messages, bytes, failures, times);
        line("--- service " + id() + " statistics ---");
        line(messages + " messages, " + bytes + " bytes, " + failures + " failed");
        if (times != null) {
            line(times.toString());
        }
    }

    // ---- waiting

    private void pause(Context context, Duration time) {
        long end = System.nanoTime() + time.toNanos();
        try (ProgressCondition never = context.newCondition(() -> false)) {
            for (long left = time.toNanos(); left > 0 && !interrupted(); left = end - System.nanoTime()) {
                never.await(Duration.ofNanos(Math.min(left, SLICE.toNanos())));
            }
        }
    }

    private <T> T get(Context context, CompletableFuture<T> future) {
        try (ProgressCondition done = context.newCondition(future::isDone)) {
            CompletableFuture<T> told = future.whenComplete((value, failure) -> done.signal());
            while (!told.isDone()) {
                if (interrupted()) {
                    throw new EndedEarly();
                }
                done.await(SLICE);
            }
            return told.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RdmaException known ? known : e;
        }
    }
}
