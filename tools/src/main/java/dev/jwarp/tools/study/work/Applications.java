package dev.jwarp.tools.study.work;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;

/** All applications, by name. */
public final class Applications {
    private Applications() {}

    /** {@return the application of that name} */
    public static StudyApplication of(String name, ApplicationParameters parameters, Console console) {
        return switch (name) {
            case "calls" -> new TelephoneCalls(parameters);
            case "pages" -> new WebPages(parameters);
            case "media" -> new MediaPlayer(parameters);
            case "remote" -> new BusyTarget(parameters);
            case "queries" -> new MixedQueries(parameters);
            case "nodes" -> new UnevenNodes(parameters);
            case "crowd" -> new IdleCrowd(parameters);
            case "peers" -> new ManyPeers(parameters);
            case "tiers" -> new DataCentre(parameters);
            case "shares" -> new WeightedShares(parameters);
            case "memory" -> new ClientMemory(parameters);
            case "copies" -> new CopyCount(parameters);
            case "striped" -> new StripedFile(parameters);
            case "group" -> new GroupCast(parameters);
            case "copy" -> new FileCopy(parameters, console);
            default -> throw ToolFailure.usage("there is no application '" + name + "'");
        };
    }
}
