/** A network in virtual time, from a seed, with faults: for the tests of this build. */
module dev.jwarp.sim {
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.llp;

    exports dev.jwarp.sim;
}
