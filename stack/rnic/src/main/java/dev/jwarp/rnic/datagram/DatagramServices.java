package dev.jwarp.rnic.datagram;

import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.ServiceAnswer;
import dev.jwarp.llp.datagram.ServiceQuestion;
import dev.jwarp.llp.datagram.ServiceResponder;
import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.FailureNames;
import dev.jwarp.rnic.core.OrderedSet;
import dev.jwarp.rnic.datagram.DatagramPorts.SharedPort;
import dev.jwarp.rnic.progress.OwnerAnswer;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.ResolvedService;
import dev.jwarp.verbs.ServiceHandler;
import dev.jwarp.verbs.ServiceListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Resolves service ids of peers, and answers requests for services of this context (datagram-iWARP §R.1). Any thread.
 */
public final class DatagramServices {
    private static final long SLACK_NANOS = 10_000_000_000L;
    private static final byte[] NOTHING = {};

    private final ContextCore core;
    private final DatagramPorts ports;
    private final Set<OpenService> listeners = OrderedSet.newSet();

    DatagramServices(ContextCore core, DatagramPorts ports) {
        this.core = core;
        this.ports = ports;
    }

    // ---- asking

    public ResolvedService resolve(InetSocketAddress resolver, long serviceId, ResolveParameters parameters) {
        if (resolver.isUnresolved()) {
            throw new RdmaException(
                    RdmaErrorCode.ADDRESS_NOT_AVAILABLE, "The host " + resolver.getHostString() + " is unknown.");
        }
        InetAddress there = resolver.getAddress();
        // With the wildcard address the system chooses the route; a simulated host has only its own address.
        SharedPort port =
                ports.use(new InetSocketAddress(there.isLoopbackAddress() ? there : AddressHandles.anywhere(there), 0));
        try {
            return toVerbs(resolver, serviceId, ask(port, resolver, serviceId, parameters));
        } finally {
            ports.leave(port);
        }
    }

    private ServiceAnswer ask(
            SharedPort port, InetSocketAddress resolver, long serviceId, ResolveParameters parameters) {
        long timeout = Progression.nanos(parameters.timeout());
        AtomicReference<@Nullable ServiceAnswer> answer = new AtomicReference<>();
        OwnerAnswer told = new OwnerAnswer(core.progression(), () -> false);
        Set<DatagramService> wanted =
                parameters.types().stream().map(RnicDatagramQueuePair::service).collect(Collectors.toSet());
        AutoCloseable asking = port.port()
                .resolve(resolver, serviceId, wanted, parameters.privateData(), timeout, given -> {
                    answer.set(given);
                    told.given();
                });
        try {
            told.awaitInterruptibly(timeout > Long.MAX_VALUE - SLACK_NANOS ? timeout : timeout + SLACK_NANOS);
        } finally {
            close(asking);
        }
        ServiceAnswer given = answer.get();
        return given == null ? ServiceAnswer.without(ServiceStatus.TIMED_OUT, NOTHING) : given;
    }

    private static ResolvedService toVerbs(InetSocketAddress resolver, long serviceId, ServiceAnswer answer) {
        DatagramService service = answer.service();
        if (service == null) {
            throw new RdmaException(
                    code(answer.status()),
                    String.format(
                            Locale.ROOT,
                            "Service 0x%x at %s: %s.",
                            serviceId,
                            resolver,
                            answer.status().sentence()),
                    null,
                    0,
                    answer.privateData());
        }
        InetSocketAddress address =
                answer.port() == 0 ? resolver : new InetSocketAddress(resolver.getAddress(), answer.port());
        return new ResolvedService(
                type(service),
                address,
                answer.queuePairNumber(),
                answer.key(),
                answer.maximumDatagram(),
                answer.maximumMessage(),
                answer.maximumRead(),
                answer.privateData());
    }

    private static QueuePairType type(DatagramService service) {
        return service == DatagramService.RD ? QueuePairType.RD : QueuePairType.UD;
    }

    static RdmaErrorCode code(ServiceStatus status) {
        return switch (status) {
            case FOUND -> RdmaErrorCode.INTERNAL;
            case NO_SERVICE -> RdmaErrorCode.NOT_FOUND;
            case REFUSED -> RdmaErrorCode.REJECTED;
            case NO_QUEUE_PAIR -> RdmaErrorCode.NO_AGREEMENT;
            case NO_COMMON_VERSION -> RdmaErrorCode.PROTOCOL_MISMATCH;
            case BUSY -> RdmaErrorCode.RESOURCE_BUSY;
            case TIMED_OUT -> RdmaErrorCode.TIMED_OUT;
            case CLOSED -> RdmaErrorCode.CLOSED;
        };
    }

