/** DDP, the interface of the layer below it, and a simulation of that layer. */
module dev.jwarp.ddp {
    requires static transitive org.jspecify;

// exports dev.jwarp.ddp; (with its first public type)
// exports dev.jwarp.ddp.llp; (with its first public type)
// exports dev.jwarp.ddp.llp.sim; (with its first public type)
}
