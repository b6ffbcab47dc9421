import type { AnthropicTool } from '../../shapes/messages.ts';
import type { ChatTool, Json } from '../../shapes/chat.ts';

/**
 * A tool that Anthropic defines and the client runs, as a function with the arguments that Anthropic documents; undefined for other
 * tools. Anthropic's own models know these tools without a schema, models of others need one.
 * @see https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview
 */
export function clientTool(tool: AnthropicTool): ChatTool | undefined {
  const [kind = ''] = /^(?:bash|text_editor|computer|memory)(?=_\d{8}$)/.exec(tool.type ?? '') ?? [];
  const define = DEFINITIONS[kind];
  if (!define) return undefined;
  const { description, properties, required } = define(tool);
  return {
    type: 'function',
    function: { name: tool.name, description, parameters: { type: 'object', properties, required } },
  };
}

interface Definition {
  readonly description: string;
  readonly properties: Json;
  readonly required: readonly string[];
}

const text = (description: string): Json => ({ type: 'string', description });
const oneOf = (...words: readonly string[]): Json => ({ type: 'string', enum: words });
const integers = (description: string): Json => ({
  type: 'array',
  items: { type: 'integer' },
  minItems: 2,
  maxItems: 2,
  description,
});

const FILE_MEMBERS: Json = {
  path: text('Absolute path of the file or directory.'),
  view_range: integers('For view: the first and the last line; -1 is the end of the file.'),
  file_text: text('For create: the content of the file.'),
  old_str: text('For str_replace: the text to replace, which must occur exactly once.'),
  new_str: text('For str_replace: the new text.'),
  insert_line: {
    type: 'integer',
    description: 'For insert: the line after which to insert; 0 is the start.',
  },
  insert_text: text('For insert: the text to insert.'),
};

const DEFINITIONS: Readonly<Record<string, (tool: AnthropicTool) => Definition>> = {
  bash: () => ({
    description: 'Runs a command in a bash session that keeps its state between calls.',
    properties: {
      command: text('The command to run. Required unless the session is restarted.'),
      restart: { type: 'boolean', description: 'Restarts the session.' },
    },
    required: [],
  }),
  text_editor: () => ({
    description: 'Views, creates and edits text files.',
    properties: { command: oneOf('view', 'create', 'str_replace', 'insert'), ...FILE_MEMBERS },
    required: ['command', 'path'],
  }),
  memory: () => ({
    description: 'Reads and writes files of a memory directory, /memories, that lasts between conversations.',
    properties: {
      command: oneOf('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
      ...FILE_MEMBERS,
      old_path: text('For rename: the path of the file.'),
      new_path: text('For rename: the new path.'),
    },
    required: ['command'],
  }),
  computer: ({ display_width_px: width, display_height_px: height }) => ({
    description: `Controls a computer with a screen of ${String(width)} x ${String(height)} pixels by its mouse and keyboard, and takes screenshots.`,
    properties: {
      action: oneOf(
        'screenshot',
        'left_click',
        'right_click',
        'middle_click',
        'double_click',
        'triple_click',
        'left_click_drag',
        'left_mouse_down',
        'left_mouse_up',
        'mouse_move',
        'scroll',
        'type',
        'key',
        'hold_key',
        'wait',
      ),
      coordinate: integers('x and y of the mouse, in pixels from the top left.'),
      start_coordinate: integers('For left_click_drag: where it starts.'),
      text: text('For type: the text. For key and hold_key: the keys, such as ctrl+s.'),
      scroll_direction: oneOf('up', 'down', 'left', 'right'),
      scroll_amount: { type: 'integer', description: 'For scroll: the number of clicks of the wheel.' },
      duration: { type: 'number', description: 'For hold_key and wait: the time in seconds.' },
    },
    required: ['action'],
  }),
};
