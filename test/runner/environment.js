import { createRequire } from 'node:module'

const fromNodeEnvironment = createRequire(createRequire(import.meta.url).resolve('jest-environment-node'))
const { ModuleMocker } = fromNodeEnvironment('jest-mock')
const { ModernFakeTimers } = fromNodeEnvironment('@jest/fake-timers')

/** Events of the process that a service listens to until it ends. */
const LASTING = ['exit', 'uncaughtException']

/**
 * A jest environment without a realm of its own: a suite sees the globals of the worker, so that errors and buffers are the
 * ones that production sees. What suites change of the process is put back after each of them.
 */
export default class SharedRealm {
  // Taken before jest replaces the console by the one that reports with the suite.
  #before = {
    env: { ...process.env },
    exit: process.exit,
    listeners: LASTING.map((event) => process.listeners(event)),
    console: globalThis.console,
    cwd: process.cwd(),
  }

  constructor({ projectConfig }) {
    this.global = globalThis
    this.moduleMocker = new ModuleMocker(globalThis)
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis })
    this.fakeTimers = null
  }

  exportConditions() {
    return ['node', 'node-addons']
  }

  getVmContext() {
    return null
  }

  async setup() {
    // jest calls it; there is nothing to prepare.
  }

  async teardown() {
    this.fakeTimersModern.dispose()
    this.moduleMocker.restoreAllMocks()
    const { env, exit, listeners, console, cwd } = this.#before
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
    Object.assign(process.env, env)
    process.exit = exit
    for (const [index, event] of LASTING.entries())
      for (const listener of process.listeners(event))
        if (!listeners[index].includes(listener)) process.off(event, listener)
    globalThis.console = console
    process.chdir(cwd)
  }
}
