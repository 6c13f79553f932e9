/** What every layer needs and no RFC describes: limited resources, divided fairly among peers. */
module dev.jwarp.base {
    requires static transitive org.jspecify;

    exports dev.jwarp.base;
}
