"""Builds a recipe into a new channel and installs the package from it, without any other channel: install_conda.py RECIPE FOLDER

Prints the condition under which each platform downloads its file, and the seconds of the build and of the installation, as JSON.
"""

import asyncio
import json
import pathlib
import sys
import time

from rattler import Platform, VirtualPackage, install, solve
from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, ToolConfiguration, VariantConfig

PLATFORMS = ["linux-64", "linux-aarch64", "osx-arm64", "win-64"]


def downloads(recipe: Stage0Recipe, platform: str) -> "list[dict]":
    config = RenderConfig(platform=PlatformConfig(target_platform=platform))
    (variant,) = recipe.render(VariantConfig({}), config)
    return [{"url": one["url"], "sha256": one["sha256"]} for one in variant.recipe.to_dict()["source"]]


async def main(path: str, folder: pathlib.Path) -> None:
    recipe = Stage0Recipe.from_file(path)
    rendered = {platform: downloads(recipe, platform) for platform in PLATFORMS}
    channel = folder / "channel"
    started = time.monotonic()
    # "native" also runs the tests in the recipe, in an environment with the package.
    tools = ToolConfiguration(test_strategy="native")
    (built,) = recipe.run_build(tool_config=tools, output_dir=channel, channels=[])
    seconds = time.monotonic() - started
    started = time.monotonic()
    records = await solve(
        [channel.as_uri()],
        ["encoderfile"],
        platforms=[str(Platform.current()), "noarch"],
        virtual_packages=VirtualPackage.detect(),
    )
    await install(records, target_prefix=folder / "prefix", cache_dir=folder / "cache", show_progress=False)
    print(
        json.dumps(
            {
                "downloads": rendered,
                "depends": records[0].depends,
                "buildSeconds": seconds,
                "packageBytes": pathlib.Path(built.packages[0]).stat().st_size,
                "installSeconds": time.monotonic() - started,
            }
        )
    )


asyncio.run(main(sys.argv[1], pathlib.Path(sys.argv[2])))
