/* 1 KB that survives a power cut, byte by byte as in an EEPROM, kept in 16 sectors of a flash.
 *
 * Knows nothing of the RP2040: rom.c writes its flash, the tests write an array. */
#ifndef PICO_STORE_H
#define PICO_STORE_H

#include <stdint.h>

#define STORE_SIZE 1024
#define STORE_PAGE 256
#define STORE_SECTOR 4096
#define STORE_SECTORS 16

void store_begin(void);
uint8_t store_load(uint16_t address);
/* When it returns, the byte is kept; a power cut before that leaves the old one or the new one. */
void store_store(uint16_t address, uint8_t value);
/* Erases the next sector ahead of time, if that is due; call it when there is time for it. */
void store_rest(void);

/* The flash: offsets are from the first of the 16 sectors. */
extern const volatile uint8_t *flash_begin;
void flash_erase(uint32_t sector_offset);
/* Clears bits of one page; where `page` has 1, the flash stays as it is. */
void flash_program(uint32_t page_offset, const uint8_t page[STORE_PAGE]);

#endif
