import { type Context, createContext, Script } from 'node:vm';
import { InterruptedError, type Interrupter } from '#core/limits/interrupter.ts';

/** Each run starts a thread that watches the time, which takes about 0.1 ms. */
export function createInterrupter(): Interrupter {
  const script = new Script('body()');
  const scope = { body: (): unknown => undefined };
  let context: Context | undefined;
  return {
    run(milliseconds, body) {
      const outer = scope.body;
      scope.body = body;
      // Loaded on demand, because most programs with an interrupter never need it.
      context ??= createContext(scope);
      try {
        return script.runInContext(context, { timeout: Math.max(1, Math.ceil(milliseconds)) }) as ReturnType<
          typeof body
        >;
      } catch (error) {
        if ((error as { code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
          throw new InterruptedError('it took too long', { cause: error });
        throw error;
      } finally {
        scope.body = outer;
      }
    },
  };
}
