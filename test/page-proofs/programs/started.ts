import { join } from 'node:path';
import type { Programs } from './build-programs.ts';
import { startEncoder } from './encoder.ts';
import { fillGateway, runExperiment, startGateway, type ProvedGateway } from './gateway.ts';
import { fillManager, startManager, type ProvedManager } from './manager.ts';
import type { RunningProgram } from './serve.ts';
import type { Texts } from './texts.ts';

/** All programs, with data. */
export interface Started {
  readonly gateway: ProvedGateway;
  readonly manager: ProvedManager;
  readonly encoder: RunningProgram;
  /** IDs in the addresses of the gateway's pages. */
  readonly ids: { readonly key: string; readonly request: string; readonly experiment: string };
}

const ROWS = 60;

/** Starts all executables with texts from users, models and servers, and stops them after the body. */
export async function withPrograms(
  programs: Programs,
  folder: string,
  texts: Texts,
  body: (started: Started) => Promise<void>,
): Promise<void> {
  const running: RunningProgram[] = [];
  const start = async <Program extends RunningProgram>(starting: Promise<Program>): Promise<Program> => {
    const program = await starting;
    running.push(program);
    return program;
  };
  try {
    const gateway = await start(startGateway(programs.gateway, join(folder, 'gateway'), texts));
    const remote = { texts, remote: 2, tools: 3 };
    const manager = await start(startManager(programs.manager, join(folder, 'manager'), remote));
    const encoder = await start(startEncoder(programs.encoder));
    const ids = {
      ...(await fillGateway(gateway, texts)),
      experiment: await runExperiment(gateway, texts, ROWS),
    };
    await fillManager(manager, texts);
    await body({ gateway, manager, encoder, ids });
  } finally {
    for (const program of running.toReversed()) await program.stop();
  }
}
