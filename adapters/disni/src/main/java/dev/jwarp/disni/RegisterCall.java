package dev.jwarp.disni;

import com.ibm.disni.util.MemoryUtils;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.SVCRegMr;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Registers memory under its own address, once for each execution. */
final class RegisterCall extends SVCRegMr {
    private static final Set<AccessFlag> KNOWN = EnumSet.range(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);

    private final JwarpPd pd;
    private final ByteBuffer memory;
    private final long address;
    private final int access;
    private final Freed freed = new Freed();
    private @Nullable IbvMr region;

    /** For the whole buffer, whatever its position and limit. */
    RegisterCall(JwarpPd pd, ByteBuffer buffer, int access) throws IOException {
        this(pd, buffer, addressOf(buffer), access);
    }

    RegisterCall(JwarpPd pd, long address, int length, int access) throws IOException {
        this(pd, RawMemory.at(address, length), address, access);
    }

    private RegisterCall(JwarpPd pd, ByteBuffer memory, long address, int access) {
        this.pd = pd;
        this.memory = memory.duplicate().clear();
        this.address = address;
        this.access = access;
    }

    private static long addressOf(ByteBuffer buffer) throws IOException {
        if (!buffer.isDirect()) {
            throw new IOException("A registered buffer must be direct: use ByteBuffer.allocateDirect.");
        }
        try {
            return MemoryUtils.getAddress(buffer);
        } catch (IllegalAccessError e) {
            throw new IOException(
                    "DiSNI needs --add-exports java.base/sun.nio.ch=ALL-UNNAMED for the address of a buffer:"
                            + " start the JVM with it.",
                    e);
        }
    }

    private Set<AccessFlag> flags() throws IOException {
        Set<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        int left = access & ~IbvMr.IBV_ACCESS_ON_DEMAND;
        for (AccessFlag one : KNOWN) {
            if ((left & one.bit()) != 0) {
                flags.add(one);
                left &= ~one.bit();
            }
        }
        if (left != 0) {
            throw new IOException(
                    "There is no access flag 0x" + Integer.toHexString(left) + ": use those of IbvMr.IBV_ACCESS_….");
        }
        return flags;
    }

    @Override
    public SVCRegMr execute() throws IOException {
        freed.check();
        DisniCalls.check(pd.isOpen(), "protection domain");
        try {
            region = new JwarpMr(pd, pd.domain.register(memory, address, flags()), access);
            return this;
        } catch (RdmaException e) {
            throw DisniCalls.of(e);
        }
    }

    @Override
    public @Nullable IbvMr getMr() {
        return region;
    }

    @Override
    public boolean isValid() {
        return freed.isValid();
    }

    @Override
    public SVCRegMr free() {
        freed.free();
        return this;
    }
}
