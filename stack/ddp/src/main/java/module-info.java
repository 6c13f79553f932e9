/** DDP, the interface of the layer below it, what its inline drivers share, and a simulation of that layer. */
module dev.jwarp.ddp {
    requires static transitive org.jspecify;

    exports dev.jwarp.ddp;
    exports dev.jwarp.ddp.datagram;
    exports dev.jwarp.ddp.llp;
    exports dev.jwarp.ddp.llp.datagram;
    exports dev.jwarp.ddp.llp.nio;
    exports dev.jwarp.ddp.llp.sim;
}
