import { Server } from '@modelcontextprotocol/sdk/server/index.js';

/**
 * A server whose `fallbackRequestHandler` gets every request but `initialize` and `ping`: handlers of the SDK check parameters
 * and results with schemas, which calls a client's mistake an internal error and copies large results.
 */
export class FallbackServer extends Server {
  constructor(...args: ConstructorParameters<typeof Server>) {
    super(...args);
    this.removeRequestHandler('logging/setLevel');
  }

  /**
   * A call that asks to become a task is answered like any other, as the protocol wants it of servers without tasks:
   * https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
   */
  protected override assertTaskHandlerCapability(): void {
    // The SDK would refuse here.
  }
}
