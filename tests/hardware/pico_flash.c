/* The flash of a Pico in RAM, for store.c: erasing sets bits, programming clears them, and a power
 * cut leaves any part of either. */
#include <string.h>

#include "store.h"

uint8_t pico_flash[STORE_SECTORS * STORE_SECTOR];
const volatile uint8_t *flash_begin = pico_flash;
uint32_t pico_steps_left = 0xFFFFFFFFu; /* a power cut after so many */
uint8_t pico_is_cut;
uint32_t pico_chance = 1, pico_erased;

static uint32_t random_bits(void) {
    pico_chance ^= pico_chance << 13;
    pico_chance ^= pico_chance >> 17;
    return pico_chance ^= pico_chance << 5;
}

/* Which of `wanted` bits change: all, or any if the power is cut now, or none after that. */
static uint8_t changed(uint8_t wanted) { return pico_is_cut ? wanted & (uint8_t)random_bits() : wanted; }

static uint8_t is_dark(void) {
    if (pico_is_cut) return 1;
    if (!pico_steps_left) pico_is_cut = 1;
    else pico_steps_left--;
    return 0;
}

void flash_erase(uint32_t offset) {
    if (is_dark()) return;
    pico_erased++;
    for (uint32_t i = 0; i < STORE_SECTOR; i++)
        pico_flash[offset + i] |= changed((uint8_t)~pico_flash[offset + i]);
}

void flash_program(uint32_t offset, const uint8_t page[STORE_PAGE]) {
    if (is_dark()) return;
    for (uint32_t i = 0; i < STORE_PAGE; i++)
        pico_flash[offset + i] &= (uint8_t)~changed(pico_flash[offset + i] & (uint8_t)~page[i]);
}

/* Stores bytes until the power is cut; the number that were. */
uint32_t pico_store_all(const uint16_t *addresses, const uint8_t *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        store_store(addresses[i], values[i]);
        if (pico_is_cut) return i;
        store_rest();
        if (pico_is_cut) return i + 1;
    }
    return count;
}

void pico_switch_on(uint32_t steps) {
    pico_is_cut = 0;
    pico_steps_left = steps;
    store_begin();
}
