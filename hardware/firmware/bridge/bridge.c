/* The cup's firmware in simavr, with its serial line on a pseudo terminal.
 *
 *   bridge ELF LINK [--eeprom FILE] [--speed X] [--seed N] [--trace FILE]
 *
 * LINK becomes a symbolic link to the terminal. FILE holds the EEPROM, mapped, so that killing the
 * bridge is a power cut. --speed 1 is real time, 0 as fast as it goes. The trace tells at which
 * cycle each 0x00 went in and came out. On standard input, a word a line:
 *
 *   lift down shake pour      what hands do with the cup
 *   noise good|stuck|biased   the open pin;  clock good|stuck  the watchdog's oscillator
 *   supply MILLIVOLTS         the battery
 *   unplug plug               the cable; the cup runs on
 *   reset quit                the reset pin; the end
 *
 * This program links libsimavr and is therefore under the GNU General Public License, version 3 or
 * later. It is a tool of the tests, and no part of Tableside or of the firmware. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "avr_adc.h"
#include "avr_eeprom.h"
#include "avr_extint.h"
#include "avr_ioport.h"
#include "avr_uart.h"
#include "avr_watchdog.h"
#include "sim_avr.h"
#include "sim_elf.h"
#include "sim_io.h"

#define HERTZ 16000000UL
#define SLICE (HERTZ / 1000)
#define BYTE_CYCLES (10 * HERTZ / 250000)
#define EEPROM_CYCLES (HERTZ / 10000 * 34) /* 3.4 ms; simavr 1.6 writes at once */
#define EEPROM_SIZE 1024
#define BEAT_CYCLES (16 * SLICE)
#define WDTCSR_ADDRESS 0x60
#define EECR_ADDRESS 0x3F
#define EEPE_BIT 1

enum { RATTLE = 2, CONTACT = 3, TILT = 4 }; /* bits of port D, low when closed */
#define SWITCHES (1 << RATTLE | 1 << CONTACT | 1 << TILT)

static avr_t *avr;
static avr_irq_t *uart_in;
static avr_watchdog_t *watchdog;
static int master = -1, slave = -1, is_stopped, is_over;
static const char *link_path;
static uint8_t waiting[4096];
static int waiting_from, waiting_to;
static FILE *trace;
static int is_noise_good = 1, is_noise_biased, is_clock_good = 1;
static uint64_t chance = 88172645463325252ull;

static uint32_t random_below(uint32_t most) {
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (uint32_t)(chance >> 33) % most;
}

static void fail(const char *what) {
    fprintf(stderr, "bridge: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void note(const char *way) {
    if (!trace) return;
    fprintf(trace, "%s %llu\n", way, (unsigned long long)avr->cycle);
    fflush(trace);
}

/* ---- the line ---- */

static void plug(void) {
    char name[128];
    struct termios raw;
    if (master >= 0) return;
    if (openpty(&master, &slave, name, NULL, NULL)) fail("no pseudo terminal");
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    fcntl(master, F_SETFL, O_NONBLOCK);
    unlink(link_path);
    if (symlink(name, link_path)) fail(link_path);
    printf("pty %s\n", name);
    fflush(stdout);
}

static void unplug(void) {
    if (master < 0) return;
    unlink(link_path);
    close(slave);
    close(master);
    master = slave = -1;
    waiting_from = waiting_to = 0;
}

static void on_output(avr_irq_t *irq, uint32_t value, void *param) {
    uint8_t byte = (uint8_t)value;
    (void)irq, (void)param;
    /* A full terminal drops, like a line that nobody listens to. */
    if (master >= 0 && write(master, &byte, 1) < 0 && errno != EAGAIN) errno = 0;
    if (!byte) note("out");
}

static avr_cycle_count_t fed_at;

static avr_cycle_count_t feed(avr_t *of, avr_cycle_count_t when, void *param) {
    (void)of, (void)param;
    fed_at = avr->cycle;
    if (waiting_from == waiting_to) return 0;
    if (!is_stopped) {
        uint8_t byte = waiting[waiting_from++];
        avr_raise_irq(uart_in, byte);
        if (!byte) note("in");
    }
    return when + BYTE_CYCLES;
}

static void listen_line(void) {
    /* A reset of the chip forgets every timer, this one too. */
    if (waiting_from != waiting_to && avr->cycle > fed_at + SLICE) {
        is_stopped = 0;
        avr_cycle_timer_register(avr, BYTE_CYCLES, feed, NULL);
    }
    if (master < 0 || waiting_from != waiting_to) return;
    ssize_t got = read(master, waiting, sizeof waiting);
    if (got <= 0) return;
    waiting_from = 0;
    waiting_to = (int)got;
    fed_at = avr->cycle;
    avr_cycle_timer_register(avr, BYTE_CYCLES, feed, NULL);
}

static void on_xon(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)value, (void)param;
    is_stopped = 0;
}

