/* What the cup's logic asks of the machine that it runs on: avr/ has it for the ATmega328P,
 * the tests for the desk. Nothing in core/ knows of registers. */
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
/* Called in every longer stretch of work; a cup that stops calling it is reset. */
void hal_alive(void);
/* The byte is being written on return, for 3.4 ms; the next call of either waits for that. A byte
 * that is there already costs no wear. */
void hal_store(uint16_t address, uint8_t value);
uint8_t hal_load(uint16_t address);
/* Whether the next call of either would have to wait. */
uint8_t hal_is_writing(void);
void hal_send(const uint8_t *bytes, uint8_t count);
void hal_lamp(uint8_t colour, uint8_t blinks);
void hal_show(uint8_t first, uint8_t second);
void hal_player(uint8_t player);
uint16_t hal_battery_mv(void);
/* Which bits of MCUSR the last start left. */
uint8_t hal_reset_cause(void);
uint16_t hal_overruns(void);

#endif
