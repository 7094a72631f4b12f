/* The cup on a Raspberry Pi Pico (RP2040); hardware/firmware/README.md has the pins. */
#include "../core/cup.h"
#include "../core/hal.h"
#include "../core/sensors.h"
#include "registers.h"
#include "store.h"
#include "usb.h"

enum { PIN_BALL = 2, PIN_BASE = 3, PIN_TILT = 4, PIN_RED = 6, PIN_GREEN = 7, PIN_BLUE = 8,
       PIN_LIGHT = 10, PIN_DARK = 11, PIN_LATCH = 17, PIN_CLOCK = 18, PIN_DATA = 19,
       PIN_NOISE = 26, PIN_SUPPLY = 29 };
enum { CHANNEL_NOISE = PIN_NOISE - 26, CHANNEL_SUPPLY = PIN_SUPPLY - 26 };

#define NOISE_MS 4       /* between two samples of the open pin */
#define BATTERY_MS 2000
#define BIT_US 2         /* between two random bits: a dozen periods of their oscillator */
#define SEND_MS 50       /* how long a frame waits for a program that does not read */
#define WATCHDOG_US 1000000u /* more than erasing a sector takes */

static uint16_t battery = 5000;
static uint8_t reset_cause;
static uint32_t overruns;

static uint32_t micros(void) { return AT(TIMER_LOW); }

uint32_t hal_millis(void) {
    uint32_t high, low;
    do {
        high = AT(TIMER_HIGH);
        low = AT(TIMER_LOW);
    } while (high != AT(TIMER_HIGH));
    return (uint32_t)(((uint64_t)high << 32 | low) / 1000);
}

/* The watchdog counts down twice in a microsecond (erratum RP2040-E1). */
void hal_alive(void) {
    AT(WATCHDOG_LOAD) = 2 * WATCHDOG_US;
    usb_poll();
}

/* ---- memory ---- */

uint8_t hal_is_writing(void) { return 0; }
uint8_t hal_load(uint16_t address) { return store_load(address); }

void hal_store(uint16_t address, uint8_t value) {
    hal_alive();
    store_store(address, value);
}

/* ---- the line ---- */

void hal_send(const uint8_t *bytes, uint8_t count) {
    uint32_t begun = hal_millis();
    if (!usb_is_open()) return;
    while (!usb_put(bytes, count)) {
        hal_alive();
        if (hal_millis() - begun < SEND_MS) continue;
        overruns++;
        return;
    }
}

uint16_t hal_overruns(void) { return (uint16_t)overruns; }

/* ---- lamps ---- */

static struct {
    uint8_t colour, blinks;
} lamp;

static void set_pin(uint32_t pin, uint32_t is_high) {
    AT(is_high ? SIO_OUT_SET : SIO_OUT_CLEAR) = BIT(pin);
}

void hal_lamp(uint8_t colour, uint8_t blinks) {
    lamp.colour = colour;
    lamp.blinks = blinks;
}

static void light_lamp(uint32_t now) {
    uint8_t colour = !lamp.blinks || now & 128 ? lamp.colour : 0;
    set_pin(PIN_RED, colour & 1);
    set_pin(PIN_GREEN, colour & 2);
    set_pin(PIN_BLUE, colour & 4);
}

void hal_player(uint8_t player) {
    set_pin(PIN_LIGHT, player & 1);
    set_pin(PIN_DARK, player & 2);
}

/* Seven lamps a die, as in avr/main.c. */
static const uint8_t PIPS[7] = {0x00, 0x08, 0x41, 0x49, 0x63, 0x6B, 0x77};

static void shift_out(uint8_t lamps) {
    for (uint8_t bit = 0x80; bit; bit >>= 1) {
        set_pin(PIN_DATA, lamps & bit);
        set_pin(PIN_CLOCK, 1);
        set_pin(PIN_CLOCK, 0);
    }
}

