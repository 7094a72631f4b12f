/* Three switches, debounced: the base contact, the ball switch that rattles, the tilt switch. */
#ifndef CUP_SENSORS_H
#define CUP_SENSORS_H

#include <stdint.h>

enum { PIN_LIFTED = 1, PIN_RATTLE = 2, PIN_TILTED = 4 };
enum { CAME_LIFTED = 1, CAME_DOWN = 2, CAME_SHAKEN = 4, CAME_OUT = 8 };

#define STEADY_MS 30     /* a contact counts once it has been steady this long */
#define RATTLE_MS 4      /* the same for the ball switch, whose edges are counted */
#define POUR_MS 80       /* this long upside down is a throw, not a knock */
#define SHAKE_EDGES 6    /* this many debounced edges without a pause are a shake */
#define PAUSE_MS 300     /* this long without an edge ends it */

typedef struct {
    uint8_t steady, raw; /* bits PIN_ */
    uint8_t same_ms[3];
    uint8_t edges;
    uint16_t quiet_ms;
    uint8_t is_shaken;
} sensors_t;

/* Advances one millisecond with the pins as they are; returns the resulting bits CAME_. */
uint8_t sensors_tick(sensors_t *sensors, uint8_t pins);

#endif
