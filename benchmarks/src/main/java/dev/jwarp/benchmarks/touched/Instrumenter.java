package dev.jwarp.benchmarks.touched;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Rewrites classes so that they report to {@link TouchRecorder}: entries of methods, accesses of fields and arrays,
 * monitors, volatile writes, and calls of methods that are not rewritten. It adds no branches.
 */
final class Instrumenter {
    private static final String RECORDER = Type.getInternalName(TouchRecorder.class);
    private static final String ANY_OBJECT = "(Ljava/lang/Object;)V";

    private final Predicate<String> rewritten;
    private final ClassFacts facts;

    /**
     * Made for the classes of one loader.
     *
     * @param rewritten tells by its internal name whether a class is rewritten
     */
    Instrumenter(Predicate<String> rewritten, ClassLoader loader) {
        this.rewritten = rewritten;
        facts = new ClassFacts(rewritten, loader);
    }

    /** Bytes of bytecode and number of local variables of a method. */
    private record Extent(int size, int locals) {}

    /** {@return the rewritten class file} */
    byte[] rewrite(byte[] classFile) {
        ClassReader reader = new ClassReader(classFile);
        Map<String, Extent> extents = extents(reader);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        String type = reader.getClassName();
        copy(reader, writer, (next, access, name, descriptor) -> {
            Extent extent = extents.get(name + descriptor);
            return extent == null ? next : new Rewriter(next, access, type, name, descriptor, extent);
        });
        return writer.toByteArray();
    }

    /** What happens to each method of a class that is copied. */
    private interface Change {
        /** {@return the visitor of the method, which passes everything on to {@code next}} */
        MethodVisitor of(MethodVisitor next, int access, String name, String descriptor);
    }

