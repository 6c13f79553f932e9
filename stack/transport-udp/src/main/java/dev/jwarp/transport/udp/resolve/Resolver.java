package dev.jwarp.transport.udp.resolve;

import dev.jwarp.base.Rate;
import dev.jwarp.base.SourceKey;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.ServiceAnswer;
import dev.jwarp.llp.datagram.ServiceQuestion;
import dev.jwarp.llp.datagram.ServiceResponder;
import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.port.AnswerQueue;
import dev.jwarp.transport.udp.port.ReplyWriter;
import dev.jwarp.transport.udp.source.AnswerSources;
import dev.jwarp.transport.udp.source.Divided;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.ResolveBody;
import dev.jwarp.transport.udp.wire.ResolvedBody;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Answers RESOLVEs: queue pair 1 of a port (datagram-iWARP §R.4). Any thread adds and removes services; the rest is the
 * owner's.
 */
public final class Resolver {
    private static final int LONGEST =
            DatagramLength.SHORTEST + ResolvedBody.LENGTH + ResolveBody.MAXIMUM_PRIVATE_LENGTH;

    /** How long an answer is kept for repetitions of its question (datagram-iWARP §R.4, DG-R.4-2). */
    static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(5); // T_ANSWER

    /** More than the addresses that can be answered in a second with the default limits. */
    private static final int PLACES = 2_048;

    /** Answers that a port keeps (datagram-iWARP §R.4). */
    private static final int KEPT = 256;

    /**
     * A service.
     *
     * @param fixed the fixed answer; null if {@code responder} answers
     */
    public record Service(@Nullable ServiceAnswer fixed, ServiceResponder responder) {}

    private record Asked(DatagramAddress source, int messageId) {}

    private record Kept(byte[] octets, long untilNanos) {}

    private final ConcurrentMap<Long, Service> services = new ConcurrentHashMap<>();
    /** The oldest first. */
    private final Map<Asked, Kept> kept = new LinkedHashMap<>();

    /** Answers, counted by address; sources without a proved address share one count. */
    private final Rate answered;

    private final AnswerQueue out;
    private final AnswerSources sources;
    private final ReplyWriter replies;
    private final Tally<UdpCounter> counters;
    private final boolean challenges;
    /** Answers in a second to one source (datagram-iWARP §R.4). */
    private final int perSource;

    private final long all;

    private final ResolveBody question = new ResolveBody();
    private final ResolvedBody answer = new ResolvedBody();

    public Resolver(
            AnswerQueue out,
            AnswerSources sources,
            ReplyWriter replies,
            Tally<UdpCounter> counters,
            UdpSettings settings,
            RandomGenerator random) {
        this.out = out;
        this.sources = sources;
        this.replies = replies;
        this.counters = counters;
        challenges = settings.on(UdpSetting.RESOLVE_CHALLENGE);
        all = settings.number(UdpSetting.RESOLVE_PER_PORT);
        perSource = Math.max(1, (int) all / 100);
        answered = new Rate(AnswerSources.SECOND, PLACES, random.nextLong());
    }

    /** {@return whether the service id was free; if so, the service is added} Any thread. */
    public boolean add(long serviceId, Service service) {
        return services.putIfAbsent(serviceId, service) == null;
    }

    /** Any thread. */
    public void remove(long serviceId, Service service) {
        services.remove(serviceId, service);
    }

    /** {@return whether there is a service; otherwise the port has no resolver} */
    public boolean listens() {
        return !services.isEmpty();
    }

    /** {@return whether a VERSION LIST may be sent to that source now (DG-4.7-2)} Counted. */
    public boolean admits(DatagramAddress source, long nowNanos) {
        boolean admitted = admitsOne(source, nowNanos) && admitsShare(SourceKey.STRANGERS, nowNanos);
        if (!admitted) {
            counters.count(UdpCounter.TX_LIMITED);
        }
        return admitted;
    }

    /** {@return whether a source without a cookie gets one more answer, whatever other sources ask} (DG-R.4-2) */
    private boolean admitsOne(DatagramAddress source, long nowNanos) {
        Rate resolves = sources.resolves();
        long key = sources.key(source);
        boolean admitted = resolves.of(key, nowNanos) < perSource;
        if (admitted) {
            resolves.count(key, nowNanos);
        }
        return admitted;
    }

    /**
     * The first answers go to each source while there are any; further ones only while half of all are left (DG-R.4-2).
     */
    private boolean admitsShare(long key, long nowNanos) {
        long most = answered.of(key, nowNanos) < perSource ? all : all - all / 2;
        boolean admitted = answered.all(nowNanos) < most;
        if (admitted) {
            answered.count(key, nowNanos);
        }
        return admitted;
    }

