#include "journal.h"

#include <string.h>

#include "frame.h"
#include "hal.h"

/* The EEPROM's 1,024 bytes. Every block and every roll ends with a CRC-16 and a mark. The mark is
 * spoiled before the first byte is written and made whole after the last one, so that what a power
 * cut left half written never counts, whatever its CRC. A roll's CRC covers its whole number, so
 * that an old one is never taken for a new one. There are two matches: the one that is played, and
 * the one whose seed is prepared in the other's place. */
enum {
    AT_UNIT = 0,     /* unit, crc, mark */
    AT_STARTS = 12,  /* starts counted */
    AT_SCRATCH = 14, /* for the self-test */
    AT_PHASE = 16,   /* a codeword for each of the two, and its copy */
    AT_SEED = 32,    /* two of: match, seed, crc, mark */
    AT_SEAL = 128,   /* match, first, nonces, crc, mark */
    AT_CHAIN = 192,  /* two of: match, number, chain, crc, mark */
    AT_RING = 512    /* SLOTS of ROLL_SIZE */
};
enum { STRIDE = 48, SEED_BLOCK = 34, SEAL_BLOCK = 38, CHAIN_BLOCK = 38 };
enum { SLOTS = 56, ROLL_BLOCK = 6, ROLL_SIZE = ROLL_BLOCK + 3 };

/* Writing a byte first sets bits and then clears some, so a byte cut short has all bits of its old
 * value or all of its new one, and perhaps others. Each of these has four bits set and differs from
 * any other in four or more: none, cut short, reads as a third. A phase is written twice, so that
 * one of the two words is whole: the first if it is any, else the second, which is older. */
enum { WORD_EMPTY = 0x5A, WORD_PREPARED = 0x0F, WORD_COMMITTED = 0x33, WORD_SEALED = 0x3C,
       WORD_REVEALED = 0x55, MARK_WHOLE = 0x69, MARK_SPOILED = 0x96 };

typedef enum { THEN_SAFE, THEN_PREPARED, THEN_CHAIN, THEN_SEALED } then_t;

/* One block that is written while other work goes on. */
static uint8_t later[CHAIN_BLOCK + 3];
static uint16_t later_at;
static uint8_t later_count, later_done; /* in bytes; the first one written is the mark, spoiled */
static then_t later_then;
static uint8_t next_chain;   /* which of the two checkpoints is older */
static uint32_t safe_number; /* of the newest checkpoint that is written whole */

enum { BLOCK_CRC = 0xFFFF };

/* Whether the block is there, whole and with the right CRC; `crc` is where that begins. */
static uint8_t is_loaded(uint16_t at, uint8_t *into, uint8_t count, uint16_t crc) {
    for (uint8_t i = 0; i < count; i++) crc = crc_xmodem(crc, into[i] = hal_load(at + i));
    crc = crc_xmodem(crc, hal_load(at + count));
    crc = crc_xmodem(crc, hal_load(at + count + 1));
    return !crc && hal_load(at + count + 2) == MARK_WHOLE;
}

/* Adds the CRC and the mark. */
static void finish(uint8_t *bytes, uint8_t count, uint16_t crc) {
    for (uint8_t i = 0; i < count; i++) crc = crc_xmodem(crc, bytes[i]);
    bytes[count] = (uint8_t)(crc >> 8);
    bytes[count + 1] = (uint8_t)crc;
    bytes[count + 2] = MARK_WHOLE;
}

static void put16(uint8_t *to, uint16_t value) {
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *to, uint32_t value) {
    put16(to, (uint16_t)value);
    put16(to + 2, (uint16_t)(value >> 16));
}

static uint16_t get16(const uint8_t *from) { return from[0] | (uint16_t)(from[1] << 8); }

static uint32_t get32(const uint8_t *from) { return get16(from) | (uint32_t)get16(from + 2) << 16; }

static uint16_t word_at(uint8_t which, uint8_t copy) { return AT_PHASE + 2 * copy + which; }

