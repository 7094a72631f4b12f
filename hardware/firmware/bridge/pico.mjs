/* The cup's firmware for the Pico in rp2040js, with its USB serial line on a TCP socket.
 *
 *   node pico.mjs CUP.bin [--flash FILE] [--speed X] [--seed N] [--port N]
 *
 * FILE holds the 64 KB of flash that the cup keeps its memory in, written at once, so that killing
 * this program is a power cut. Words on standard input are those of bridge.c. It says where it is
 * with a line `pty socket://127.0.0.1:PORT`. It emulates what firmware sees, not a chip's timing or
 * its electricity; the functions of the ROM and the ring oscillator are written here. */
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { BasePeripheral, ConsoleLogger, LogLevel, RP2040 } from "rp2040js";

const SLICE_NS = 1e6;
const STORE = { offset: 2 * 1024 * 1024 - 65536, size: 65536 };
const PINS = { rattle: 2, base: 3, tilt: 4 };
const [path, ...given] = process.argv.slice(2);
const options = Object.fromEntries(given.flatMap((word, i) => (i % 2 ? [] : [[word.slice(2), given[i + 1]]])));
const speed = Number(options.speed ?? 1);

/* ---- chance ---- */

let state = (Number(options.seed ?? 1) * 2654435761 + 88172645) >>> 0;
function random() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

class RingOscillator extends BasePeripheral {
  isStuck = false;

  readUint32(offset) {
    return offset === 0x1c ? Number(!this.isStuck && random() < 0.5) : super.readUint32(offset);
  }
}

class ChipReset extends BasePeripheral {
  cause = 1 << 8;

  readUint32(offset) {
    return offset === 8 ? this.cause : super.readUint32(offset);
  }
}

/* ---- the chip ---- */

/* Causes of a reset, as CHIP_RESET has them; the watchdog says so itself. */
const POWER = 1 << 8, RESET_PIN = 1 << 16, WATCHDOG = 0;
let mcu, ring, chip, host, resetBy = null, shakesLeft = 0, isOver = false;
const closed = { rattle: false, base: true, tilt: false };
const noise = { isGood: true, isBiased: false, millivolts: 5000 };
const memory = new Uint8Array(STORE.size).fill(0xff);
const file = options.flash === undefined ? null : openSync(options.flash, constants.O_RDWR | constants.O_CREAT);
if (file !== null) readSync(file, memory, 0, STORE.size, 0);

function keep(offset, count) {
  memory.set(mcu.flash.subarray(offset, offset + count), offset - STORE.offset);
  if (file !== null) writeSync(file, memory, 0, STORE.size, 0);
}

/* The functions that the firmware calls in the ROM; each is two bytes of code that stop here. */
const ROM = {
  search: ({ core }) => {
    const code = String.fromCharCode(core.registers[1] & 0xff, core.registers[1] >> 8);
    core.registers[0] = ROM_AT + 4 * NAMES.indexOf(code) + 1;
  },
  IF: () => {},
  EX: () => {},
  FC: () => {},
  CX: () => {},
  RE: ({ core, flash }) => {
    const [offset, count] = core.registers;
    if (offset < STORE.offset || offset % 4096) throw new Error(`erases ${offset.toString(16)}`);
    flash.fill(0xff, offset, offset + count);
    keep(offset, count);
  },
  RP: ({ core, flash }) => {
    const [offset, from, count] = core.registers;
    if (offset < STORE.offset || offset % 256) throw new Error(`programs ${offset.toString(16)}`);
    for (let i = 0; i < count; i++) flash[offset + i] &= mcu.readUint8(from + i);
    keep(offset, count);
  },
};
const ROM_AT = 0x100, NAMES = Object.keys(ROM), BKPT = 0xbe00, BX_LR = 0x4770;

function loadRom() {
  NAMES.forEach((_, i) => mcu.writeUint32(ROM_AT + 4 * i, (BX_LR << 16) | BKPT | i));
  mcu.writeUint32(0x14, ROM_AT);
  mcu.writeUint32(0x18, ROM_AT + 1);
  mcu.onBreak = (number) => ROM[NAMES[number]](mcu);
}