    // ---- answering

    public ServiceListener listen(InetSocketAddress local, long serviceId, DatagramQueuePair queuePair) {
        return listen(local, serviceId, port -> {
            ServiceAnswer answer = answer(queuePair, port, NOTHING);
            ServiceAnswer wrongType = ServiceAnswer.without(ServiceStatus.NO_QUEUE_PAIR, NOTHING);
            return question -> !question.wanted().contains(answer.service())
                    ? wrongType
                    : closed(queuePair) ? ServiceAnswer.without(ServiceStatus.NO_SERVICE, NOTHING) : answer;
        });
    }

    public ServiceListener listen(InetSocketAddress local, long serviceId, ServiceHandler handler) {
        return listen(local, serviceId, port -> question -> ask(handler, port, question));
    }

    private ServiceListener listen(
            InetSocketAddress local, long serviceId, Function<SharedPort, ServiceResponder> responder) {
        SharedPort port = ports.use(local);
        try {
            AutoCloseable open = port.port().listen(serviceId, responder.apply(port));
            OpenService service = new OpenService(port, serviceId, open);
            listeners.add(service);
            return service;
        } catch (LlpException e) {
            ports.leave(port);
            throw FailureNames.exception(e);
        } catch (RuntimeException e) {
            ports.leave(port);
            throw e;
        }
    }

    /** datagram-iWARP §R.4 (DG-R.4-2): the handler's answer with its private data. */
    private ServiceAnswer ask(ServiceHandler handler, SharedPort port, ServiceQuestion question) {
        Set<QueuePairType> types = EnumSet.noneOf(QueuePairType.class);
        question.wanted().forEach(service -> types.add(type(service)));
        ServiceHandler.Answer answer =
                handler.resolve(question.source(), types, question.privateData().clone());
        DatagramQueuePair queuePair = answer.queuePair();
        if (queuePair == null) {
            return ServiceAnswer.without(ServiceStatus.REFUSED, answer.privateData());
        }
        if (!types.contains(queuePair.type())) {
            return ServiceAnswer.without(ServiceStatus.NO_QUEUE_PAIR, answer.privateData());
        }
        return closed(queuePair)
                ? ServiceAnswer.without(ServiceStatus.NO_SERVICE, answer.privateData())
                : answer(queuePair, port, answer.privateData());
    }

    /** {@return whether the queue pair receives nothing any more} */
    private static boolean closed(DatagramQueuePair queuePair) {
        return queuePair instanceof RnicDatagramQueuePair own && own.detached();
    }

    /** datagram-iWARP §R.4 (DG-R.4-2): the description of a queue pair. */
    private ServiceAnswer answer(DatagramQueuePair queuePair, SharedPort asked, byte[] privateData) {
        if (!(queuePair instanceof RnicDatagramQueuePair own)
                || own.protectionDomain().core() != core) {
            throw ContextCore.foreign("queue pair");
        }
        return new ServiceAnswer(
                ServiceStatus.FOUND,
                RnicDatagramQueuePair.service(own.type()),
                own.number(),
                own.key(),
                own.port() == asked ? 0 : own.localAddress().getPort(),
                largestPacket(own) - DatagramAddress.of(asked.address()).headers(),
                own.datagramAttributes().maxMessage(),
                own.datagramAttributes().maxRead(),
                privateData);
    }

    /** {@return the longest IP packet that the queue pair accepts; with path MTU discovery, any packet} */
    private static int largestPacket(DatagramQueuePair queuePair) {
        int fixed = queuePair.datagramAttributes().pathMtu();
        return fixed == 0 ? DatagramLimits.LARGEST_MTU : fixed;
    }

    /** Closes all services. */
    void end() {
        OrderedSet.forEach(listeners, OpenService::close);
    }

    private static void close(AutoCloseable what) {
        try {
            what.close();
        } catch (Exception e) {
            throw new RdmaException(RdmaErrorCode.INTERNAL, "A service could not be closed: " + e.getMessage(), e);
        }
    }

    /** A service of this context. */
    private final class OpenService implements ServiceListener {
        private final SharedPort port;
        private final long serviceId;
        private final AutoCloseable open;

        OpenService(SharedPort port, long serviceId, AutoCloseable open) {
            this.port = port;
            this.serviceId = serviceId;
            this.open = open;
        }

        @Override
        public InetSocketAddress localAddress() {
            return port.address();
        }

        @Override
        public long serviceId() {
            return serviceId;
        }

        @Override
        public void close() {
            if (listeners.remove(this)) {
                DatagramServices.close(open);
                ports.leave(port);
            }
        }
    }
}