void hal_show(uint8_t first, uint8_t second) {
    shift_out(PIPS[second % 7]);
    shift_out(PIPS[first % 7]);
    set_pin(PIN_LATCH, 1);
    set_pin(PIN_LATCH, 0);
}

/* ---- supply, noise, switches ---- */

static uint16_t converted(uint32_t channel) {
    AT(ADC_CS) = ADC_ON | ADC_CHANNEL(channel);
    AT(ADC_CS) = ADC_ON | ADC_CHANNEL(channel) | ADC_START;
    while (!(AT(ADC_CS) & ADC_READY)) {
    }
    return (uint16_t)AT(ADC_RESULT);
}

/* The board has a third of its supply on this pin, against a reference of 3.3 V. */
static void look_at_battery(void) {
    battery = (uint16_t)(3UL * 3300 * converted(CHANNEL_SUPPLY) / 4095);
}

uint16_t hal_battery_mv(void) { return battery; }
uint8_t hal_reset_cause(void) { return reset_cause; }

/* Eight bits of the ring oscillator, which no crystal times. */
static uint8_t random_bits(void) {
    uint8_t bits = 0;
    for (uint8_t i = 0; i < 8; i++) {
        uint32_t begun = micros();
        while (micros() - begun < BIT_US) {
        }
        bits = (uint8_t)(bits << 1 | (AT(ROSC_RANDOMBIT) & 1));
    }
    return bits;
}

static uint8_t pins_now(void) {
    uint32_t pins = AT(SIO_IN);
    return (pins & BIT(PIN_BASE) ? PIN_LIFTED : 0) | (pins & BIT(PIN_BALL) ? 0 : PIN_RATTLE)
           | (pins & BIT(PIN_TILT) ? 0 : PIN_TILTED);
}

/* ---- start ---- */

static void begin_part(uint32_t part) {
    SET(RESETS_RESET) = part;
    CLEAR(RESETS_RESET) = part;
    while ((AT(RESETS_DONE) & part) != part) {
    }
}

/* Everything from the crystal: 12 MHz, and 48 MHz from the USB's PLL. The ring oscillator, which
 * the ROM started with, runs on for its random bits. */
static void begin_clocks(void) {
    AT(XOSC_STARTUP) = 47; /* 1 ms */
    AT(XOSC_CTRL) = XOSC_ON;
    while (!(AT(XOSC_STATUS) & XOSC_STABLE)) {
    }
    AT(CLK_REF_CTRL) = REF_FROM_XOSC;
    while (!(AT(CLK_REF_SELECTED) & BIT(REF_FROM_XOSC))) {
    }
    begin_part(RESET_PLL_USB);
    AT(PLL_FBDIV) = 100; /* 1,200 MHz, divided by 5 and 5 */
    CLEAR(PLL_PWR) = PLL_PD | PLL_VCO_PD;
    while (!(AT(PLL_CS) & PLL_LOCK)) {
    }
    AT(PLL_PRIM) = 5u << 16 | 5u << 12;
    CLEAR(PLL_PWR) = PLL_POSTDIV_PD;
    AT(CLK_SYS_CTRL) = AUX_PLL_USB;
    AT(CLK_SYS_CTRL) = AUX_PLL_USB | SYS_FROM_AUX;
    while (!(AT(CLK_SYS_SELECTED) & BIT(SYS_FROM_AUX))) {
    }
    AT(CLK_USB_CTRL) = CLK_ENABLE;
    AT(CLK_ADC_CTRL) = CLK_ENABLE;
    AT(WATCHDOG_TICK) = TICK_ENABLE | 12; /* a microsecond, for the timer and the watchdog */
}

/* As the AVR says it: 1 power, 2 reset pin, 8 watchdog. */
static void keep_reset_cause(void) {
    uint32_t cause = AT(CHIP_RESET);
    reset_cause = AT(WATCHDOG_REASON) ? 8 : cause & HAD_RUN ? 2 : cause & HAD_POR ? 1 : 0;
}

