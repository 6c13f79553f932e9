package dev.jwarp.benchmarks.touched;

/**
 * Something in the code that is counted each time it is executed.
 *
 * @param kind kind of the counted code
 * @param where the method that contains it
 * @param owner the class that declares the called method, or a word for an instruction
 * @param signature name and descriptor of the called method; empty for an instruction
 * @param size bytes of bytecode of an entered method, otherwise 0
 */
record Site(Kind kind, String where, String owner, String signature, int size) {
    /** Kinds of code whose executions are counted. */
    enum Kind {
        /** The entry of a method of the classes that are rewritten. */
        METHOD(false, false),
        /** A call of a method that is not rewritten: of the JDK or of a library. */
        CALL(true, false),
        /** A call that reads the clock. */
        CLOCK(true, false),
        /** A call that executes a locked instruction. */
        LOCKED_CALL(true, true),
        /** A monitor is entered or left. */
        MONITOR(false, true),
        /** A volatile field is written. */
        VOLATILE_WRITE(false, true);

        final boolean call;
        final boolean locked;

        Kind(boolean call, boolean locked) {
            this.call = call;
            this.locked = locked;
        }
    }

    /** {@return the called or entered method, or the word for the instruction} */
    String what() {
        return signature.isEmpty() ? owner : owner + "." + signature;
    }
}
