package dev.jwarp.tools.loss;

import java.awt.Color;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** How a service is drawn: colours that are told apart without seeing all of them, and markers. */
enum ServiceLook {
    UD_SEND(Service.UD_SEND, 0x0072B2),
    UD_WRITE_RECORD(Service.UD_WRITE_RECORD, 0x56B4E9),
    UD_READ(Service.UD_READ, 0x009E73),
    RD_SEND(Service.RD_SEND, 0xD55E00),
    RD_WRITE_RECORD(Service.RD_WRITE_RECORD, 0xE69F00),
    RC_SEND(Service.RC_SEND, 0x000000),
    RC_WRITE(Service.RC_WRITE, 0xCC79A7);

    final Color color;
    private final Service service;

    ServiceLook(Service service, int color) {
        this.service = service;
        this.color = new Color(color);
    }

    String title() {
        return service.title();
    }

    Service service() {
        return service;
    }

    Marker marker() {
        return switch (this) {
            case UD_SEND -> SeriesMarkers.CIRCLE;
            case UD_WRITE_RECORD -> SeriesMarkers.SQUARE;
            case UD_READ -> SeriesMarkers.DIAMOND;
            case RD_SEND -> SeriesMarkers.TRIANGLE_UP;
            case RD_WRITE_RECORD -> SeriesMarkers.TRIANGLE_DOWN;
            case RC_SEND -> SeriesMarkers.CROSS;
            case RC_WRITE -> SeriesMarkers.PLUS;
        };
    }

    /** {@return the look of the service with that title} */
    static ServiceLook of(String title) {
        for (ServiceLook look : values()) {
            if (look.service.title().equals(title)) {
                return look;
            }
        }
        throw new IllegalArgumentException("there is no service '" + title + "'");
    }
}
