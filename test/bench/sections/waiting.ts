import type { RunningContestant } from '../gateway/contestant.ts';
import { GATEWAY_BEFORE, startGateway } from '../gateway/ours.ts';
import { startUpstream, type Upstream } from '../gateway/upstream.ts';
import { compareWaiting } from '../gateway/waiting.ts';
import type { Section } from './section.ts';

/** Small requests during large ones, through the gateway. */
export const waiting: Section = {
  title: 'Small requests next to large ones',
  linuxOnly: true,
  async run(bench) {
    if (process.env['BENCH_GATEWAY'] === undefined) await bench.gateway();
    // Separate providers, so that a small request does not wait at the provider.
    const upstreams: Upstream[] = [];
    const running = new Map<string, RunningContestant>();
    try {
      const small = await startUpstream();
      upstreams.push(small);
      const large = await startUpstream();
      upstreams.push(large);
      if (GATEWAY_BEFORE !== undefined) {
        running.set('before', await startGateway(small.port, { large: large.port, program: GATEWAY_BEFORE }));
      }
      running.set('gateway', await startGateway(small.port, { large: large.port }));
      await compareWaiting(running, bench.options.quick ? 1 : 5);
    } finally {
      for (const { stop } of running.values()) await stop();
      for (const { stop } of upstreams) await stop();
    }
  },
};
