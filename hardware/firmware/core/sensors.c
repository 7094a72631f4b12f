#include "sensors.h"

static const uint8_t STEADY[3] = {STEADY_MS, RATTLE_MS, POUR_MS};

/* The pins that have just settled at a new level. */
static uint8_t debounced(sensors_t *sensors, uint8_t pins) {
    uint8_t changed = 0;
    for (uint8_t i = 0; i < 3; i++) {
        uint8_t bit = 1 << i;
        if ((pins ^ sensors->raw) & bit) sensors->same_ms[i] = 0;
        else if (sensors->same_ms[i] < STEADY[i]) sensors->same_ms[i]++;
        if (sensors->same_ms[i] == STEADY[i] && (pins ^ sensors->steady) & bit) changed |= bit;
    }
    sensors->raw = pins;
    sensors->steady ^= changed;
    return changed;
}

static uint8_t shaken(sensors_t *sensors, uint8_t is_edge) {
    if (is_edge) {
        sensors->quiet_ms = 0;
        if (sensors->edges < SHAKE_EDGES && ++sensors->edges == SHAKE_EDGES && !sensors->is_shaken) {
            sensors->is_shaken = 1;
            return CAME_SHAKEN;
        }
    } else if (sensors->quiet_ms < PAUSE_MS && ++sensors->quiet_ms == PAUSE_MS) {
        sensors->edges = 0;
    }
    return 0;
}

uint8_t sensors_tick(sensors_t *sensors, uint8_t pins) {
    uint8_t changed = debounced(sensors, pins);
    uint8_t came = shaken(sensors, changed & PIN_RATTLE);
    if (changed & PIN_LIFTED) came |= sensors->steady & PIN_LIFTED ? CAME_LIFTED : CAME_DOWN;
    if (changed & sensors->steady & PIN_TILTED && sensors->is_shaken) {
        sensors->is_shaken = 0;
        came |= CAME_OUT;
    }
    return came;
}