static void begin_watchdog(void) {
    CLEAR(WATCHDOG_CTRL) = WATCHDOG_ENABLE;
    AT(PSM_WDSEL) = PSM_ALL_BUT_OSCILLATORS;
    AT(WATCHDOG_LOAD) = 2 * WATCHDOG_US;
    SET(WATCHDOG_CTRL) = WATCHDOG_ENABLE;
}

static void begin_pins(void) {
    static const uint8_t switches[] = {PIN_BALL, PIN_BASE, PIN_TILT};
    static const uint8_t outputs[] = {PIN_RED, PIN_GREEN, PIN_BLUE, PIN_LIGHT, PIN_DARK, PIN_LATCH,
                                      PIN_CLOCK, PIN_DATA};
    begin_part(RESET_IO_BANK0 | RESET_PADS_BANK0);
    for (uint32_t i = 0; i < sizeof switches; i++) {
        AT(PAD(switches[i])) = PAD_INPUT | PAD_PULL_UP | PAD_SCHMITT;
        AT(IO_CTRL(switches[i])) = IO_SIO;
    }
    for (uint32_t i = 0; i < sizeof outputs; i++) {
        set_pin(outputs[i], 0);
        AT(SIO_ENABLE_SET) = BIT(outputs[i]);
        AT(PAD(outputs[i])) = PAD_INPUT | PAD_4MA;
        AT(IO_CTRL(outputs[i])) = IO_SIO;
    }
    /* The converter wants pins without pulls and without digital inputs. */
    AT(PAD(PIN_NOISE)) = PAD_OUTPUT_OFF;
    AT(PAD(PIN_SUPPLY)) = PAD_OUTPUT_OFF;
}

static void begin(void) {
    extern uint32_t ram_begin[];
    AT(VTOR) = (uint32_t)ram_begin;
    begin_clocks();
    keep_reset_cause();
    begin_watchdog();
    begin_part(RESET_TIMER | RESET_ADC | RESET_USB);
    AT(TIMER_INTE) = BIT(0);
    begin_pins();
    AT(ADC_CS) = ADC_ON;
    usb_begin();
    AT(NVIC_ENABLE) = BIT(IRQ_TIMER_0) | BIT(IRQ_USB);
    __asm volatile("cpsie i");
}

/* Both only wake the loop, which then does the work. */
void on_timer(void) { AT(TIMER_INTR) = BIT(0); }
void on_usb(void) { AT(NVIC_DISABLE) = BIT(IRQ_USB); }

static void every_millisecond(uint32_t now) {
    static uint16_t battery_in = BATTERY_MS;
    cup_pins(pins_now());
    light_lamp(now);
    cup_noise(SOURCE_CLOCK, random_bits());
    if (now % NOISE_MS == 0) cup_noise(SOURCE_NOISE, (uint8_t)converted(CHANNEL_NOISE));
    if (--battery_in) return;
    battery_in = BATTERY_MS;
    look_at_battery();
}

/* Until the next millisecond, or something on the bus. */
static void sleep(void) {
    uint32_t now = micros(), left = 1000 - now % 1000;
    if (left < 50) return; /* the alarm must not be over before the sleep begins */
    AT(TIMER_ALARM0) = now + left;
    AT(NVIC_ENABLE) = BIT(IRQ_USB);
    __asm volatile("wfi");
}

int main(void) {
    uint32_t done;
    begin();
    look_at_battery();
    store_begin();
    cup_begin();
    done = hal_millis();
    for (;;) {
        uint8_t byte;
        hal_alive();
        for (; done != hal_millis(); done++) every_millisecond(done);
        while (usb_take(&byte)) {
#ifdef CUP_CAN_HANG
            if (byte == 0xA7) for (;;) {} /* a build for one test only */
#endif
            cup_byte(byte);
        }
        cup_work();
        store_rest();
        sleep();
    }
}
