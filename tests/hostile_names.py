"""Names that would be more than a name to a page, a spreadsheet, a terminal or a folder."""

from __future__ import annotations

MARKUP = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "\"><script src='//evil.example/x.js'></script>",
    "' onmouseover='alert(1)",
    '" autofocus onfocus=alert(1) x="',
    "</title><script>alert(1)</script>",
    "</textarea><img src=x onerror=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<a href=javascript:alert(1)>Ann</a>",
    "javascript:alert(1)",
    "<math><mi//xlink:href='data:x,<script>'>",
    "<details open ontoggle=alert(1)>",
    "<!--<img src='--><img src=x onerror=alert(1)//'>",
    "<style>*{background:url(//evil.example)}</style>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=0>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;img src=x onerror=alert(1)&#62;",
    "{{ 7 * 7 }}{% raw %}",
    "${alert(1)}`'\"",
    "%(name)s {name} {0} %s %n",
    "]]><x/>",
    "\\u003cscript\\u003ealert(1)",
    "<scr\0ipt>alert(1)</script>",
)
CONTROLS = (
    "Ann\u202eneB\u202c",  # turns the direction of writing
    "Ann\u2066\u2069\u200f\u061c",
    "An\u200bn\u200d\ufeff\u00ad",  # invisible
    "\x1b[31mAnn\x1b[0m",  # colors a terminal
    "\x1b]0;title\x07\x1b[2J\x1bc",
    "\x9b31mAnn\x9d0;x\x9c",  # the same in one byte each
    "Ann\r\nSet-Cookie: a=b",
    "Ann\n 1) 61: 8/2 6/5\n Wins 3 points",
    "Ann\u2028Ben\u2029Carl\x85Dan\x0bEve\x0c",
    "Ann\x00\x7f\x08\x08\x08Ben",
    "A" + "\u0301" * 30,
    "\U000e0041\U000e007f Ann",  # tags
)
FORMULAS = (
    "=cmd|'/c calc'!A1",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    " \u200b=HYPERLINK(1)",
    '"=1+1',
)
FILES = (
    ";[Ann]:7\\",
    ")(;W[doubles]",
    "Ann : 3    Ben : 4",
    '; [Player 2 "Eve"]',
    "PB[Eve]",
)
HOSTILE = (*MARKUP, *CONTROLS, *FORMULAS, *FILES)

WAYS_OUT = (
    "../{}",
    "..%2f{}",
    "%2e%2e/{}",
    "..%5c{}",
    "..\\{}",
    "....//{}",
    "..%252f{}",
    "..%c0%af{}",
    "%2e%2e%2f%2e%2e%2f{}",
    "../../{}",
    "../../../{}",
    "x/../../{}",
    "./../{}",
    "/{}",
    "//{}",
    "%2f{}",
    "\\\\localhost\\{}",
    "file:///{}",
    "C:\\{}",
    "{}%00.jpg",
    "../{}%00.js",
    "../{}#",
    "CON",
    "NUL.mp4",
    "aux.js",
    "." * 5_000,
    "a" * 5_000,
    "~/{}",
    "$HOME/{}",
)
"""Ways out of a folder, to a file in one above it."""
