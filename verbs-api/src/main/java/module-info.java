/** The verbs: what a service compiles against, in the words of libibverbs and librdmacm. */
module dev.jwarp.verbs {
    requires static transitive org.jspecify;

    exports dev.jwarp.verbs;
    exports dev.jwarp.verbs.async;

    uses dev.jwarp.verbs.RdmaProvider;
}
