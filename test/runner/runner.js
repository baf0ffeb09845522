import { createRequire, enableCompileCache, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import jestCircus from 'jest-circus/runner'

const require = createRequire(import.meta.url)
const GLOBALS = Symbol.for('suite globals')
const EXPORTS = [
  'describe',
  'it',
  'test',
  'expect',
  'jest',
  'beforeAll',
  'beforeEach',
  'afterAll',
  'afterEach',
]
const root = pathToFileURL(`${process.cwd()}/`).href
// These hold state of a suite (a world, counters, a page): each suite evaluates them anew. lib/ has none, and is shared.
const PER_SUITE = ['test/', 'functions/', 'offline/'].map((folder) => root + folder)

let suite = 0

// Where npm start keeps it: the folder of temporary files is gone after a run.
enableCompileCache('node_modules/.cache/compiled')
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals')
      return { url: `suite:globals?suite=${suite}`, format: 'module', shortCircuit: true }
    const found = next(specifier, context)
    const perSuite = PER_SUITE.some((folder) => found.url.startsWith(folder)) && !found.url.includes('?')
    return perSuite ? { ...found, url: `${found.url}?suite=${suite}` } : found
  },
  load(url, context, next) {
    if (!url.startsWith('suite:globals')) return next(url, context)
    const lines = EXPORTS.map((name) => `export const ${name} = globals.${name}`)
    const source = [`const globals = globalThis[Symbol.for('suite globals')]`, ...lines].join('\n')
    return { format: 'module', source, shortCircuit: true }
  },
})

/** The object `jest` of @jest/globals: what the tests use of it. */
const jestObject = ({ moduleMocker, fakeTimersModern: timers }) => {
  return {
    fn: moduleMocker.fn.bind(moduleMocker),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    restoreAllMocks: () => moduleMocker.restoreAllMocks(),
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
    advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    setSystemTime: (time) => timers.setSystemTime(time),
    setTimeout: (ms) => {
      globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = ms
    },
  }
}

/**
 * jest-circus over node's own module loader: modules of `lib/` and packages are loaded once in a worker instead of once in
 * each suite, which takes a tenth of the time of all tests. It gives jest-circus the part of jest-runtime's interface that it asks for.
 */
export default async (globalConfig, config, environment, runtime, testPath, sendMessageToJest) => {
  suite += 1
  // What jest-circus keeps in the realm, which it expects to be new for each suite.
  delete globalThis[Symbol.for('EVENT_HANDLERS')]
  delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')]
  const nativeRuntime = {
    requireInternalModule(path) {
      delete require.cache[path]
      return require(path)
    },
    requireModule: require,
    setGlobalsForRuntime(given) {
      globalThis[GLOBALS] = { ...given, jest: jestObject(environment) }
    },
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => import(`${pathToFileURL(path).href}?suite=${suite}`),
    enterTestCode: () => runtime.enterTestCode(),
    leaveTestCode: () => runtime.leaveTestCode(),
  }
  return jestCircus.default(globalConfig, config, environment, nativeRuntime, testPath, sendMessageToJest)
}
