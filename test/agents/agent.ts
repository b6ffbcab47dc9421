import type { PROVIDERS } from './start-gateway.ts';

export type ProviderName = (typeof PROVIDERS)[number];

/** One run of an agent. */
export interface AgentRun {
  /** The address of the gateway, without a path. */
  readonly url: string;
  readonly key: string;
  /** `provider:model`. */
  readonly model: string;
  readonly prompt: string;
  /** The file to edit; its folder is the working directory. */
  readonly file: string;
  /** The command that starts the MCP server: a program and its arguments. */
  readonly mcp: readonly [string, ...string[]];
}

interface AgentCommand {
  /** Files in the fresh home folder, by path. */
  readonly files?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Commands to run in order, with their arguments. */
  readonly commands: readonly (readonly string[])[];
}

export interface Agent {
  readonly name: string;
  readonly from: 'npm' | 'pypi';
  readonly package: string;
  /** The program that the package installs. */
  readonly bin: string;
  /** The reason why the agent cannot be run on this machine. */
  readonly notRun?: string;
  /** The API with which the agent calls the gateway. */
  readonly api: 'messages' | 'responses' | 'chat' | 'gemini';
  /** Whether the agent supports MCP servers without an extension. */
  readonly hasMcp: boolean;
  readonly start: (run: AgentRun) => AgentCommand;
}

export const json = (value: unknown): string => JSON.stringify(value, null, 2);

export const serversOf = ({ mcp: [command, ...args] }: AgentRun, more: object = {}): object => ({
  desk: { command, args, ...more },
});
