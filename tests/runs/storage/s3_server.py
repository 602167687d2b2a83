"""An S3 server in memory, with one bucket: `s3_server.py BUCKET` prints its address, and ends with its standard input.

Runs in the environment of `requirements.txt` beside it (`make storage`), without the project.
"""

from __future__ import annotations

import logging
import sys


def main(bucket: str) -> None:
    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    boto3.client("s3", endpoint_url=address, **keys).create_bucket(Bucket=bucket)
    print(address, flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main(sys.argv[1])
