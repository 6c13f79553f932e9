/** Programs that make every legal call at random times, and check the stack's guarantees. */
module dev.jwarp.torture {
    requires static transitive org.jspecify;
    requires dev.jwarp.conformance;
    requires dev.jwarp.verbs;
    requires java.management;

    uses dev.jwarp.verbs.RdmaProvider;
}