static void set_word(uint8_t which, uint8_t word) {
    for (uint8_t copy = 0; copy < 2; copy++) {
        hal_store(word_at(which, copy), word);
        hal_load(word_at(which, copy)); /* waits until it is written */
    }
}

static uint8_t is_word(uint8_t word) {
    return word == WORD_EMPTY || word == WORD_PREPARED || word == WORD_COMMITTED
           || word == WORD_SEALED || word == WORD_REVEALED;
}

static uint8_t word_of(uint8_t which) {
    uint8_t word = hal_load(word_at(which, 0));
    return is_word(word) ? word : hal_load(word_at(which, 1));
}

static void set_phase(journal_t *journal, uint8_t word, phase_t phase) {
    set_word(journal->match & 1, word);
    journal->phase = phase;
}

uint8_t journal_is_busy(void) { return later_done < later_count; }

static void write_later(uint16_t at, uint8_t count, then_t then) {
    finish(later, count, BLOCK_CRC);
    later_at = at;
    later_count = count + 4;
    later_done = 0;
    later_then = then;
}

static void hurry(journal_t *journal) {
    while (journal_is_busy()) journal_step(journal);
}

static void keep_chain(journal_t *journal, then_t then) {
    hurry(journal);
    put16(later, journal->match);
    put32(later + 2, journal->number);
    memcpy(later + 6, journal->chain, HASH_SIZE);
    write_later(AT_CHAIN + next_chain * STRIDE, CHAIN_BLOCK, then);
    next_chain ^= 1;
}

static void go_on(journal_t *journal) {
    switch (later_then) {
    case THEN_PREPARED:
        set_word(~journal->match & 1, WORD_PREPARED);
        journal->is_prepared = 1;
        break;
    case THEN_CHAIN:
        /* Only now: it takes 25 ms, and nobody is waiting any more. */
        dice_key(journal->seed, later + 6, &journal->key);
        keep_chain(journal, THEN_SEALED);
        break;
    case THEN_SEALED:
        safe_number = get32(later + 2);
        set_phase(journal, WORD_SEALED, PHASE_SEALED);
        break;
    case THEN_SAFE:
        safe_number = get32(later + 2);
        break;
    }
}

static uint16_t slot_of(uint32_t number) { return AT_RING + ROLL_SIZE * (number % SLOTS); }

static void spoil_slot(uint32_t number) {
    hal_store(slot_of(number) + ROLL_SIZE - 1, MARK_SPOILED);
}

void journal_step(journal_t *journal) {
    if (!journal_is_busy()) return spoil_slot(journal->number + 1);
    if (!later_done) hal_store(later_at + later_count - 2, MARK_SPOILED);
    else hal_store(later_at + later_done - 1, later[later_done - 1]);
    if (++later_done == later_count) go_on(journal);
}

/* Where a roll's CRC begins: of the number that it must have. */
static uint16_t crc_of(uint32_t number) {
    uint16_t crc = BLOCK_CRC;
    for (uint8_t i = 0; i < 4; i++, number >>= 8) crc = crc_xmodem(crc, (uint8_t)number);
    return crc;
}

/* The lap of the ring in which a slot was written, modulo 16. */
static uint8_t lap_of(uint32_t number) { return (uint8_t)(number / SLOTS) << 4; }

uint8_t journal_find(uint32_t number, roll_t *roll) {
    uint8_t bytes[ROLL_BLOCK];
    if (!is_loaded(slot_of(number), bytes, ROLL_BLOCK, crc_of(number))) return 0;
    if ((bytes[0] & 0xF0) != lap_of(number)) return 0;
    roll->number = number;
    roll->what = bytes[0] & 0x0F;
    roll->faces = bytes[1];
    memcpy(roll->salt, bytes + 2, SALT_SIZE);
    return dice_is_kind(roll->what);
}

/* Nine bytes at 3.4 ms each: this is what a roll waits for, and one more if the cup had no time to
 * spoil the mark before. The first of them is known before the dice are, and written while they are
 * hashed. The mark comes last, so that a roll interrupted by a power cut was never made; nor has it
 * been sent. */
