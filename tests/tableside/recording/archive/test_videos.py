"""Which videos of a collection are found, and what makes two of them the same."""

import pytest

from tableside.errors import WrongUsage
from tableside.recording.archive.content import KnownKeys, content_key
from tableside.recording.archive.videos import Video, find_videos


def test_folders_are_searched_at_any_depth_and_only_for_videos(tmp_path):
    for name in ("2024/final.MP4", "2024/table 1/part.mkv", "readme.txt", "photo.jpg", "b.mov"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    found = [
        video.path.relative_to(tmp_path.resolve()).as_posix() for video in find_videos([tmp_path])
    ]
    assert found == ["2024/final.MP4", "2024/table 1/part.mkv", "b.mov"]


def test_a_list_gives_each_video_its_players_and_rules(tmp_path):
    (tmp_path / "list.csv").write_text(
        'video,light,dark,length\nfinal.mp4,"Müller, Anna",Bob,7\nother.mp4,,,\n', "utf-8"
    )
    final, other = find_videos([tmp_path / "list.csv"], ["--variant", "short"])
    assert final == Video(
        tmp_path.resolve() / "final.mp4",
        ("--variant", "short", "--light", "Müller, Anna", "--dark", "Bob", "--length", "7"),
    )
    assert other.options == ("--variant", "short")


def test_a_plain_list_has_a_path_in_each_line(tmp_path):
    (tmp_path / "list.txt").write_text("a.mp4\n\n  b with spaces.mp4  \n")
    found = [video.path.name for video in find_videos([tmp_path / "list.txt"])]
    assert found == ["a.mp4", "b with spaces.mp4"]


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("list.csv", "file,light\na.mp4,Ann\n", "must name the column video"),
        ("list.csv", "video,winner\na.mp4,Ann\n", "must name the column video"),
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
