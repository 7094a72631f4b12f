/* The cup on an ATmega328P at 16 MHz; hardware/firmware/README.md has the pins and the parts. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/atomic.h>

#include "../core/cup.h"
#include "../core/hal.h"
#include "../core/sensors.h"

#define BAUD_DIVISOR 7 /* 250,000 baud at double speed, exactly */
#define NOISE_MS 4      /* between two samples of the open pin */
#define BATTERY_MS 2000
#define EEPROM_MS 10    /* a byte takes 3.4; more than this and the EEPROM is broken */

static uint8_t reset_cause __attribute__((section(".noinit")));

static volatile uint8_t received[128], received_in, received_out;
static volatile uint8_t sending[128], sending_in, sending_out;
static volatile uint16_t overruns;
static volatile uint32_t millis;
static volatile uint8_t beats[4], beats_in, beats_out;
static uint16_t battery = 5000;

/* Before main: the watchdog is still on after it has reset the chip. */
void keep_reset_cause(void) __attribute__((naked, used, section(".init3")));
void keep_reset_cause(void) {
    reset_cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

ISR(USART_RX_vect) {
    uint8_t status = UCSR0A, byte = UDR0, next = (received_in + 1) & 127;
    if (status & (1 << DOR0 | 1 << FE0) || next == received_out) overruns++;
    if (next == received_out) return;
    received[received_in] = byte;
    received_in = next;
}

ISR(USART_UDRE_vect) {
    if (sending_in == sending_out) {
        UCSR0B &= (uint8_t)~(1 << UDRIE0);
        return;
    }
    UDR0 = sending[sending_out];
    sending_out = (sending_out + 1) & 127;
}

ISR(TIMER0_COMPA_vect) { millis++; }

/* The watchdog's oscillator is no crystal: where it falls between Timer1's ticks is noise. */
ISR(WDT_vect) {
    beats[beats_in] = TCNT1L;
    beats_in = (beats_in + 1) & 3;
    WDTCSR &= (uint8_t)~(1 << WDIE); /* the chip does so itself; an emulator may not */
}

uint32_t hal_millis(void) {
    uint32_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = millis; }
    return now;
}

/* The next beat interrupts again; without this it would reset the chip. */
void hal_alive(void) { WDTCSR |= 1 << WDIE; }

static uint8_t eeprom_is_free(void) {
    uint32_t begun = hal_millis();
    while (EECR & (1 << EEPE)) {
        hal_alive();
        if (hal_millis() - begun > EEPROM_MS) return 0;
    }
    return 1;
}

uint8_t hal_is_writing(void) { return EECR & (1 << EEPE) ? 1 : 0; }

uint8_t hal_load(uint16_t address) {
    if (!eeprom_is_free()) return 0xFF;
    EEAR = address;
    EECR |= 1 << EERE;
    return EEDR;
}

void hal_store(uint16_t address, uint8_t value) {
    if (hal_load(address) == value || !eeprom_is_free()) return;
    EEAR = address;
    EEDR = value;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        EECR = 1 << EEMPE;
        EECR |= 1 << EEPE;
    }
}

void hal_send(const uint8_t *bytes, uint8_t count) {
    while (count--) {
        uint8_t next = (sending_in + 1) & 127;
        while (next == sending_out) hal_alive();
        sending[sending_in] = *bytes++;
        sending_in = next;
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { UCSR0B |= 1 << UDRIE0; }
    }
}

static struct {
    uint8_t colour, blinks;
} lamp;

void hal_lamp(uint8_t colour, uint8_t blinks) {
    lamp.colour = colour;
    lamp.blinks = blinks;
}

static void light_lamp(uint8_t now) {
    uint8_t is_on = !lamp.blinks || now & 128;
    PORTD = (PORTD & 0x1F) | (uint8_t)((is_on ? lamp.colour : 0) << 5);
}

void hal_player(uint8_t player) {
    PORTC = (PORTC & (uint8_t)~0x06) | (uint8_t)((player & 1) << 1 | (player & 2) << 1);
}

/* Seven lamps a die: bits 0-6 are top left, top right, middle left, middle, middle right,
 * bottom left, bottom right. */
static const uint8_t PIPS[7] PROGMEM = {0x00, 0x08, 0x41, 0x49, 0x63, 0x6B, 0x77};