static void on_xoff(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)value, (void)param;
    is_stopped = 1;
}

/* ---- the chip's surroundings ---- */

static void *find_part(const char *kind) {
    for (avr_io_t *io = avr->io_port; io; io = io->next)
        if (!strcmp(io->kind, kind)) return io;
    fprintf(stderr, "bridge: this simavr has no %s\n", kind);
    exit(1);
}

static avr_cycle_count_t eeprom_done(avr_t *of, avr_cycle_count_t when, void *param) {
    (void)when, (void)param;
    of->data[EECR_ADDRESS] &= (uint8_t) ~(1 << EEPE_BIT);
    return 0;
}

/* Keeps "being written" up for as long as a real EEPROM would. */
static void on_eecr(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    /* Also called when the register is read; simavr has cleared the bit only after a write. */
    if (!(value & (1 << EEPE_BIT)) || avr->data[EECR_ADDRESS] & (1 << EEPE_BIT)) return;
    avr->data[EECR_ADDRESS] |= 1 << EEPE_BIT;
    avr_cycle_timer_register(avr, EEPROM_CYCLES, eeprom_done, NULL);
}

/* The watchdog's oscillator is not the crystal: simavr takes the length of the next beat from here,
 * and resets it at each write. */
static void on_wdtcsr(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)value, (void)param;
    watchdog->cycle_count = BEAT_CYCLES + (is_clock_good ? random_below(512) : 0);
}

static void on_conversion(avr_irq_t *irq, uint32_t value, void *param) {
    uint32_t level = 2500;
    (void)irq, (void)value, (void)param;
    if (is_noise_good) level = 2000 + random_below(1000);
    else if (is_noise_biased) level = random_below(10) ? 2500 : 2000 + random_below(1000);
    avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0), level);
}

static uint8_t closed;

/* Without the external level, simavr would raise a closed switch's pin, for its pull-up, at each
 * write to the port: the firmware writes its lamp there every millisecond. */
static void hold_pins(void) {
    avr_ioport_external_t level = {.name = 'D', .mask = SWITCHES, .value = (uint8_t)~closed};
    /* Two of the pins could interrupt, which the cup does not use. While one is low, simavr would
     * else look at it in every cycle, also while the chip sleeps; a reset makes it do so again. */
    for (uint8_t number = 0; number < 2; number++) avr_extint_set_strict_lvl_trig(avr, number, 0);
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL('D'), &level);
    for (int pin = RATTLE; pin <= TILT; pin++)
        avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), pin), !(closed >> pin & 1));
}

static void set_pin(int pin, int is_closed) {
    closed = (uint8_t)(is_closed ? closed | 1 << pin : closed & ~(1 << pin));
    hold_pins();
}

/* The level changes left in a shake: one every 12 ms, each with a bounce of 1 ms. */
static int shakes_left;
static avr_cycle_count_t rattle(avr_t *of, avr_cycle_count_t when, void *param) {
    (void)of, (void)param;
    set_pin(RATTLE, shakes_left & 1);
    return --shakes_left > 0 ? when + 12 * SLICE : 0;
}

static avr_cycle_count_t upright(avr_t *of, avr_cycle_count_t when, void *param) {
    (void)of, (void)when, (void)param;
    set_pin(TILT, 0);
    return 0;
}

static void load_eeprom(const char *path) {
    avr_eeprom_t *eeprom = find_part("eeprom");
    int fd = open(path, O_RDWR | O_CREAT, 0644);
    if (fd < 0) fail(path);
    off_t size = lseek(fd, 0, SEEK_END);
    for (; size < EEPROM_SIZE; size++)
        if (write(fd, "\xff", 1) != 1) fail(path);
    uint8_t *mapped = mmap(NULL, EEPROM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) fail(path);
    eeprom->eeprom = mapped;
}

static void connect_all(void) {
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT),
                            on_output, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON),
                            on_xon, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF),
                            on_xoff, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER),
                            on_conversion, NULL);
    avr_irq_register_notify(avr_iomem_getirq(avr, EECR_ADDRESS, "eecr", AVR_IOMEM_IRQ_ALL),
                            on_eecr, NULL);
    avr_irq_register_notify(avr_iomem_getirq(avr, WDTCSR_ADDRESS, "wdtcsr", AVR_IOMEM_IRQ_ALL),
                            on_wdtcsr, NULL);
    watchdog = find_part("watchdog");
}

