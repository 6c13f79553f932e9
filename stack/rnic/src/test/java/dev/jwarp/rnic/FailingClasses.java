package dev.jwarp.rnic;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Objects;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

/**
 * Loads jwarp's classes again: test classes unchanged, the others with a call of {@link AllocationFault#check} before
 * each allocation, that is of objects, arrays and their copies, lambdas, and concatenated strings.
 */
final class FailingClasses extends ClassLoader {
    private static final String OURS = "dev.jwarp.";
    private static final String FAULT = "dev/jwarp/rnic/AllocationFault";

    /** Location of the test classes. */
    private final String tests;

    FailingClasses() {
        super(FailingClasses.class.getClassLoader());
        String self = url(FailingClasses.class.getName()).toString();
        tests = self.substring(
                0, self.length() - path(FailingClasses.class.getName()).length());
    }

    private static String path(String name) {
        return name.replace('.', '/') + ".class";
    }

    private static URL url(String name) {
        return Objects.requireNonNull(FailingClasses.class.getClassLoader().getResource(path(name)), name);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        URL url = FailingClasses.class.getClassLoader().getResource(path(name));
        if (url == null) {
            throw new ClassNotFoundException(name);
        }
        try (InputStream in = url.openStream()) {
            byte[] code = in.readAllBytes();
            byte[] used = url.toString().startsWith(tests) ? code : failing(code);
            return defineClass(name, used, 0, used.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] failing(byte[] code) {
        ClassReader reader = new ClassReader(code);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public @Nullable MethodVisitor visitMethod(
                            int access,
                            String name,
                            String descriptor,
                            @Nullable String signature,
                            String @Nullable [] exceptions) {
                        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
                        // No failures in static initializers, which would make a class unusable for good.
                        return name.equals("<clinit>") ? next : new Checking(next);
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static final class Checking extends MethodVisitor {
        Checking(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        private void check() {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, FAULT, "check", "()V", false);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if (opcode == Opcodes.ANEWARRAY) {
                check();
            }
            super.visitTypeInsn(opcode, type);
            if (opcode == Opcodes.NEW) {
                check(); // after NEW: stack maps identify an uninitialized object by the offset of its NEW
            }
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            if (opcode == Opcodes.NEWARRAY) {
                check();
            }
            super.visitIntInsn(opcode, operand);
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            check();
            super.visitMultiANewArrayInsn(descriptor, dimensions);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean ofInterface) {
            if (owner.equals("java/util/Arrays") && name.startsWith("copyOf")) {
                check();
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, ofInterface);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            check();
            super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
        }
    }
}
