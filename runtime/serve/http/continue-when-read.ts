import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * A client that waits for leave to send its body gets it when somebody begins to read. Node would give it before anybody has
 * looked whose request it is.
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { shouldKeepAlive } = outgoing;
    const read = incoming._read.bind(incoming);
    // A client that gets its answer instead may send the body or not; what follows could be either.
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
