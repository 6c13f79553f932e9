package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.DatagramTimeouts;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.EventLoops;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.ScatterGatherElement;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import dev.jwarp.verbs.WorkCompletion;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Passes null for each non-null argument of each API method, found by reflection. */
@DisplayName("A null argument causes an RdmaException with a message, and changes nothing")
class NullArgumentsTest {
    private final List<String> wrong = new ArrayList<>();
    private int calls;

    /** Values for the other arguments. */
    private final Map<Class<?>, Object> values = new HashMap<>(Map.of(
            ByteBuffer.class, ByteBuffer.allocateDirect(64),
            Duration.class, Duration.ZERO,
            InetSocketAddress.class, new InetSocketAddress(InetAddress.getLoopbackAddress(), 7),
            Set.class, Set.of(AccessFlag.LOCAL_WRITE),
            Map.class, Map.of(),
            Progress.class, Progress.INLINE,
            QueuePairType.class, QueuePairType.UD,
            QueuePairState.class, QueuePairState.RTS,
            ConnectionParameters.class, ConnectionParameters.DEFAULT,
            ResolveParameters.class, ResolveParameters.DEFAULT));

    private void every(Class<?> type, @Nullable Object object) throws IllegalAccessException {
        for (Method method : type.getMethods()) {
            if (method.getDeclaringClass() == Object.class || (object == null) != isStatic(method)) {
                continue;
            }
            Class<?>[] types = method.getParameterTypes();
            for (int i = 0; i < types.length; i++) {
                if (!types[i].isPrimitive() && !method.getName().equals("equals") && !mayBeNull(method, i)) {
                    call(object, method, i, null);
                    if (types[i].isArray() && !types[i].getComponentType().isPrimitive()) {
                        call(object, method, i, Array.newInstance(types[i].getComponentType(), 1));
                    }
                }
            }
        }
    }

    private static boolean mayBeNull(Method method, int argument) {
        return method.getAnnotatedParameterTypes()[argument].isAnnotationPresent(Nullable.class);
    }

    private static boolean isStatic(Method method) {
        return java.lang.reflect.Modifier.isStatic(method.getModifiers());
    }

    private void call(@Nullable Object object, Method method, int which, @Nullable Object what)
            throws IllegalAccessException {
        Class<?>[] types = method.getParameterTypes();
        @Nullable Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = i == which ? what : mayBeNull(method, i) ? null : value(types[i]);
        }
        String name = method.getDeclaringClass().getSimpleName() + "." + method.getName()
                + Arrays.toString(method.getParameterTypes()) + " argument " + which
                + (what == null ? "" : " with null in it");
        calls++;
        try {
            method.invoke(object, arguments);
            wrong.add(name + " takes it");
        } catch (InvocationTargetException e) {
            boolean ours = e.getCause() instanceof RdmaException refused
                    && refused.code() == RdmaErrorCode.INVALID_ARGUMENT
                    && refused.getMessage() != null;
            if (!ours) {
                wrong.add(name + " throws " + e.getCause());
            }
        }
    }

    private Object value(Class<?> type) {
        Object known = values.get(type);
        if (known != null) {
            return known;
        }
        if (type == int.class) {
            return 1;
        }
        if (type == List.class) {
            return List.of(ByteBuffer.allocateDirect(8));
        }
        if (type == Object.class) {
            return "no segment";
        }
        if (type == long.class) {
            return 4096L;
        }
        if (type == boolean.class) {
            return false;
        }
        if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), 0);
        }
        if (type.isInterface()) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                throw new UnsupportedOperationException(method.getName());
            });
        }
        throw new AssertionError("no value for " + type);
    }

    @Test
    @DisplayName("over connections")
    void connections() throws IllegalAccessException {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Connected pair = Connected.in(world);
            Endpoint side = pair.active;
            values.put(ProtectionDomain.class, side.domain);
            values.put(EventLoops.class, EventLoops.netty("none"));
            values.put(
                    QueuePairAttributes.class,
                    QueuePairAttributes.builder(side.completions).build());
            values.put(WorkCompletion[].class, WorkCompletion.array(1));
            values.put(DatagramTimeouts.class, DatagramTimeouts.DEFAULT);
            values.put(
                    DatagramAttributes.class,
                    DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .build());
            values.put(SendWorkRequest.class, new SendWorkRequest());
            every(RdmaProvider.class, new RnicProvider());
            every(Device.class, side.context.device());
            every(Context.class, side.context);
            every(ProtectionDomain.class, side.domain);
            every(CompletionQueue.class, side.completions);
            every(CompletionChannel.class, side.context.createCompletionChannel());
            every(CmEventChannel.class, side.context.createEventChannel());
            every(CmId.class, side.context.createId());
            every(QueuePair.class, side.queuePair);
            every(SharedReceiveQueue.class, side.domain.createSharedReceiveQueue(4, 1));
            every(SendWorkRequest.class, new SendWorkRequest());
            every(ReceiveWorkRequest.class, new ReceiveWorkRequest());
            every(ScatterGatherElement.class, null);
            every(QueuePairAttributes.class, null);
            every(QueuePairAttributes.Builder.class, QueuePairAttributes.builder(side.completions));
            every(ConnectionParameters.class, ConnectionParameters.DEFAULT);
            assertThat(wrong).isEmpty();
            assertThat(calls).isGreaterThan(50);
            assertThat(side.queuePair.query().sendsOutstanding()).isZero();
            assertThat(side.queuePair.query().receivesOutstanding()).isZero();
            pair.passive.receive(1, 0, 8);
            side.send(1, 0, 8);
            pair.passive.success();
        }
    }

    @Test
    @DisplayName("over datagrams")
    void datagrams() throws IllegalAccessException {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide side = DatagramSide.on(world, 0);
            values.put(
                    QueuePairAttributes.class,
                    QueuePairAttributes.builder(side.completions).build());
            values.put(DatagramAttributes.class, side.queuePair.datagramAttributes());
            values.put(DatagramTimeouts.class, DatagramTimeouts.DEFAULT);
            values.put(SendWorkRequest.class, new SendWorkRequest());
            values.put(WorkCompletion.class, new WorkCompletion());
            values.put(MemoryRegion.class, side.memory);
            every(Context.class, side.context);
            every(ProtectionDomain.class, side.domain);
            every(MemoryRegion.class, side.memory);
            every(DatagramQueuePair.class, side.queuePair);
            every(DatagramAttributes.class, null);
            every(DatagramAttributes.Builder.class, DatagramAttributes.builder(world.address(0, 0)));
            every(DatagramTimeouts.class, DatagramTimeouts.DEFAULT);
            values.put(Set.class, Set.of(QueuePairType.UD));
            every(ResolveParameters.class, ResolveParameters.DEFAULT);
            assertThat(wrong).isEmpty();
            assertThat(calls).isGreaterThan(30);
            DatagramSide other = DatagramSide.on(world, 1);
            AddressHandle handle = side.to(other);
            other.receive(1, 0, 8);
            side.send(1, handle, 0, 8);
            other.success();
        }
    }
}
