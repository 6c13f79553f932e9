/** The verbs: the public API of jwarp. Names follow libibverbs and librdmacm. */
module dev.jwarp.verbs {
    requires static transitive org.jspecify;

    exports dev.jwarp.verbs;
    exports dev.jwarp.verbs.async;

    uses dev.jwarp.verbs.RdmaProvider;
}
