"""What lets a browser install the page: its manifest and icons."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urljoin

import cv2
import numpy as np


def test_the_page_can_be_installed(client):
    page = client.get("/").text
    address = page.partition('rel="manifest" href="')[2].partition('"')[0]
    answer = client.get(address)
    assert answer.mimetype == "application/manifest+json"
    manifest = answer.get_json(force=True)
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    sizes = set()
    for icon in manifest["icons"]:
        found = client.get(urljoin(address, icon["src"]))
        assert found.mimetype == icon["type"]
        if Path(icon["src"]).suffix == ".png":
            drawn = cv2.imdecode(np.frombuffer(found.data, np.uint8), cv2.IMREAD_COLOR)
            assert icon["sizes"] == "{1}x{0}".format(*drawn.shape)
            sizes.add(drawn.shape[0])
        found.close()
    answer.close()
    assert sizes >= {192, 512}
    assert "apple-touch-icon" in page
