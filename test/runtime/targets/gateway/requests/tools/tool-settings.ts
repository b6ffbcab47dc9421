import type { ToolServer, ToolSettings } from '#gateway/shared/tool-settings.ts';

/** Settings with the defaults of the configuration file. */
export function createSettings(
  servers: Readonly<Record<string, Partial<ToolServer> & Pick<ToolServer, 'url'>>>,
  more: Partial<ToolSettings> = {},
): ToolSettings {
  return {
    servers: new Map(
      Object.entries(servers).map(([label, server]) => [
        label,
        {
          label,
          headers: {},
          allowedTools: ['read_file', 'edit_file', 'stamp'],
          approval: 'never',
          users: undefined,
          teams: undefined,
          keys: undefined,
          timeoutMs: 10_000,
          userHeader: undefined,
          userToken: undefined,
          ...server,
        },
      ]),
    ),
    otherServers: 'reject',
    maxRounds: 10,
    maxMs: 60_000,
    maxCost: undefined,
    maxResultCharacters: 100_000,
    listMs: 60_000,
    webSearch: undefined,
    ...more,
  };
}