    /** A RESOLVE that passed all checks. */
    public void resolve(ReceivedDatagram datagram, long nowNanos) {
        if (!out.hasRoom(LONGEST)) {
            return;
        }
        DatagramAddress source = datagram.source();
        AddressProof proof = datagram.proof();
        boolean proved = proof == AddressProof.DATAGRAM;
        // Questions with a forged source address use up no share of the real source, which shows its cookie.
        boolean shown = proved && !sources.trusted(source);
        if ((!shown && !admitsOne(source, nowNanos)) || (proved && !admitsShare(Divided.source(source), nowNanos))) {
            counters.count(UdpCounter.TX_LIMITED);
            return;
        }
        Shim shim = datagram.shim();
        if (!proved && !admitsShare(SourceKey.STRANGERS, nowNanos)) {
            // DG-R.4-2: sources without a proof have used up their half. A real source proves its address and gets a
            // share.
            replies.challenge(datagram, nowNanos);
            return;
        }
        Asked asked = new Asked(source.copy(), shim.messageId());
        Kept before = kept.get(asked);
        if (before != null && before.untilNanos - nowNanos > 0) {
            out.memory().put(out.begin(source), before.octets);
            out.end(before.octets.length, UdpCounter.TX_RESOLVED);
            return;
        }
        question.wrap(datagram.buffer(), datagram.offset());
        Service service = services.get(question.serviceId());
        if (service != null && service.fixed == null && challenges && proof == AddressProof.NONE) {
            replies.challenge(datagram, nowNanos); // DG-R.4-2: a source without a proof cannot make a handler run
            return;
        }
        ServiceAnswer said = answer(service, source, proof != AddressProof.NONE);
        int at = out.begin(source);
        int length = write(at, shim, said);
        out.end(length, UdpCounter.TX_RESOLVED);
        byte[] octets = new byte[length];
        out.memory().get(at, octets);
        kept.remove(asked); // so that the new answer becomes the youngest
        forget(source, nowNanos);
        kept.put(asked, new Kept(octets, nowNanos + KEEP_NANOS));
    }

    /**
     * Makes room for one more answer: evicts the oldest, or the oldest of the source's own if it has a quarter
     * (DG-13-6).
     */
    private void forget(DatagramAddress source, long nowNanos) {
        if (kept.size() < KEPT) {
            return;
        }
        long host = Divided.source(source);
        long own = kept.keySet().stream()
                .filter(asked -> Divided.source(asked.source) == host)
                .count();
        boolean ofOwn = own >= KEPT / 4;
        Iterator<Map.Entry<Asked, Kept>> each = kept.entrySet().iterator();
        Map.Entry<Asked, Kept> oldest = each.next();
        while (ofOwn && Divided.source(oldest.getKey().source) != host) {
            oldest = each.next();
        }
        if (oldest.getValue().untilNanos - nowNanos > 0) {
            counters.count(UdpCounter.RESOLVED_FORGOTTEN);
        }
        each.remove();
    }

    private ServiceAnswer answer(@Nullable Service service, DatagramAddress source, boolean validated) {
        byte[] nothing = new byte[0];
        if ((question.versions() & ShimHeader.VERSIONS) == 0) {
            return ServiceAnswer.without(ServiceStatus.NO_COMMON_VERSION, nothing); // DG-R.4-2
        }
        if (service == null) {
            return ServiceAnswer.without(ServiceStatus.NO_SERVICE, nothing); // DG-R.4-2
        }
        ServiceAnswer said = service.fixed;
        if (said == null) {
            Set<DatagramService> wanted = EnumSet.allOf(DatagramService.class);
            wanted.removeIf(type -> !question.wants(type));
            said = service.responder.answer(new ServiceQuestion(
                    source.toSocketAddress(), validated, question.serviceId(), wanted, question.privateData()));
        }
        // datagram-iWARP §R.4 (DG-R.4-2).
        DatagramService type = said.service();
        return type != null && !question.wants(type)
                ? ServiceAnswer.without(ServiceStatus.NO_QUEUE_PAIR, nothing)
                : said;
    }

    private int write(int at, Shim asked, ServiceAnswer said) {
        ByteBuffer memory = out.memory();
        int bodyLength = ResolvedBody.LENGTH + said.privateData().length;
        ShimHeader.write(memory, at, Kind.RESOLVED, replies.to(asked, bodyLength), 0);
        answer.wrap(memory, at + ShimHeader.LENGTH);
        // datagram-iWARP §R.2, §R.4 (DG-R.2-2, DG-R.4-2): zeros without a queue pair, but private data in any
        // case.
        DatagramService type = said.service();
        answer.status(said.status(), ShimHeader.VERSIONS);
        if (type != null) {
            answer.queuePair(type.number(), said.queuePairNumber(), said.key(), said.port());
            answer.limits(said.maximumDatagram(), said.maximumMessage(), said.maximumRead());
        }
        answer.privateData(ByteBuffer.wrap(said.privateData()), 0, said.privateData().length);
        return ShimHeader.LENGTH + bodyLength;
    }
}
