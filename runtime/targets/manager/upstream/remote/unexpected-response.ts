import { ConnectionClosed } from '../connection.ts';

/** A remote server sent something other than an MCP message, for example an error status or an HTML page. */
export class UnexpectedResponse extends ConnectionClosed {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
