/** Labels become parts of function names, whose characters all providers restrict. */
const LABEL = /^[a-zA-Z][a-zA-Z0-9_-]{0,31}$/;

/** Whether a text can be the label of an MCP server. */
export const isToolLabel = (text: string): boolean => LABEL.test(text);

export const TOOL_LABEL_RULE =
  'a label must consist of at most 32 letters, digits, `-` and `_`, and begin with a letter';
