/* A serial line over USB (CDC-ACM), by polling: nothing happens outside usb_poll. */
#ifndef PICO_USB_H
#define PICO_USB_H

#include <stdint.h>

void usb_begin(void);
void usb_poll(void);
/* Whether a byte has arrived, which then is in `byte`. */
uint8_t usb_take(uint8_t *byte);
/* Whether a program has the line open. */
uint8_t usb_is_open(void);
/* Queues the bytes if all have room. */
uint8_t usb_put(const uint8_t *bytes, uint16_t count);

#endif
