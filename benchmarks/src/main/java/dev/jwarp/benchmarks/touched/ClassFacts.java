package dev.jwarp.benchmarks.touched;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Declarations of the rewritten classes, read from their class files: loading a class would skip its rewriting. */
final class ClassFacts {
    private static final Set<String> OF_OBJECT =
            Set.of("hashCode", "equals", "toString", "getClass", "notify", "notifyAll", "wait", "clone");

    private final Predicate<String> rewritten;
    private final ClassLoader loader;
    private final Map<String, Declared> known = new ConcurrentHashMap<>();

    /**
     * Made for the classes of one loader.
     *
     * @param rewritten tells by its internal name whether a class is rewritten
     */
    ClassFacts(Predicate<String> rewritten, ClassLoader loader) {
        this.rewritten = rewritten;
        this.loader = loader;
    }

    private static final class Declared extends ClassVisitor {
        private final Set<String> fields = new HashSet<>();
        private final Set<String> volatiles = new HashSet<>();
        private final Set<String> methods = new HashSet<>();
        private String superclass = "java/lang/Object";

        Declared() {
            super(Opcodes.ASM9);
        }

        @Override
        public void visit(
                int version,
                int access,
                String name,
                @Nullable String signature,
                @Nullable String superName,
                String @Nullable [] interfaces) {
            superclass = superName == null ? superclass : superName;
        }

        @Override
        public @Nullable FieldVisitor visitField(
                int access, String name, String descriptor, @Nullable String signature, @Nullable Object value) {
            fields.add(name);
            if ((access & Opcodes.ACC_VOLATILE) != 0) {
                volatiles.add(name);
            }
            return null;
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            methods.add(name + descriptor);
            return null;
        }
    }

    private Declared of(String internalName) {
        return known.computeIfAbsent(internalName, name -> {
            Declared made = new Declared();
            try (InputStream file = loader.getResourceAsStream(name + ".class")) {
                if (file == null) {
                    throw new IllegalStateException("no class file of " + name);
                }
                new ClassReader(file).accept(made, ClassReader.SKIP_CODE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return made;
        });
    }

    /** {@return whether that field, of the class or of one of its superclasses, is volatile} */
    boolean isVolatile(String owner, String field) {
        for (String name = owner; rewritten.test(name); name = of(name).superclass) {
            if (of(name).fields.contains(field)) {
                return of(name).volatiles.contains(field);
            }
        }
        return false;
    }

    /** {@return the class that declares the method: the owner, or the first superclass that is not rewritten} */
    String declaring(String owner, String method, String descriptor) {
        for (String name = owner; rewritten.test(name); name = of(name).superclass) {
            if (of(name).methods.contains(method + descriptor)) {
                return name;
            }
            // A default method of an interface, or an abstract class that leaves the method to its subclasses.
            if (of(name).superclass.equals("java/lang/Object") && !OF_OBJECT.contains(method)) {
                return name;
            }
        }
        return rewritten.test(owner) ? superclassOutside(owner) : owner;
    }

    private String superclassOutside(String owner) {
        String name = owner;
        while (rewritten.test(name)) {
            name = of(name).superclass;
        }
        return name;
    }
}