static void rest_pins(void) {
    set_pin(RATTLE, 0);
    set_pin(CONTACT, 1);
    set_pin(TILT, 0);
}

/* ---- what is said on standard input ---- */

static void obey(const char *word) {
    int number;
    if (!strcmp(word, "lift")) set_pin(CONTACT, 0);
    else if (!strcmp(word, "down")) set_pin(CONTACT, 1);
    else if (!strcmp(word, "shake")) {
        shakes_left = 14;
        avr_cycle_timer_register(avr, SLICE, rattle, NULL);
    } else if (!strcmp(word, "pour")) {
        set_pin(TILT, 1);
        avr_cycle_timer_register(avr, 200 * SLICE, upright, NULL);
    } else if (!strncmp(word, "noise ", 6)) {
        is_noise_good = !strcmp(word + 6, "good");
        is_noise_biased = !strcmp(word + 6, "biased");
    } else if (!strncmp(word, "clock ", 6)) is_clock_good = !strcmp(word + 6, "good");
    else if (sscanf(word, "supply %d", &number) == 1) avr->vcc = avr->avcc = (uint32_t)number;
    else if (!strcmp(word, "unplug")) unplug();
    else if (!strcmp(word, "plug")) plug();
    else if (!strcmp(word, "reset")) {
        avr_reset(avr);
        rest_pins();
    } else if (!strcmp(word, "quit")) is_over = 1;
    else fprintf(stderr, "bridge: what is %s?\n", word);
}

static void listen_words(void) {
    static char line[128];
    static int count;
    char byte;
    ssize_t got;
    while ((got = read(STDIN_FILENO, &byte, 1)) == 1) {
        if (byte != '\n') {
            if (count < (int)sizeof line - 1) line[count++] = byte;
            continue;
        }
        line[count] = 0;
        count = 0;
        obey(line);
        printf("done %s\n", line);
        fflush(stdout);
    }
    if (got == 0) is_over = 1;
}

/* ---- time ---- */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void no_sleep(avr_t *of, avr_cycle_count_t how_long) { (void)of, (void)how_long; }

static void run(double speed) {
    double begun = seconds();
    avr_cycle_count_t end = avr->cycle, base = avr->cycle;
    while (!is_over) {
        end += SLICE;
        listen_line();
        listen_words();
        hold_pins();
        while (avr->cycle < end) {
            int state = avr_run(avr);
            if (state == cpu_Done || state == cpu_Crashed) {
                fprintf(stderr, "bridge: the firmware crashed\n");
                exit(3);
            }
        }
        if (speed <= 0) continue;
        double due = begun + (double)(avr->cycle - base) / (double)HERTZ / speed;
        double early = due - seconds();
        if (early > 0.0005) usleep((useconds_t)(early * 1e6));
        else if (early < -0.1) begun = seconds() - (double)(avr->cycle - base) / (double)HERTZ / speed;
    }
}

int main(int count, char **given) {
    elf_firmware_t firmware = {0};
    const char *eeprom = NULL;
    double speed = 1;
    if (count < 3) return fprintf(stderr, "bridge ELF LINK [options]\n"), 2;
    for (int i = 3; i + 1 < count; i += 2) {
        if (!strcmp(given[i], "--eeprom")) eeprom = given[i + 1];
        else if (!strcmp(given[i], "--speed")) speed = atof(given[i + 1]);
        else if (!strcmp(given[i], "--seed")) chance ^= strtoull(given[i + 1], NULL, 0) * 0x9E3779B97F4A7C15ull;
        else if (!strcmp(given[i], "--trace")) trace = fopen(given[i + 1], "w");
        else return fprintf(stderr, "bridge: what is %s?\n", given[i]), 2;
    }
    link_path = given[2];
    if (elf_read_firmware(given[1], &firmware)) return fprintf(stderr, "bridge: no firmware\n"), 1;
    avr = avr_make_mcu_by_name("atmega328p");
    avr_init(avr);
    avr->frequency = HERTZ;
    firmware.frequency = HERTZ;
    firmware.vcc = firmware.avcc = firmware.aref = 5000;
    avr_load_firmware(avr, &firmware);
    avr->sleep = no_sleep;
    avr->log = LOG_ERROR;
    avr->run_cycle_limit = SLICE;
    if (eeprom) load_eeprom(eeprom);
    connect_all();
    rest_pins();
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    signal(SIGPIPE, SIG_IGN);
    plug();
    run(speed);
    unlink(link_path);
    return 0;
}
