"""What Spark must be told to read and write a lake in S3, or in what speaks its protocol, from the usual variables.

pyarrow and delta-rs read AWS_ENDPOINT_URL, AWS_REGION and keys themselves; Hadoop's connector reads the keys only. It
is not among Spark's jars: `make s3` fetches it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

CONNECTOR = "org.apache.hadoop.fs.s3a.S3AFileSystem"

ONE_DRIVER = "io.delta.storage.S3SingleDriverLogStore"
"""How Delta commits to S3 if nobody chose another way: it looks whether a version is there, and then writes it."""


def is_s3(place: Path) -> bool:
    """Whether a place is in S3."""
    return place.parts[:1] == ("s3:",)


ADDRESSES = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ALLOW_HTTP")
"""The variables that executors get as well, whose Python opens files itself. Keys do not stand in settings."""


def s3_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Spark's settings for places by `s3://`.

    >>> chosen = s3_settings({"AWS_ENDPOINT_URL": "http://127.0.0.1:9000", "AWS_SECRET_ACCESS_KEY": "secret"})
    >>> chosen["spark.hadoop.fs.s3a.endpoint"], chosen["spark.executorEnv.AWS_ENDPOINT_URL"], "secret" in str(chosen)
    ('http://127.0.0.1:9000', 'http://127.0.0.1:9000', False)
    """
    chosen = {
        "spark.hadoop.fs.s3.impl": CONNECTOR,
        "spark.delta.logStore.s3.impl": ONE_DRIVER,
        **{f"spark.executorEnv.{name}": environment[name] for name in ADDRESSES if name in environment},
    }
    if endpoint := environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL"):
        # what speaks the protocol at another address seldom has a name for each bucket
        chosen |= {"spark.hadoop.fs.s3a.endpoint": endpoint, "spark.hadoop.fs.s3a.path.style.access": "true"}
    if region := environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION"):
        chosen["spark.hadoop.fs.s3a.endpoint.region"] = region
    return chosen
