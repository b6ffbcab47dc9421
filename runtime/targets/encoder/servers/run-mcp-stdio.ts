import { openLogLines } from '#platform/log-lines.ts';
import { stopSignal } from '#serve/program/signals.ts';
import { serveStdio } from '../mcp/stdio.ts';
import { type EncoderContextSettings, openEncoder } from './open-context.ts';

/** Maximum time for sending the last spans. MCP hosts kill a server two seconds after SIGTERM. */
const TRACES_CLOSE_MS = 1000;

/** Serves MCP on stdio until stdin is closed or the process is stopped. Returns the exit code. */
export async function runMcpStdio(modelPath: string, settings: EncoderContextSettings): Promise<number> {
  const { signal, forget } = stopSignal();
  const lines = openLogLines(process.stderr);
  try {
    const context = await openEncoder(modelPath, settings, lines.write);
    context.kernel.lifecycle.ready();
    const { stdin, stdout } = process;
    await serveStdio(context, { stdin, stdout, signal });
    await context.engine.close();
    await context.kernel.tracer?.close(TRACES_CLOSE_MS);
    return 0;
  } finally {
    await lines.flushed();
    forget();
  }
}
