/** The jwarp command. */
module dev.jwarp.tools {
    requires static transitive org.jspecify;
    requires dev.jwarp.verbs;
    requires info.picocli;
    requires com.fasterxml.jackson.databind;
    requires HdrHistogram;
    requires org.slf4j;

    opens dev.jwarp.tools to
            info.picocli,
            com.fasterxml.jackson.databind;
}
