package dev.jwarp.disni;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.Progress;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * DiSNI's provider on jwarp: one context of {@code jwarp0} for the process, opened at the first use. Its settings are
 * the system properties and the environment; the default of {@code jwarp.progress} is threaded. Any thread.
 */
public class JwarpProvider extends RdmaProvider {
    /** The version number that DiSNI 2.1 expects of its native library. */
    private static final int VERSION = 32;

    private final RdmaCm cm = new JwarpCm();
    private final RdmaVerbs verbs = new JwarpVerbs();

    /** Creates the provider without opening a context. */
    protected JwarpProvider() {
        DisniVersion.check();
    }

    private static @Nullable Context context;

    /** {@return the context of the process; opened at the first use, and tried again after a failure} */
    static synchronized Context context() {
        Context there = context;
        if (there == null) {
            there = open();
            context = there;
        }
        return there;
    }

    /** Uses the class loader of this class: that of the calling thread may not see jwarp. */
    private static Context open() {
        Thread caller = Thread.currentThread();
        ClassLoader its = caller.getContextClassLoader();
        caller.setContextClassLoader(JwarpProvider.class.getClassLoader());
        try {
            dev.jwarp.verbs.RdmaProvider provider = dev.jwarp.verbs.RdmaProvider.load();
            Device device = provider.devices().get(0);
            boolean said = provider.configuration(Map.of()).stream()
                    .anyMatch(one -> one.setting().key().equals("jwarp.progress")
                            && one.source() != EffectiveSetting.Source.DEFAULT);
            return said ? device.open() : device.open(Progress.THREADED, Map.of());
        } finally {
            caller.setContextClassLoader(its);
        }
    }

    @Override
    public RdmaCm openCm() throws IOException {
        return cm;
    }

    @Override
    public RdmaVerbs openVerbs() throws IOException {
        return verbs;
    }

    @Override
    public int getVersion() {
        return VERSION;
    }
}
