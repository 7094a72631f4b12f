/* What the cup's logic needs of its hardware: avr/ provides it for the ATmega328P, the tests
 * provide it on a desktop. Nothing in core/ knows of registers. */
#ifndef CUP_HAL_H
#define CUP_HAL_H

#include <stdint.h>

#ifdef __AVR__
#include <avr/pgmspace.h>
#define ROM PROGMEM
#define ROM_BYTE(p) pgm_read_byte(p)
#define ROM_WORD(p) pgm_read_word(p)
#define ROM_LONG(p) pgm_read_dword(p)
#else
#define ROM
#define ROM_BYTE(p) (*(const uint8_t *)(p))
#define ROM_WORD(p) (*(const uint16_t *)(p))
#define ROM_LONG(p) (*(const uint32_t *)(p))
#endif

uint32_t hal_millis(void);
/* Called in every longer computation; a cup that stops calling it is reset. */
void hal_alive(void);
/* Starts writing the byte, which takes 3.4 ms; the next hal_store or hal_load waits for it. Writing
 * the value that is already there costs no wear. */
void hal_store(uint16_t address, uint8_t value);
uint8_t hal_load(uint16_t address);
/* Whether the next hal_store or hal_load would have to wait. */
uint8_t hal_is_writing(void);
void hal_send(const uint8_t *bytes, uint8_t count);
void hal_lamp(uint8_t colour, uint8_t blinks);
void hal_show(uint8_t first, uint8_t second);
void hal_player(uint8_t player);
uint16_t hal_battery_mv(void);
/* The bits of MCUSR at the last start. */
uint8_t hal_reset_cause(void);
uint16_t hal_overruns(void);

#endif
