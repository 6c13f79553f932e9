/** The software RNIC behind the verbs. */
module dev.jwarp.rnic {
    requires static transitive org.jspecify;
    requires transitive dev.jwarp.verbs;
    requires dev.jwarp.base;
    requires dev.jwarp.ddp;
    requires dev.jwarp.llp;
    requires dev.jwarp.rdmap;
    requires org.jctools.core;
    requires org.slf4j;

    uses dev.jwarp.llp.TransportProvider;
    uses dev.jwarp.llp.datagram.DatagramTransportProvider;

    provides dev.jwarp.verbs.RdmaProvider with
            dev.jwarp.rnic.RnicProvider;
}
