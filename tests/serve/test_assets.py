"""Which files beside a page are handed out."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencerun.serve import assets


@pytest.fixture
def base(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in (
        "lessons/figures/a.svg",
        "lessons/b.PNG",
        "lessons/secret.txt",
        "lessons/x.md",
        "lessons/.hidden.png",
        "lessons/.git/c.png",
        "other/d.png",
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "outside.png").write_text("outside")
    (root / "lessons/link-out.png").symlink_to(tmp_path / "outside.png")
    (root / "lessons/link-over.png").symlink_to(root / "other/d.png")
    (root / "lessons/link-in.png").symlink_to(root / "lessons/b.PNG")
    (root / "lessons/dressed.png").symlink_to(root / "lessons/secret.txt")
    (root / "lessons/way-out").symlink_to(tmp_path)
    (root / "lessons/directory.png").mkdir()
    return root


@pytest.mark.parametrize(
    ("wanted", "kind"),
    [
        ("lessons/figures/a.svg", "image/svg+xml"),
        ("lessons/b.PNG", "image/png"),
        ("lessons/link-in.png", "image/png"),
    ],
)
def test_images_are(base: Path, wanted: str, kind: str) -> None:
    found = assets.find(wanted, base, [base / "lessons"])
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    "wanted",
    [
        "lessons/secret.txt",
        "lessons/x.md",
        "lessons/.hidden.png",
        "lessons/.git/c.png",
        "other/d.png",
        "lessons/../other/d.png",
        "lessons/../../outside.png",
        "../outside.png",
        "lessons//b.PNG",
        "/lessons/b.PNG",
        "lessons/link-out.png",
        "lessons/link-over.png",
        "lessons/dressed.png",
        "lessons/way-out/outside.png",
        "lessons/directory.png",
        "lessons/none.png",
        "lessons\\b.PNG",
        "lessons/b.PNG\0.png",
        "lessons/b.PNG/",
        "",
        ".png",
        "lessons/" + "a" * 5000 + ".png",
    ],
)
def test_nothing_else_is(base: Path, wanted: str) -> None:
    assert assets.find(wanted, base, [base / "lessons"]) is None


def test_an_absolute_path_is_none_of_ours(base: Path) -> None:
    assert assets.find(str(base / "lessons/b.PNG"), base, [base / "lessons"]) is None


def test_without_pages_there_is_nothing(base: Path) -> None:
    assert assets.find("lessons/b.PNG", base, []) is None
