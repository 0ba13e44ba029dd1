"""The same question to an analyst by the official Python SDK of A2A 1.0, by that of 0.3 and by curl: the answers
must be the same, letter for letter.

Usage: analyst.py --python PYTHON --python-0.3 PYTHON URL
The two Pythons have the SDK's newest release and its last one of A2A 0.3; URL is that of a running demo.
Prints who was answered; exits 1 where an answer differs or is missing.
"""

import argparse
import base64
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
QUESTION = "Which Civics are overpriced, and how many used cars under 20k do we have?"
FILE = HERE / "market.csv"
# What the answer must say, so that equal refusals do not pass.
EXPECTED = ["5 of 5 available units are rated", "market.csv (attached): 8 rows read, 0 skipped"]
# Of the SDK 1.0: three bindings of 1.0 and three of 0.3, each whole and as a stream; of the SDK 0.3 three.
ANSWERS = 12 + 6 + 2


def by_sdk(python: str, script: str, url: str) -> list[dict]:
    command = [python, str(HERE / "python" / script), f"{url}/analyst", QUESTION, str(FILE)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if run.returncode != 0:
        print(f"{script} failed:\n{run.stderr}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def by_curl(url: str, message: dict, by: str) -> dict:
    """The request as the contract of sellers' agents prints it: a message of nothing but parts."""
    body = {"jsonrpc": "2.0", "id": "1", "method": "message/send", "params": {"message": message}}
    command = ["curl", "--silent", "--show-error", "--fail", "--header", "Content-Type: application/json"]
    command += ["--data-binary", "@-", f"{url}/analyst"]
    run = subprocess.run(command, input=json.dumps(body), capture_output=True, text=True, check=True)
    result = json.loads(run.stdout)["result"]
    assert (result["kind"], result["status"]["state"]) == ("task", "completed"), result["status"]
    return {"by": by, "text": result["artifacts"][0]["parts"][0]["text"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--python-0.3", dest="python_03", required=True)
    parser.add_argument("url")
    options = parser.parse_args()
    url = options.url.rstrip("/")
    content = base64.b64encode(FILE.read_bytes()).decode()
    file = {"name": FILE.name, "mimeType": "text/csv", "bytes": content}
    bare = [{"text": QUESTION}, {"file": file}]
    kinds = [{"kind": "text", "text": QUESTION}, {"kind": "file", "file": file}]
    answers = [
        by_curl(url, {"parts": bare}, "curl, no kinds"),
        by_curl(url, {"role": "user", "parts": kinds}, "curl"),
        *by_sdk(options.python, "analyst_client.py", url),
        *by_sdk(options.python_03, "analyst_client_03.py", url),
    ]
    first = answers[0]["text"]
    failed = len(answers) != ANSWERS
    for answer in answers:
        is_same = answer["text"] == first
        failed |= not is_same
        print(f"{answer['by']}: {'the same' if is_same else 'ANOTHER ANSWER'}")
        if not is_same:
            print(answer["text"])
    for words in EXPECTED:
        if words not in first:
            failed = True
            print(f"{words!r} is not in the answer:\n{first}")
    print(f"{len(answers)} of {ANSWERS} answers")
    sys.exit(failed)


main()
