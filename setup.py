"""Put the rooms, folders at the top of the checkout, into the package ``semaniacs``."""

from setuptools import find_packages, setup

ROOMS = ("sts", "embeddings", "features", "runs")

packages = ["semaniacs", *(f"semaniacs.{room}" for room in ROOMS)]
packages += [f"semaniacs.{room}.{inner}" for room in ROOMS for inner in find_packages(room)]
folders = {f"semaniacs.{room}": room for room in ROOMS}
setup(packages=packages, package_dir=folders)
