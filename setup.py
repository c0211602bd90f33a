"""Build from settings.ini; prompts/ and data/ travel inside the wheel as package data."""
from configparser import ConfigParser
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
parser = ConfigParser(delimiters=["="])
parser.read(HERE / "settings.ini", encoding="utf-8")
settings = parser["DEFAULT"]


def requirements(key: str) -> list[str]:
    """The non-empty lines of one requirements entry."""
    return [line.strip() for line in settings.get(key, "").splitlines() if line.strip()]


suffix = "_requirements"
extras = {key.removesuffix(suffix): requirements(key) for key in settings if key.endswith(suffix)}
readme = HERE / "README.md"

setup(
    name=settings["lib_name"],
    version=settings["version"],
    description=settings["description"],
    long_description=readme.read_text(encoding="utf-8") if readme.exists() else "",
    long_description_content_type="text/markdown",
    author=settings["author"],
    license=settings["license"],
    keywords=settings["keywords"],
    python_requires=f">={settings['min_python']}",
    install_requires=requirements("requirements"),
    extras_require=extras,
    packages=find_packages(include=["gamecommbench*"]) + ["gamecommbench._prompts", "gamecommbench._data"],
    package_dir={"gamecommbench._prompts": "prompts", "gamecommbench._data": "data"},
    package_data={"gamecommbench._prompts": ["**/*.md"], "gamecommbench._data": ["**/*"]},
    entry_points={"console_scripts": [settings["console_scripts"]]},
    zip_safe=False,
)
