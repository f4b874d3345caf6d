"""Names that a statement may have: those of its line, in any script."""

from __future__ import annotations

from tacit.learn.judge.answer import unknown_names


def test_a_folder_is_known_by_a_path_into_it() -> None:
    assert unknown_names("Quote paths in src/app/(shop)/ here.", "cat src/app/(shop)/page.tsx") == []
    assert unknown_names("Quote paths in src/other/ here.", "cat src/app/(shop)/page.tsx") == ["src/other/"]


def test_names_stand_between_characters_without_blanks() -> None:
    assert unknown_names("服务器有5块1T的磁盘,配置在etc/disk.conf。", "我们的服务器有5块1T的磁盘 etc/disk.conf") == []
    assert unknown_names("配置在etc/other.conf。", "配置在 etc/disk.conf") == ["etc/other.conf"]
