import { ConnectionClosed } from '../connection.ts';

/** A server elsewhere answered one request with something that is no MCP message: a status, a page. */
export class UnusableAnswer extends ConnectionClosed {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
