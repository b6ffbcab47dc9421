import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Sends `100 Continue` when the body is first read. Node would send it before the caller is authenticated. */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { shouldKeepAlive } = outgoing;
    const read = incoming._read.bind(incoming);
    // A client that gets the response instead may or may not send the body, so the next bytes on the connection are ambiguous.
    outgoing.shouldKeepAlive = false;
    incoming._read = (size) => {
      incoming._read = read;
      if (!outgoing.headersSent) {
        outgoing.shouldKeepAlive = shouldKeepAlive;
        outgoing.writeContinue();
      }
      read(size);
    };
    server.emit('request', incoming, outgoing);
  });
}
