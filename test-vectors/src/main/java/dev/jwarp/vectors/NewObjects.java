package dev.jwarp.vectors;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import net.jqwik.api.lifecycle.AroundTryHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.TryExecutionResult;
import net.jqwik.api.lifecycle.TryExecutor;
import net.jqwik.api.lifecycle.TryLifecycleContext;
import org.opentest4j.TestAbortedException;

/**
 * Each try of a property has a new object of its test class, as each test of JUnit has. Without this hook jqwik has one
 * object for all tries of a property: the result would also depend on what earlier tries left behind. Methods and fields
 * with {@code @BeforeTry} would be of that one object: use initial values instead.
 */
public final class NewObjects implements AroundTryHook {
    /** Creates one; jqwik does. */
    public NewObjects() {}

    @Override
    public PropagationMode propagateTo() {
        return PropagationMode.ALL_DESCENDANTS;
    }

    @Override
    public TryExecutionResult aroundTry(TryLifecycleContext context, TryExecutor shared, List<Object> parameters)
            throws Throwable {
        Method property = context.targetMethod();
        property.setAccessible(true);
        try {
            Object result = property.invoke(context.newInstance(context.containerClass()), parameters.toArray());
            return Boolean.FALSE.equals(result)
                    ? TryExecutionResult.falsified(new AssertionError(property.getName() + " returned false"))
                    : TryExecutionResult.satisfied();
        } catch (InvocationTargetException thrown) {
            return thrown.getCause() instanceof TestAbortedException
                    ? TryExecutionResult.invalid(thrown.getCause())
                    : TryExecutionResult.falsified(thrown.getCause());
        }
    }
}
