import { expect, test } from 'vitest';
import { handClock } from '#test/helpers/hand-clock.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const start = useManager();

test('metrics show the state of servers and calls, without removed servers', async () => {
  const manager = start([serverSpec('crash', 'crash-on-call'), serverSpec('echo', 'echo')], {
    clock: handClock(),
  });
  const read = () => manager.kernel.metrics.metrics();
  await manager.calls.callTool({ ...callOf('echo'), tool: 'is-error', args: {} });
  await manager.calls.callTool({ ...callOf('echo'), tool: 'echo', args: { message: 'm' } });
  const refused = [
    manager.calls.callTool({ ...callOf('echo'), tool: 'none', args: {} }),
    manager.calls.callTool({ ...callOf('nobody'), tool: 'echo', args: {} }),
    manager.calls.callTool({ ...callOf('crash'), tool: 'exit', args: {} }),
  ];
  await Promise.allSettled(refused);
  await manager.phase('crash', 'waiting');
  const held = manager.calls.callTool({ ...callOf('echo'), tool: 'hold', args: { key: 'k' } });
  await manager.logged('echo', /holding k/);

  const before = await read();
  for (const line of [
    'mcp_server_up{server="crash"} 0',
    'mcp_server_up{server="echo"} 1',
    'mcp_server_health{server="crash",status="unreachable"} 1',
    'mcp_server_health{server="crash",status="ok"} 0',
    'mcp_calls_running{server="echo"} 1',
    'mcp_calls_queued{server="echo"} 0',
    'mcp_calls_total{server="echo",kind="tool",outcome="ok"} 1',
    'mcp_calls_total{server="echo",kind="tool",outcome="tool-error"} 1',
    'mcp_calls_total{server="echo",kind="tool",outcome="NotFoundError"} 1',
    'mcp_calls_total{server="crash",kind="tool",outcome="UpstreamError"} 1',
    'mcp_call_duration_seconds_count{server="echo",kind="tool"} 3',
  ]) {
    expect(before).toContain(line);
  }
  // A name that a caller makes up is not used as a label.
  expect(before).not.toContain('nobody');

  await manager.supervisor.apply([serverSpec('echo', 'echo')]);
  const after = await read();
  expect(after).not.toContain('crash');
  expect(after).toContain('mcp_server_up{server="echo"} 1');
  await manager.calls.callTool({ ...callOf('echo'), tool: 'release', args: { key: 'k' } });
  await held;
});

test('restarts are counted by reason', async () => {
  const clock = handClock();
  const manager = start([serverSpec('crash', 'crash-on-call')], { clock });
  const exits = manager.calls.callTool({ ...callOf('crash'), tool: 'exit', args: {} });
  await expect(exits).rejects.toThrow('MCP server error calling tool');
  await manager.phase('crash', 'waiting');
  clock.pass(50);
  await manager.phase('crash', 'running');
  await manager.server('crash').restart();
  const text = await manager.kernel.metrics.metrics();
  expect(text).toContain('mcp_server_restarts_total{server="crash",reason="ended"} 1');
  expect(text).toContain('mcp_server_restarts_total{server="crash",reason="requested"} 1');
});
