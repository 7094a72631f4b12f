#include "entropy.h"

#include <string.h>

#include "hal.h"

/* The clock source: Timer1's low byte at each beat of the watchdog's own oscillator, 1 bit claimed
 * of each. The noise source: the low byte of an open ADC pin, half a bit claimed for its tests and
 * nothing counted: it picks up whatever is near. */
const limits_t LIMITS[SOURCES] ROM = {{21, 311}, {41, 410}};

static health_t healths[SOURCES];
static sha256_t pool;
static uint16_t credit;

void health_begin(health_t *health) { memset(health, 0, sizeof *health); }

static void take_repeat(health_t *health, uint8_t cutoff, uint8_t sample) {
    health->run = health->taken && sample == health->last ? health->run + 1 : 1;
    health->last = sample;
    if (health->run >= cutoff) {
        health->run = cutoff;
        health->tripped |= TRIPPED_REPEAT;
    }
}

static void take_proportion(health_t *health, uint16_t cutoff, uint8_t sample) {
    if (!health->seen) {
        health->first = sample;
        health->same = 0;
    }
    if (sample == health->first && ++health->same >= cutoff) health->tripped |= TRIPPED_PROPORTION;
    if (++health->seen == WINDOW) health->seen = 0;
}

void health_take(health_t *health, const limits_t *limits, uint8_t sample) {
    take_repeat(health, ROM_BYTE(&limits->repeats), sample);
    take_proportion(health, ROM_WORD(&limits->same), sample);
    if (health->taken < STARTUP) health->taken++;
}

void entropy_begin(void) {
    for (uint8_t i = 0; i < SOURCES; i++) health_begin(&healths[i]);
    sha256_begin(&pool);
    credit = 0;
}

void entropy_test(source_t source, uint8_t sample) {
    health_take(&healths[source], &LIMITS[source], sample);
}

void entropy_uncredit(void) { credit = 0; }

void entropy_take(source_t source, uint8_t sample) {
    entropy_test(source, sample);
    sha256_add(&pool, &sample, 1);
    if (source == SOURCE_CLOCK && credit < CREDIT_WANTED) credit++;
}

void entropy_retest(source_t source) { health_begin(&healths[source]); }

const health_t *entropy_health(source_t source) { return &healths[source]; }

uint8_t entropy_is_sick(void) { return healths[SOURCE_CLOCK].tripped; }

uint8_t entropy_is_ready(void) {
    if (healths[SOURCE_CLOCK].taken < STARTUP) return 0;
    return credit >= CREDIT_WANTED && !entropy_is_sick();
}

void entropy_draw(uint8_t seed[HASH_SIZE]) {
    static const uint8_t apart = 0x5a;
    uint8_t rest[HASH_SIZE];
    sha256_t again;
    sha256_end(&pool, rest);
    /* Two hashes of the same pool: one leaves the cup in the end, one stays in it. */
    sha256_begin(&again);
    sha256_add(&again, rest, HASH_SIZE);
    sha256_end(&again, seed);
    sha256_begin(&pool);
    sha256_add(&pool, &apart, 1);
    sha256_add(&pool, rest, HASH_SIZE);
    memset(rest, 0, sizeof rest);
    credit = 0;
}