static void shift_out(uint8_t lamps) {
    SPDR = lamps;
    while (!(SPSR & (1 << SPIF))) {
    }
}

void hal_show(uint8_t first, uint8_t second) {
    shift_out(pgm_read_byte(&PIPS[second % 7]));
    shift_out(pgm_read_byte(&PIPS[first % 7]));
    PORTB |= 1 << PB2;
    PORTB &= (uint8_t)~(1 << PB2);
}

uint16_t hal_battery_mv(void) { return battery; }
uint8_t hal_reset_cause(void) { return reset_cause; }

uint16_t hal_overruns(void) {
    uint16_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = overruns; }
    return now;
}

enum { OPEN_PIN = 1 << REFS0 | 0, BAND_GAP = 1 << REFS0 | 14 };

static uint16_t converted(uint8_t channel) {
    ADMUX = channel;
    ADCSRA |= 1 << ADSC;
    while (ADCSRA & (1 << ADSC)) {
    }
    return ADC;
}

/* The supply, from the band gap of 1.1 V: the first conversions after it is chosen are wrong. */
static void look_at_battery(void) {
    uint16_t level = 0;
    for (uint8_t i = 0; i < 8; i++) level = converted(BAND_GAP);
    if (level) battery = (uint16_t)(1100UL * 1023 / level);
    converted(OPEN_PIN);
}

static uint8_t pins_now(void) {
    uint8_t down = (uint8_t)~PIND;
    return (down & (1 << PD3) ? 0 : PIN_LIFTED) | (down & (1 << PD2) ? PIN_RATTLE : 0)
           | (down & (1 << PD4) ? PIN_TILTED : 0);
}

static void begin(void) {
    DDRB = 1 << PB2 | 1 << PB3 | 1 << PB5;
    DDRC = 1 << PC1 | 1 << PC2;
    DDRD = 1 << PD1 | 1 << PD5 | 1 << PD6 | 1 << PD7;
    PORTD = 1 << PD2 | 1 << PD3 | 1 << PD4;
    SPCR = 1 << SPE | 1 << MSTR;
    UCSR0A = 1 << U2X0;
    UBRR0 = BAUD_DIVISOR;
    UCSR0C = 1 << UCSZ01 | 1 << UCSZ00;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0 | 1 << RXCIE0;
    TCCR0A = 1 << WGM01;
    TCCR0B = 1 << CS01 | 1 << CS00;
    OCR0A = 249; /* 16 MHz / 64 / 250 = 1 kHz */
    TIMSK0 = 1 << OCIE0A;
    TCCR1B = 1 << CS10; /* 16 MHz, round and round */
    ADCSRA = 1 << ADEN | 1 << ADPS2 | 1 << ADPS1 | 1 << ADPS0;
    cli();
    wdt_reset();
    WDTCSR = 1 << WDCE | 1 << WDE;
    WDTCSR = 1 << WDIE | 1 << WDE; /* 16 ms: first it interrupts, then it resets */
    sei();
}

static void every_millisecond(uint8_t now) {
    static uint16_t battery_in = BATTERY_MS;
    cup_pins(pins_now());
    light_lamp(now);
    if (now % NOISE_MS == 0) cup_noise(SOURCE_NOISE, (uint8_t)converted(OPEN_PIN));
    if (--battery_in) return;
    battery_in = BATTERY_MS;
    look_at_battery();
}

static void take_beat(void) {
    static uint8_t before;
    uint8_t now = beats[beats_out];
    beats_out = (beats_out + 1) & 3;
    cup_noise(SOURCE_CLOCK, now - before);
    before = now;
}

int main(void) {
    uint32_t done;
    begin();
    look_at_battery();
    cup_begin();
    done = hal_millis();
    for (;;) {
        hal_alive();
        for (; done != hal_millis(); done++) every_millisecond((uint8_t)done);
        while (beats_out != beats_in) take_beat();
        while (received_out != received_in) {
            uint8_t byte = received[received_out];
            received_out = (received_out + 1) & 127;
#ifdef CUP_CAN_HANG
            if (byte == 0xA7) for (;;) {} /* a build for one test only */
#endif
            cup_byte(byte);
        }
        cup_work();
        sleep_mode();
    }
}
