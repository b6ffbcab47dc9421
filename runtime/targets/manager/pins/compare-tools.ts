import type { PinnedTools } from '../config/pins-file.ts';
import { changedMembers, type ToolDefinition } from '../config/tool-definition.ts';

/** A difference between a server's pinned tools and its current tools. */
export interface ToolDifference {
  readonly tool: string;
  readonly change: 'new' | 'changed' | 'removed';
  /** The names of the fields that differ. */
  readonly members: readonly string[];
  readonly pinned: ToolDefinition | undefined;
  readonly current: ToolDefinition | undefined;
}

/** Compares tools; the result is sorted by name. */
export function compareTools(pinned: PinnedTools, current: PinnedTools): ToolDifference[] {
  const names = [...new Set([...Object.keys(pinned), ...Object.keys(current)])].toSorted();
  return names.flatMap((tool): ToolDifference[] => {
    const before = Object.hasOwn(pinned, tool) ? pinned[tool] : undefined;
    const after = Object.hasOwn(current, tool) ? current[tool] : undefined;
    if (before?.hash === after?.hash) return [];
    const change = !before ? 'new' : after ? 'changed' : 'removed';
    const members = changedMembers(before?.definition ?? {}, after?.definition ?? {});
    return [{ tool, change, members, pinned: before?.definition, current: after?.definition }];
  });
}
