// Sends a video in parts, each from where the program has it, so that it goes on after anything.

const PART_BYTES = 1 << 20;
const RETRY_MS = 1500;

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Sends `file`; `onProgress` gets the bytes that have arrived, or null while nothing answers. Throws what is refused. */
export async function sendVideo(file, onProgress) {
  const about = { name: file.name, size: file.size, modified: file.lastModified };
  let start = null;
  while (start !== file.size) {
    const answer = await (start === null ? ask(about) : sendPart(about, file, start));
    if (answer?.message && answer.received === start) throw new Error(answer.message);
    start = answer?.received ?? null;
    onProgress(start);
    if (start === null) await pause(RETRY_MS);
  }
}

const ask = (about) => answerTo(`/camera/video?${new URLSearchParams(about)}`, {});

const sendPart = (about, file, start) => answerTo(
  `/camera/video?${new URLSearchParams({ ...about, start })}`,
  { method: "POST", body: file.slice(start, start + PART_BYTES), headers: { "Content-Type": "application/octet-stream" } },
);

// Null if nothing answers; a refusal without a place ends the sending.
async function answerTo(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch {
    return null;
  }
  const answer = await response.json().catch(() => null);
  if (response.ok || response.status === 409) return answer;
  if (response.status < 500) throw new Error(answer?.message ?? response.statusText);
  return null;
}