function start(cause) {
  mcu = new RP2040();
  mcu.logger = new ConsoleLogger(LogLevel.Error, true);
  mcu.peripherals[0x40060] = ring = new RingOscillator(mcu, "ROSC");
  mcu.peripherals[0x40064] = chip = new ChipReset(mcu, "CHIP_RESET");
  chip.cause = cause;
  mcu.flash.fill(0xff);
  mcu.flash.set(readFileSync(path));
  mcu.flash.set(memory, STORE.offset);
  loadRom();
  const watchdog = mcu.peripherals[0x40058];
  watchdog.reason = Number(cause === WATCHDOG);
  watchdog.onWatchdogTrigger = () => {
    watchdog.alarm.enable = false; // else it fires for ever at the same moment
    resetBy = WATCHDOG;
  };
  mcu.adc.onADCRead = (channel) => {
    mcu.adc.currentChannel = channel;
    mcu.adc.channelValues[channel] = channel === 0 ? openPin() : Math.round((noise.millivolts / 3 / 3300) * 4095);
    mcu.adc.sampleAlarm.schedule(2000);
  };
  holdPins();
  host = new Host(mcu.usbCtrl);
  mcu.core.PC = 0x10000000;
}

function openPin() {
  if (noise.isGood) return 1600 + Math.floor(random() * 800);
  return noise.isBiased && random() < 0.1 ? 1600 + Math.floor(random() * 800) : 2000;
}

function holdPins() {
  for (const [name, pin] of Object.entries(PINS)) mcu.gpio[pin].setInputValue(!closed[name]);
}

/* ---- the USB host: what a computer asks before it opens a serial line ---- */

const request = (type, code, value, index, length) => Uint8Array.of(type, code, value & 255, value >> 8, index & 255, index >> 8, length & 255, length >> 8);
const LINE_CODING = Uint8Array.of(0x90, 0xd0, 3, 0, 0, 0, 8);

class Host {
  isUp = false;
  waiting = [];
  pending = null;

  constructor(usb) {
    this.usb = usb;
    this.script = this.enumerate();
    usb.onUSBEnabled = () => usb.resetDevice();
    usb.onResetReceived = () => this.next();
    usb.onEndpointWrite = (endpoint, bytes) => this.written(endpoint, bytes);
    usb.onEndpointRead = (endpoint, size) => this.read(endpoint, size);
  }

  /* Each yield asks for one control transfer: [request, whole answer expected, bytes to send]. */
  *enumerate() {
    const get = (type, which, length) => [request(0x80, 6, (type << 8) | which, 0, length), true];
    const device = yield get(1, 0, 18);
    yield [request(0, 5, 1, 0, 0)];
    const { length } = yield get(2, 0, 9);
    if (length !== 9) throw new Error("a short configuration");
    const all = yield get(2, 0, 255);
    const text = [];
    for (let which = 1; which <= 3; which++) text.push(Buffer.from(yield get(3, which, 255)).subarray(2).toString("utf16le"));
    yield [request(0, 9, 1, 0, 0)];
    yield [request(0x21, 0x20, 0, 0, 7), false, LINE_CODING];
    const coding = yield [request(0xa1, 0x21, 0, 0, 7), true];
    if (Buffer.compare(Buffer.from(coding), Buffer.from(LINE_CODING))) throw new Error("another line coding");
    console.log(`usb ${Buffer.from(device).toString("hex")} ${Buffer.from(all).toString("hex")} ${text.join("|")}`);
    this.isUp = true;
  }

  next(answer) {
    const step = this.script.next(answer);
    if (!step.done) this.ask(...step.value);
  }

  ask(packet, isAnswered = false, bytes = null) {
    this.pending = { wanted: packet[6] | (packet[7] << 8), isAnswered, bytes, got: [] };
    this.usb.sendSetupPacket(packet);
  }