static void begin_to_keep(const roll_t *roll) {
    spoil_slot(roll->number);
    hal_store(slot_of(roll->number), roll->what | lap_of(roll->number));
}

static void keep_roll(const roll_t *roll) {
    uint8_t bytes[ROLL_SIZE] = {roll->what | lap_of(roll->number), roll->faces};
    memcpy(bytes + 2, roll->salt, SALT_SIZE);
    finish(bytes, ROLL_BLOCK, crc_of(roll->number));
    for (uint8_t i = 1; i < sizeof bytes; i++) hal_store(slot_of(roll->number) + i, bytes[i]);
}

/* The ring must never run past the newest checkpoint: the count would start again there. Rolls in
 * quick succession leave no time for a separate checkpoint, so each writes one byte of it. */
static void keep_up(journal_t *journal) {
    uint32_t behind = journal->number - safe_number;
    if (behind <= CHECKPOINT) return;
    if (!journal_is_busy()) keep_chain(journal, THEN_SAFE);
    journal_step(journal);
    if (behind >= SLOTS - 2) hurry(journal);
}

void journal_roll(journal_t *journal, roll_t *roll) {
    keep_up(journal);
    roll->number = journal->number + 1;
    begin_to_keep(roll);
    dice_roll(&journal->key, roll);
    keep_roll(roll);
    journal->number = roll->number;
    dice_chain(journal->chain, roll); /* 4 ms, the last byte's 3.4 among them */
    hal_load(slot_of(roll->number));  /* waits until it is written, should it take longer */
    if (journal->number % CHECKPOINT == 0 && !journal_is_busy()) keep_chain(journal, THEN_SAFE);
}

/* Uses the checkpoint if it is newer than the known one; 1 if it belongs to the match in play. */
static uint8_t load_chain(journal_t *journal, uint8_t which, uint8_t is_known) {
    uint8_t block[CHAIN_BLOCK];
    if (!is_loaded(AT_CHAIN + which * STRIDE, block, CHAIN_BLOCK, BLOCK_CRC)) return is_known;
    uint8_t is_ours = get16(block) == journal->match;
    uint32_t number = get32(block + 2);
    if (number < journal->number || (number == journal->number && is_known)) return is_known;
    journal->number = number;
    memcpy(journal->chain, block + 6, HASH_SIZE);
    next_chain = which ^ 1;
    return is_ours;
}

static uint8_t load_rolls(journal_t *journal) {
    roll_t roll;
    journal->number = safe_number = 0;
    next_chain = 0;
    uint8_t is_known = load_chain(journal, 0, 0);
    is_known = load_chain(journal, 1, is_known);
    safe_number = journal->number;
    while (journal_find(journal->number + 1, &roll)) {
        journal->number = roll.number;
        dice_chain(journal->chain, &roll);
    }
    return is_known;
}

static phase_t phase_of(uint8_t word) {
    switch (word) {
    case WORD_COMMITTED: return PHASE_COMMITTED;
    case WORD_SEALED: return PHASE_SEALED;
    case WORD_REVEALED: return PHASE_REVEALED;
    default: return PHASE_NONE;
    }
}

static void load_seed(journal_t *journal, uint8_t which) {
    uint8_t block[SEED_BLOCK], word = word_of(which);
    phase_t phase = phase_of(word);
    if (is_word(word)) set_word(which, word); /* what a power cut left of a copy */
    if (!is_loaded(AT_SEED + which * STRIDE, block, SEED_BLOCK, BLOCK_CRC)) return;
    if (phase == PHASE_NONE || get16(block) < journal->match) return;
    journal->match = get16(block);
    journal->phase = phase;
    memcpy(journal->seed, block + 2, HASH_SIZE);
}

static uint8_t finds_prepared(const journal_t *journal) {
    uint8_t block[SEED_BLOCK], which = ~journal->match & 1;
    if (word_of(which) != WORD_PREPARED) return 0;
    return is_loaded(AT_SEED + which * STRIDE, block, SEED_BLOCK, BLOCK_CRC)
           && get16(block) == (uint16_t)(journal->match + 1);
}

