"""Build from settings.ini; prompts/ and data/ travel inside the wheel as package data."""
from configparser import ConfigParser
from pathlib import Path

from setuptools import find_namespace_packages, find_packages, setup

HERE = Path(__file__).parent
parser = ConfigParser(delimiters=["="])
parser.read(HERE / "settings.ini", encoding="utf-8")
settings = parser["DEFAULT"]


def requirements(key: str) -> list[str]:
    """The non-empty lines of one requirements entry."""
    return [line.strip() for line in settings.get(key, "").splitlines() if line.strip()]


def folders(package: str, folder: str) -> dict[str, str]:
    "A data folder and the folders in it as packages, so that their files travel in the wheel."
    return {package: folder} | {f"{package}.{name}": f"{folder}/{name.replace('.', '/')}" for name in find_namespace_packages(folder)}


suffix = "_requirements"
extras = {key.removesuffix(suffix).replace("_", "-"): requirements(key) for key in settings if key.endswith(suffix)}
data = folders("gamecommbench._prompts", "prompts") | folders("gamecommbench._data", "data")
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
    packages=[*find_packages(include=["gamecommbench*"]), *data],
    package_dir=data,
    package_data={name: ["*.*"] for name in data},
    entry_points={"console_scripts": [settings["console_scripts"]]},
    zip_safe=False,
)
