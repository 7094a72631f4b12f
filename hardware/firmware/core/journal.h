/* What survives a power cut: the unit's name, the match with its seed, and the last rolls. */
#ifndef CUP_JOURNAL_H
#define CUP_JOURNAL_H

#include <stdint.h>

#include "dice.h"

#define RING 32       /* rolls that can be fetched */
#define CHECKPOINT 8  /* rolls between two checkpoints of the chain */
#define UNIT_SIZE 8

typedef enum {
    PHASE_NONE,      /* no match yet, or none that can be read */
    PHASE_COMMITTED, /* the commitment was sent; nonces are awaited */
    PHASE_SEALED,    /* rolls can be made */
    PHASE_REVEALED   /* the seed was sent; no more rolls are made from it */
} phase_t;

typedef struct {
    phase_t phase;
    uint8_t is_prepared; /* a seed waits whose commitment nobody has been told */
    uint16_t match;      /* how many matches were committed to, this one included */
    uint32_t number;     /* of the last roll */
    uint32_t first;      /* `number` when the match was sealed */
    uint8_t seed[HASH_SIZE];
    uint8_t commitment[HASH_SIZE];
    hmac_key_t key;
    uint8_t chain[HASH_SIZE];
} journal_t;

/* Reads everything back; 0 if a match was in progress that cannot be read. */
uint8_t journal_load(journal_t *journal);
void journal_unit(uint8_t unit[UNIT_SIZE]);
uint8_t journal_has_unit(void);
void journal_set_unit(const uint8_t unit[UNIT_SIZE]);
/* Starts counted, this one included. */
uint16_t journal_count_start(void);
/* The seed waits for the next match once `journal_step` has written it. */
void journal_prepare(journal_t *journal, const uint8_t seed[HASH_SIZE]);
/* The next match is this one, of the seed that was prepared; 0 if that cannot be read back. */
uint8_t journal_commit(journal_t *journal);
/* The match is sealed once `journal_step` has written all of it. */
void journal_seal(journal_t *journal, const uint8_t nonces[HASH_SIZE]);
/* The roll is stored safely on return, and the chain continues from it. */
void journal_roll(journal_t *journal, roll_t *roll);
void journal_reveal(journal_t *journal);
/* Finds the roll with this number; 0 if it is no longer kept. */
uint8_t journal_find(uint32_t number, roll_t *roll);
/* Writes a little of what can wait, and makes room for the next roll; call it often. */
void journal_step(journal_t *journal);
uint8_t journal_is_busy(void);
/* Whether a scratch byte can be written and read back. */
uint8_t journal_works(void);

#endif