  written(endpoint, bytes) {
    if (endpoint === 2) return sendToSocket(bytes);
    const { pending } = this;
    if (endpoint !== 0 || pending === null) return;
    pending.got.push(...bytes);
    if (pending.isAnswered && bytes.length === 64 && pending.got.length < pending.wanted) return;
    this.pending = null;
    this.next(pending.got);
  }

  read(endpoint, size) {
    if (endpoint === 2) this.room = size;
    else if (endpoint === 0 && this.pending?.bytes) {
      this.usb.endpointReadDone(0, this.pending.bytes);
      this.pending.bytes = null;
    }
    this.feed();
  }

  setOpen(isOpen) {
    if (this.isUp && this.isOpen !== isOpen) {
      this.isOpen = isOpen;
      this.script = (function* () {})();
      this.ask(request(0x21, 0x22, Number(isOpen), 0, 0));
    }
  }

  feed() {
    if (!this.room || !this.waiting.length || !this.isOpen) return;
    const piece = this.waiting.splice(0, Math.min(this.room, 64));
    this.room = 0;
    this.usb.endpointReadDone(2, Uint8Array.from(piece));
  }
}

/* ---- the line ---- */

let socket = null;
const server = createServer((connected) => {
  socket?.destroy();
  socket = connected;
  connected.setNoDelay(true);
  connected.on("data", (bytes) => host.waiting.push(...bytes));
  connected.on("error", () => {});
  connected.on("close", () => { if (socket === connected) socket = null; });
});

function sendToSocket(bytes) {
  socket?.write(bytes);
}

/* ---- what is said on standard input ---- */

function obey(line) {
  const [word, value] = line.split(" ");
  if (word === "lift") closed.base = false;
  else if (word === "down") closed.base = true;
  else if (word === "shake") shakesLeft = 14;
  else if (word === "pour") closed.tilt = mcu.clock.nanos + 200e6;
  else if (word === "noise") Object.assign(noise, { isGood: value === "good", isBiased: value === "biased" });
  else if (word === "clock") ring.isStuck = value !== "good";
  else if (word === "supply") noise.millivolts = Number(value);
  else if (word === "unplug") { socket?.destroy(); socket = null; }
  else if (word === "reset") resetBy = RESET_PIN;
  else if (word === "quit") isOver = true;
  else if (word !== "plug") console.error(`pico: what is ${line}?`);
  console.log(`done ${line}`);
}

/* ---- time ---- */

let millis = 0;
function everyMillisecond() {
  millis++;
  if (shakesLeft && millis % 12 === 0) closed.rattle = Boolean(--shakesLeft & 1);
  if (typeof closed.tilt === "number" && mcu.clock.nanos > closed.tilt) closed.tilt = false;
  holdPins();
  host.setOpen(socket !== null);
  host.feed();
}

function runTo(end) {
  const { core, clock } = mcu;
  while (clock.nanos < end && resetBy === null) {
    if (core.waiting) clock.tick(Math.max(1, Math.min(clock.nextAlarm ? clock.nanosToNextAlarm : end, end - clock.nanos)));
    else clock.tick((core.executeInstruction() * 1e9) / mcu.clkSys);
  }
}

let begun = performance.now(), from = 0;
function run() {
  for (let i = 0; i < 10 && !isOver; i++) {
    everyMillisecond();
    runTo(mcu.clock.nanos + SLICE_NS);
    if (resetBy === null) continue;
    const cause = resetBy;
    resetBy = null;
    start(cause);
    [begun, from] = [performance.now(), 0];
  }
  if (isOver) return process.exit(0);
  const early = speed > 0 ? (mcu.clock.nanos - from) / 1e6 / speed - (performance.now() - begun) : 0;
  if (early < -100) [begun, from] = [performance.now(), mcu.clock.nanos];
  if (early > 1) setTimeout(run, early);
  else setImmediate(run);
}

start(POWER);
createInterface({ input: process.stdin }).on("line", obey).on("close", () => { isOver = true; });
process.on("exit", () => { if (file !== null) closeSync(file); });
server.listen(Number(options.port ?? 0), "127.0.0.1", () => {
  console.log(`pty socket://127.0.0.1:${server.address().port}`);
  run();
});
