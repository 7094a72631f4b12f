// Which way up the pictures are sent.

/**
 * By how many degrees, clockwise, to turn a picture so that it stands as the first one did.
 *
 * A phone that looks straight down cannot tell which way is up: its screen turns at the slightest
 * touch, and with it the browser turns the camera's pictures, though the phone has not moved. Only
 * phones do so (they name the direction in which a camera faces), or a picture whose sides swap.
 */
export function turnFor(first, now) {
  const turned = (((now.angle - first.angle) % 360) + 360) % 360;
  const isSwapped = (now.width > now.height) !== (first.width > first.height);
  const isOnItsSide = turned === 90 || turned === 270;
  if (isOnItsSide !== isSwapped || (turned === 180 && !now.facing)) return 0;
  return now.facing === "user" ? (360 - turned) % 360 : turned;
}

/** Draws `source`, `width` x `height` pixels, on `canvas`, turned and no longer than `longest`. */
export function drawUpright(canvas, source, { width, height, turn, longest }) {
  const scale = Math.min(1, longest / Math.max(width, height));
  const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
  const isOnItsSide = turn % 180 !== 0;
  const size = isOnItsSide ? [down, across] : [across, down];
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  const context = canvas.getContext("2d", { alpha: false });
  context.setTransform(1, 0, 0, 1, size[0] / 2, size[1] / 2);
  context.rotate((turn * Math.PI) / 180);
  context.drawImage(source, -across / 2, -down / 2, across, down);
}
