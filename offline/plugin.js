import { randomUUID } from 'node:crypto'
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import * as path from 'node:path'
import process from 'node:process'

/**
 * A plugin for `serverless offline`, which becomes the whole stack (main.ts). That starts `serverless offline` once more, as
 * its gateway, and marks it by OFFLINE_GATEWAY. There, what CloudFormation would fill in, the emulators' names and addresses
 * do, and what API Gateway would do otherwise than serverless-offline is put right. Other commands do not see it.
 */
export default class OfflineStack {
  constructor(serverless, options) {
    if (serverless.processedInput.commands[0] !== 'offline') return
    if (process.env.OFFLINE_GATEWAY === undefined) {
      this.hooks = { initialize: () => becomeStack(options) }
      return
    }
    // The process that started this one may die in any way, and at any time; it takes this one along.
    if (process.connected === false) process.exit(1)
    process.once('disconnect', () => process.exit(1))
    keepHttp(serverless.service)
    bundleOnce(serverless.service)
    keepBundles(pluginOf(serverless, 'EsbuildServerlessPlugin'), process.env.BUNDLES_KEPT)
    this.hooks = {
      'before:offline:start:init': () => {
        fillIn(serverless.service)
        laySideBySide(serverless.service)
      },
      'after:offline:start:init': () => mountOn(serverless),
    }
  }
}

/** What every command of serverless takes. */
const GENERAL = new Set([
  'stage',
  'region',
  'param',
  'config',
  'app',
  'org',
  'verbose',
  'debug',
  'aws-profile',
])

/** Never comes back: main.ts ends this process. Settings are variables of the environment, as for `npm start`. */
const becomeStack = async (options) => {
  const refused = Object.keys(options).find((name) => !GENERAL.has(name))
  if (refused !== undefined) {
    console.error(
      `Cannot start: there is no option --${refused} here. Set PORT, HOST and the rest in the environment.`,
    )
    process.exit(1)
  }
  await import('./main.ts')
  await new Promise(() => undefined)
}

/** Messages and the schedule are fed to their functions by the process that started this one. */
const keepHttp = ({ functions }) => {
  for (const [name, { events = [] }] of Object.entries(functions))
    if (!events.some((event) => 'httpApi' in event)) delete functions[name]
}

/** Bundles are made for this process, in a folder of its own; what agents write into theirs must not make new ones. */
const bundleOnce = ({ custom }) => {
  const outputWorkFolder = process.env.BUNDLES_FOLDER ?? '.esbuild'
  custom.esbuild = { ...custom.esbuild, minify: false, outputWorkFolder, watch: { pattern: [], ignore: [] } }
}

/**
 * Where tests start this often, they name a folder for bundles, which the first of them makes for all. A caller that names it
 * knows that the sources stay as they are.
 */
const keepBundles = (esbuild, kept) => {
  if (!kept) return
  const { bundle } = esbuild
  esbuild.bundle = async () => {
    if (existsSync(kept)) {
      esbuild.prepare()
      return cpSync(kept, esbuild.buildDirPath, { recursive: true })
    }
    await bundle()
    const whole = `${kept}-${randomUUID()}`
    cpSync(esbuild.buildDirPath, whole, { recursive: true })
    try {
      renameSync(whole, kept)
    } catch {
      // Another one was faster.
      rmSync(whole, { recursive: true })
    }
  }
}

const pluginOf = ({ pluginManager }, name) =>
  pluginManager.plugins.find((plugin) => plugin.constructor.name === name)

/** Functions get the environment of this process, and nothing of the cloud's: no proxies stand before them here. */
const fillIn = ({ provider, functions }) => {
  const given = Object.entries(process.env).filter(([name]) => /^[A-Z][A-Z0-9_]*$/.test(name))
  provider.environment = Object.fromEntries(given)
  for (const one of Object.values(functions)) one.environment = {}
}

/** What only one function's package has was laid apart by the bundler; here, as in its zip, it lies beside the bundle. */
const laySideBySide = ({ custom, functions }) => {
  const built = path.resolve(custom.esbuild.outputWorkFolder, '.build')
  for (const name of Object.keys(functions)) {
    const own = path.join(built, `__only_${name}`)
    if (existsSync(own)) cpSync(own, built, { recursive: true })
  }
}

const mountOn = async (serverless) => {
  const [{ mount }, esbuild] = await Promise.all([import('./mount.ts'), import('esbuild')])
  // Its service keeps everything that it read for a second build, which does not come.
  await esbuild.stop()
  const offline = pluginOf(serverless, 'ServerlessOffline').internals()
  mount(offline.getApiGatewayServer(), serverless.service.resources)
  process.send?.('mounted')
}
