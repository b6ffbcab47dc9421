import { OUT_OF_MEMORY } from '../lua-machine.ts';

/** The members of the table that is passed to the prelude. */
export const GIVEN = [
  'base',
  'libraries',
  'coroutines',
  'tool',
  'finish',
  'json',
  'chunk',
  'exceedMemory',
] as const;
export type PreludeValue = (typeof GIVEN)[number];

/** Maximum number of functions of one `parallel` that run concurrently. */
const MAX_PARALLEL = 8;

/**
 * Lua code that defines the globals of a script and runs it. Returns a function that starts the script, and one
 * that delivers the result of a call. The script and each function of `parallel` is a task: a coroutine that
 * yields the ID of the call whose result it needs. Scripts get no coroutine library, so they cannot resume tasks.
 */
export const PRELUDE = `
local given = ...
local ${GIVEN.join(', ')} = ${GIVEN.map((name) => `given.${name}`).join(', ')}
local rawget, rawset, type, error, setmetatable = base.rawget, base.rawset, base.type, base.error, base.setmetatable
local ipairs, tostring, pack = base.ipairs, base.tostring, libraries.table.pack
local create, resume, status, yield, isyieldable =
  coroutines.create, coroutines.resume, coroutines.status, coroutines.yield, coroutines.isyieldable

-- Tasks that can run, in order, and tasks that wait for a call, by its ID.
local ready, first, last = {}, 1, 0
local waiting = {}
local current
local hasPrinted = false

local function enqueue(task, ...)
  last = last + 1
  ready[last] = { task = task, values = pack(...) }
end

local function spawn(body, done)
  enqueue({ thread = create(body), done = done })
end

local function run()
  while first <= last do
    local entry = ready[first]
    ready[first] = nil
    first = first + 1
    local task = entry.task
    current = task
    local ok, value = resume(task.thread, libraries.table.unpack(entry.values, 1, entry.values.n))
    current = nil
    if status(task.thread) == "dead" then task.done(ok, value)
    elseif value ~= nil then waiting[value] = task end
  end
end

local function parallel(list, each)
  if type(list) ~= "table" then error("parallel: the first argument must be a list, not a " .. type(list), 2) end
  if each ~= nil and type(each) ~= "function" then
    error("parallel: the second argument must be a function, not a " .. type(each), 2)
  end
  if not isyieldable() then error("parallel cannot be used in a function that sort or gsub calls", 2) end
  local count = #list
  for at = 1, each and 0 or count do
    if type(list[at]) ~= "function" then
      error("parallel: item " .. at .. " must be a function, not a " .. type(list[at]), 2)
    end
  end
  local results, started, running = {}, 0, 0
  local failure
  local own = current
  local isWaiting = false
  local startNext
  local function done(ok, value)
    running = running - 1
    if not ok and failure == nil then failure = { value = value } end
    startNext()
    if running == 0 and isWaiting then
      isWaiting = false
      enqueue(own)
    end
  end
  function startNext()
    while failure == nil and started < count and running < ${MAX_PARALLEL} do
      started = started + 1
      running = running + 1
      local at, item = started, list[started]
      spawn(function()
        if each then results[at] = each(item, at) else results[at] = item() end
      end, done)
    end
  end
  startNext()
  if running > 0 then
    isWaiting = true
    yield()
  end
  if failure then error(failure.value, 0) end
  return results
end

local function lazily(make, kind)
  return setmetatable({}, {
    __metatable = kind,
    __newindex = function() error(kind .. " cannot be changed", 2) end,
    __index = function(self, name)
      if type(name) ~= "string" then error("the name of a " .. kind .. " must be a text", 2) end
      local made = make(name)
      rawset(self, name, made)
      return made
    end,
  })
end

local globals = {}
for _, name in ipairs({
  "_VERSION", "assert", "error", "getmetatable", "ipairs", "next", "pairs", "rawequal", "rawget", "rawlen", "rawset",
  "select", "tonumber", "tostring", "type",
}) do
  globals[name] = base[name]
end
libraries.string.dump = nil
base.getmetatable("").__metatable = "string"
for name, library in base.next, libraries do globals[name] = library end

-- A finalizer would run in the middle of other code.
function globals.setmetatable(object, metatable)
  if type(metatable) == "table" and rawget(metatable, "__gc") ~= nil then error("__gc is not available", 2) end
  return setmetatable(object, metatable)
end

-- Scripts cannot catch that the memory is used up.
local function checked(ok, ...)
  if not ok and ... == "${OUT_OF_MEMORY}" then exceedMemory() end
  return ok, ...
end
function globals.pcall(...) return checked(base.pcall(...)) end

-- The handler runs after the error, because Lua does not count the instructions of a handler that a limit calls.
function globals.xpcall(body, handler, ...)
  local results = pack(globals.pcall(body, ...))
  if results[1] then return libraries.table.unpack(results, 1, results.n) end
  return false, handler(results[2])
end

-- Only the return value of a script is passed on.
function globals.print() hasPrinted = true end

globals.parallel = parallel
globals.json = json
local function callable(kind)
  return lazily(function(server)
    return lazily(function(name)
      if kind == "resource" and name ~= "read" then error('use resources.server.read{ uri = "..." }', 3) end
      return tool(kind, server, name)
    end, "server")
  end, "server")
end
globals.tools, globals.prompts, globals.resources = callable("tool"), callable("prompt"), callable("resource")
globals._G = globals

local function start()
  spawn(function() return pack(chunk()) end, function(ok, value) finish(ok, value, hasPrinted) end)
  run()
end

local function deliver(id, ok, value)
  local task = waiting[id]
  if task == nil then return end
  waiting[id] = nil
  enqueue(task, ok, value)
  run()
end

return globals, start, deliver
`;
