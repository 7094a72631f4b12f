"""Which videos of a collection are found, and what makes two of them the same."""

import os
import struct

import pytest

from tableside.errors import WrongUsage
from tableside.recording.archive.content import KnownKeys, content_key, recorded_at
from tableside.recording.archive.video_list import Caption
from tableside.recording.archive.videos import Video, find_videos


def test_folders_are_searched_at_any_depth_and_only_for_videos(tmp_path):
    for name in ("2024/final.MP4", "2024/table 1/part.mkv", "readme.txt", "photo.jpg", "b.mov"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    found = [
        video.path.relative_to(tmp_path.resolve()).as_posix() for video in find_videos([tmp_path])
    ]
    assert found == ["2024/final.MP4", "2024/table 1/part.mkv", "b.mov"]


def test_a_list_says_how_each_video_is_read_and_what_its_match_is_called(tmp_path):
    (tmp_path / "list.csv").write_text(
        "video,light,dark,date,event,round,table,length\n"
        'final.mp4,"Müller, Anna",Bob,2019-05-11,Open  2019,final,1,7\nother.mp4,,,,,,,\n',
        "utf-8",
    )
    given = Caption(light="Cem", event="Open")
    final, other = find_videos([tmp_path / "list.csv"], {"variant": "short"}, given)
    assert final == Video(
        tmp_path.resolve() / "final.mp4",
        ("--length", "7", "--variant", "short"),
        Caption(
            light="Müller, Anna", dark="Bob", date="2019-05-11",
            event="Open 2019", round="final", table="1",
        ),
    )  # fmt: skip
    assert (other.options, other.caption) == (("--variant", "short"), given)


def test_a_plain_list_has_a_path_in_each_line(tmp_path):
    (tmp_path / "list.txt").write_text("a.mp4\n\n  b with spaces.mp4  \n")
    found = [video.path.name for video in find_videos([tmp_path / "list.txt"])]
    assert found == ["a.mp4", "b with spaces.mp4"]


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("list.csv", "file,light\na.mp4,Ann\n", "must name the column video"),
        ("list.csv", "video,winner\na.mp4,Ann\n", "must name the column video.*not 'winner'"),
        (
            "list.csv",
            "video,length\na.mp4,7\nb.mp4,banana\n",
            "list.csv, line 3, column length: 'banana' is not a whole number, 0 or more",
        ),
        ("list.csv", "video,date\na.mp4,11.5.2019\n", "line 2, column date: .* such as 2026-11-27"),
        ("list.csv", "video,date\na.mp4,0001-01-01\n", "line 2, column date: .* is not a date"),
        ("list.csv", "video,variant\na.mp4,chess\n", "line 2, column variant: .*chess"),
        ("list.csv", "video,rules\na.mp4,nobodys\n", "line 2, column rules: there is no rule set"),
        ("list.csv", "video,profile\na.mp4,no.json\n", "line 2, column profile: no.json is not"),
        ("list.csv", "video,light\na.mp4,Müller, Ann\n", "line 2 has more cells"),
        ("list.txt", "", "there is no video"),
        (None, "", "does not exist"),
    ],
)
def test_a_bad_list_is_refused_with_what_to_do(tmp_path, name, content, complaint):
    path = tmp_path / (name or "nothing.mp4")
    if name:
        path.write_text(content)
    with pytest.raises(WrongUsage, match=complaint):
        find_videos([path])


def test_a_copy_has_the_same_key_and_a_changed_file_another(tmp_path):
    first, copy = tmp_path / "a.mp4", tmp_path / "b.mp4"
    first.write_bytes(b"one")
    copy.write_bytes(b"one")
    key = content_key(first)
    assert key == content_key(copy)
    keys = KnownKeys(tmp_path / "keys.json")
    keys.note(first, key)
    keys.save()
    again = KnownKeys(tmp_path / "keys.json")
    assert again.of(first) == key
    assert again.of(copy) == ""
    first.write_bytes(b"another")
    assert again.of(first) == ""
    assert content_key(first) != key


def test_a_video_was_recorded_when_it_says_so_or_else_when_its_file_was_written(tmp_path):
    video = tmp_path / "evening.mp4"
    for created, expected in ((2_082_844_800 + 1_557_600_000, 1_557_600_000), (0, 1e9), (9, 1e9)):
        header = struct.pack(">I4s4xII8x", 28, b"mvhd", created, created)
        video.write_bytes(struct.pack(">I4s", 8 + len(header), b"moov") + header)
        os.utime(video, (1e9, 1e9))
        assert recorded_at(video) == expected
