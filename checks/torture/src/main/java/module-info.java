/** Programs that do all they may at any moment, and hold the stack to its promises. */
module dev.jwarp.torture {
    requires static transitive org.jspecify;
    requires dev.jwarp.conformance;
    requires dev.jwarp.verbs;
    requires java.management;

    uses dev.jwarp.verbs.RdmaProvider;
}