    private static void copy(ClassReader reader, ClassWriter writer, Change change) {
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access,
                            String name,
                            String descriptor,
                            @Nullable String signature,
                            String @Nullable [] exceptions) {
                        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
                        return change.of(next, access, name, descriptor);
                    }
                },
                0);
    }

    /** {@return the extent of each method with code} Only the writer knows offsets, so the class is copied once. */
    private static Map<String, Extent> extents(ClassReader reader) {
        Map<String, Extent> all = new HashMap<>();
        copy(
                reader,
                new ClassWriter(reader, 0),
                (next, access, name, descriptor) -> new MethodVisitor(Opcodes.ASM9, next) {
                    @Override
                    public void visitMaxs(int maxStack, int maxLocals) {
                        Label end = new Label();
                        super.visitLabel(end);
                        super.visitMaxs(maxStack, maxLocals);
                        all.put(name + descriptor, new Extent(end.getOffset(), maxLocals));
                    }
                });
        return all;
    }

    /** Rewrites one method. */
    private final class Rewriter extends MethodVisitor {
        private final int access;
        private final String where;
        private final Extent extent;
        private final int entry;
        /** Before its call of another constructor, a constructor must not pass on {@code this}. */
        private boolean constructed;
        /** Objects that are created but whose constructor is not called yet. */
        private int pending;

        Rewriter(MethodVisitor next, int access, String type, String name, String descriptor, Extent extent) {
            super(Opcodes.ASM9, next);
            this.access = access;
            this.extent = extent;
            String owner = type.replace('/', '.');
            where = owner + "." + name + descriptor;
            constructed = !name.equals("<init>");
            entry = TouchRecorder.number(new Site(Site.Kind.METHOD, where, owner, name + descriptor, extent.size()));
        }

        private void report(String method, String descriptor) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, RECORDER, method, descriptor, false);
        }

        private void touch() {
            report("touch", ANY_OBJECT);
        }

        private void count(int site) {
            super.visitLdcInsn(site);
            report("count", "(I)V");
        }

        private int instruction(Site.Kind kind, String what) {
            return TouchRecorder.number(new Site(kind, where, what, "", 0));
        }

        @Override
        public void visitCode() {
            super.visitCode();
            count(entry);
            if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
                if ((access & Opcodes.ACC_STATIC) == 0) {
                    super.visitVarInsn(Opcodes.ALOAD, 0);
                    touch();
                }
                count(instruction(Site.Kind.MONITOR, "monitor enter"));
                count(instruction(Site.Kind.MONITOR, "monitor exit"));
            }
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if (opcode == Opcodes.NEW) {
                pending++;
            }
            super.visitTypeInsn(opcode, type);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            boolean wide = Type.getType(descriptor).getSize() == 2;
            if (constructed && opcode == Opcodes.GETFIELD) {
                super.visitInsn(Opcodes.DUP);
                touch();
            } else if (constructed && opcode == Opcodes.PUTFIELD && !wide) {
                super.visitInsn(Opcodes.DUP2);
                super.visitInsn(Opcodes.POP);
                touch();
            } else if (constructed && opcode == Opcodes.PUTFIELD) {
                super.visitInsn(Opcodes.DUP2_X1);
                super.visitInsn(Opcodes.POP2);
                super.visitInsn(Opcodes.DUP_X2);
                touch();
            }
            super.visitFieldInsn(opcode, owner, name, descriptor);
            if ((opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC) && facts.isVolatile(owner, name)) {
                count(instruction(Site.Kind.VOLATILE_WRITE, "volatile write of " + name));
            }
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD) {
                super.visitInsn(Opcodes.DUP2);
                super.visitInsn(Opcodes.POP);
                touch();
            } else if (opcode == Opcodes.LASTORE || opcode == Opcodes.DASTORE) {
                super.visitInsn(Opcodes.DUP2_X2);
                super.visitInsn(Opcodes.POP2);
                super.visitInsn(Opcodes.DUP2_X2);
                super.visitInsn(Opcodes.POP);
                touch();
            } else if (opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE) {
                super.visitInsn(Opcodes.DUP_X2);
                super.visitInsn(Opcodes.POP);
                super.visitInsn(Opcodes.DUP2_X1);
                super.visitInsn(Opcodes.POP);
                touch();
            } else if (opcode == Opcodes.ARRAYLENGTH) {
                super.visitInsn(Opcodes.DUP);
                touch();
            } else if (opcode == Opcodes.MONITORENTER || opcode == Opcodes.MONITOREXIT) {
                super.visitInsn(Opcodes.DUP);
                touch();
                count(instruction(
                        Site.Kind.MONITOR, opcode == Opcodes.MONITORENTER ? "monitor enter" : "monitor exit"));
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean ofInterface) {
            if (name.equals("<init>")) {
                super.visitMethodInsn(opcode, owner, name, descriptor, ofInterface);
                if (pending == 0) {
                    constructed = true;
                } else {
                    pending--;
                }
                return;
            }
            String declaring = ofInterface ? owner : facts.declaring(owner, name, descriptor);
            if (!rewritten.test(declaring)) {
                call(opcode, declaring, name, descriptor);
            } else if (opcode == Opcodes.INVOKEINTERFACE) {
                int[] at = store(descriptor);
                super.visitInsn(Opcodes.DUP); // the call reads the class of its receiver
                touch();
                load(descriptor, at);
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, ofInterface);
        }

        private void call(int opcode, String owner, String name, String descriptor) {
            boolean constant = JdkMethods.isConstant(owner);
            int site = TouchRecorder.number(
                    new Site(JdkMethods.kind(owner, name), where, owner.replace('/', '.'), name + descriptor, 0));
            int[] at = store(descriptor);
            if (opcode == Opcodes.INVOKESTATIC || constant) {
                count(site);
            } else if (opcode == Opcodes.INVOKESPECIAL) {
                super.visitInsn(Opcodes.DUP);
                touch();
                count(site); // of the superclass, although this class may override the method
            } else {
                super.visitInsn(Opcodes.DUP);
                super.visitLdcInsn(site);
                report("call", "(Ljava/lang/Object;I)V");
            }
            Type[] types = Type.getArgumentTypes(descriptor);
            for (int i = 0; i < at.length; i++) {
                if (types[i].getSort() >= Type.ARRAY) {
                    super.visitVarInsn(Opcodes.ALOAD, at[i]);
                    report(constant && i == 0 ? "touch" : "argument", ANY_OBJECT);
                }
            }
            load(descriptor, at);
        }

        /** {@return the local variables, beyond those of the method, to which the arguments of a call are moved} */
        private int[] store(String descriptor) {
            Type[] types = Type.getArgumentTypes(descriptor);
            int[] at = new int[types.length];
            int next = extent.locals();
            for (int i = 0; i < at.length; i++) {
                at[i] = next;
                next += types[i].getSize();
            }
            for (int i = at.length - 1; i >= 0; i--) {
                super.visitVarInsn(types[i].getOpcode(Opcodes.ISTORE), at[i]);
            }
            return at;
        }

        private void load(String descriptor, int[] at) {
            Type[] types = Type.getArgumentTypes(descriptor);
            for (int i = 0; i < at.length; i++) {
                super.visitVarInsn(types[i].getOpcode(Opcodes.ILOAD), at[i]);
            }
        }
    }
}