static uint8_t load_seal(journal_t *journal) {
    uint8_t block[SEAL_BLOCK];
    if (!is_loaded(AT_SEAL, block, SEAL_BLOCK, BLOCK_CRC)) return 0;
    if (get16(block) != journal->match) return 0;
    journal->first = get32(block + 2);
    dice_key(journal->seed, block + 6, &journal->key);
    return 1;
}

uint8_t journal_load(journal_t *journal) {
    later_count = later_done = 0;
    memset(journal, 0, sizeof *journal);
    load_seed(journal, 0);
    load_seed(journal, 1);
    if (journal->phase != PHASE_NONE) dice_commitment(journal->seed, journal->commitment);
    journal->is_prepared = finds_prepared(journal);
    uint8_t has_chain = load_rolls(journal);
    if (journal->phase < PHASE_SEALED || (load_seal(journal) && has_chain)) return 1;
    journal->phase = PHASE_NONE;
    return 0;
}

void journal_unit(uint8_t unit[UNIT_SIZE]) {
    for (uint8_t i = 0; i < UNIT_SIZE; i++) unit[i] = hal_load(AT_UNIT + i);
}

uint8_t journal_has_unit(void) {
    uint8_t unit[UNIT_SIZE];
    return is_loaded(AT_UNIT, unit, UNIT_SIZE, BLOCK_CRC);
}

void journal_set_unit(const uint8_t unit[UNIT_SIZE]) {
    uint8_t block[UNIT_SIZE + 3];
    memcpy(block, unit, UNIT_SIZE);
    finish(block, UNIT_SIZE, BLOCK_CRC);
    hal_store(AT_UNIT + UNIT_SIZE + 2, MARK_SPOILED);
    for (uint8_t i = 0; i < sizeof block; i++) hal_store(AT_UNIT + i, block[i]);
}

uint16_t journal_count_start(void) {
    uint16_t starts = (hal_load(AT_STARTS) | (uint16_t)(hal_load(AT_STARTS + 1) << 8)) + 1;
    hal_store(AT_STARTS, (uint8_t)starts);
    hal_store(AT_STARTS + 1, (uint8_t)(starts >> 8));
    return starts;
}

void journal_prepare(journal_t *journal, const uint8_t seed[HASH_SIZE]) {
    uint8_t which = ~journal->match & 1;
    hurry(journal);
    set_word(which, WORD_EMPTY);
    put16(later, journal->match + 1);
    memcpy(later + 2, seed, HASH_SIZE);
    write_later(AT_SEED + which * STRIDE, SEED_BLOCK, THEN_PREPARED);
}

uint8_t journal_commit(journal_t *journal) {
    uint8_t block[SEED_BLOCK];
    journal->is_prepared = 0;
    if (!is_loaded(AT_SEED + (~journal->match & 1) * STRIDE, block, SEED_BLOCK, BLOCK_CRC)) return 0;
    journal->match++;
    memcpy(journal->seed, block + 2, HASH_SIZE);
    dice_commitment(journal->seed, journal->commitment);
    set_phase(journal, WORD_COMMITTED, PHASE_COMMITTED);
    return 1;
}

void journal_seal(journal_t *journal, const uint8_t nonces[HASH_SIZE]) {
    hurry(journal);
    journal->first = journal->number;
    dice_chain_start(journal->commitment, nonces, journal->chain);
    put16(later, journal->match);
    put32(later + 2, journal->first);
    memcpy(later + 6, nonces, HASH_SIZE);
    write_later(AT_SEAL, SEAL_BLOCK, THEN_CHAIN);
}

void journal_reveal(journal_t *journal) { set_phase(journal, WORD_REVEALED, PHASE_REVEALED); }

uint8_t journal_works(void) {
    uint8_t turned = (uint8_t)~hal_load(AT_SCRATCH);
    hal_store(AT_SCRATCH, turned);
    return hal_load(AT_SCRATCH) == turned;
}
