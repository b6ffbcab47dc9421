/** The members of the table that the prelude is called with. */
const GIVEN = ['base', 'libraries', 'metatable', 'methods', 'statics', 'print', 'unknown'] as const;
export type PreludeValue = (typeof GIVEN)[number];

/**
 * The environment of a script, as Lua: called with the basic functions, the libraries and our additions, it returns a function
 * that creates fresh globals. Each run gets its own copy of everything, so that runs do not affect each other.
 */
export const PRELUDE = `
local given = ...
local ${GIVEN.join(', ')} = ${GIVEN.map((name) => `given.${name}`).join(', ')}
local next, rawget, type, error, setmetatable = base.next, base.rawget, base.type, base.error, base.setmetatable
local seed = libraries.math.randomseed

local globals = {}
for _, name in base.ipairs({
  "_VERSION", "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget", "rawlen", "rawset",
  "select", "tonumber", "tostring", "type", "xpcall",
}) do
  globals[name] = base[name]
end
globals.print = print

-- A finalizer would run in the middle of some later run.
function globals.setmetatable(object, metatable)
  if type(metatable) == "table" and rawget(metatable, "__gc") ~= nil then
    error("__gc is not available in transforms", 2)
  end
  return setmetatable(object, metatable)
end

libraries.string.dump = nil
if libraries.os then
  libraries.os = { time = libraries.os.time, clock = libraries.os.clock, date = libraries.os.date }
end
base.getmetatable("").__metatable = "string"

metatable.__metatable = "Tensor"
local item = metatable.__index
function metatable.__index(tensor, key)
  if type(key) == "number" then return item(tensor, key) end
  return methods[key] or unknown(key)
end

function metatable.__newindex()
  error("a tensor never changes; make a new one, as with t + 1 or Tensor.where(condition, yes, no)", 2)
end

local make = statics.__call
statics.__call = nil
local construct = {
  __metatable = "Tensor",
  -- No tail call: an error is to name the place in the script.
  __call = function(_, table)
    local tensor = make(table)
    return tensor
  end,
}

local function copy(original)
  local made = {}
  for key, value in next, original do made[key] = value end
  return made
end

return function()
  seed(0)
  local made = copy(globals)
  for name, library in next, libraries do made[name] = copy(library) end
  made.Tensor = setmetatable(copy(statics), construct)
  made._G = made
  return made
end
`;
