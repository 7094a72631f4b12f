"""The pictures of the documents: what is photographed, and how it is written."""

import cv2
import numpy as np
import pytest

from tableside.documents import pictures
from tableside.documents.pictures import Photographer
from tableside.documents.screenshots import SIZES, Album
from tests.chromium import open_chromium


@pytest.fixture
def camera(tmp_path):
    browser = open_chromium(tmp_path / "profile")
    yield Photographer(browser, tmp_path)
    browser.quit()


def test_a_picture_is_of_the_size_of_the_window(camera, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<body style='margin: 0; background: #ff0000'><button id=b>go</button>")
    camera.show(page.as_uri(), (640, 400))
    camera.click("#b")
    camera.take("red", settle_s=0)
    image = cv2.imread(str(tmp_path / "red.webp"))
    assert image.shape == (400, 640, 3)
    assert np.abs(image[-1, -1].astype(int) - (0, 0, 255)).max() < 8


def test_a_view_is_photographed_in_both_color_schemes_and_all_sizes(camera, tmp_path):
    page, album = tmp_path / "page.html", Album(camera)
    page.write_text(
        "<style>body { background: #fff } @media (prefers-color-scheme: dark) { body { background:"
        " #000 } }</style><button onclick='this.remove()'>go</button>"
    )
    press, gone = "document.querySelector('button').click()", "!document.querySelector('button')"
    album.add("page", page.as_uri(), do=press, shows=gone)
    sizes = {(width, height): (height, width, 3) for width, height in SIZES}
    for (width, height), shape in sizes.items():
        for scheme, shade in (("light", 255), ("dark", 0)):
            name = f"page-{width}x{height}-{scheme}"
            image = cv2.imread(str(tmp_path / f"{name}.webp"))
            assert (image.shape, round(image.mean())) == (shape, shade)
            assert f'src="{name}.webp"' in album.index()


def test_the_dice_report_is_photographed(camera, tmp_path):
    pictures.photograph_dice(camera, tmp_path)
    assert cv2.imread(str(tmp_path / "dice.webp")).std() > 10


def test_the_film_holds_the_pictures_in_their_order(tmp_path):
    width, height = pictures.SIZE
    film = [np.full((height, width, 3), value, np.uint8) for value in (0, 120, 250)]
    pictures.write_film(tmp_path / "film.webp", film)
    _, read = cv2.imreadanimation(str(tmp_path / "film.webp"))
    assert [round(float(frame[..., :3].mean()), -1) for frame in read.frames] == [0, 120, 250]


def test_the_board_is_drawn_over_with_what_was_read():
    assert pictures.board_picture(1.0).shape == (720, 1280, 3)
