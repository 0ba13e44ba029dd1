"""A webhook on a port of its own that keeps what it is told."""

import asyncio
import json
from dataclasses import dataclass


@dataclass
class Call:
    """One request: its headers by their names in lower case, and its body."""

    headers: dict[str, str]
    text: str

    @property
    def body(self):
        return json.loads(self.text)


class Webhook:
    """Answers every request with 200."""

    async def __aenter__(self):
        self._calls = asyncio.Queue()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/hook"
        return self

    async def __aexit__(self, *_):
        self._server.close()

    async def until(self, wanted) -> Call:
        """The first call that is wanted."""
        while not wanted(call := await self._calls.get()):
            pass
        return call

    async def _serve(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[1:-2]
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in head)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        await self._calls.put(Call(headers, body.decode()))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()
