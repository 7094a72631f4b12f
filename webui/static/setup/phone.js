// The phone as the camera: its QR code, how it is doing, and the videos that it has sent.

import { byId, changed, setText, write } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";

const MEGABYTE = 1e6;

function statusText({ invitation, status }) {
  if (!status?.is_sending) {
    if (status) return _("The phone has stopped sending: look at its screen.");
    return invitation?.is_used ? _("The phone is connected. Allow its camera.") : "";
  }
  const parts = [_("The phone is sending, {number} fps", { number: Math.round(status.fps) })];
  if (status.battery !== null) parts.push(_("battery {percent} %", { percent: status.battery }));
  return parts.join(" · ");
}

function makeVideo({ name, address, received, size }) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.disabled = !address;
  button.dataset.address = address;
  button.textContent = address ? _("Open {name}", { name }) : name;
  const sent = document.createElement("span");
  sent.className = "soft";
  sent.textContent = address
    ? _("{number} MB", { number: Math.round(size / MEGABYTE) })
    : _("{received} of {size} MB received", { received: Math.round(received / MEGABYTE), size: Math.round(size / MEGABYTE) });
  item.append(button, sent);
  return item;
}

/** Shows the phone's part of the set-up's state; null where no phone can be the camera. */
export function showPhone(phone) {
  byId("phone-card").hidden = !phone;
  if (!phone) return;
  const { invitation, status, videos } = phone;
  const isShown = Boolean(invitation?.is_valid);
  const isSending = Boolean(status?.is_sending);
  byId("phone-code").hidden = byId("phone-steps").hidden = !isShown;
  byId("phone-certificate").hidden = !invitation;
  byId("phone-begin").hidden = isShown || isSending;
  byId("phone-use").hidden = !isSending;
  byId("phone-away").hidden = !phone.has_phone;
  if (invitation && changed("phone-code", invitation.code)) byId("phone-code").querySelector("img").src = invitation.code;
  write("fingerprint", invitation?.fingerprint ?? "");
  setText(byId("phone-status"), statusText(phone));
  if (changed("videos", videos)) byId("videos").replaceChildren(...videos.map(makeVideo));
}
