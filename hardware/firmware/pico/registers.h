/* The registers of the RP2040 that the cup uses, as its datasheet numbers them. */
#ifndef PICO_REGISTERS_H
#define PICO_REGISTERS_H

#include <stdint.h>

#define AT(address) (*(volatile uint32_t *)(address))
/* A write to these addresses sets or clears the bits that are 1, and leaves the others. */
#define SET(address) AT((address) + 0x2000u)
#define CLEAR(address) AT((address) + 0x3000u)
#define BIT(n) (1u << (n))

#define RESETS_RESET 0x4000C000u
#define RESETS_DONE 0x4000C008u
#define RESET_ADC BIT(0)
#define RESET_IO_BANK0 BIT(5)
#define RESET_PADS_BANK0 BIT(8)
#define RESET_PLL_USB BIT(13)
#define RESET_TIMER BIT(21)
#define RESET_USB BIT(24)

#define CLK_REF_CTRL 0x40008030u
#define CLK_REF_SELECTED 0x40008038u
#define CLK_SYS_CTRL 0x4000803Cu
#define CLK_SYS_SELECTED 0x40008044u
#define CLK_USB_CTRL 0x40008054u
#define CLK_ADC_CTRL 0x40008060u
#define CLK_ENABLE BIT(11)
#define REF_FROM_XOSC 2u
#define SYS_FROM_AUX 1u
#define AUX_PLL_USB (1u << 5) /* of clk_sys; of clk_usb and clk_adc it is 0 */

#define XOSC_CTRL 0x40024000u
#define XOSC_STATUS 0x40024004u
#define XOSC_STARTUP 0x4002400Cu
#define XOSC_ON 0x00FABAA0u /* enabled, 1 to 15 MHz */
#define XOSC_STABLE BIT(31)

#define PLL_CS 0x4002C000u
#define PLL_PWR 0x4002C004u
#define PLL_FBDIV 0x4002C008u
#define PLL_PRIM 0x4002C00Cu
#define PLL_LOCK BIT(31)
#define PLL_PD BIT(0)
#define PLL_POSTDIV_PD BIT(3)
#define PLL_VCO_PD BIT(5)

#define TIMER_HIGH 0x40054024u /* TIMERAWH, TIMERAWL: reading them latches nothing */
#define TIMER_LOW 0x40054028u
#define TIMER_ALARM0 0x40054010u
#define TIMER_INTR 0x40054034u
#define TIMER_INTE 0x40054038u

#define PSM_WDSEL 0x40010008u
#define PSM_ALL_BUT_OSCILLATORS 0x0001FFFCu
#define WATCHDOG_CTRL 0x40058000u
#define WATCHDOG_LOAD 0x40058004u
#define WATCHDOG_REASON 0x40058008u
#define WATCHDOG_TICK 0x4005802Cu
#define WATCHDOG_ENABLE BIT(30)
#define TICK_ENABLE BIT(9)

#define ROSC_RANDOMBIT 0x4006001Cu
#define CHIP_RESET 0x40064008u
#define HAD_POR BIT(8)
#define HAD_RUN BIT(16)

#define IO_CTRL(pin) (0x40014004u + 8u * (pin))
#define IO_SIO 5u
#define PAD(pin) (0x4001C004u + 4u * (pin))
#define PAD_INPUT BIT(6)
#define PAD_OUTPUT_OFF BIT(7)
#define PAD_PULL_UP BIT(3)
#define PAD_SCHMITT BIT(1)
#define PAD_4MA BIT(4)

#define SIO_IN 0xD0000004u
#define SIO_OUT_SET 0xD0000014u
#define SIO_OUT_CLEAR 0xD0000018u
#define SIO_ENABLE_SET 0xD0000024u

#define ADC_CS 0x4004C000u
#define ADC_RESULT 0x4004C004u
#define ADC_ON BIT(0)
#define ADC_START BIT(2)
#define ADC_READY BIT(8)
#define ADC_CHANNEL(n) ((uint32_t)(n) << 12)

#define USB_RAM 0x50100000u
#define USB_ADDRESS 0x50110000u
#define USB_MAIN_CTRL 0x50110040u
#define USB_SIE_CTRL 0x5011004Cu
#define USB_SIE_STATUS 0x50110050u
#define USB_BUFF_STATUS 0x50110058u
#define USB_STALL_ARM 0x50110068u
#define USB_MUXING 0x50110074u
#define USB_PWR 0x50110078u
#define USB_INTE 0x50110090u
#define SIE_SETUP BIT(17)
#define SIE_BUS_RESET BIT(19)
#define SIE_PULL_UP BIT(16)
#define SIE_EP0_INTERRUPTS BIT(29)

#define NVIC_ENABLE 0xE000E100u
#define NVIC_DISABLE 0xE000E180u
#define VTOR 0xE000ED08u
#define IRQ_TIMER_0 0
#define IRQ_USB 5

#endif
