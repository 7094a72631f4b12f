/* Noise in, seeds out. Each source is monitored continuously by the two tests of SP 800-90B 4.4. */
#ifndef CUP_ENTROPY_H
#define CUP_ENTROPY_H

#include <stdint.h>

#include "sha256.h"

#define WINDOW 512         /* samples of an adaptive proportion test, SP 800-90B 4.4.2 */
#define STARTUP 1024       /* samples that a start-up test takes, 4.3 */
#define CREDIT_WANTED 512  /* samples of the clock source for one seed, at one bit each */

typedef enum { SOURCE_CLOCK, SOURCE_NOISE, SOURCES } source_t;
enum { TRIPPED_REPEAT = 1, TRIPPED_PROPORTION = 2 };

/* Cutoffs for a false alarm in 2^20: repetition 1 + ceil(20 / H), proportion 1 + critbinom. */
typedef struct {
    uint8_t repeats;
    uint16_t same;
} limits_t;

typedef struct {
    uint8_t last, run, first, tripped;
    uint16_t seen, same; /* in the window */
    uint16_t taken;      /* since the start-up test began, no further than STARTUP */
} health_t;

void health_begin(health_t *health);
/* Takes in one sample; what it tripped, if anything, stays tripped. */
void health_take(health_t *health, const limits_t *limits, uint8_t sample);

void entropy_begin(void);
void entropy_take(source_t source, uint8_t sample);
/* Tests a sample that leaves the cup, and so must not go into a seed. */
void entropy_test(source_t source, uint8_t sample);
/* Takes back the credit of the samples so far, which stay in the pool. */
void entropy_uncredit(void);
/* Begins the tests of this source anew; the pool is unchanged. */
void entropy_retest(source_t source);
const health_t *entropy_health(source_t source);
/* The clock has passed its start-up test and gave enough for a seed. */
uint8_t entropy_is_ready(void);
uint8_t entropy_is_sick(void);
/* A seed that is used for nothing else; call only when ready. */
void entropy_draw(uint8_t seed[HASH_SIZE]);

extern const limits_t LIMITS[SOURCES];

#endif
